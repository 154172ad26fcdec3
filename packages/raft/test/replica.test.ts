import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NodeId, StoppedError } from '@hustings/elector';
import { createElector, type Diagnostic, memoryStorage, type Storage } from '@hustings/runtime';
import { memoryNetwork } from '@hustings/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type LogEvent,
  ProposalRefusedError,
  ProposalUncertainError,
  type RaftAnnouncement,
  type RaftDurable,
  type RaftElector,
  type RaftRequest,
  type RaftSettings,
  Replica,
  raft,
} from '../src/index.js';
import { raftStorage } from '../src/storage.js';

/** Nobody here stands again, so a busy machine must not cost the leader its lease. */
const patient: Partial<RaftSettings> = { electionTimeoutMs: [400, 600], heartbeatMs: 50 };

/** Replicas in one process, over a network in memory. */
class Cluster implements AsyncDisposable {
  readonly replicas = new Map<NodeId, Replica>();
  readonly events = new Map<NodeId, LogEvent[]>();
  readonly #ids: readonly NodeId[];
  readonly #network;
  readonly #disks = new Map<NodeId, Storage<RaftDurable>>();
  readonly #settings: Partial<RaftSettings>;

  constructor(ids: readonly NodeId[], settings: Partial<RaftSettings> = {}) {
    this.#ids = ids;
    this.#settings = { ...patient, ...settings };
    this.#network = memoryNetwork.open(ids, raft().decodeMessage);
    for (const id of ids) this.#disks.set(id, memoryStorage());
  }

  async start(id: NodeId): Promise<Replica> {
    const replica = new Replica((onAnnouncement) =>
      createElector({
        protocol: raft(this.#settings),
        transport: this.#network.transport(id),
        peers: this.#ids.filter((peer) => peer !== id),
        storage: this.#disks.get(id)!,
        onAnnouncement,
      }),
    );
    const events: LogEvent[] = [];
    replica.onEvent((event) => events.push(event));
    this.replicas.set(id, replica);
    this.events.set(id, events);
    await replica.elector.start();
    return replica;
  }

  dataOf(id: NodeId): unknown[] {
    return this.events.get(id)!.flatMap((event) => (event.type === 'committed' ? [event.data] : []));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.replicas.values()].map((replica) => replica.stop()));
  }
}

async function until(condition: () => boolean): Promise<void> {
  const giveUpMs = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > giveUpMs) throw new Error('Waited in vain.');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A learner may have announced an entry before the leader knows that it has it. */
async function promoteOnceCaughtUp(leader: Replica, node: NodeId): Promise<void> {
  for (;;) {
    try {
      await leader.promote(node);
      return;
    } catch (error) {
      if (!(error instanceof ProposalRefusedError && error.reason === 'not-caught-up')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

const open: Cluster[] = [];
afterEach(async () => {
  for (const cluster of open.splice(0)) await cluster[Symbol.asyncDispose]();
});

async function begin(
  ids: readonly NodeId[],
  settings: Partial<RaftSettings> = {},
): Promise<[Cluster, Replica]> {
  const cluster = new Cluster(ids, settings);
  open.push(cluster);
  for (const id of ids) await cluster.start(id);
  const leader = cluster.replicas.get('n1')!;
  await leader.elector.campaign();
  return [cluster, leader];
}

describe('a replicated log of three nodes', () => {
  it('gives every node the same entries in the same order', async () => {
    const [cluster, leader] = await begin(['n1', 'n2', 'n3']);
    const places = await Promise.all(['a', 'b', 'c'].map((data) => leader.propose(data)));
    expect(places.map(({ index }) => index)).toEqual([2, 3, 4]);
    await until(() => ['n1', 'n2', 'n3'].every((id) => cluster.dataOf(id).length === 3));
    for (const id of ['n1', 'n2', 'n3']) expect(cluster.dataOf(id)).toEqual(['a', 'b', 'c']);
  });

  it('offers what is committed as a stream that ends with its signal', async () => {
    const [, leader] = await begin(['n1', 'n2', 'n3']);
    const done = new AbortController();
    const read: unknown[] = [];
    const reading = (async () => {
      for await (const event of leader.committed({ signal: done.signal })) {
        if (event.type === 'committed') read.push(event.data);
      }
    })();
    await leader.propose('a');
    await leader.propose('b');
    await until(() => read.length === 2);
    done.abort();
    await reading;
    expect(read).toEqual(['a', 'b']);
  });

  it('ends every stream when it stops', async () => {
    const [, leader] = await begin(['n1']);
    const reading = (async () => {
      for await (const _ of leader.committed());
    })();
    await leader.stop();
    await reading;
  });

  it('refuses a proposal on a follower, and says who leads', async () => {
    const [cluster] = await begin(['n1', 'n2', 'n3']);
    const follower = cluster.replicas.get('n2')!;
    await until(() => follower.elector.belief().leaderId === 'n1');
    await expect(follower.propose('a')).rejects.toMatchObject({ reason: 'not-leader', leaderId: 'n1' });
    await expect(follower.propose('a')).rejects.toBeInstanceOf(ProposalRefusedError);
  });

  it('keeps what is committed when the leader leaves', async () => {
    const [cluster, leader] = await begin(['n1', 'n2', 'n3']);
    await leader.propose('a');
    await leader.stop();
    const next = cluster.replicas.get('n2')!;
    await next.elector.campaign();
    await next.propose('b');
    await until(() => cluster.dataOf('n3').length === 2);
    expect(cluster.dataOf('n3')).toEqual(['a', 'b']);
  });

  it('does not know what became of a proposal that no majority could store', async () => {
    const [cluster, leader] = await begin(['n1', 'n2', 'n3']);
    await Promise.all(['n2', 'n3'].map((id) => cluster.replicas.get(id)!.stop()));
    const proposal = leader.propose('a', { signal: AbortSignal.timeout(50) });
    await expect(proposal).rejects.toBeInstanceOf(ProposalUncertainError);
  });

  it('brings a node that missed everything up to date from a snapshot', async () => {
    const [cluster, leader] = await begin(['n1', 'n2', 'n3'], { snapshotThreshold: 5 });
    await cluster.replicas.get('n3')!.stop();
    for (const data of ['a', 'b', 'c', 'd', 'e']) await leader.propose(data);
    expect(leader.wantsSnapshotAt).toBe(5);
    leader.snapshot(6, 'a to e');
    expect(leader.wantsSnapshotAt).toBeNull();
    await leader.propose('f');
    await cluster.start('n3');
    await until(() => cluster.dataOf('n3').includes('f'));
    expect(cluster.events.get('n3')).toMatchObject([
      { type: 'restored', index: 6, data: 'a to e' },
      { type: 'committed', index: 7, data: 'f' },
    ]);
  });

  it('takes in a fourth node, and lets the leader go', async () => {
    const [cluster, leader] = await begin(['n1', 'n2', 'n3', 'n4'], { voters: ['n1', 'n2', 'n3'] });
    await leader.addLearner('n4');
    await expect(leader.addLearner('n4')).rejects.toMatchObject({ reason: 'no-change' });
    await until(() => cluster.events.get('n4')!.length > 0);
    await promoteOnceCaughtUp(leader, 'n4');
    await leader.remove('n1');
    expect(leader.membership).toEqual({ voters: ['n2', 'n3', 'n4'], learners: [] });
    const next = cluster.replicas.get('n4')!;
    await next.elector.campaign();
    await next.propose('a');
    await until(() => cluster.dataOf('n2').length === 1);
    expect(cluster.dataOf('n1')).toEqual([]);
  });
});

const silent = (
  hear: (announce: (announcement: RaftAnnouncement) => void) => void,
  request: (request: RaftRequest) => void = () => {},
) =>
  new Replica((announce) => {
    hear(announce);
    const observe = async function* () {
      yield await new Promise<never>(() => {});
    };
    return { request, observe } as unknown as RaftElector;
  });

describe('a change of membership that is asked for before the term has begun', () => {
  it('is asked for again when it has, and only then', async () => {
    const requests: RaftRequest[] = [];
    let announce: (announcement: RaftAnnouncement) => void = () => {};
    const replica = silent(
      (given) => {
        announce = given;
      },
      (request) => requests.push(request),
    );
    const change = replica.remove('n3');
    announce({ type: 'refused', id: '1', reason: 'term-not-begun', leaderId: 'n1' });
    announce({ type: 'committed', index: 3, term: 1, data: 'a' });
    expect(requests).toHaveLength(1);
    announce({ type: 'term-begun', index: 4, term: 2 });
    announce({ type: 'term-begun', index: 5, term: 3 });
    expect(requests).toEqual([
      { type: 'remove', id: '1', node: 'n3' },
      { type: 'remove', id: '1', node: 'n3' },
    ]);
    announce({ type: 'refused', id: '1', reason: 'not-leader', leaderId: 'n2' });
    await expect(change).rejects.toMatchObject({ reason: 'not-leader' });
  });
});

describe('a proposal whose place was taken by another leader', () => {
  it('is refused as superseded, also when only a later entry tells', async () => {
    let announce: (announcement: RaftAnnouncement) => void = () => {};
    const replica = silent((given) => {
      announce = given;
    });
    const lost = replica.propose('a');
    const kept = replica.propose('b');
    announce({ type: 'accepted', id: '1', index: 5, term: 2 });
    announce({ type: 'accepted', id: '2', index: 9, term: 3 });
    announce({ type: 'term-begun', index: 6, term: 3 });
    await expect(lost).rejects.toMatchObject({ reason: 'superseded' });
    announce({ type: 'committed', index: 9, term: 3, data: 'b' });
    expect(await kept).toEqual({ index: 9, term: 3 });
  });

  it('is uncertain when a snapshot stands for it', async () => {
    let announce: (announcement: RaftAnnouncement) => void = () => {};
    const replica = silent((given) => {
      announce = given;
    });
    const proposal = replica.propose('a');
    announce({ type: 'accepted', id: '1', index: 5, term: 2 });
    announce({ type: 'restored', index: 8, term: 3, data: null });
    await expect(proposal).rejects.toBeInstanceOf(ProposalUncertainError);
  });
});

describe('given a node whose directory is deleted', () => {
  it('nobody waits for ever, for a proposal or for what is committed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'hustings-replica-'));
    const replica = new Replica((onAnnouncement) =>
      createElector({
        protocol: raft(patient),
        transport: memoryNetwork.open(['n1'], raft().decodeMessage).transport('n1'),
        peers: [],
        storage: raftStorage({ directory, id: 'n1' }),
        onAnnouncement,
      }),
    );
    await replica.elector.start();
    await replica.elector.campaign();
    await replica.propose('a');
    const committed = replica.committed().next();
    await rm(directory, { recursive: true });
    await expect(replica.propose('b')).rejects.toBeInstanceOf(ProposalUncertainError);
    expect(await committed).toEqual({ done: true, value: undefined });
  });
});

describe('given a node that stops', () => {
  it('a listener that hears of an entry meanwhile may still give a snapshot', async () => {
    const disk = memoryStorage<RaftDurable>();
    const slowly = async (durable: RaftDurable): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await disk.save(durable);
    };
    const diagnostics: Diagnostic[] = [];
    const replica = new Replica((onAnnouncement) =>
      createElector({
        protocol: raft(patient),
        transport: memoryNetwork.open(['n1'], raft().decodeMessage).transport('n1'),
        peers: [],
        storage: { load: () => disk.load(), save: slowly },
        onAnnouncement,
        onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      }),
    );
    let snapshots = 0;
    replica.onEvent((event) => {
      if (event.type !== 'committed') return;
      replica.snapshot(event.index, 'all');
      snapshots += 1;
    });
    await replica.elector.start();
    await replica.elector.campaign();
    const proposal = replica.propose('a').catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 5));
    await replica.stop();
    await proposal;
    expect(diagnostics).toEqual([]);
    expect(snapshots).toBe(1);
  });

  it('what it would ask for again is refused to whoever waits for it, and to nobody else', async () => {
    let announce: (announcement: RaftAnnouncement) => void = () => {};
    let isStopping = false;
    const replica = silent(
      (given) => {
        announce = given;
      },
      () => {
        if (isStopping) throw new StoppedError('n1');
      },
    );
    const change = replica.remove('n3');
    announce({ type: 'refused', id: '1', reason: 'term-not-begun', leaderId: 'n1' });
    isStopping = true;
    announce({ type: 'term-begun', index: 4, term: 2 });
    await expect(change).rejects.toBeInstanceOf(StoppedError);
  });
});
