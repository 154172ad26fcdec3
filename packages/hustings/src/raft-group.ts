/** A node of a Raft group, as the front door opens it. */

import type { NodeId } from '@hustings/elector';
import { flag, type OptionTable } from '@hustings/elector/options';
import {
  defaultSettings,
  leaseMs,
  membershipOf,
  type ProposalOptions,
  ProposalRefusedError,
  type RaftDurable,
  type RaftMessage,
  type RaftRequest,
  Replica,
  raft,
} from '@hustings/raft';
import { raftStorage } from '@hustings/raft/storage';
import type { Storage } from '@hustings/runtime';
import type { Transport } from '@hustings/transport';
import type { Report, Reporter } from './diagnostics.js';
import { type CommonOptions, type HustingsElector, openElector } from './front.js';
import { type CertificateOptions, type PeerOptions, peerRules } from './shared-options.js';
import { adviceFor, raftTimings, type TimingsName, timingsOf, timingsRules } from './timings.js';

export interface RaftTimings {
  /** How long a follower lets the leader be silent; drawn from this range. */
  readonly electionTimeoutMs: readonly [minMs: number, maxMs: number];
  /** How often a leader says that it is there. */
  readonly heartbeatMs: number;
}

export interface RaftElectorOptions extends CommonOptions, PeerOptions, CertificateOptions {
  /** Default `lan`. */
  readonly timings?: TimingsName | RaftTimings | undefined;
}

export interface RaftFrontElector extends HustingsElector<RaftRequest> {
  /** The replicated log: small entries that a majority has stored. */
  readonly replica: Replica;
  /**
   * On the leader: has a node receive the log and then vote. Resolves once it does, and waits for as long as that takes:
   * for ever, if the node does not run, or if this one has lost office and nobody stands.
   */
  addVoter(id: NodeId, options?: ProposalOptions): Promise<void>;
  /** On the leader: takes a node's vote away. */
  removeVoter(id: NodeId, options?: ProposalOptions): Promise<void>;
}

export const raftRules: OptionTable = {
  ...peerRules,
  ...timingsRules(raftTimings),
  deathCertificates: flag,
};

export type OpenTransport = (
  decodeMessage: (value: unknown) => RaftMessage,
  report: Reporter,
) => Transport<RaftMessage>;

export function openRaft(options: RaftElectorOptions, openTransport: OpenTransport): RaftFrontElector {
  const {
    id,
    election = null,
    directory,
    driftBound = defaultSettings.maxDriftRate,
    peers,
    timings,
    deathCertificates = false,
  } = options;
  const settings = {
    ...defaultSettings,
    ...timingsOf(raftTimings, timings),
    ...{ maxDriftRate: driftBound, deathCertificates },
  };
  const protocol = raft(settings);
  const nodes = [id, ...Object.keys(peers)];
  const open = (hear: Hear): HustingsElector<RaftRequest> =>
    openElector(options, {
      protocol,
      election,
      storage: (report) => noticing(raftStorage({ directory, id }), nodes, report),
      transport: (report) => openTransport(protocol.decodeMessage, report),
      endurance: {
        slackMs: leaseMs(settings) - settings.heartbeatMs,
        advice: adviceFor(timings, `electionTimeoutMs (now ${settings.electionTimeoutMs.join(' to ')})`),
      },
      answers: { 'heartbeat-reply': null, 'append-reply': null },
      answersNeeded: Math.floor(nodes.length / 2),
      withoutLeader: `check that ${Math.floor(nodes.length / 2) + 1} of the ${nodes.length} nodes run and reach each other; a node that was added to a running cluster also needs elector.addVoter('${id}') on the leader`,
      warnings: evenCluster(nodes.length),
      onAnnouncement: (announcement) => hear(announcement),
    });
  let elector: HustingsElector<RaftRequest> | undefined;
  const replica = new Replica((hear) => {
    elector = open(hear);
    return elector;
  });
  return Object.assign(elector!, {
    replica,
    addVoter: (node: NodeId, options: ProposalOptions = {}) => addVoter(replica, node, options),
    removeVoter: async (node: NodeId, options: ProposalOptions = {}) =>
      void (await replica.remove(node, options)),
  });
}

type Hear = Parameters<ConstructorParameters<typeof Replica>[0]>[0];

function evenCluster(count: number): readonly Report[] {
  if (count % 2 === 1) return [];
  const message = `${count} nodes survive no more failures than ${count - 1} do, for a majority is ${count / 2 + 1}: add one or leave one out.`;
  return [{ type: 'even-cluster', level: 'warn', message }];
}

/** Says so when the nodes that vote are not those that are configured: that is changed by asking the leader. */
function noticing(
  storage: Storage<RaftDurable>,
  configured: readonly NodeId[],
  report: Reporter,
): Storage<RaftDurable> {
  return {
    load: async () => {
      const durable = await storage.load();
      const stored = durable === undefined ? configured : membershipOf(durable).voters;
      const message = difference(configured, stored);
      if (message !== null) report({ type: 'membership-differs', level: 'warn', message });
      return durable;
    },
    save: (durable) => storage.save(durable),
    close: async () => storage.close?.(),
  };
}

function difference(configured: readonly NodeId[], stored: readonly NodeId[]): string | null {
  const toAdd = configured.filter((id) => !stored.includes(id)).map((id) => `elector.addVoter('${id}')`);
  const toRemove = stored
    .filter((id) => !configured.includes(id))
    .map((id) => `elector.removeVoter('${id}')`);
  if (toAdd.length + toRemove.length === 0) return null;
  return `configured ${configured.length}, stored voters ${stored.length} (${stored.join(', ')}), and only these vote: change them on the leader with ${[...toAdd, ...toRemove].join(', ')}.`;
}

/** What a leader refuses for now, and takes a little later. */
const forNow: ReadonlySet<string> = new Set(['not-caught-up', 'silent', 'change-pending']);
const askAgainMs = 100;

async function addVoter(replica: Replica, node: NodeId, options: ProposalOptions): Promise<void> {
  await untilTaken(() => replica.addLearner(node, options));
  await untilTaken(() => replica.promote(node, options));
}

/** Nothing to change is as good as changed. */
async function untilTaken(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (!(error instanceof ProposalRefusedError)) throw error;
      if (error.reason === 'no-change') return;
      if (!forNow.has(error.reason)) throw error;
      await new Promise((resolve) => setTimeout(resolve, askAgainMs));
    }
  }
}
