/** Checks that ask the same of every elector on a coordinator, with a simulated one in its place. */

import type { Finding, Invariants } from '@hustings/elector/protocol';
import {
  type AnyInput,
  type AnyProtocol,
  type FaultKind,
  formatTrace,
  Oracle,
  parseSchedule,
  type Schedule,
  type Service,
  Simulation,
  TraceRecorder,
} from '@hustings/simulator';
import { type Alteration, type Check, type Failure, named, withStep } from './mutant.js';

/** An elector on a coordinator, with leases of a second or two. */
export interface Coordinated<State> {
  readonly build: () => AnyProtocol<State>;
  readonly invariants: Invariants<State>;
  /** The simulated coordinator. */
  service(kind: ServiceKind): Service;
}

/** One that ends leases as soon as it may; one that restarts without its data; one whose members fail. */
export type ServiceKind = 'strict' | 'forgetful' | 'restless';

const cluster = 'nodes n1 n2 n3\nlatency 1 20\nrun 16000\n';
const seeds = [1, 2, 3, 4, 5, 6];

const stories: Readonly<Record<string, string>> = {
  'nothing goes wrong': '',
  'the leader dies': 'at 2000 crash leader until 9000',
  'one after the other dies': 'at 2000 crash leader until 12000\nat 6000 crash leader until 12000',
  'the leader is cut off': 'at 2000 isolate-from-coordinator leader until 9000',
  'the leader hears nothing': 'at 2000 one-way leader until 9000',
  'the leader pauses': 'at 2000 pause leader until 7000',
  'the leader resigns and campaigns again': 'at 2000 graceful leader until 5000',
  'messages are lost': 'at 100 loss 0.2 until 8000',
  'messages come twice and out of order': 'at 0 duplicate 0.3 until 5000\nat 0 reorder until 5000',
  'the coordinator is gone for a while': 'at 2000 coordinator-crash until 5000',
};

function start<State>(
  { service }: Coordinated<State>,
  protocol: AnyProtocol<State>,
  schedule: Schedule,
  kind: ServiceKind,
  observers: ConstructorParameters<typeof Simulation<State>>[0]['observers'] = [],
): Simulation<State> {
  const simulation = new Simulation({ ...schedule, protocol, services: [service(kind)], observers });
  for (const fault of schedule.faults) simulation.plan(fault);
  return simulation;
}

/** Ten times what a story takes. */
const maxSteps = 40_000;

export function judge<State>(
  subject: Coordinated<State>,
  protocol: AnyProtocol<State>,
  schedule: Schedule,
  kind: ServiceKind = 'strict',
): Failure | null {
  const oracle = new Oracle(subject.invariants, protocol.guarantees);
  const simulation = start(subject, protocol, schedule, kind, [oracle]);
  oracle.attach(simulation);
  simulation.runUntilTrue(
    () => oracle.violation !== null || simulation.steps > maxSteps,
    schedule.durationMs,
  );
  if (simulation.steps > maxSteps)
    return { check: 'nothing floods the network', detail: `${maxSteps} steps` };
  // Members that keep failing leave no time to settle in.
  if (oracle.violation === null && kind === 'strict') oracle.checkEventually();
  const { violation } = oracle;
  return violation === null ? null : { check: violation.property, detail: violation.detail };
}

/** Everything that is promised, in every story. */
export const keepsItsPromises = <State>(subject: Coordinated<State>): Check<State> => ({
  find(alter) {
    for (const [story, faults] of Object.entries(stories)) {
      for (const seed of seeds) {
        const schedule = parseSchedule(`${cluster}seed ${seed}\n${faults}`);
        const failure = judge(subject, alter(subject.build()), schedule);
        if (failure !== null)
          return { ...failure, detail: `${failure.detail} (when ${story}, seed ${seed})` };
      }
    }
    return null;
  },
});

/** What is promised while the members of the coordinator fail and lose touch with each other. */
export const survivesItsMembers = <State>(subject: Coordinated<State>): Check<State> => ({
  find(alter) {
    for (let seed = 0; seed < 120; seed += 1) {
      const schedule = parseSchedule(
        `nodes n1 n2 n3\nseed ${seed}\nlatency 1 20\nrun 12000\nat 3000 restart leader\nat 6000 pause leader until 8000`,
      );
      const failure = judge(subject, alter(subject.build()), schedule, 'restless');
      if (failure !== null) return { ...failure, detail: `${failure.detail} (members fail, seed ${seed})` };
    }
    return null;
  },
});

/** A lease that is counted too long is found by a leader whose answers are slow and that is then cut off. */
export const stopsInTime = <State>(subject: Coordinated<State>): Check<State> => ({
  find(alter) {
    for (let seed = 0; seed < 40; seed += 1) {
      const schedule = parseSchedule(
        `nodes n1 n2 n3\nseed ${seed}\nlatency 1 3\nrun 14000
         at 3000 slow-link leader 140 until 9000\nat ${4000 + 30 * seed} isolate leader until 9000`,
      );
      const failure = judge(subject, alter(subject.build()), schedule);
      if (failure !== null) return { ...failure, detail: `${failure.detail} (ambush, seed ${seed})` };
    }
    return null;
  },
});

export const isDeterministic = <State>(subject: Coordinated<State>): Check<State> =>
  named('the same seed gives the same run', (alter) => {
    const protocol = alter(subject.build());
    const [first, second] = [1, 2].map(() => {
      const recorder = new TraceRecorder<State>();
      const schedule = parseSchedule(`${cluster}seed 1\n${stories['the leader dies']}`);
      const simulation = start(subject, protocol, schedule, 'strict', [recorder]);
      recorder.attach(simulation);
      simulation.runUntil(schedule.durationMs);
      return formatTrace(recorder.events);
    });
    return first === second ? null : 'two runs from one seed differ';
  });

/** A leader to which nothing happens stays in office. */
export const staysInOffice = <State>(subject: Coordinated<State>): Check<State> =>
  named('a leader to which nothing happens leads on', (alter) => {
    const simulation = start(subject, alter(subject.build()), parseSchedule(`${cluster}seed 1`), 'strict');
    simulation.runUntil(4000);
    const { leader } = simulation;
    simulation.runUntil(16_000);
    return leader !== null && simulation.leader === leader && simulation.leader.leading
      ? null
      : `${simulation.leader?.id ?? 'nobody'} leads instead of ${leader?.id ?? 'nobody'}`;
  });

function isReplaced<State>(
  subject: Coordinated<State>,
  alter: Alteration<State>,
  fault: FaultKind['type'] & ('crash' | 'graceful'),
  withinMs: number,
): Finding {
  const simulation = start(subject, alter(subject.build()), parseSchedule(`${cluster}seed 2`), 'strict');
  simulation.runUntil(4000);
  const former = simulation.leader;
  if (former === null) return 'nobody led';
  simulation.inject({ type: fault, node: former.id });
  const isSucceeded = (): boolean => simulation.nodes.some((node) => node !== former && node.leading);
  if (!simulation.runUntilTrue(isSucceeded, 4000 + withinMs)) return `not within ${withinMs} ms`;
  return former.leading ? `${former.id} still leads` : null;
}

/** Long before a lease would run out. */
export const replacesWhoResigns = <State>(subject: Coordinated<State>): Check<State> =>
  named('a leader that resigns is replaced at once', (alter) => isReplaced(subject, alter, 'graceful', 200));

export const replacesWhoDies = <State>(subject: Coordinated<State>): Check<State> =>
  named('a leader that dies is replaced when its lease has run out', (alter) =>
    isReplaced(subject, alter, 'crash', 3000),
  );

/** A coordinator comes back without its data: all say so, and nobody goes back to a token that it has seen. */
export const refusesLowerTokens = <State>(subject: Coordinated<State>): Check<State> =>
  named('nobody uses a token below one that it has seen, and all say that data were lost', (alter) => {
    for (const seed of seeds) {
      const finding = lossOfData(subject, alter, seed);
      if (finding !== null) return `${finding} (seed ${seed})`;
    }
    return null;
  });

function lossOfData<State>(subject: Coordinated<State>, alter: Alteration<State>, seed: number): Finding {
  const [highest, silent] = [new Map<string, bigint>(), new Set(['n1', 'n2', 'n3'])];
  let relapse: Finding = null;
  const schedule = parseSchedule(
    `nodes n1 n2 n3\nlatency 1 20\nseed ${seed}\nrun 19000
     ${[2000, 3500, 5000, 6500].map((atMs) => `at ${atMs} graceful leader until ${atMs + 500}`).join('\n')}
     at 10000 coordinator-crash until 11000`,
  );
  const simulation = start(subject, alter(subject.build()), schedule, 'forgetful', [
    {
      stepped({ id, isService }, _input, _before, effects) {
        if (isService) return;
        for (const effect of effects) {
          if (effect.type === 'announce') silent.delete(id);
          if ((effect.type !== 'lead' && effect.type !== 'follow') || effect.token === null) continue;
          const seen = highest.get(id) ?? 0n;
          if (effect.token < seen) relapse ??= `${id} went from ${seen} to ${effect.token}`;
          if (effect.token > seen) highest.set(id, effect.token);
        }
      },
    },
  ]);
  simulation.runUntil(schedule.durationMs);
  return relapse ?? (silent.size > 0 ? `${[...silent].join(', ')} said nothing` : null);
}

/** Feeds a protocol by hand, each input at its time. */
export function feed<State>(
  protocol: AnyProtocol<State>,
  state: State,
  inputs: readonly (readonly [atMs: number, input: AnyInput | ((state: State) => AnyInput)])[],
): ReturnType<AnyProtocol<State>['step']> {
  return inputs.reduce<ReturnType<AnyProtocol<State>['step']>>(
    ([before], [atMs, input]) =>
      protocol.step(before, typeof input === 'function' ? input(before) : input, atMs),
    [state, []],
  );
}

/** Answers a resignation before the coordinator has acknowledged it. */
export const resigningAtOnce = <State extends { readonly owesStepDown: boolean }>(): Alteration<State> =>
  withStep((step) => (state, input, nowMs) => {
    const [after, effects] = step(state, input, nowMs);
    if (input.type !== 'resign-requested' || !after.owesStepDown) return [after, effects];
    return [{ ...after, owesStepDown: false }, [...effects, { type: 'step-down', reason: 'resigned' }]];
  });
