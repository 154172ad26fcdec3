import type { NodeId } from '@hustings/elector';
import type { AnyInput, Recording } from '@hustings/simulator';
import {
  type TransferEffect,
  type TransferMessage,
  type TransferState,
  transferTimeoutMs,
} from '../../exercises/14-transfer/types.js';
import { raftWithTransfer, type TransferRules } from '../given/raft-transfer.js';
import type { Exercise } from '../grading/check.js';
import { allOf, type Candidate, inDrawnRuns, inRecordings } from '../grading/runs.js';
import { guarded } from '../guard.js';
import { casesOf, raftIsSafe, readRules, tellValue } from './rules.js';

type Answer = Candidate<TransferState>;

const timing = { detectionMs: 300, maxDelayMs: 30, settleMs: 2400 };

const leader: TransferState = {
  id: 'n1',
  peers: ['n2', 'n3', 'n4', 'n5'],
  role: 'leader',
  currentTerm: 4,
  votedFor: 'n1',
  log: [1, 2, 4],
  leaderId: 'n1',
  votes: ['n1', 'n2', 'n3'],
  commitIndex: 2,
  stored: { n2: 2, n3: 3, n4: 1 },
  standing: true,
  successor: null,
};

interface Case {
  readonly state?: Partial<TransferState>;
  readonly input: AnyInput;
}

interface Asked {
  readonly before: TransferState;
  readonly after: TransferState;
  readonly effects: readonly TransferEffect[];
}

function ask({ protocol }: Answer, { state, input }: Case): Asked {
  const before = { ...leader, ...state };
  const [after, effects] = protocol.step(before, input, 1000);
  return { before, after, effects: effects as readonly TransferEffect[] };
}

function tellCase({ input }: Case, { before, after }: Asked): string[] {
  const { role, currentTerm, log, stored, successor } = before;
  return [
    `n1 is a ${role} in term ${currentTerm}; its log is [${log.join(', ')}], stored ${tellValue(stored)}, successor ${successor ?? 'null'}`,
    `what happens: ${tellValue(input)}`,
    `then it is a ${after.role} in term ${after.currentTerm}, successor is ${after.successor ?? 'null'}, and the effects are`,
  ];
}

const inCases = casesOf(ask, tellCase);

const resign = (to?: NodeId): AnyInput => ({ type: 'resign-requested', ...(to !== undefined && { to }) });
const received = (from: NodeId, message: TransferMessage): AnyInput => ({ type: 'received', from, message });
const stored = (from: NodeId, count: number): AnyInput =>
  received(from, { type: 'append-reply', term: 4, stored: count });
const timeoutNow = (term: number): AnyInput => received('n2', { type: 'timeout-now', term });

const toldToLead = (effects: readonly TransferEffect[]) =>
  effects.flatMap((effect) =>
    effect.type === 'send' && effect.message.type === 'timeout-now'
      ? [{ to: effect.to, term: effect.message.term }]
      : [],
  );

const stepsDown = (effects: readonly TransferEffect[]): boolean =>
  effects.some(({ type }) => type === 'step-down');

const handsOverTo =
  (heir: NodeId) =>
  ({ after, effects }: Asked): string | null => {
    const [first, ...others] = toldToLead(effects);
    if (first === undefined) return 'Nobody gets TIMEOUT-NOW.';
    if (others.length > 0) return 'TIMEOUT-NOW is sent more than once.';
    if (first.to !== heir) return `${first.to} gets TIMEOUT-NOW, not ${heir}.`;
    if (first.term !== 4) return `TIMEOUT-NOW is of term ${first.term}, not 4.`;
    return after.role === 'follower' && stepsDown(effects) ? null : 'n1 does not step down.';
  };

function endsFirst({ effects }: Asked): string | null {
  const ends = effects.findIndex(({ type }) => type === 'step-down');
  const sends = effects.findIndex(
    (effect) => effect.type === 'send' && effect.message.type === 'timeout-now',
  );
  return ends < sends ? null : 'TIMEOUT-NOW is sent before n1 steps down: for a moment, both may lead.';
}

function goesOn({ after, effects }: Asked): string | null {
  if (stepsDown(effects) || after.role !== 'leader')
    return 'n1 steps down, although its successor is not ready.';
  return toldToLead(effects).length === 0 ? null : 'TIMEOUT-NOW is sent to a node that lacks entries.';
}

const waitsFor =
  (heir: NodeId) =>
  (asked: Asked): string | null => {
    const early = goesOn(asked);
    if (early !== null) return early;
    const { after, effects } = asked;
    if (after.successor !== heir) return `successor is ${after.successor ?? 'null'}, not ${heir}.`;
    const sets = effects.some((effect) => effect.type === 'set-timer' && effect.timer === 'transfer');
    return sets ? null : "The timer 'transfer' is not set: n1 might wait for ever.";
  };

function givesUp({ after, effects }: Asked): string | null {
  if (toldToLead(effects).length > 0) return 'TIMEOUT-NOW is sent to a node that lacks entries.';
  return stepsDown(effects) && after.role === 'follower' ? null : 'n1 does not step down.';
}

const callsElection = ({ after, effects }: Asked): string | null =>
  after.currentTerm === 5 && effects.some(({ type }) => type === 'send') ? null : 'n1 calls no election.';
const ignores = ({ before, after }: Asked): string | null =>
  after.currentTerm === before.currentTerm ? null : 'n1 calls an election.';

const follower: Partial<TransferState> = { role: 'follower', leaderId: 'n2', votedFor: 'n2', stored: {} };

const run = (size: number, ...faults: readonly string[]): string =>
  [
    `nodes ${Array.from({ length: size }, (_, index) => `n${index + 1}`).join(' ')}`,
    'seed 3',
    'latency 2 6',
    'run 1500',
    'at 10 fire n1 election',
    ...faults,
    '',
  ].join('\n');

/** At different moments between two heartbeats: sometimes the successor has every entry, sometimes it lacks one. */
const moments = Array.from({ length: 17 }, (_, index) => 500 + 3 * index);

const takesOver =
  (heir: NodeId) =>
  ({ facts }: Recording<TransferState>): string | null => {
    const [first, second] = facts.tenures;
    if (first === undefined || first.endedMs === null) return 'The leader never leaves.';
    if (second === undefined) return 'Nobody leads after it.';
    if (second.node !== heir) return `${second.node} leads after it, not ${heir}.`;
    const gapMs = second.beganMs - first.endedMs;
    if (gapMs < 0) return `${second.node} leads ${(-gapMs).toFixed(1)} ms before ${first.node} stops.`;
    return gapMs <= 50 ? null : `For ${gapMs.toFixed(1)} ms nobody leads.`;
  };

function leavesAlone({ facts }: Recording<TransferState>): string | null {
  const [first, second] = facts.tenures;
  if (first === undefined || first.endedMs === null) return 'The leader never leaves.';
  const waitedMs = first.endedMs - 520;
  if (waitedMs > 200) return `The leader leaves only after ${waitedMs.toFixed(0)} ms.`;
  return second === undefined ? 'Nobody leads after it.' : null;
}

export const transferExercise: Exercise<Answer> = {
  id: '14-transfer',
  given: { './types.js': { transferTimeoutMs } },
  read(submission, watch, facts) {
    const names = ['onResign', 'onProgress', 'onTransferTimeout', 'onTimeoutNow'] as const;
    const rules = readRules<TransferRules>(submission, ...names);
    return {
      protocol: guarded(raftWithTransfer(rules), {
        before: watch,
        names: facts,
      }) as Answer['protocol'],
      timing,
      fieldsOf: ({ role, currentTerm, log, successor }) => ({ role, currentTerm, log, successor }),
    };
  },
  checks: {
    'hands-over': inCases([{ input: resign('n3') }, handsOverTo('n3')]),
    'ends-first': inCases(
      [{ input: resign('n3') }, endsFirst],
      [
        { state: { successor: 'n2' }, input: stored('n2', 3) },
        (asked) => (toldToLead(asked.effects).length === 0 ? null : endsFirst(asked)),
      ],
    ),
    waits: inCases([{ input: resign('n2') }, waitsFor('n2')], [{ input: resign('n5') }, waitsFor('n5')]),
    'catches-up': inCases(
      [{ state: { successor: 'n2' }, input: stored('n2', 3) }, handsOverTo('n2')],
      [{ state: { successor: 'n4' }, input: stored('n4', 2) }, goesOn],
      [{ state: { successor: 'n2' }, input: stored('n4', 3) }, goesOn],
    ),
    'best-heir': inCases(
      [{ input: resign() }, handsOverTo('n3')],
      [
        { state: { stored: { n3: 1, n4: 2 } }, input: resign() },
        (asked) =>
          asked.after.successor === 'n4' ? null : `successor is ${asked.after.successor ?? 'null'}, not n4.`,
      ],
    ),
    'takes-over': inCases(
      [{ state: follower, input: timeoutNow(4) }, callsElection],
      [{ state: follower, input: timeoutNow(3) }, ignores],
    ),
    'gives-up': inCases([
      { state: { successor: 'n4' }, input: { type: 'timer-fired', timer: 'transfer' } },
      givesUp,
    ]),
    'no-gap': allOf(
      inRecordings(
        moments.map((atMs) => run(3, `at ${atMs} graceful n1 to n3`)),
        takesOver('n3'),
      ),
      inRecordings([run(5, 'at 510 graceful n1 to n4')], takesOver('n4')),
    ),
    'dead-heir': inRecordings([run(3, 'at 400 crash n3', 'at 520 graceful n1 to n3')], leavesAlone),
    safe: inDrawnRuns(raftIsSafe<TransferState>(), {
      runs: 15,
      nodes: [3, 5],
      faults: ['crash', 'restart', 'pause', 'graceful', 'split', 'loss', 'duplicate', 'reorder'],
    }),
  },
};
