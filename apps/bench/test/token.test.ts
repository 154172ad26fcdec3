import { fc, test } from '@fast-check/vitest';
import { profiles } from '@hustings/catalogue';
import { describe, expect, it } from 'vitest';
import { faultNames } from '../src/plan/faults.js';
import { decodeToken, encodeToken } from '../src/plan/trial-name.js';

const trialName = fc.record({
  algorithm: fc.constantFrom('bully', 'raft'),
  variant: fc.constantFrom('default', 'pre-vote'),
  nodes: fc.integer({ min: 3, max: 101 }),
  fault: fc.constantFrom(...faultNames),
  profile: fc.constantFrom(...profiles),
  budgetMs: fc.integer({ min: 100, max: 60_000 }),
  seed: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
});

describe('the token of a trial', () => {
  test.prop([trialName])('names the trial completely', (name) => {
    expect(decodeToken(encodeToken(name))).toEqual(name);
  });

  it('can be read by a person', () => {
    const token = encodeToken({
      ...{ algorithm: 'bully', variant: 'default', nodes: 5, fault: 'crash' },
      ...{ profile: 'matched', budgetMs: 2000, seed: 35 },
    } as const);
    expect(token).toBe('bully.default.5.crash.matched.2000.z');
  });

  it.each([
    '',
    'bully',
    'bully.default.5.boom.matched.2000.z',
    'bully.default.5.crash.other.2000.z',
    'bully.default.5.crash.matched.2000.zzzzzzz',
  ])('is not %j', (text) => expect(decodeToken(text)).toBeNull());
});
