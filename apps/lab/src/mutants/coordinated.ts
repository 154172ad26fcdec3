/** Checks that ask the same of every elector on a coordinator, with a simulated one in its place. */

import type { Finding, Invariants } from '@hustings/elector/protocol';
import { type Observer, parseSchedule, type Schedule, type Service, Simulation } from '@hustings/simulator';
import { type Alteration, type Check, type Failure, named } from './mutant.js';
import {
  type Build,
  inEachOf,
  isDeterministic as isDeterministicIn,
  judge as judgeRun,
  replacesLeader,
  type Stories,
  seedsBelow,
  told,
  toldOf,
} from './runs.js';

/** An elector on a coordinator, with leases of a second or two. */
export interface Coordinated<State> {
  readonly build: Build<State>;
  readonly invariants: Invariants<State>;
  /** The simulated coordinator. */
  service(kind: ServiceKind): Service;
}

/** One that ends leases as soon as it may; one that restarts without its data; one whose members fail. */
export type ServiceKind = 'strict' | 'forgetful' | 'restless';

const write = (faults: string, seed: number): string =>
  `nodes n1 n2 n3\nlatency 1 20\nrun 16000\nseed ${seed}\n${faults}`;
const seeds = [1, 2, 3, 4, 5, 6];

const stories: Stories = {
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
  { build, service }: Coordinated<State>,
  alter: Alteration<State>,
  schedule: Schedule,
  kind: ServiceKind = 'strict',
  observers: readonly Observer<State>[] = [],
): Simulation<State> {
  const protocol = alter(build());
  const simulation = new Simulation({ ...schedule, protocol, services: [service(kind)], observers });
  for (const fault of schedule.faults) simulation.plan(fault);
  return simulation;
}

/** Ten times what a story takes. */
const maxSteps = 40_000;

export function judge<State>(
  { build, invariants, service }: Coordinated<State>,
  alter: Alteration<State>,
  schedule: Schedule,
  kind: ServiceKind = 'strict',
): Failure | null {
  const protocol = alter(build());
  return judgeRun(protocol, schedule, {
    invariants,
    promised: protocol.guarantees,
    services: [service(kind)],
    maxSteps,
    // Members that keep failing leave no time to settle in.
    settles: kind === 'strict',
  });
}

/** Everything that is promised, in every story. */
export const keepsItsPromises = <State>(subject: Coordinated<State>): Check<State> =>
  inEachOf(toldOf(stories, seeds, write), (alter, { schedule }) => judge(subject, alter, schedule));

const ageing = 'at 3000 restart leader\nat 6000 pause leader until 8000';

/** What is promised while the members of the coordinator fail and lose touch with each other. */
export const survivesItsMembers = <State>(subject: Coordinated<State>): Check<State> =>
  inEachOf(
    told(
      'members fail',
      seedsBelow(120),
      (seed) => `nodes n1 n2 n3\nseed ${seed}\nlatency 1 20\nrun 12000\n${ageing}`,
    ),
    (alter, { schedule }) => judge(subject, alter, schedule, 'restless'),
  );

/** A lease that is counted too long is found by a leader whose answers are slow and that is then cut off. */
export const stopsInTime = <State>(subject: Coordinated<State>): Check<State> =>
  inEachOf(
    told(
      'ambush',
      seedsBelow(40),
      (seed) =>
        `nodes n1 n2 n3\nseed ${seed}\nlatency 1 3\nrun 14000
         at 3000 slow-link leader 140 until 9000\nat ${4000 + 30 * seed} isolate leader until 9000`,
    ),
    (alter, { schedule }) => judge(subject, alter, schedule),
  );

export const isDeterministic = <State>({ build, service }: Coordinated<State>): Check<State> =>
  isDeterministicIn(build, parseSchedule(write(stories['the leader dies']!, 1)), [service('strict')]);

/** A leader to which nothing happens stays in office. */
export const staysInOffice = <State>(subject: Coordinated<State>): Check<State> =>
  named('a leader to which nothing happens leads on', (alter) => {
    const simulation = start(subject, alter, parseSchedule(write('', 1)));
    simulation.runUntil(4000);
    const { leader } = simulation;
    simulation.runUntil(16_000);
    return leader !== null && simulation.leader === leader && simulation.leader.leading
      ? null
      : `${simulation.leader?.id ?? 'nobody'} leads instead of ${leader?.id ?? 'nobody'}`;
  });

function settled<State>(subject: Coordinated<State>, alter: Alteration<State>): Simulation<State> {
  const simulation = start(subject, alter, parseSchedule(write('', 2)));
  simulation.runUntil(4000);
  return simulation;
}

/** Long before a lease would run out. */
export const replacesWhoResigns = <State>(subject: Coordinated<State>): Check<State> =>
  named('a leader that resigns is replaced at once', (alter) =>
    replacesLeader(settled(subject, alter), 'graceful', 200),
  );

export const replacesWhoDies = <State>(subject: Coordinated<State>): Check<State> =>
  named('a leader that dies is replaced when its lease has run out', (alter) =>
    replacesLeader(settled(subject, alter), 'crash', 3000),
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
  const simulation = start(subject, alter, schedule, 'forgetful', [
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
