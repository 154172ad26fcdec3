/**
 * One candidate of somebody else's make in a live trial: a process of its own, like one of ours, which campaigns
 * with another elector and reports the same sightings. A program that is no JavaScript runs beside it, and is killed
 * and stopped together with it.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs, type SupervisedProcess, supervise } from '@hustings/servers';
import { type Campaign, Etcd3 } from 'etcd3';
import { writeIntervalMs } from '../../plan/settings.js';
import type { FromNode, NodeSettings, ToNode } from './messages.js';

/** An application stands again soon after it has lost its candidacy. Curator does so by itself. */
const againAfterMs = 100;
const lookAgainMs = 50;

interface Candidate {
  campaign(): void;
  resign(): void;
}

let candidate: Candidate | null = null;

process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// The etcd3 package leaves promises unattended that reject when its server is out of reach.
process.on('unhandledRejection', () => {});

process.on('message', (message: ToNode) => {
  switch (message.type) {
    case 'start':
      candidate = candidateOf(message.settings);
      tell({ type: 'listening', port: 0 });
      tell({ type: 'connected' });
      break;
    case 'campaign':
      candidate?.campaign();
      break;
    case 'resign':
      candidate?.resign();
      break;
    case 'addresses':
    case 'rules':
      break;
  }
});

function candidateOf(settings: NodeSettings): Candidate {
  switch (settings.algorithm) {
    case 'etcd3':
      return etcd3Candidate(settings);
    case 'etcdctl':
      return etcdctlCandidate(settings);
    case 'curator':
      return curatorCandidate(settings);
    default:
      throw new RangeError(`There is no rival ${settings.algorithm}.`);
  }
}

/** Reports when this candidate leads, and does a leader's work. */
class Office {
  readonly #node: string;
  #tenures = 0;
  #holder = '';
  #held = false;

  constructor(node: string) {
    this.#node = node;
  }

  begin(token: bigint, atMs = monotonicMs()): void {
    this.end();
    this.#held = true;
    this.#tenures += 1;
    this.#holder = `${this.#node}#${process.pid}.${this.#tenures}`;
    tell({
      type: 'sightings',
      sightings: [{ type: 'began', atMs, node: this.#node, holder: this.#holder, token }],
    });
  }

  end(atMs = monotonicMs()): void {
    if (!this.#held) return;
    this.#held = false;
    tell({ type: 'sightings', sightings: [{ type: 'ended', atMs, node: this.#node }] });
  }

  write(token: bigint, atMs = monotonicMs()): void {
    if (this.#held) tell({ type: 'write', atMs, holder: this.#holder, token });
  }

  /** Writes until told otherwise, for electors that have no application of their own. */
  work(token: bigint): () => void {
    this.write(token);
    const writing = setInterval(() => this.write(token), writeIntervalMs);
    return () => clearInterval(writing);
  }
}

/** As its documentation has it: work from `elected` until `error`, and then campaign again. */
function etcd3Candidate({ id, coordinator, rival }: NodeSettings): Candidate {
  const client = new Etcd3({ hosts: coordinator!.addresses.map((address) => `http://${address}`) });
  const election = client.election(coordinator!.election, rival!.ttlSeconds);
  const office = new Office(id);
  let resigned = false;
  let current: Campaign | null = null;
  let stopWork = () => {};
  const leave = () => {
    stopWork();
    office.end();
  };
  const campaign = () => {
    const mine = election.campaign(id);
    current = mine;
    const standing = tokenOf(mine);
    void standing.then(() => tell({ type: 'stands' }));
    mine.on('elected', async () => {
      const atMs = monotonicMs();
      const token = await standing;
      // Its candidacy may have come to an end meanwhile.
      if (current !== mine || resigned) return;
      office.begin(token, atMs);
      stopWork = office.work(token);
    });
    mine.on('error', () => {
      if (current !== mine) return;
      current = null;
      leave();
      if (!resigned) setTimeout(campaign, againAfterMs);
    });
  };
  /** It hands out no token, but its key has one, and keeps it: known before it is needed. */
  const tokenOf = async (mine: Campaign): Promise<bigint> => {
    for (;;) {
      const { kvs } = await client.get(await mine.getCampaignKey()).exec();
      if (kvs[0] !== undefined) return BigInt(kvs[0].create_revision);
      await pause(lookAgainMs);
    }
  };
  return {
    campaign,
    resign() {
      resigned = true;
      leave();
      tell({ type: 'applied', atMs: monotonicMs() });
      void current?.resign();
    },
  };
}

/** Leads from the line that it prints until it ends, as it does when its session has. */
function etcdctlCandidate({ id, nodes, variant, coordinator, rival }: NodeSettings): Candidate {
  const office = new Office(id);
  const { election, addresses } = coordinator!;
  const parameters = [
    `--endpoints=${addresses.join(',')}`,
    '--write-out=json',
    ...(variant === 'elect' ? ['elect', election, id] : ['lock', `--ttl=${rival!.ttlSeconds}`, election]),
  ];
  // A user's own settings for etcdctl must not reach it.
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('ETCDCTL_'));
  const env = { ...Object.fromEntries(kept), ETCDCTL_API: '3' };
  let resigned = false;
  let current: SupervisedProcess | null = null;
  const campaign = async () => {
    let stopWork = () => {};
    const onLine = (line: string) => {
      const revision = /"create_revision":(\d+)/.exec(line)?.[1];
      if (revision === undefined || resigned) return;
      office.begin(BigInt(revision));
      stopWork = office.work(BigInt(revision));
    };
    current = await supervise('etcdctl', parameters, { env, onLine });
    tell({ type: 'child', pid: current.pid });
    await current.ended;
    stopWork();
    office.end();
    if (!resigned) setTimeout(campaign, againAfterMs);
  };
  /** It says nothing while it waits, but its key does. */
  const untilAllStand = async () => {
    const client = new Etcd3({ hosts: addresses.map((address) => `http://${address}`) });
    const count = async () => (await client.getAll().prefix(`${election}/`).keys()).length;
    while ((await count().catch(() => 0)) < nodes.length) await pause(lookAgainMs);
    client.close();
    tell({ type: 'stands' });
  };
  return {
    campaign() {
      void campaign();
      void untilAllStand();
    },
    resign() {
      resigned = true;
      office.end();
      tell({ type: 'applied', atMs: monotonicMs() });
      current?.signal('SIGINT');
    },
  };
}

/** Its application is part of the Java program, so that a pause stops both at once. */
function curatorCandidate({ id, coordinator, rival }: NodeSettings): Candidate {
  const office = new Office(id);
  const { election, addresses } = coordinator!;
  const { command, parameters } = rival!.curator!;
  let leadsSinceMs = 0;
  let current: SupervisedProcess | null = null;
  const onLine = (line: string) => {
    const [word, nanoseconds, token] = line.split(' ');
    const atMs = Number(nanoseconds) / 1e6;
    switch (word) {
      case 'stands':
        tell({ type: 'stands' });
        break;
      case 'leads':
        leadsSinceMs = atMs;
        break;
      case 'token':
        office.begin(BigInt(token!), leadsSinceMs);
        break;
      case 'wrote':
        office.write(BigInt(token!), atMs);
        break;
      case 'lost':
        office.end(atMs);
        break;
      case 'resigns':
        // `close` tells the listener only when the znode has gone: who resigns has ended its work before.
        office.end(atMs);
        tell({ type: 'applied', atMs });
        break;
    }
  };
  return {
    async campaign() {
      const own = [id, `/${election}`, `${rival!.sessionTimeoutMs}`, addresses.join(',')];
      current = await supervise(command, [...parameters, ...own, `${writeIntervalMs}`], { onLine });
      tell({ type: 'child', pid: current.pid });
      await current.ended;
      process.stderr.write(`${current.lines.slice(-5).join('\n')}\n`);
      process.exit(1);
    },
    resign: () => current?.signal('SIGUSR2'),
  };
}

function tell(message: FromNode): void {
  process.send?.(message, undefined, undefined, () => {});
}
