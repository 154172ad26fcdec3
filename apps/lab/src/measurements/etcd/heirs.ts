/**
 * Does a healthy leader with an heir stay in office on a real etcd? Three candidates in processes of their own. After
 * `npm run build`:
 *
 *     node apps/lab/dist/measurements/etcd/heirs.js staying [trials]
 *     node apps/lab/dist/measurements/etcd/heirs.js calm [minutes] [hogs]
 *
 * The first cuts the leader off from its peers, but not from etcd. The second does nothing to them, beside processes
 * that compute without end. Both print JSON. How soon an heir leads when something is done to the leader is among what
 * ../failover/live.ts measures.
 */

import { availableParallelism, loadavg } from 'node:os';
import { Processes, startEtcdCluster } from '@hustings/servers';
import { OurTeam } from '../failover/ours.js';
import { pause, untilSettled } from '../failover/team.js';

const [what = '', first = '', second = ''] = process.argv.slice(2);

const gather = (processes: Processes, hosts: string, heirWaitMs: number, isProxied: boolean) =>
  OurTeam.open(processes, { elector: 'etcd', deathCertificates: false, heirWaitMs, hosts, isProxied });

/** The leader loses its peers, for a few waits; etcd it keeps. */
async function measureStaying(processes: Processes, etcd: string) {
  const trials = Number(first) || 25;
  const results = [];
  for (const heirWaitMs of [250, 1000]) {
    const team = await gather(processes, etcd, heirWaitMs, true);
    let officesLost = 0;
    for (let done = 0; done < trials; done += 1) {
      const leader = await untilSettled(team);
      const links = team.cables.toPeersOf(leader.id);
      for (const proxy of links) proxy.cut();
      await pause(4 * heirWaitMs);
      if (team.terms.at(-1) !== leader) officesLost += 1;
      for (const proxy of links) proxy.heal();
      await pause(heirWaitMs);
    }
    await team.close();
    results.push({ fault: 'cut off from peers only', heirWaitMs, trials, officesLost });
  }
  return results;
}

/** Three elections at once, each with another wait. */
async function measureCalm(processes: Processes, etcd: string) {
  const minutes = Number(first) || 10;
  const hogs = Number(second) || 0;
  const waitsMs = [100, 250, 1000];
  const teams = await Promise.all(waitsMs.map((heirWaitMs) => gather(processes, etcd, heirWaitMs, false)));
  const failed = (): void => {};
  for (let hog = 0; hog < hogs; hog += 1) {
    processes.start(new URL('../calm/hog-process.js', import.meta.url), {}, { received: failed, failed });
  }
  await Promise.all(teams.map(untilSettled));
  const before = teams.map(({ terms }) => terms.length);
  await pause(60_000 * minutes);
  const changes = teams.map(({ terms }, index) => ({
    heirWaitMs: waitsMs[index],
    changesOfLeader: terms.length - before[index]!,
  }));
  await Promise.all(teams.map((team) => team.close()));
  const load = loadavg().map((value) => Math.round(value * 10) / 10);
  return { minutes, hogs, processors: availableParallelism(), load, changes };
}

const measurements: Record<string, (processes: Processes, etcd: string) => Promise<unknown>> = {
  staying: measureStaying,
  calm: measureCalm,
};
const measurement = measurements[what];
if (measurement === undefined) {
  throw new RangeError(`Say what to measure: ${Object.keys(measurements).join(', ')}.`);
}
const cluster = await startEtcdCluster();
const processes = await Processes.open('hustings-heirs');
try {
  const results = await measurement(processes, cluster.endpoints[0] ?? '');
  process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
} finally {
  await processes.close();
  await cluster.stop();
}
