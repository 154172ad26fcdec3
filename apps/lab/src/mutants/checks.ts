/** Checks that ask the same of every algorithm. Time limits are for settings as in `bully()` and `ring()`. */

import type { NodeId } from '@hustings/elector';
import type { Finding, Invariants } from '@hustings/elector/protocol';
import {
  type AnyEffect,
  type AnyProtocol,
  type ExploreBounds,
  explore,
  type NetworkModel,
  type Observer,
  parseSchedule,
  type Schedule,
  type SimulatedNode,
  Simulation,
} from '@hustings/simulator';
import { type Check, named } from './mutant.js';
import {
  type Build,
  flood,
  inEachOf,
  isDeterministic as isDeterministicIn,
  judge,
  replacesLeader,
  type Stories,
  toldOf,
} from './runs.js';

const write = (faults: string, seed: number): string =>
  `nodes n1 n2 n3 n4 n5\nlatency 1 20\nrun 6000\nseed ${seed}\n${faults}`;
/** More seeds find no more mutants, and take longer. */
const seeds = [1, 2, 3, 4];

/** One thing at a time: nothing happens while an election is on, and every message is in time. */
const calmStories: Stories = {
  'nothing goes wrong': '',
  'the leader dies': 'at 1000 crash leader',
  'the leader vanishes without a sign': 'silent-crashes\nat 1000 crash leader',
  'the leader dies and comes back': 'at 1000 crash leader until 2000',
  'two leaders die in a row': 'at 1000 crash leader\nat 1800 crash leader',
};

/** None of these keeps living nodes apart for good, so even who cannot survive a partition must settle. */
const stories: Stories = {
  ...calmStories,
  'a leader comes back just as its successor takes over': 'silent-crashes\nat 1000 crash leader until 1250',
  'the heir dies before it leads': 'at 1000 crash n5\nat 1060 crash n4',
  'every leader restarts': 'at 1000 restart leader\nat 1600 restart leader\nat 2200 restart leader',
  'a follower dies without a sign, then the leader': 'silent-crashes\nat 900 crash n2\nat 1000 crash n5',
  'the leader resigns and campaigns again': 'at 1000 graceful leader until 2500',
  'the leader pauses': 'at 1000 pause leader until 3000',
  'messages are lost': 'at 500 loss 0.2 until 3000',
  'messages come twice and out of order': 'at 0 duplicate 0.3 until 3000\nat 0 reorder until 3000',
};

/** A story in which most of an algorithm's rules come up. */
const eventful = parseSchedule(write(stories['the leader dies and comes back']!, 1));

export const isDeterministic = <State>(build: Build<State>): Check<State> =>
  isDeterministicIn(build, eventful);

export const isPure = <State>(build: Build<State>): Check<State> =>
  named('a step leaves its arguments alone', (alter) => {
    const protocol = alter(build());
    const frozen: AnyProtocol<State> = {
      ...protocol,
      step: (state, input, nowMs) => protocol.step(freeze(state), freeze(input), nowMs),
    };
    try {
      tell(new Simulation({ ...eventful, protocol: frozen }), eventful, () => false);
      return null;
    } catch (error) {
      if (error instanceof TypeError) return error.message;
      throw error;
    }
  });

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part);
  }
  return value;
}

/** The invariants of one and two states, and of all nodes together, in every order of events. */
export function keepsInvariantsInEveryOrder<State>(
  build: Build<State>,
  invariants: Invariants<State>,
  bounds: Partial<ExploreBounds>,
): Check<State> {
  return {
    find(alter) {
      const nodes = ['n1', 'n2', 'n3'];
      const { violation } = explore({ ...bounds, protocol: alter(build()), nodes, invariants });
      if (violation === null) return null;
      return {
        check: violation.property,
        detail: `${violation.detail} (after ${violation.events.length} events)`,
      };
    },
  };
}

/** Ten times what a story takes. */
const maxSteps = 10_000;

/** Tells a story until it is over, or there is nothing more to find out. False if messages beget messages. */
function tell<State>(simulation: Simulation<State>, schedule: Schedule, isSettled: () => boolean): boolean {
  for (const fault of schedule.faults) simulation.plan(fault);
  simulation.runUntilTrue(() => isSettled() || simulation.steps > maxSteps, schedule.durationMs);
  return simulation.steps <= maxSteps;
}

/** Asked before anything that has no bound on its steps. */
export const floodsNothing = <State>(build: Build<State>): Check<State> =>
  inEachOf(toldOf(calmStories, [1], write), (alter, { schedule }) => {
    const simulation = new Simulation({ ...schedule, protocol: alter(build()) });
    return tell(simulation, schedule, () => false) ? null : flood(maxSteps);
  });

/** The invariants in every story, and at its end what should have come true. */
export const keepsInvariantsInStories = <State>(
  build: Build<State>,
  invariants: Invariants<State>,
): Check<State> =>
  inEachOf(toldOf(stories, seeds, write), (alter, { schedule }) =>
    judge(alter(build()), schedule, { invariants, maxSteps, settles: true }),
  );

/** Asks something of each step of every story. */
const inEveryStep = <State>(
  build: Build<State>,
  check: string,
  createWatch: () => (node: SimulatedNode<State>, effects: readonly AnyEffect[]) => Finding,
  asked: Stories = stories,
): Check<State> =>
  inEachOf(toldOf(asked, [1], write), (alter, { schedule }) => {
    const watch = createWatch();
    let finding: Finding = null;
    const observer: Observer<State> = {
      stepped: (node, _input, _before, effects) => {
        finding ??= watch(node, effects);
      },
    };
    const simulation = new Simulation({ ...schedule, protocol: alter(build()), observers: [observer] });
    if (!tell(simulation, schedule, () => finding !== null)) return flood(maxSteps);
    return finding === null ? null : { check, detail: finding };
  });

/** A node that crashed in between would issue the same token again. */
export const savesBeforeItLeads = <State>(build: Build<State>): Check<State> =>
  inEveryStep(build, 'a leader has saved its epoch before anybody hears of it', () => ({ id }, effects) => {
    const lead = effects.find((effect) => effect.type === 'lead');
    if (lead === undefined) return null;
    const save = effects.findIndex(({ type }) => type === 'save');
    const told = effects.findIndex((effect) => effect === lead || tellsOf(effect, lead.token));
    return save !== -1 && save < told ? null : `${id} led or spoke first`;
  });

const tellsOf = (effect: AnyEffect, token: bigint): boolean =>
  effect.type === 'send' && 'epoch' in effect.message && effect.message.epoch === Number(token);

export const stepsDownFirst = <State>(build: Build<State>): Check<State> =>
  inEveryStep(build, 'a leader steps down before it follows or campaigns', () => {
    const leaders = new Set<string>();
    return ({ id, incarnation }, effects) => {
      const life = `${id}#${incarnation}`;
      for (const { type } of effects) {
        if (type === 'lead') leaders.add(life);
        else if (type === 'step-down') leaders.delete(life);
        else if ((type === 'follow' || type === 'campaign') && leaders.has(life)) return `${id} did not`;
      }
      return null;
    };
  });

/** It holds over crashes too. Where nodes cannot hear each other it does not, so no story cuts a link. */
export const neverLeadsTwiceWithOneToken = <State>(build: Build<State>): Check<State> =>
  inEveryStep(build, 'no node leads twice with one token', () => {
    const highest = new Map<NodeId, bigint>();
    return ({ id }, effects) => {
      for (const effect of effects) {
        if (effect.type !== 'lead') continue;
        const last = highest.get(id) ?? -1n;
        if (effect.token <= last) return `${id} led with ${effect.token} after ${last}`;
        highest.set(id, effect.token);
      }
      return null;
    };
  });

/** What fencing cannot tell apart. It is not promised, and a node that restarts amid an election may cause it. */
export const sharesNoToken = <State>(build: Build<State>): Check<State> =>
  inEveryStep(
    build,
    'no two nodes lead with one token while one thing happens at a time',
    () => {
      const holders = new Map<bigint, NodeId>();
      return ({ id }, effects) => {
        for (const effect of effects) {
          if (effect.type !== 'lead') continue;
          const holder = holders.get(effect.token) ?? id;
          if (holder !== id) return `${holder} and ${id} led with ${effect.token}`;
          holders.set(effect.token, id);
        }
        return null;
      };
    },
    calmStories,
  );

const settledMs = 2000;

function settledCluster<State>(
  protocol: AnyProtocol<State>,
  network: Partial<NetworkModel> = {},
  observers: readonly Observer<State>[] = [],
): Simulation<State> {
  const nodes = ['n1', 'n2', 'n3', 'n4', 'n5'];
  const simulation = new Simulation({
    protocol,
    nodes,
    seed: 1,
    network: { latencyMs: [1, 1], ...network },
    observers,
  });
  simulation.runUntil(settledMs);
  return simulation;
}

export const electsTheStrongest = <State>(...builds: readonly Build<State>[]): Check<State> =>
  named('a new cluster elects its strongest node', (alter) => {
    for (const build of builds) {
      const protocol = alter(build());
      const { leader } = settledCluster(protocol);
      if (leader?.id !== 'n5') return `${leader?.id ?? 'nobody'} leads (${protocol.variant})`;
    }
    return null;
  });

export const staysQuiet = <State>(build: Build<State>): Check<State> =>
  named('a settled cluster sends nothing but heartbeats, and sends those', (alter) => {
    const protocol = alter(build());
    const sent = new Map<string, number>();
    const simulation = settledCluster(protocol, {}, [
      { sending: (_from, _to, { type }) => void sent.set(type, (sent.get(type) ?? 0) + 1) },
    ]);
    sent.clear();
    simulation.runUntil(2 * settledMs);
    const loud = [...sent.keys()].find((type) => !protocol.periodicMessages.has(type));
    if (loud !== undefined) return `${sent.get(loud)} messages of type ${loud}`;
    return sent.size === 0 ? 'nothing was sent' : null;
  });

/** Sooner than any follower would have lost patience: the news came with the message. */
export const replacesWhoResigns = <State>(build: Build<State>): Check<State> =>
  named('a leader that resigns stops leading, and is replaced at once', (alter) =>
    replacesLeader(settledCluster(alter(build())), 'graceful', 100),
  );

/** A follower's patience lasts at least 150 ms from here; an election without it is over in 110. */
export const noticesClosedConnections = <State>(build: Build<State>): Check<State> =>
  named('a leader whose connections close is replaced before patience ends', (alter) =>
    replacesLeader(settledCluster(alter(build())), 'crash', 140),
  );

export const noticesSilence = <State>(build: Build<State>): Check<State> =>
  named('a leader that falls silent is replaced', (alter) =>
    replacesLeader(settledCluster(alter(build()), { closesLinksOnCrash: false }), 'crash', 1500),
  );
