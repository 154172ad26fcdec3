import { describe, expect, it } from 'vitest';
import type { FaultPlan } from '../src/plan/faults.js';
import { Observation } from '../src/trial/observation.js';

const nodes = ['n1', 'n2', 'n3'];

/** n3 leads, all believe in it, and at 100 ms a fault strikes. */
function struck(plan: Partial<FaultPlan> = {}): Observation {
  const observation = new Observation(nodes);
  observation.record({ type: 'began', atMs: 0, node: 'n3', holder: 'n3#0', token: 1n });
  for (const node of nodes) observation.record({ type: 'believed', atMs: 1, node, leaderId: 'n3' });
  observation.quietBegins(50);
  observation.record({ type: 'sent', atMs: 60, kind: 'beat', periodic: true });
  const base = { kind: { type: 'isolate', node: 'n3' }, healthy: ['n1', 'n2'] } as const;
  observation.faultStrikes(100, 'n3', { ...base, demandsSuccessor: true, heals: true, ...plan });
  return observation;
}

function succeed(observation: Observation): void {
  observation.record({ type: 'campaigned', atMs: 110, node: 'n3' });
  observation.record({ type: 'campaigned', atMs: 120, node: 'n2' });
  observation.record({ type: 'sent', atMs: 120, kind: 'vote', periodic: false });
  observation.record({ type: 'sent', atMs: 121, kind: 'beat', periodic: true });
  observation.record({ type: 'began', atMs: 130, node: 'n2', holder: 'n2#0', token: 2n });
  observation.record({ type: 'believed', atMs: 130, node: 'n2', leaderId: 'n2' });
  observation.record({ type: 'believed', atMs: 135, node: 'n1', leaderId: 'n2' });
}

describe('given a leader that is cut off and replaced', () => {
  it('times count from the fault, and only what healthy nodes do', () => {
    const observation = struck();
    succeed(observation);
    expect(observation.finish(200)).toMatchObject({
      resolution: 'replaced',
      ...{ detectionMs: 20, failoverMs: 30, convergenceMs: 35 },
    });
  });

  it('messages count until all agree, and heartbeats apart', () => {
    const observation = struck();
    succeed(observation);
    observation.record({ type: 'sent', atMs: 140, kind: 'vote', periodic: false });
    expect(observation.finish(200)).toMatchObject({
      electionMessages: 1,
      totalMessages: 2,
      steadyPerSecond: 20,
    });
  });

  it('two leaders are an incident as long as both run', () => {
    const observation = struck();
    succeed(observation);
    observation.record({ type: 'ended', atMs: 190, node: 'n3' });
    expect(observation.finish(200).overlapsMs).toEqual([60]);
  });

  it('a paused leader is no second leader until it wakes', () => {
    const observation = struck();
    observation.record({ type: 'paused', atMs: 100, node: 'n3' });
    succeed(observation);
    observation.record({ type: 'resumed', atMs: 180, node: 'n3' });
    observation.record({ type: 'ended', atMs: 183, node: 'n3' });
    expect(observation.finish(200).overlapsMs).toEqual([3]);
  });

  it('an overlap that takes no time is none', () => {
    const observation = struck();
    observation.record({ type: 'paused', atMs: 100, node: 'n3' });
    succeed(observation);
    observation.record({ type: 'resumed', atMs: 180, node: 'n3' });
    observation.record({ type: 'ended', atMs: 180, node: 'n3' });
    expect(observation.finish(200).overlapsMs).toEqual([]);
  });

  it("the old leader's writes are stale once the new one began, and not before", () => {
    const observation = struck();
    const write = { type: 'wrote', holder: 'n3#0', token: 1n } as const;
    observation.record({ ...write, atMs: 110, accepted: true });
    succeed(observation);
    observation.record({ ...write, atMs: 140, accepted: true });
    observation.record({ ...write, atMs: 150, accepted: false });
    observation.record({ type: 'wrote', atMs: 150, holder: 'n2#0', token: 2n, accepted: true });
    expect(observation.finish(200)).toMatchObject({ staleAttempted: 2, staleAcceptedFenced: 1 });
  });
});

describe('the next write', () => {
  const write = { type: 'wrote', holder: 'n2#0', token: 2n } as const;

  it('is the first of a new leader that the fenced store accepts', () => {
    const observation = struck();
    observation.record({ type: 'wrote', atMs: 110, holder: 'n3#0', token: 1n, accepted: true });
    succeed(observation);
    observation.record({ ...write, atMs: 140, accepted: false });
    observation.record({ ...write, atMs: 150, accepted: true });
    expect(observation.finish(200)).toMatchObject({ failoverMs: 30, nextWriteMs: 50 });
  });

  it('is not one that hangs in the coordinator', () => {
    const observation = struck();
    succeed(observation);
    observation.record({ ...write, atMs: 130, accepted: true, committed: false });
    expect(observation.finish(200).nextWriteMs).toBeNull();
    observation.record({ ...write, atMs: 170, accepted: true, committed: true });
    expect(observation.finish(200).nextWriteMs).toBe(70);
  });
});

describe('given a successor that sought nothing before it led', () => {
  it('its failure was noticed when it began: detection never comes after failover', () => {
    const observation = struck();
    observation.record({ type: 'began', atMs: 130, node: 'n2', holder: 'n2#0', token: 2n });
    expect(observation.finish(200)).toMatchObject({ detectionMs: 30, failoverMs: 30 });
  });

  it('nobody noticed anything if it is the old leader, back in office', () => {
    const observation = struck({ healthy: ['n1', 'n2', 'n3'] });
    observation.record({ type: 'began', atMs: 130, node: 'n3', holder: 'n3#1', token: 2n });
    expect(observation.finish(200)).toMatchObject({ detectionMs: null, failoverMs: 30 });
  });
});

describe('given a leader that nobody replaces', () => {
  it('the trial is unresolved where the fault demands a successor', () => {
    const observation = struck();
    observation.limitReached();
    expect(observation.finish(900)).toMatchObject({ resolution: 'unresolved', failoverMs: null });
  });

  it('the leader was kept where the fault does not demand one', () => {
    const observation = struck({ demandsSuccessor: false });
    observation.limitReached();
    expect(observation.finish(900).resolution).toBe('kept');
  });

  it('a passing doubt when the limit is reached does not matter, a lasting one does', () => {
    const [passing, lasting] = [struck({ demandsSuccessor: false }), struck({ demandsSuccessor: false })];
    for (const observation of [passing, lasting]) {
      observation.record({ type: 'believed', atMs: 590, node: 'n1', leaderId: null });
      observation.limitReached();
    }
    passing.record({ type: 'believed', atMs: 610, node: 'n1', leaderId: 'n3' });
    expect([passing, lasting].map((observation) => observation.finish(900).resolution)).toEqual([
      'kept',
      'unresolved',
    ]);
  });

  it('a successor that comes after the limit does not count', () => {
    const observation = struck();
    observation.limitReached();
    succeed(observation);
    expect(observation.finish(900)).toMatchObject({ resolution: 'unresolved', failoverMs: null });
  });

  it('a new leader in whom not all believe leaves the trial unresolved', () => {
    const observation = struck();
    observation.record({ type: 'began', atMs: 130, node: 'n2', holder: 'n2#0', token: 2n });
    observation.limitReached();
    expect(observation.finish(900)).toMatchObject({
      resolution: 'unresolved',
      failoverMs: 30,
      convergenceMs: null,
    });
  });
});
