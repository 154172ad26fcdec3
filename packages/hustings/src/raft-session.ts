/** Many elections of one process in one Raft group, which keeps a lease for each of them in its log. */

import type { NodeId } from '@hustings/elector';
import { numberAbove, type OptionTable, readOptions } from '@hustings/elector/options';
import type { LeaseElectionRequest } from '@hustings/lease';
import { sharedStore } from '@hustings/lease/gateway';
import type { ProposalOptions, RaftMessage } from '@hustings/raft';
import type { HustingsElector } from './front.js';
import { leaseElector, withoutClose } from './lease.js';
import { peerTransport } from './peers.js';
import { openRaft, type RaftElectorOptions, raftRules } from './raft-group.js';
import { CallLink, decodeBoth } from './raft-session/calls.js';
import { GroupStore } from './raft-session/store.js';
import { type ElectionSession, openSession, sessionRules } from './session.js';
import { leaseTimings, timingsOf } from './timings.js';

export interface RaftSessionOptions extends Omit<RaftElectorOptions, 'election'> {
  /** What the names of its elections begin with. Groups of different prefixes do not talk to each other. */
  readonly prefix?: string | undefined;
  /** How long a leader that is not heard of stays leader. Default: as in `timings`, 5000. */
  readonly ttlMs?: number | undefined;
}

export interface RaftElectionSession extends ElectionSession<LeaseElectionRequest> {
  /** On the leader of the group: has a node receive the log and then vote. Resolves once it does, however long it takes. */
  addVoter(id: NodeId, options?: ProposalOptions): Promise<void>;
  /** On the leader of the group: takes a node's vote away. */
  removeVoter(id: NodeId, options?: ProposalOptions): Promise<void>;
}

const rules: OptionTable = { ...sessionRules(raftRules), ttlMs: numberAbove(0) };

/** How long an answer of the group's leader may take. */
const answerMs = 1000;
/** A node that was away for long is sent all leases at once, and one with many elections renews all at once. */
const limits = { maxPayloadBytes: 2 ** 24, maxQueuedBytes: 2 ** 26 };

/**
 * Many elections of one process in one Raft group. The node joins the group with the first of its electors that starts;
 * every process with electors is a node of the group. Throws `InvalidOptionError`.
 */
export function raftSession(given: RaftSessionOptions): RaftElectionSession {
  const {
    prefix = 'hustings',
    ttlMs,
    ...options
  } = readOptions<RaftSessionOptions>('raftSession', given, rules);
  const { timings } = options;
  const named = typeof timings === 'string' ? timings : undefined;
  const { id, driftBound, onDiagnostic, logger } = options;
  const lease = {
    ...{ id, driftBound, onDiagnostic, logger, timings: named },
    ttlMs: ttlMs ?? timingsOf(leaseTimings, named).ttlMs,
  };
  const link: CallLink<RaftMessage> = new CallLink((calls) => store.serve(calls), answerMs);
  const group = openRaft({ ...options, election: prefix }, (decodeMessage, report) =>
    link.share(peerTransport({ ...options, election: prefix }, decodeBoth(decodeMessage), report, limits)),
  );
  const { replica, addVoter, removeVoter } = group;
  const store = new GroupStore({
    replica,
    ask: (leaderId, calls) => link.ask(leaderId, calls),
    // Otherwise its electors would wait for ever, and nobody start the process anew.
    onFailed: () => void session.stop(),
  });
  const shared = sharedStore(store);
  const session = openSession(options, 'raft', () => ({
    open: (election, parts) =>
      startedAfter(
        () => store.start(),
        leaseElector(
          { ...lease, election: `${prefix}/${election}` },
          withoutClose(shared),
          'the group',
          parts,
        ),
      ),
    stop: async () => shared.close?.(),
  }));
  return { ...session, addVoter, removeVoter };
}

/** A store is tried until it answers, but a node that could not join the group never will: whoever starts hears why. */
function startedAfter<Request>(
  join: () => Promise<void>,
  elector: HustingsElector<Request>,
): HustingsElector<Request> {
  const start = elector.start.bind(elector);
  return Object.assign(elector, {
    start: async () => {
      await join();
      await start();
    },
  });
}
