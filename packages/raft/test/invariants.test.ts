import type { NodeView } from '@hustings/elector/protocol';
import { nodeNames, Simulation } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { invariants, type RaftState, raft } from '../src/index.js';

type Field = keyof RaftState;

/** A state that notes which of its fields are read. */
function noting(state: RaftState, read: Set<Field>): RaftState {
  return new Proxy(state, {
    get(target, field) {
      read.add(field as Field);
      return target[field as Field];
    },
  });
}

/** Ten times a second, of a cluster whose leader is cut off and comes back. */
function* moments(): Generator<readonly NodeView<RaftState>[]> {
  const simulation = new Simulation({ protocol: raft(), nodes: nodeNames(5), seed: 1 });
  simulation.plan({ type: 'isolate', node: 'leader', atMs: 1000, healAtMs: 2000 });
  for (let untilMs = 100; untilMs < 3000; untilMs += 100) {
    simulation.runUntil(untilMs);
    yield simulation.nodes;
  }
}

function readByChecks(): Set<Field> {
  const read = new Set<Field>();
  for (const nodes of moments()) {
    const views = nodes.map(({ id, running, leading, belief, state }) => ({
      ...{ id, running, leading, belief },
      state: noting(state, read),
    }));
    for (const check of Object.values(invariants.always!)) expect(check(views)).toBeNull();
  }
  return read;
}

describe('what is always true of all nodes together', () => {
  it('is asked again when anything changes that it reads', () => {
    const watched = new Set<Field>();
    const [nodes] = moments();
    const { state } = nodes![0]!;
    expect(invariants.concernsAll!(state, noting(state, watched))).toBe(false);
    watched.add('id'); // It never changes.
    expect([...readByChecks()].filter((field) => !watched.has(field))).toEqual([]);
  });

  it.each([
    ['role', 'candidate'],
    ['currentTerm', 9],
    ['log', { snapshot: {}, entries: [] }],
    ['commitIndex', 9],
  ])('is asked again when the %s changes', (field, value) => {
    const before = raft().initialState('n1', ['n2', 'n3']);
    expect(invariants.concernsAll!(before, { ...before, [field]: value } as RaftState)).toBe(true);
  });

  it('is not asked again when only a heartbeat was noted', () => {
    const before = raft().initialState('n1', ['n2', 'n3']);
    expect(invariants.concernsAll!(before, { ...before, boundSinceMs: 17 })).toBe(false);
  });
});
