/**
 * A coordinator, or a store, comes back without its data: what a process has seen must not be undone by what it sees
 * then. A suite over simulated runs.
 *
 * @packageDocumentation
 */

import type { NodeId } from '@hustings/elector';
import {
  type AnyEffect,
  type AnyInput,
  type AnyProtocol,
  type Observer,
  parseSchedule,
  type Service,
  type SimulatedNode,
  Simulation,
} from '@hustings/simulator';
import { describe, expect, it } from 'vitest';

export interface DataLossSubject<State> {
  /** As in 'given an etcd that restarts without its data'. */
  readonly name: string;
  readonly protocol: AnyProtocol<State>;
  service(kind: 'forgetful' | 'faithful'): Service;
  isLeading(state: State): boolean;
  /** Whether each process must say that data were lost; otherwise one is enough. */
  readonly everyoneSays: boolean;
  /** How many times slower than a system whose leases last a second. */
  readonly pace: number;
}

interface Course {
  /** Each time that a process led, or believed somebody to lead, with a token below one that it had seen. */
  readonly relapses: readonly string[];
  /** Who has said that data were lost. */
  readonly announcedBy: ReadonlySet<NodeId>;
  readonly leaderAtTheEnd: NodeId | null;
}

interface Story {
  readonly kind: 'forgetful' | 'faithful';
  /** Whether all are told to accept lower tokens in the end. */
  readonly isTold?: boolean;
  readonly network?: readonly string[];
}

const seeds = Array.from({ length: 40 }, (_, seed) => seed);
const everyone: readonly NodeId[] = ['n1', 'n2', 'n3'];

/** Registers the suite for one subject. */
export function describeDataLoss<State>(subject: DataLossSubject<State>): void {
  const { name, everyoneSays } = subject;
  describe(`given ${name} that restarts without its data`, () => {
    it('then no process uses a token that is not above all it has seen, and they say so', () => {
      for (const seed of seeds) {
        const { relapses, announcedBy, leaderAtTheEnd } = play(subject, seed, { kind: 'forgetful' });
        expect({ seed, relapses, leaderAtTheEnd }).toEqual({ seed, relapses: [], leaderAtTheEnd: null });
        expect(announcedBy.size, `seed ${seed}`).toBeGreaterThanOrEqual(everyoneSays ? everyone.length : 1);
      }
    });

    it('when all are told to accept lower tokens, then somebody leads again', () => {
      for (const seed of seeds) {
        const { relapses, leaderAtTheEnd } = play(subject, seed, { kind: 'forgetful', isTold: true });
        expect({ seed, relapses }).toEqual({ seed, relapses: [] });
        expect(everyone, `seed ${seed}`).toContain(leaderAtTheEnd);
      }
    });
  });

  describe(`given ${name} that restarts with its data`, () => {
    it('then nobody says that data were lost, whatever happens to messages', () => {
      const network = ['loss 0.1', 'duplicate 0.2', 'reorder'];
      for (const seed of seeds) {
        const { announcedBy } = play(subject, seed, { kind: 'faithful', network });
        expect({ seed, announcedBy: [...announcedBy] }).toEqual({ seed, announcedBy: [] });
      }
    });
  });
}

/** Leaders come and go, and the coordinator restarts. In half of the runs a candidate is cut off meanwhile. */
function play<State>(
  { protocol, service, isLeading, pace }: DataLossSubject<State>,
  seed: number,
  { kind, isTold = false, network = [] }: Story,
): Course {
  const witness = new Witness(isLeading);
  const { faults, ...schedule } = parseSchedule(
    `nodes ${everyone.join(' ')}\nseed ${seed}\nlatency 1 20\nrun ${15_000 * pace}\n${linesOf(seed, pace, network)}`,
  );
  const observers = [witness];
  const simulation = new Simulation<State>({ ...schedule, protocol, services: [service(kind)], observers });
  for (const fault of faults) simulation.plan(fault);
  const observed = { type: 'observation-changed', observed: true } as const;
  simulation.at(1000 * pace, () => simulation.give('n2', observed));
  const accept = { type: 'requested', request: { type: 'accept-lower-tokens' } } as const;
  simulation.at(12_000 * pace, () => {
    if (!isTold) return;
    witness.forget();
    for (const { id } of simulation.nodes) simulation.give(id, accept);
  });
  simulation.runUntil(schedule.durationMs);
  const { relapses, announcedBy } = witness;
  return { relapses, announcedBy, leaderAtTheEnd: simulation.leader?.id ?? null };
}

function linesOf(seed: number, pace: number, network: readonly string[]): string {
  const line = (fromMs: number, fault: string, untilMs: number): string =>
    `at ${fromMs * pace} ${fault} until ${untilMs * pace}`;
  return [
    line(1000, 'graceful leader', 1300),
    line(2000, 'pause leader', 4000),
    line(4500, 'graceful leader', 5000),
    line(6000 + 20 * seed, 'coordinator-crash', 7000 + 50 * seed),
    ...(seed % 2 === 0 ? [line(6500 + 20 * seed, 'isolate n1', 10_000)] : []),
    ...network.map((fault) => line(0, fault, 10_000)),
  ].join('\n');
}

/** Remembers, for each process, the highest token that it has led with or believed in. */
class Witness<State> implements Observer<State> {
  readonly relapses: string[] = [];
  readonly announcedBy = new Set<NodeId>();
  readonly #highest = new Map<string, bigint>();
  readonly #isLeading: (state: State) => boolean;

  constructor(isLeading: (state: State) => boolean) {
    this.#isLeading = isLeading;
  }

  forget(): void {
    this.#highest.clear();
  }

  stepped(node: SimulatedNode<State>, _input: AnyInput, before: State, effects: readonly AnyEffect[]): void {
    const { id, isService, incarnation } = node;
    if (isService) return;
    for (const effect of effects) {
      if (isDataLost(effect)) this.announcedBy.add(id);
      this.#weigh(`${id}#${incarnation}`, effect, !this.#isLeading(before));
    }
  }

  #weigh(process: string, effect: AnyEffect, isNew: boolean): void {
    if (effect.type !== 'lead' && effect.type !== 'follow') return;
    const seen = this.#highest.get(process) ?? 0n;
    const token = effect.token ?? seen;
    const isUsedAgain = effect.type === 'lead' && isNew && token === seen;
    if (token < seen || isUsedAgain) this.relapses.push(`${process}: ${token} after ${seen}`);
    this.#highest.set(process, token > seen ? token : seen);
  }
}

const isDataLost = (effect: AnyEffect): boolean =>
  effect.type === 'announce' && (effect.announcement as { readonly type?: string }).type === 'data-lost';
