/**
 * A process with many elections over one session, kept even by `balance`. It says as JSON, a line each, when it began
 * and ended to lead what.
 */

import { monotonicMs } from '@hustings/servers';
import type { Leadership } from 'hustings';
import { balance } from 'hustings/balance';
import { type ElectionSession, raftSession } from 'hustings/raft';
import { zookeeperSession } from 'hustings/zookeeper';
import { electionNames, type Said, type Setup } from './lines.js';

const setup = JSON.parse(process.argv[2] ?? '{}') as Setup;
const { id, prefix, timeoutMs } = setup;
const say = (said: Said): void => void process.stdout.write(`${JSON.stringify(said)}\n`);

const open: Record<Setup['kind'], () => ElectionSession<never>> = {
  zookeeper: () =>
    zookeeperSession({
      ...{ id, prefix, hosts: setup.hosts, logger: false },
      timings: { sessionTimeoutMs: timeoutMs },
    }),
  raft: () => {
    const others = Object.entries(setup.ports).filter(([other]) => other !== id);
    return raftSession({
      ...{ id, prefix, ttlMs: timeoutMs, directory: setup.directory, logger: false },
      listen: `127.0.0.1:${setup.ports[id]}`,
      peers: Object.fromEntries(others.map(([other, port]) => [other, `ws://127.0.0.1:${port}`])),
      secret: 'only nodes of one measurement know this',
      onDiagnostic: ({ type, election }) => {
        if (type === 'leads' && election === prefix) say({ type: 'leads-group', atMs: monotonicMs() });
      },
    });
  },
};

const session = open[setup.kind]();
const names = electionNames(setup.elections);
const electors = names.map((name) => session.elector(name));

/** What it leads, and when it last found that it does. A process that does not run leads nothing. */
const led = new Map<string, { readonly leadership: Leadership; validMs: number }>();
setInterval(() => {
  const nowMs = monotonicMs();
  for (const each of led.values()) if (each.leadership.remainingMs > 0) each.validMs = nowMs;
}, 10);

const spread = balance({
  names,
  seats: 4,
  elector: (name) => session.elector(name),
  async work(name, leadership) {
    const { token, signal } = leadership;
    const beganMs = monotonicMs();
    led.set(name, { leadership, validMs: beganMs });
    say({ type: 'began', election: name, token: `${token}`, atMs: beganMs });
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    say({ type: 'ended', election: name, token: `${token}`, atMs: led.get(name)?.validMs ?? beganMs });
    led.delete(name);
  },
  onError: (name, error) => say({ type: 'failed', election: name, detail: `${error}` }),
});

setInterval(() => {
  const { user, system } = process.cpuUsage();
  const known = electors.filter((elector) => elector.belief().leaderId !== null).length;
  say({ type: 'state', known, cpuMs: (user + system) / 1000 });
}, 200);

process.once('SIGTERM', () => {
  void spread
    .stop()
    .then(() => session.stop())
    .then(() => process.exit(0));
});
