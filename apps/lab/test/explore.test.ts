import { selfSufficientNames, variantsOf } from '@hustings/catalogue';
import { describe, expect, it } from 'vitest';
import { exploreAlgorithm, renderExploration } from '../src/explore/exploration.js';
import { exploreHeirs, heirsProtocol } from '../src/explore/heirs.js';
import { heirsSubject } from '../src/mutants/heirs.js';

const request = { variant: 'default', nodes: 3, undeclared: false } as const;

describe('every order of events', () => {
  for (const algorithm of selfSufficientNames) {
    for (const variant of variantsOf(algorithm)) {
      it(`breaks no promise of ${algorithm} (${variant})`, () => {
        const bounds = { depth: 8, maxStates: 150_000 };
        const report = exploreAlgorithm({ ...request, algorithm, variant, bounds });
        expect(report).toMatchObject({ algorithm, nodes: 3, depth: 8, violations: [] });
        expect(report.depthReached).toBeGreaterThan(3);
      });
    }
  }

  it('shows the shortest way to two leaders of bully, which bully does not promise to avoid', () => {
    const bounds = { depth: 9 };
    const report = exploreAlgorithm({ ...request, algorithm: 'bully', undeclared: true, bounds });
    expect(report.violations).toMatchObject([{ property: 'at most one leader at a time', declared: false }]);
    expect(report.violations[0]!.steps).toHaveLength(3);
    expect(renderExploration(report)).toContain('Not promised, and not kept');
  });
});

describe.each(['etcd', 'zookeeper'])('every order of events on one clock, with %s to ask', (algorithm) => {
  it('breaks no promise, one leader at a time included', () => {
    const bounds = { depth: 40, maxStates: 60_000, maxTicks: 8, maxLate: 1 };
    const report = exploreAlgorithm({ ...request, algorithm, bounds });
    expect(report.violations).toEqual([]);
    expect(report.depthReached).toBeGreaterThan(9);
  });
});

describe('every order of events between a leader and its heir', () => {
  it('makes no two leaders', () => {
    const bounds = { maxTicks: 4, maxLate: 1, maxLosses: 0 };
    expect(exploreHeirs({ nodes: 2, ...bounds })).toMatchObject({ endedBy: 'exhaustion', leftOut: 0 });
    const { violation } = exploreHeirs({ nodes: 3, ...bounds, maxStates: 100_000 });
    expect(violation).toBeNull();
  });

  it.each([
    'counts-from-the-answer',
    'credits-the-newest-heartbeat',
    'deletes-by-create-revision',
    'leaves-no-guard',
    'leads-when-it-has-deleted',
  ])('makes two of the mutant %s', (name) => {
    const mutant = heirsSubject.mutants.find((each) => each.name === name)!;
    const protocol = mutant.alter(heirsProtocol());
    const { violation } = exploreHeirs({ nodes: 2, maxTicks: 4, protocol, maxStates: 200_000 });
    expect(violation?.property).toBe('at most one leader at a time');
  });
});
