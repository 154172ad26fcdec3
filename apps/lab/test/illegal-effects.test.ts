import { bully, invariants } from '@hustings/bully';
import { withSubject } from '@hustings/catalogue';
import {
  type AnyProtocol,
  defaultSwarm,
  explore,
  judge,
  legalEffects,
  type Subject,
  scheduleOfSeed,
} from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { subjects } from '../src/mutants/kills.js';
import { illegalMutants } from '../src/mutants/shared.js';

const seeds = Array.from({ length: 30 }, (_, index) => index + 1);

/** What a search of this many seeds finds first. */
function findBySearch<State>(subject: Subject<State>): string | null {
  for (const seed of seeds) {
    const { violation } = judge(subject, scheduleOfSeed(subject, defaultSwarm, seed));
    if (violation?.property === legalEffects) return violation.detail;
  }
  return null;
}

describe.each(illegalMutants<unknown>())('the mutant $name', ({ alter }) => {
  it('dies in a search', () => {
    const found = withSubject('bully', 'default', (subject) =>
      findBySearch({
        ...subject,
        protocol: alter(subject.protocol as AnyProtocol<unknown>),
      } as typeof subject),
    );
    expect(found).not.toBeNull();
  });

  it('dies in an exploration', () => {
    const protocol = alter(bully() as AnyProtocol<unknown>);
    const { violation } = explore({ protocol, nodes: ['n1', 'n2', 'n3'], depth: 10, maxStates: 100_000 });
    expect(violation?.property).toBe(legalEffects);
  });
});

describe('no illegal effect', () => {
  it('is found in bully as it is', () => {
    expect(withSubject('bully', 'default', (subject) => findBySearch(subject))).toBeNull();
    const exploration = explore({ protocol: bully(), invariants, nodes: ['n1', 'n2', 'n3'], depth: 7 });
    expect(exploration.violation).toBeNull();
  });
});

describe('the office', () => {
  const office = subjects.find(({ algorithm }) => algorithm === 'office')!;

  it('passes its own checks', () => {
    expect(office.accuse()).toBeNull();
  });

  it('is noticed whenever it is broken', () => {
    expect(office.kill().filter(({ killedBy }) => killedBy === null)).toEqual([]);
  });
});
