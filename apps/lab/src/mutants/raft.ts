import type { Finding } from '@hustings/elector/protocol';
import {
  invariants,
  type RaftDurable,
  type RaftMessage,
  type RaftSettings,
  type RaftState,
  raft,
} from '@hustings/raft';
import {
  type AnyInput,
  type AnyProtocol,
  defaultSwarm,
  parseSchedule,
  type Schedule,
  Simulation,
  scheduleOfSeed,
} from '@hustings/simulator';
import {
  changingInput,
  changingOutcome,
  changingState,
  fires,
  hearing,
  hears,
  ignoring,
  prolonging,
  putLast,
  sends,
  steppingFrom,
  without,
} from './alterations.js';
import { from, leadsAtMost } from './by-hand.js';
import { certifiedRaft } from './certificates.js';
import * as checks from './checks.js';
import { type Alteration, type Check, type Failure, type Mutant, named, type Subject } from './mutant.js';
import { fromEachSeed, inEachOf, judge as judgeRun, seedsBelow, told } from './runs.js';
import { neverHeartbeats, refusesToResign, remembersOutsideItsState } from './shared.js';

type Raft = AnyProtocol<RaftState>;

const build = (): Raft => raft();

/** Votes more often, and in more terms, than a cluster would in production: flaws have less time to hide. */
const hasty: Partial<RaftSettings> = { electionTimeoutMs: [60, 80], heartbeatMs: 15, snapshotThreshold: 8 };
const timing = { detectionMs: 80, maxDelayMs: 8, settleMs: 2000 };

// ---- What is asked of Raft beside what is asked of everyone --------------------------------------------------

/** A run in which applications write all the time, held to everything that Raft promises. */
function judge(protocol: Raft, schedule: Schedule, settles: boolean): Failure | null {
  return judgeRun(protocol, schedule, {
    invariants,
    promised: protocol.guarantees,
    settles,
    prepare: (simulation) => planWrites(simulation, schedule.durationMs - timing.settleMs),
  });
}

/** Also by leaders that have been succeeded and do not know. */
function planWrites(simulation: Simulation<RaftState>, untilMs: number): void {
  for (let atMs = 20, count = 1; atMs < untilMs; atMs += 20, count += 1) {
    simulation.at(atMs, () => {
      for (const { id, running, state } of simulation.nodes) {
        if (!running || state.role !== 'leader') continue;
        simulation.give(id, { type: 'requested', request: { type: 'propose', id: `${count}`, data: count } });
      }
    });
  }
}

const keepsItsPromisesInSwarms: Check<RaftState> = inEachOf(
  fromEachSeed('swarm', seedsBelow(250)),
  (alter, { seed }) => {
    const protocol = alter(raft({ ...hasty, preVote: seed % 2 === 0, checkQuorum: seed % 3 > 0 }));
    const schedule = scheduleOfSeed({ protocol, invariants, timing }, defaultSwarm, seed);
    return judge(protocol, schedule, schedule.network.lossProbability === 0);
  },
);

/** Moments at which a lease still runs while others could elect: cuts, slow answers and restarts. */
const ambushes: readonly string[] = [
  'at 500 isolate leader until 900',
  'at 480 slow-link leader 45 until 700\nat 505 isolate leader until 900',
  'at 400 isolate n1 until 500\nat 498 isolate leader until 800\nat 499 restart n2\nat 499 restart n3',
  'at 400 isolate n1 until 500\nat 498 isolate leader until 800\nat 499 restart n4\nat 499 restart n5\nat 499 restart n3',
  'at 450 one-way leader until 800',
];

const holdsOneLeaseAtATime: Check<RaftState> = inEachOf(
  ambushes.flatMap((ambush, index) =>
    told(
      `ambush ${index + 1}`,
      seedsBelow(40),
      (seed) => `nodes n1 n2 n3 n4 n5\nlatency 0.5 4\nseed ${seed}\nrun 3000\n${ambush}`,
    ),
  ),
  (alter, { seed, schedule }) => judge(alter(raft({ ...hasty, preVote: seed % 2 === 0 })), schedule, true),
);

const said = new Set(['vote-reply', 'vote-request', 'append-reply', 'pre-vote-request']);

/** The leader's own AppendEntries may overtake its disk (thesis §10.2.1); nothing else may. */
const savesBeforeItSpeaks: Check<RaftState> = {
  find(alter) {
    let finding: Finding = null;
    const schedule = parseSchedule(
      'nodes n1 n2 n3\nlatency 1 5\nseed 1\nrun 3000\nat 1000 crash leader until 2000',
    );
    const simulation = new Simulation({
      ...schedule,
      protocol: alter(build()),
      observers: [
        {
          stepped(node, _input, _before, effects) {
            const save = effects.findIndex(({ type }) => type === 'save');
            const spoke = effects.findIndex(
              (effect) => effect.type === 'send' && said.has(effect.message.type),
            );
            if (save !== -1 && spoke !== -1 && spoke < save) finding ??= `${node.id} spoke first`;
          },
        },
      ],
    });
    for (const fault of schedule.faults) simulation.plan(fault);
    simulation.runUntil(schedule.durationMs);
    return finding === null ? null : { check: 'what is said is on disk (Figure 2)', detail: finding };
  },
};

const entriesOf = (...terms: number[]): RaftDurable['entries'] =>
  terms.map((term, position) => ({ index: position + 1, term, type: 'no-op' }));

/** A leader of term 3 whose log begins with these terms, elected by n2. */
function electedWith(protocol: Raft, ...terms: number[]): RaftState {
  const { log } = protocol.initialState('n1', ['n2', 'n3']);
  const durable: RaftDurable = {
    currentTerm: 2,
    votedFor: null,
    snapshot: log.snapshot,
    entries: entriesOf(...terms),
  };
  const inputs: readonly AnyInput[] = [
    { type: 'restarted', durable },
    { type: 'campaign-requested' },
    { type: 'timer-fired', timer: 'election' },
    heard('n2', { type: 'pre-vote-reply', term: 3, granted: true }),
    heard('n2', { type: 'vote-reply', term: 3, granted: true }),
  ];
  return inputs.reduce<RaftState>(
    (state, input, index) => protocol.step(state, input, 1000 * index)[0],
    protocol.initialState('n1', ['n2', 'n3']),
  );
}

const heard = (peer: string, message: RaftMessage): AnyInput => from(peer, message);

const acknowledged = (index: number, sentMs: number): AnyInput =>
  heard('n2', { type: 'append-reply', term: 3, sentMs, accepted: true, index, available: true });

const commitsOnlyItsOwnTerm: Check<RaftState> = named(
  'an entry of an earlier term is not committed by counting (§5.4.2)',
  (alter) => {
    const protocol = alter(build());
    const leader = electedWith(protocol, 1, 2);
    const [counted] = protocol.step(leader, acknowledged(2, 4000), 4010);
    if (counted.commitIndex !== 0) return `committed ${counted.commitIndex} of the entries of terms 1 and 2`;
    const [committed] = protocol.step(counted, acknowledged(3, 4000), 4020);
    return committed.commitIndex === 3 ? null : `committed ${committed.commitIndex} of 3 after its own`;
  },
);

const leadsWhenAnswered: Check<RaftState> = named(
  'a Leadership begins when a majority has answered, and counts from the question',
  (alter) => {
    const protocol = alter(build());
    const { electionTimeoutMs, maxDriftRate } = protocol.initialState('n1', []).settings;
    const leader = electedWith(protocol, 1);
    if (leader.leaseUntilMs !== null) return 'it began before';
    const [, effects] = protocol.step(leader, acknowledged(2, 4000), 4030);
    return leadsAtMost(effects, (electionTimeoutMs[0] * (1 - maxDriftRate)) / (1 + maxDriftRate) - 30);
  },
);

const heartbeat: RaftMessage = {
  type: 'heartbeat',
  term: 1,
  sentMs: 0,
  previousIndex: 0,
  previousTerm: 0,
  commitIndex: 0,
};

/** Clocks begin anew with each process, so what was sent before a restart may seem to come from the future. */
const countsOnlyAnswersToItself: Check<RaftState> = named(
  'a refusal of what a former life of the leader sent renews no lease',
  (alter) => {
    const protocol = alter(build());
    const { log, ...fresh } = protocol.initialState('n3', ['n1', 'n2']);
    const follower: RaftState = { ...fresh, log, currentTerm: 3 };
    const [, answers] = protocol.step(follower, heard('n1', { ...heartbeat, sentMs: 500_000 }), 1000);
    let leader = electedWith(protocol, 1);
    for (const answer of answers) {
      if (answer.type !== 'send') continue;
      [leader] = protocol.step(leader, heard('n3', answer.message as RaftMessage), 4010);
    }
    const [, effects] = protocol.step(leader, { type: 'timer-fired', timer: 'heartbeat' }, 9000);
    return effects.some(({ type }) => type === 'lead') ? 'it led although nobody had answered' : null;
  },
);

const believesNoImpossibleTerm: Check<RaftState> = named(
  'a message of the last term that can be counted ends no elections',
  (alter) => {
    const protocol = alter(build());
    const message: RaftMessage = { type: 'stale-term', term: Number.MAX_SAFE_INTEGER };
    const [{ currentTerm }] = protocol.step(electedWith(protocol, 1), heard('n2', message), 4010);
    return currentTerm === 3 ? null : `it went to term ${currentTerm}`;
  },
);

/** What leases rest on: whoever may have acknowledged one helps nobody else into office while it may run. */
const isBoundToItsLeader: Check<RaftState> = named(
  'a voter that may have heard a leader just now votes for nobody (thesis §4.2.3)',
  (alter) => {
    const protocol = alter(build());
    const fresh = protocol.initialState('n2', ['n1', 'n3']);
    const durable: RaftDurable = {
      currentTerm: 1,
      votedFor: null,
      snapshot: fresh.log.snapshot,
      entries: [],
    };
    const request = (term: number): RaftMessage => ({
      type: 'vote-request',
      term,
      lastIndex: 9,
      lastTerm: 1,
      transfer: false,
    });
    const pasts: Readonly<Record<string, readonly AnyInput[]>> = {
      'after a heartbeat': [heard('n3', heartbeat)],
      'after a restart': [{ type: 'restarted', durable }],
      'after its leader was gone': [
        heard('n3', heartbeat),
        { type: 'link-down', peer: 'n3' },
        { type: 'timer-fired', timer: 'election' },
      ],
    };
    const votes = (state: RaftState, atMs: number): boolean =>
      protocol.step(state, heard('n1', request(2)), atMs)[0].votedFor === 'n1';
    const [boundMs] = fresh.settings.electionTimeoutMs;
    for (const [past, inputs] of Object.entries(pasts)) {
      const voter = inputs.reduce<RaftState>((state, input) => protocol.step(state, input, 1000)[0], fresh);
      if (votes(voter, 1000 + boundMs / 2)) return `it voted too soon ${past}`;
      if (!votes(voter, 1000 + 2 * boundMs)) return `it did not vote in the end ${past}`;
    }
    return null;
  },
);

const votesForNobodyButItself: Check<RaftState> = named(
  'a node that is bound votes for nobody, itself included',
  (alter) => {
    const protocol = alter(build());
    const fresh = protocol.initialState('n1', ['n2', 'n3']);
    const [boundMs] = fresh.settings.electionTimeoutMs;
    const after = (...inputs: readonly (readonly [atMs: number, AnyInput])[]): RaftState =>
      inputs.reduce<RaftState>((state, [nowMs, input]) => protocol.step(state, input, nowMs)[0], fresh);
    const timeout: AnyInput = { type: 'timer-fired', timer: 'election' };
    const history = [
      [0, { type: 'started' }],
      [0, { type: 'campaign-requested' }],
      [1000, heard('n3', heartbeat)],
    ] as const;
    if (after(...history, [999 + boundMs, timeout]).role !== 'follower') return 'it asked while it was bound';
    return after(...history, [1000 + boundMs, timeout]).role === 'pre-candidate'
      ? null
      : 'it did not ask when it was free';
  },
);

/** Three nodes, a second after they have started. */
function settled(alter: Alteration<RaftState>): Simulation<RaftState> {
  const simulation = new Simulation({ protocol: alter(build()), nodes: ['n1', 'n2', 'n3'], seed: 1 });
  simulation.runUntil(1000);
  return simulation;
}

const isLeftInPeace: Check<RaftState> = named(
  'a node that was cut off does not disturb the leader (thesis §9.6)',
  (alter) => {
    const simulation = settled(alter);
    const { leader } = simulation;
    if (leader === null) return 'nobody led';
    const term = leader.state.currentTerm;
    const [stranger] = simulation.nodes.filter((node) => node !== leader);
    const heal = simulation.inject({ type: 'isolate', node: stranger!.id });
    simulation.runUntil(3000);
    heal();
    simulation.runUntil(5000);
    const { currentTerm } = leader.state;
    return leader.leading && currentTerm === term ? null : `term ${currentTerm}, not ${term}`;
  },
);

const handsOverToWhomItNames: Check<RaftState> = named(
  'a leader hands over to whom it names, once that has every entry (thesis §3.10)',
  (alter) => {
    const simulation = settled(alter);
    const { leader } = simulation;
    if (leader === null) return 'nobody led';
    const [heir] = simulation.nodes.filter((node) => node !== leader);
    const heal = simulation.inject({ type: 'isolate', node: heir!.id });
    for (let count = 0; count < 30; count += 1) {
      simulation.give(leader.id, {
        type: 'requested',
        request: { type: 'propose', id: `${count}`, data: count },
      });
    }
    simulation.runUntil(1100);
    heal();
    simulation.inject({ type: 'graceful', node: leader.id, to: heir!.id });
    simulation.runUntilTrue(() => simulation.leader !== null && simulation.leader !== leader, 4000);
    return simulation.leader === heir ? null : `${simulation.leader?.id ?? 'nobody'} leads, not ${heir!.id}`;
  },
);

const staysInOfficeOnlyWithAQuorum: Check<RaftState> = named(
  'a leader that nobody answers stops being one (thesis §6.2)',
  (alter) => {
    const simulation = settled(alter);
    const { leader } = simulation;
    if (leader === null) return 'nobody led';
    simulation.inject({ type: 'isolate', node: leader.id });
    simulation.runUntil(3000);
    return leader.state.role === 'leader' ? `${leader.id} is a leader still` : null;
  },
);

// ---- What is broken ------------------------------------------------------------------------------------------

const restartingWith = (forget: (durable: RaftDurable) => RaftDurable): Alteration<RaftState> =>
  changingInput((input) =>
    input.type === 'restarted' ? { ...input, durable: forget(input.durable as RaftDurable) } : input,
  );

/** A voter is bound to nobody when it hears this. */
const unboundBy = (isHeard: (input: AnyInput) => boolean): Alteration<RaftState> =>
  changingState((after, _before, input) => (isHeard(input) ? { ...after, boundSinceMs: null } : after));

const lastIndexOf = ({ log: { snapshot, entries } }: RaftState): number =>
  entries.at(-1)?.index ?? snapshot.index;

const termOf = ({ log: { snapshot, entries } }: RaftState, index: number): number | undefined =>
  index === snapshot.index ? snapshot.term : entries.find((entry) => entry.index === index)?.term;

/** The highest index that a majority stores, of whatever term. */
function storedByMajority({ id, membership: { voters }, followers, ...state }: RaftState): number {
  const stored = voters.map((voter) =>
    voter === id
      ? lastIndexOf({ id, membership: { voters, learners: [] }, followers, ...state })
      : (followers[voter]?.matchIndex ?? 0),
  );
  return stored.sort((a, b) => b - a)[Math.floor(voters.length / 2)] ?? 0;
}

const mutants: readonly Mutant<RaftState>[] = [
  {
    name: 'votes-twice',
    breaks: 'A voter forgets that it has voted in this term.',
    alter: steppingFrom((state, input) =>
      hears(input, 'vote-request') ? { ...state, votedFor: null } : state,
    ),
  },
  {
    name: 'votes-for-a-stale-log',
    breaks: 'A voter does not ask whether the candidate has every committed entry.',
    alter: hearing((message: RaftMessage) =>
      message.type === 'vote-request' || message.type === 'pre-vote-request'
        ? { ...message, lastTerm: Number.MAX_SAFE_INTEGER, lastIndex: Number.MAX_SAFE_INTEGER }
        : message,
    ),
  },
  {
    name: 'forgets-the-term-on-restart',
    breaks: 'A node that restarts begins with term 0.',
    alter: restartingWith((durable) => ({ ...durable, currentTerm: 0, votedFor: null })),
  },
  {
    name: 'forgets-its-vote-on-restart',
    breaks: 'A node that restarts may vote again in the same term.',
    alter: restartingWith((durable) => ({ ...durable, votedFor: null })),
  },
  {
    name: 'forgets-its-log-on-restart',
    breaks: 'A node that restarts has an empty log.',
    alter: restartingWith((durable) => ({ ...durable, entries: [] })),
  },
  {
    name: 'forgets-its-binding-on-restart',
    breaks: 'A node that restarts votes at once, although a leader it had heard may hold a lease.',
    alter: unboundBy(({ type }) => type === 'restarted'),
  },
  {
    name: 'saves-nothing',
    breaks: 'Term, vote and log are not written to disk.',
    alter: without((effect) => effect.type === 'save'),
  },
  {
    name: 'speaks-before-it-has-saved',
    breaks: 'Term, vote and log go to disk after the messages that depend on them.',
    alter: changingOutcome((after, effects) => [after, putLast(effects, ({ type }) => type === 'save')]),
  },
  {
    name: 'commits-an-old-term-by-counting',
    breaks: 'A leader commits whatever a majority stores.',
    alter: changingState((after) =>
      after.role === 'leader'
        ? { ...after, commitIndex: Math.max(after.commitIndex, storedByMajority(after)) }
        : after,
    ),
  },
  {
    name: 'ignores-higher-terms',
    breaks: 'A node takes no notice of messages of a later term, unless they ask for its vote.',
    alter: ignoring((input, { currentTerm }) => {
      if (hears(input, 'vote-request', 'pre-vote-request', 'pre-vote-reply')) return false;
      return input.type === 'received' && (input.message as RaftMessage).term > currentTerm;
    }),
  },
  {
    name: 'believes-any-term',
    breaks: 'A node takes over a later term however far it lies ahead.',
    alter: steppingFrom((state, input) => {
      if (input.type !== 'received') return state;
      const { term } = input.message as RaftMessage;
      return term - state.currentTerm > 2 ** 32 ? { ...state, currentTerm: term - 1 } : state;
    }),
  },
  {
    name: 'pre-vote-begins-a-term',
    breaks: 'Asking whether an election could be won begins a term.',
    alter: changingState((after, before) =>
      after.role === 'pre-candidate' && before.role !== 'pre-candidate'
        ? { ...after, currentTerm: after.currentTerm + 1, votedFor: null }
        : after,
    ),
  },
  {
    name: 'is-never-bound',
    breaks: 'A voter helps another into office although it has just heard the leader.',
    alter: unboundBy(() => true),
  },
  {
    name: 'is-set-free-by-a-closed-connection',
    breaks: 'A voter whose connection to the leader has closed is no longer bound to it.',
    alter: unboundBy(({ type }) => type === 'link-down'),
  },
  {
    name: 'campaigns-while-it-is-bound',
    breaks: 'A node whose election timer comes up early votes for itself although it is bound to a leader.',
    alter: steppingFrom((state, input) =>
      fires(input, 'election') ? { ...state, boundSinceMs: null } : state,
    ),
  },
  {
    name: 'lease-from-the-reply',
    breaks: 'A lease counts from the answer, not from the question.',
    alter: hearing((message: RaftMessage, _state, nowMs) =>
      message.type === 'heartbeat-reply' || message.type === 'append-reply'
        ? { ...message, sentMs: nowMs }
        : message,
    ),
  },
  {
    name: 'answers-a-former-life',
    breaks: 'A message of an earlier term is refused with the time in it, as if it were of the present one.',
    alter: changingOutcome((after, effects, { input }) => {
      if (!hears(input, 'append', 'heartbeat', 'snapshot')) return [after, effects];
      const { sentMs } = input.message as Extract<RaftMessage, { type: 'heartbeat' }>;
      const message: RaftMessage = {
        ...{ type: 'append-reply', term: after.currentTerm, sentMs },
        ...{ accepted: false, index: 0, available: true },
      };
      return [
        after,
        effects.map((effect) => (sends(effect, 'stale-term') ? { ...effect, message } : effect)),
      ];
    }),
  },
  {
    name: 'lease-without-a-guard',
    breaks: 'A lease lasts twice as long as a follower is bound.',
    alter: prolonging((validForMs) => 2 * validForMs),
  },
  {
    name: 'leads-from-the-last-vote',
    breaks: 'A Leadership begins with the vote that elected, although nobody is bound by that.',
    alter: changingOutcome((after, effects, { before, nowMs }) => {
      if (after.role !== 'leader' || before.role === 'leader') return [after, effects];
      return [
        { ...after, leaseUntilMs: nowMs + 100 },
        [...effects, { type: 'lead', token: BigInt(after.currentTerm), validForMs: 100 }],
      ];
    }),
  },
  {
    name: 'transfers-to-a-laggard',
    breaks: 'A leader hands over before its successor has every entry.',
    alter: steppingFrom((state, input) => {
      const to = input.type === 'resign-requested' ? input.to : undefined;
      const heir = to === undefined ? undefined : state.followers[to];
      if (to === undefined || heir === undefined) return state;
      const followers = { ...state.followers, [to]: { ...heir, matchIndex: lastIndexOf(state) } };
      return { ...state, followers };
    }),
  },
  {
    name: 'hands-over-while-it-leads',
    breaks: 'A successor is told to begin before the leader has stepped down.',
    alter: changingOutcome((after, effects) => [
      after,
      putLast(effects, (effect) => !sends(effect, 'timeout-now')),
    ]),
  },
  {
    name: 'leads-on-without-a-quorum',
    breaks: 'A leader that nobody answers remains one.',
    alter: ignoring((input) => input.type === 'lease-expired' || fires(input, 'quorum')),
  },
  {
    name: 'does-not-check-the-previous-entry',
    breaks: 'A follower appends entries whatever comes before them.',
    alter: hearing((message: RaftMessage, state) => {
      if (message.type !== 'append' && message.type !== 'heartbeat') return message;
      const term = termOf(state, message.previousIndex);
      return term === undefined ? message : { ...message, previousTerm: term };
    }),
  },
  {
    name: 'keeps-conflicting-entries',
    breaks:
      "A follower keeps its own entries where they differ from the leader's, and says that it stored them.",
    alter: hearing((message: RaftMessage, state) =>
      message.type === 'append'
        ? {
            ...message,
            entries: message.entries.map((entry) => {
              const own = state.log.entries.find(({ index }) => index === entry.index);
              return own ?? entry;
            }),
          }
        : message,
    ),
  },
  {
    name: 'counts-votes-that-were-not-given',
    breaks: 'A candidate counts a refusal as a vote.',
    alter: hearing((message: RaftMessage, state) =>
      message.type === 'vote-reply' && message.term === state.currentTerm
        ? { ...message, granted: true }
        : message,
    ),
  },
  neverHeartbeats(),
  {
    name: 'never-campaigns',
    breaks: 'A follower waits for a silent leader for ever.',
    alter: ignoring((input) => fires(input, 'election')),
  },
  refusesToResign(),
  remembersOutsideItsState(),
];

/** No message may invite a successor while the Leadership still stands. */
const stepsDownBeforeItHandsOver: Check<RaftState> = named(
  'a leader steps down before its successor hears of it',
  (alter) => {
    let finding: Finding = null;
    const simulation = new Simulation({
      protocol: alter(build()),
      nodes: ['n1', 'n2', 'n3'],
      seed: 1,
      observers: [
        {
          stepped(node, _input, _before, effects) {
            const handOver = effects.findIndex((effect) => sends(effect, 'timeout-now'));
            const stepDown = effects.findIndex(({ type }) => type === 'step-down');
            if (handOver !== -1 && (stepDown === -1 || stepDown > handOver)) finding ??= `${node.id} did not`;
          },
        },
      ],
    });
    simulation.plan({ type: 'graceful', node: 'leader', atMs: 1000 });
    simulation.runUntil(1500);
    return finding;
  },
);

export const raftSubject: Subject<RaftState> = {
  algorithm: 'raft',
  checks: [
    checks.isDeterministic(build),
    checks.isPure(build),
    checks.floodsNothing(build),
    savesBeforeItSpeaks,
    stepsDownBeforeItHandsOver,
    checks.keepsInvariantsInEveryOrder(build, invariants, { depth: 6 }),
    countsOnlyAnswersToItself,
    believesNoImpossibleTerm,
    isBoundToItsLeader,
    votesForNobodyButItself,
    isLeftInPeace,
    commitsOnlyItsOwnTerm,
    leadsWhenAnswered,
    staysInOfficeOnlyWithAQuorum,
    handsOverToWhomItNames,
    checks.replacesWhoResigns(build),
    checks.noticesSilence(build),
    keepsItsPromisesInSwarms,
    holdsOneLeaseAtATime,
    ...certifiedRaft.checks,
  ],
  mutants: [...mutants, ...certifiedRaft.mutants],
};
