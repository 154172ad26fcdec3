/**
 * The published message counts. List-collecting: 2n for each node that calls an election on a whole ring; and
 * ours, in which several elections at once cost no more than one round together beside the one that survives.
 * Chang–Roberts with all n starting at once (CACM 22(5), 1979): n·Hₙ on average, at best 2n − 1, at worst
 * n(n + 1)/2; the announcement adds n.
 */

import type { NodeId } from '@hustings/elector';
import { outranks } from '@hustings/elector/protocol';
import { Random, Simulation } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { changRoberts, type RingMessage, type RingProtocol, type RingState, ring } from '../src/index.js';

const nodesOf = (size: number): NodeId[] => Array.from({ length: size }, (_, index) => `n${index + 1}`);

/** Counts the messages of each type. */
class Tally {
  readonly simulation: Simulation<RingState>;
  readonly #sent = new Map<string, number>();

  constructor(protocol: RingProtocol, size: number, closesLinksOnCrash = true) {
    this.simulation = new Simulation({
      protocol,
      nodes: nodesOf(size),
      seed: 1,
      network: { latencyMs: [1, 1], closesLinksOnCrash },
      observers: [
        { sending: (_from, _to, { type }) => void this.#sent.set(type, (this.#sent.get(type) ?? 0) + 1) },
      ],
    });
  }

  during(play: (simulation: Simulation<RingState>) => void) {
    this.#sent.clear();
    play(this.simulation);
    const sent = (type: RingMessage['type']) => this.#sent.get(type) ?? 0;
    return { election: sent('election'), coordinator: sent('coordinator'), ack: sent('ack') };
  }
}

describe.each([2, 3, 5, 9])('the list-collecting ring of %i', (size) => {
  it('takes 2n messages when one node calls an election', () => {
    const tally = new Tally(ring(), size);
    tally.simulation.runUntil(500);
    const sent = tally.during((simulation) => {
      // The leader's neighbour alone calls an election, and the former leader still passes messages on.
      simulation.inject({ type: 'graceful', node: 'leader' });
      simulation.runUntil(600);
    });
    expect(sent).toEqual({ election: size, coordinator: size, ack: 2 * size });
  });

  it('takes 2n for each when all call one at once and all elections run', () => {
    const textbook = ring({ allElectionsRun: true });
    const sent = new Tally(textbook, size).during((simulation) => simulation.runUntil(40));
    expect(sent).toEqual({ election: size * size, coordinator: size * size, ack: 2 * size * size });
  });

  it('takes 3n − 1 when all call one at once, in whatever order they stand', () => {
    const random = new Random(size);
    for (const order of [nodesOf(size), nodesOf(size).reverse(), shuffled(nodesOf(size), random)]) {
      const sent = new Tally(ring({ order }), size).during((simulation) => simulation.runUntil(40));
      // Each of n − 1 lists ends at the next node, the last goes round, and its outcome goes round.
      expect(sent).toEqual({ election: 2 * size - 1, coordinator: size, ack: 3 * size - 1 });
    }
  });

  it('takes 2(n − 1) when the leader is dead, and one more for trying it', () => {
    // Patience so different that one node alone notices.
    const tally = new Tally(ring({ leaderTimeoutMs: [200, 9000] }), size, false);
    tally.simulation.runUntil(500);
    const sent = tally.during((simulation) => {
      simulation.inject({ type: 'crash', node: 'leader' });
      simulation.runUntil(12_000);
    });
    // Of two, the one that is left has nobody to announce itself to.
    if (size === 2) expect(sent).toMatchObject({ election: 1, coordinator: 0 });
    else expect(sent).toMatchObject({ election: size - 1 + 1, coordinator: size - 1 });
  });
});

describe('several elections at once on a list-collecting ring', () => {
  /** Who stands calls an election at once; the others only pass messages on. */
  const withInitiators = (initiators: readonly NodeId[], order: readonly NodeId[]) => {
    const protocol = ring({ order });
    const tally = new Tally(
      {
        ...protocol,
        step: (state, input, nowMs) =>
          input.type === 'campaign-requested' && !initiators.includes(state.id)
            ? [state, []]
            : protocol.step(state, input, nowMs),
      },
      order.length,
    );
    return tally.during((simulation) => simulation.runUntil(40));
  };

  it('end at the next node that has called one, all but the last in the order of the ring', () => {
    const random = new Random(7);
    for (let round = 0; round < 200; round += 1) {
      const order = shuffled(nodesOf(7), random);
      const initiators = order.filter(() => random.chance(0.5));
      if (initiators.length === 0) continue;
      const between = order.indexOf(initiators.at(-1)!) - order.indexOf(initiators[0]!);
      expect(withInitiators(initiators, order)).toMatchObject({ election: 7 + between, coordinator: 7 });
    }
  });
});

describe('Chang–Roberts with everyone starting at once', () => {
  const allAtOnce = (order: readonly NodeId[]) =>
    new Tally(changRoberts({ order }), order.length).during((simulation) => simulation.runUntil(40));

  /** Each id travels until it meets a stronger node; the strongest travels all the way round. */
  const expected = (order: readonly NodeId[]): number => {
    const distances = order.map((id, at) => {
      const onwards = [...order.slice(at + 1), ...order.slice(0, at)];
      const stronger = onwards.findIndex((other) => outranks(other, id));
      return stronger === -1 ? order.length : stronger + 1;
    });
    return distances.reduce((sum, distance) => sum + distance, 0);
  };

  it.each([
    [2, 3],
    [3, 5.5],
    [4, 25 / 3],
    [5, 137 / 12],
    [6, 14.7],
  ])('takes n·Hₙ election messages on the average of all rings of %i', (size, mean) => {
    const rings = permutations(nodesOf(size - 1)).map((rest) => [`n${size}`, ...rest]);
    const counts = rings.map((order) => allAtOnce(order).election);
    expect(counts).toEqual(rings.map(expected));
    expect(counts.reduce((sum, count) => sum + count, 0) / rings.length).toBeCloseTo(mean, 9);
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([2 * size - 1, (size * (size + 1)) / 2]);
  });

  it('takes about 25.461 on random rings of 9', () => {
    const random = new Random(9);
    const rings = Array.from({ length: 2000 }, () => shuffled(nodesOf(9), random));
    const counts = rings.map((order) => allAtOnce(order).election);
    expect(counts).toEqual(rings.map(expected));
    expect(Math.abs(counts.reduce((sum, count) => sum + count, 0) / rings.length - 25.461)).toBeLessThan(0.5);
  });

  it.each([2, 3, 5, 9])('takes 2n − 1 at best, on the ring of %i in the order of rank', (size) => {
    expect(allAtOnce(nodesOf(size)).election).toBe(2 * size - 1);
  });

  it.each([2, 3, 5, 9])('takes n(n + 1)/2 at worst, on the ring of %i in the opposite order', (size) => {
    expect(allAtOnce(nodesOf(size).reverse()).election).toBe((size * (size + 1)) / 2);
  });

  it.each([2, 3, 5, 9])('announces the leader of %i with n messages', (size) => {
    expect(allAtOnce(nodesOf(size)).coordinator).toBe(size);
  });
});

function permutations(ids: readonly NodeId[]): NodeId[][] {
  if (ids.length === 0) return [[]];
  return ids.flatMap((first) =>
    permutations(ids.filter((id) => id !== first)).map((rest) => [first, ...rest]),
  );
}

function shuffled(ids: readonly NodeId[], random: Random): NodeId[] {
  const rest = [...ids];
  return ids.map(() => rest.splice(random.integer(0, rest.length - 1), 1)[0]!);
}
