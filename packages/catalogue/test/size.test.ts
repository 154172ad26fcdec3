import { nodeNames, Simulation } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { configure, defaultBudgetMs, open } from '../src/index.js';

interface Start {
  readonly agreed: boolean;
  /** And so they do after a few heartbeats. */
  readonly stillAgreed: boolean;
  readonly stepsPerNode: number;
}

/** A cluster from its beginning until all nodes believe in one leader. */
function start(algorithm: string, size: number): Start {
  return open(algorithm)((opened) => {
    const { protocol, detectionMs } = configure(
      opened,
      opened.variants[0]!.variant,
      'matched',
      defaultBudgetMs,
    );
    const simulation = new Simulation({ protocol, nodes: nodeNames(size), seed: 1 });
    const agree = (): boolean => {
      const { leader } = simulation;
      return leader !== null && simulation.nodes.every(({ belief }) => belief.leaderId === leader.id);
    };
    const soonMs = detectionMs / 10;
    while (!agree() && simulation.nowMs < 20 * detectionMs) simulation.runUntil(simulation.nowMs + soonMs);
    const agreed = agree();
    const stepsPerNode = simulation.steps / size;
    simulation.runUntil(simulation.nowMs + soonMs);
    return { agreed, stillAgreed: agree(), stepsPerNode };
  });
}

describe('given far more nodes than anybody runs', () => {
  it.each([
    ['raft', 501, 50],
    ['raft', 2001, 50],
    ['ring', 500, 10],
    ['ring', 2000, 10],
  ])(
    'a cluster of %s of %i elects, with at most %i steps of each node',
    (algorithm, size, most) => {
      const { agreed, stillAgreed, stepsPerNode } = start(algorithm, size);
      expect({ agreed, stillAgreed }).toEqual({ agreed: true, stillAgreed: true });
      expect(stepsPerNode).toBeLessThan(most);
    },
    120_000,
  );
});
