/**
 * One service in virtual time, in each of the three ways: what it asks while nothing happens, and when its elections are
 * led again after one of its processes has died.
 *
 * Capacity is not simulated: no server is ever busy here. What it can bear is measured.
 */

import type { MachineTypes, Protocol } from '@hustings/elector/protocol';
import { type EtcdMessage, etcd } from '@hustings/etcd';
import {
  defaultShared,
  initialShared,
  type SimulatedEtcdState,
  simulatedEtcd,
  stepShared,
} from '@hustings/etcd/simulated';
import { lease } from '@hustings/lease';
import { aggregatorStore } from '@hustings/lease/aggregator';
import {
  type AnyMachine,
  type AnyProtocol,
  deriveSeed,
  nodeNames,
  Random,
  type Service,
  Simulation,
} from '@hustings/simulator';
import { network } from '../plan/settings.js';
import { LeaseClient, simulatedAggregator } from './aggregated.js';
import {
  aggregators,
  aggregatorTtlSeconds,
  electionNames,
  processesPerService,
  ttlSeconds,
  type Way,
} from './plan.js';
import { manyElections, type Process, type Shared } from './process.js';

/** What a thread is told to simulate. */
export interface ServiceTask {
  readonly way: Way;
  readonly elections: number;
  /** Everything random derives from it. */
  readonly seed: number;
}

/** What a coordinator counts. */
interface Load {
  readonly renewalsPerSecond: number;
  readonly readsPerSecond: number;
  readonly leases: number;
  readonly watches: number;
}

export interface ServiceOutcome extends Load {
  /** At the aggregator; 0 where there is none. */
  readonly callsPerSecond: number;
  /** Of each election that the dead process led. */
  readonly failoverMs: readonly number[];
  /** Of the last of them, for each dead process. */
  readonly lastMs: readonly number[];
  /** Elections of the dead process that nobody led again in time. */
  readonly unresolved: number;
  readonly simulatedMs: number;
  readonly events: number;
}

/** In leases: three renewals until all is led and quiet, then six that are counted. */
const settled = 1;
const counted = 2;
/** The next leader is there within the lease and half a second for etcd to notice. This is more than enough. */
const limit = 3;

/** A function of its argument alone. */
export function runService({ way, elections, seed }: ServiceTask): ServiceOutcome {
  switch (way) {
    case 'alone':
      return asOneDeath(
        sumOf(electionNames(elections).map((election) => runAlone(deriveSeed(seed, election)))),
      );
    case 'session':
      return asOneDeath(runTogether(seed, elections, sessionsOf));
    case 'aggregator':
      return asOneDeath(runTogether(seed, elections, clientsOf));
  }
}

const asOneDeath = (outcome: ServiceOutcome): ServiceOutcome => ({
  ...outcome,
  lastMs: outcome.failoverMs.length === 0 ? [] : [Math.max(...outcome.failoverMs)],
});

/** What the aggregators' own election asks of the coordinator, however many elections they serve. */
export function runAggregators(seed: number): ServiceOutcome {
  return runAlone(seed, aggregators, aggregatorTtlSeconds);
}

/** Elections that are alone share nothing, so each has a simulation of its own. */
function runAlone(seed: number, nodes = processesPerService, seconds = ttlSeconds): ServiceOutcome {
  const coordinator = new CountingEtcd();
  const led = new Map<string, number>();
  const simulation: Simulation<unknown> = new Simulation<unknown>({
    protocol: etcd({ ttlSeconds: seconds }) as unknown as AnyProtocol<unknown>,
    nodes: nodeNames(nodes),
    services: [coordinator.service],
    observers: [
      {
        changed: (node) => {
          if (node.leadership !== null && !led.has(node.id)) led.set(node.id, simulation.nowMs);
        },
      },
    ],
    ...{ seed, network },
  });
  const run = new Run(simulation, seed, seconds);
  const load = coordinator.count(run);
  const wasLed = simulation.node(victim).leadership !== null;
  const killedMs = run.kill(victim);
  led.clear();
  if (wasLed) run.until(() => led.size > 0);
  const [ledMs] = led.values();
  return {
    ...{ ...load, callsPerSecond: 0, lastMs: [] },
    failoverMs: wasLed && ledMs !== undefined ? [ledMs - killedMs] : [],
    unresolved: wasLed && ledMs === undefined ? 1 : 0,
    ...{ simulatedMs: simulation.nowMs, events: simulation.steps },
  };
}

/** What differs between a session to etcd and clients of an aggregator. */
interface Kind {
  readonly service: Service;
  readonly protocol: (election: string) => Protocol<MachineTypes>;
  readonly shared: (id: string) => Shared;
  /** Lets this time pass, and counts what is asked. */
  readonly count: (run: Run) => Load & { readonly callsPerSecond: number };
}

function runTogether(seed: number, elections: number, kindOf: () => Kind): ServiceOutcome {
  const { service, protocol, shared, count } = kindOf();
  /** When each election was first led by one that survives. */
  const ledMs = new Map<string, number>();
  const onLead = (id: string, election: string): void => {
    if (id !== victim && !ledMs.has(election)) ledMs.set(election, simulation.nowMs);
  };
  const nodes = nodeNames(processesPerService);
  const parts = {
    ...{ nodes, elections: electionNames(elections), coordinator: service.id },
    ...{ protocol, shared, onLead },
  };
  const simulation: Simulation<Process> = new Simulation<Process>({
    protocol: manyElections(parts),
    nodes,
    services: [service],
    ...{ seed, network },
  });
  const run = new Run(simulation, seed, ttlSeconds);
  const load = count(run);
  const killedMs = run.kill(victim);
  const { led } = simulation.node(victim).state;
  ledMs.clear();
  run.until(() => ledMs.size >= led.length);
  const found = led.flatMap((election) => ledMs.get(election) ?? []);
  return {
    ...{ ...load, lastMs: [] },
    failoverMs: found.map((atMs) => atMs - killedMs),
    unresolved: led.length - found.length,
    ...{ simulatedMs: simulation.nowMs, events: simulation.steps },
  };
}

function sessionsOf(): Kind {
  const coordinator = new CountingEtcd();
  const settings = { ...defaultShared, ttlSeconds, prefix: 'hustings/' };
  return {
    service: coordinator.service,
    protocol: (election) =>
      etcd({ ttlSeconds, name: `hustings/${election}` }) as unknown as Protocol<MachineTypes>,
    shared: () => {
      let state = initialShared(settings);
      return {
        hear(input, nowMs) {
          const [after, effects] = stepShared(state, input as Parameters<typeof stepShared>[1], nowMs);
          state = after;
          return effects;
        },
      };
    },
    count: (run) => ({ ...coordinator.count(run), callsPerSecond: 0 }),
  };
}

/** Never asked: what it promises is all that is needed of it. */
const { traits } = aggregatorStore({ urls: ['http://127.0.0.1'], secret: 'of nobody who listens' });

function clientsOf(): Kind {
  let calls = 0;
  const machine = simulatedAggregator(() => {
    calls += 1;
  });
  return {
    service: { id: 'store', machine },
    protocol: (election) =>
      lease(traits, { ttlMs: 1000 * ttlSeconds, name: election }) as unknown as Protocol<MachineTypes>,
    shared: () => new LeaseClient(),
    count(run) {
      run.settle();
      calls = 0;
      run.count();
      // Only the aggregators' own election asks anything of the coordinator.
      const none = { renewalsPerSecond: 0, readsPerSecond: 0, leases: 0, watches: 0 };
      return { ...none, callsPerSecond: calls / run.countedSeconds };
    },
  };
}

/** Who is killed, in every service. */
const [victim = ''] = nodeNames(1);

/** The course of a simulation. */
class Run {
  readonly #simulation: Simulation<never>;
  readonly #seed: number;
  readonly #ttlMs: number;

  constructor(simulation: Simulation<unknown> | Simulation<Process>, seed: number, seconds: number) {
    this.#simulation = simulation as Simulation<never>;
    this.#seed = seed;
    this.#ttlMs = 1000 * seconds;
  }

  get countedSeconds(): number {
    return (counted * this.#ttlMs) / 1000;
  }

  settle(): void {
    this.#simulation.runUntil(settled * this.#ttlMs);
  }

  count(): void {
    this.#simulation.runUntil((settled + counted) * this.#ttlMs);
  }

  /** At any moment between two renewals. */
  kill(node: string): number {
    const phaseMs = new Random(deriveSeed(this.#seed, 'kill')).between(0, this.#ttlMs / 3);
    this.#simulation.runUntil((settled + counted) * this.#ttlMs + phaseMs);
    this.#simulation.inject({ type: 'crash', node });
    return this.#simulation.nowMs;
  }

  until(condition: () => boolean): void {
    this.#simulation.runUntilTrue(condition, this.#simulation.nowMs + limit * this.#ttlMs);
  }
}

/** An etcd that counts what it is asked. */
class CountingEtcd {
  readonly #asked = new Map<string, number>();
  readonly service: Service;
  #state: SimulatedEtcdState;

  constructor() {
    // So that no process that starts late has to read everything anew.
    const machine = simulatedEtcd({ historyLength: 10_000 });
    this.#state = machine.initialState('etcd', []);
    const counting: typeof machine = {
      ...machine,
      step: (before, input, nowMs) => {
        if (input.type === 'received') this.#hear(input.message);
        const transition = machine.step(before, input, nowMs);
        [this.#state] = transition;
        return transition;
      },
    };
    this.service = { id: 'etcd', machine: counting as unknown as AnyMachine<unknown> };
  }

  #hear({ type }: EtcdMessage): void {
    this.#asked.set(type, (this.#asked.get(type) ?? 0) + 1);
  }

  count(run: Run): Load {
    run.settle();
    this.#asked.clear();
    run.count();
    const perSecond = (...types: readonly string[]): number =>
      types.reduce((sum, type) => sum + (this.#asked.get(type) ?? 0), 0) / run.countedSeconds;
    return {
      renewalsPerSecond: perSecond('keep-alive'),
      readsPerSecond: perSecond('txn', 'audit'),
      leases: this.#state.leases.length,
      watches: this.#state.watches.length,
    };
  }
}

/** What several have asked of one coordinator together. */
export function sumOf(outcomes: readonly ServiceOutcome[]): ServiceOutcome {
  const total = (field: Exclude<keyof ServiceOutcome, 'failoverMs' | 'lastMs'>): number =>
    outcomes.reduce((sum, outcome) => sum + outcome[field], 0);
  return {
    renewalsPerSecond: total('renewalsPerSecond'),
    readsPerSecond: total('readsPerSecond'),
    leases: total('leases'),
    watches: total('watches'),
    callsPerSecond: total('callsPerSecond'),
    failoverMs: outcomes.flatMap(({ failoverMs }) => failoverMs),
    lastMs: outcomes.flatMap(({ lastMs }) => lastMs),
    unresolved: total('unresolved'),
    simulatedMs: total('simulatedMs'),
    events: total('events'),
  };
}

/** What so many times as many would ask. What happened to elections stays what it was. */
export const times = (outcome: ServiceOutcome, factor: number): ServiceOutcome => ({
  ...outcome,
  renewalsPerSecond: factor * outcome.renewalsPerSecond,
  readsPerSecond: factor * outcome.readsPerSecond,
  leases: factor * outcome.leases,
  watches: factor * outcome.watches,
  callsPerSecond: factor * outcome.callsPerSecond,
});
