import { profiles } from '@hustings/catalogue';
import { MalformedError } from '@hustings/elector/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultNames } from '../src/plan/faults.js';
import { formatTrialName, parseTrialName } from '../src/plan/trial-name.js';

const trialName = fc.record({
  algorithm: fc.constantFrom('bully', 'raft'),
  variant: fc.constantFrom('default', 'pre-vote'),
  nodes: fc.integer({ min: 3, max: 101 }),
  fault: fc.constantFrom(...faultNames),
  profile: fc.constantFrom(...profiles),
  budgetMs: fc.integer({ min: 100, max: 60_000 }),
  seed: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
});

describe('the name of a trial', () => {
  it('names the trial completely', () => {
    fc.assert(
      fc.property(trialName, (name) => {
        expect(parseTrialName(formatTrialName(name))).toEqual(name);
      }),
    );
  });

  it('can be read by a person', () => {
    const text = formatTrialName({
      ...{ algorithm: 'bully', variant: 'default', nodes: 5, fault: 'crash' },
      ...{ profile: 'matched', budgetMs: 2000, seed: 35 },
    } as const);
    expect(text).toBe('2.bully.default.t.5.crash.matched.2000.z.mwosf');
  });

  it.each([
    'bully',
    'bully.default.5.boom.matched.2000.z',
    'bully.default.5.crash.other.2000.z',
    'bully.default.5.crash.matched.2000.zzzzzzz',
    'bully.default.0.crash.matched.2000.z',
    '2.bully.default.s.7.3-7.cn3.vfsne',
  ])('is not %j', (text) => expect(parseTrialName(text)).toBeNull());

  it('of the time before checksums is read', () => {
    expect(parseTrialName('bully.default.5.crash.matched.2000.z')).toMatchObject({ nodes: 5, seed: 35 });
  });

  it('is refused without one of its letters', () => {
    fc.assert(
      fc.property(trialName, fc.nat(), (name, at) => {
        const text = formatTrialName(name);
        const place = at % text.length;
        const cut = text.slice(0, place) + text.slice(place + 1);
        expect(() => parseTrialName(cut)).toThrow(MalformedError);
      }),
    );
  });

  it.each([
    ['bully.default.999999.crash.matched.2500.z', 'has 999999 nodes; runs of up to 101 are replayed'],
    ['bully.default.5.crash.matched.99999999999.z', 'has a budget of 99999999999 ms'],
  ])('is refused when %s asks for too much', (text, sentence) => {
    expect(() => parseTrialName(text)).toThrow(sentence);
  });
});
