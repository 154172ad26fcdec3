import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Credentials, FencedStore, InvalidOptionError, StaleTokenError } from '../src/index.js';

const old: Credentials = { token: 3n, holder: 'a#1' };
const newer: Credentials = { token: 4n, holder: 'b#1' };

let store: FencedStore<string>;
beforeEach(() => {
  store = new FencedStore();
});

describe('given a store that a newer leader has written to', () => {
  beforeEach(() => {
    store.write(old, 'key', 'old');
    store.write(newer, 'key', 'new');
  });

  it('refuses the older leader and keeps what it has', () => {
    expect(() => store.write(old, 'key', 'stale')).toThrow(StaleTokenError);
    expect(store.read('key')).toBe('new');
    expect(store.highestToken).toBe(4n);
  });

  it('refuses the older leader for every key', () => {
    expect(() => store.write(old, 'another key', 'stale')).toThrow(StaleTokenError);
    expect(store.read('another key')).toBeUndefined();
  });

  it('accepts the newer leader again', () => {
    store.write(newer, 'key', 'newest');
    expect(store.read('key')).toBe('newest');
  });

  it('refuses another holder of the same token', () => {
    expect(() => store.write({ token: 4n, holder: 'c#1' }, 'key', 'rival')).toThrow(/two leaders/);
    expect(store.read('key')).toBe('new');
  });
});

describe('given a store that nobody has written to', () => {
  it('has no highest token and accepts any', () => {
    expect(store.highestToken).toBeNull();
    store.write({ token: 0n, holder: 'a#1' }, 'key', 'first');
    expect(store.highestToken).toBe(0n);
  });
});

describe('given credentials that came over a wire', () => {
  beforeEach(() => store.write(newer, 'key', 'new'));

  it.each([undefined, null, Number.NaN, 5, '5', '', true, {}, Symbol('5')])(
    'refuses %o for a token, and its fence stays where it was',
    (token) => {
      const forged = { token, holder: 'c#1' } as unknown as Credentials;
      expect(() => store.write(forged, 'key', 'forged')).toThrow(InvalidOptionError);
      expect(store.read('key')).toBe('new');
      expect(store.highestToken).toBe(4n);
      expect(() => store.write(old, 'key', 'stale')).toThrow(StaleTokenError);
    },
  );

  it('refuses a negative token: no leader has one', () => {
    expect(() => store.write({ token: -1n, holder: 'c#1' }, 'key', 'negative')).toThrow(
      /must not be negative/,
    );
    expect(store.highestToken).toBe(4n);
  });

  it.each([undefined, null, 7])('refuses %o for a holder: two of them would pass for one', (holder) => {
    const nameless = { token: 5n, holder } as unknown as Credentials;
    expect(() => store.write(nameless, 'key', 'nameless')).toThrow(InvalidOptionError);
    expect(store.highestToken).toBe(4n);
  });

  it('says what a token must be and how to make one', () => {
    const text = { token: '5', holder: 'c#1' } as unknown as Credentials;
    expect(() => store.write(text, 'key', 'text')).toThrow(/must be a bigint, not string: .* BigInt/);
  });

  it('accepts a token that was made a bigint where it was read', () => {
    store.write({ token: BigInt('5'), holder: 'c#1' }, 'key', 'newest');
    expect(store.highestToken).toBe(5n);
  });
});

const credentials = fc.record({
  token: fc.bigInt({ min: 0n, max: 5n }),
  holder: fc.constantFrom('a', 'b', 'c'),
});

it('accepted tokens never fall, and each has one holder', () => {
  fc.assert(
    fc.property(fc.array(credentials), (attempts) => {
      const fresh = new FencedStore<number>();
      const accepted = attempts.filter((attempt, index) => {
        try {
          fresh.write(attempt, 'key', index);
        } catch (error) {
          expect(error).toBeInstanceOf(StaleTokenError);
          return false;
        }
        expect(fresh.read('key')).toBe(index);
        return true;
      });
      const tokens = accepted.map(({ token }) => token);
      expect(tokens).toEqual(tokens.toSorted((a, b) => Number(a - b)));
      const pairs = new Set(accepted.map(({ token, holder }) => `${token} ${holder}`));
      expect(pairs.size).toBe(new Set(tokens).size);
    }),
  );
});

it('whoever presents the highest token first is accepted', () => {
  fc.assert(
    fc.property(fc.array(credentials), (attempts) => {
      const fresh = new FencedStore<number>();
      attempts.forEach((attempt, index) => {
        const isHighest = attempts.slice(0, index).every(({ token }) => token < attempt.token);
        const write = () => fresh.write(attempt, 'key', index);
        if (isHighest) expect(write).not.toThrow();
        else if (attempt.token < fresh.highestToken!) expect(write).toThrow(StaleTokenError);
      });
    }),
  );
});
