import { describe, expect, it } from 'vitest';
import { InvalidOptionError } from '../src/index.js';
import {
  callback,
  either,
  flag,
  group,
  listOf,
  nearest,
  numberAbove,
  numberFrom,
  oneOf,
  rangeMs,
  readOptions,
  record,
  renamed,
  required,
  text,
  wholeNumberFrom,
} from '../src/options.js';

const table = {
  name: required(text, 'what it is called'),
  hosts: listOf(text),
  succession: oneOf('queue', 'race'),
  heartbeatMs: numberAbove(0),
  driftBound: numberFrom(0, 0.5),
  count: wholeNumberFrom(1),
  port: wholeNumberFrom(0, 65_535),
  timeoutMs: rangeMs,
  verbose: flag,
  onDiagnostic: callback,
  extras: record,
  tls: group({ ca: required(text, 'whom to trust'), requestCert: flag }),
  listen: either(wholeNumberFrom(0), text),
  path: renamed('name'),
};

const read = (options: unknown) => readOptions<Record<string, unknown>>('open', options, table);

describe('options that are right', () => {
  it('are returned', () => {
    const options = {
      name: 'billing',
      hosts: ['a', 'b'],
      succession: 'race',
      heartbeatMs: 50,
      driftBound: 0,
      count: 1,
      port: 0,
      timeoutMs: [150, 300],
      verbose: false,
      onDiagnostic: () => {},
      extras: {},
      tls: { ca: 'x' },
      listen: 7000,
    };
    expect(read(options)).toEqual(options);
    expect(read({ name: 'billing', listen: 'here' })).toEqual({ name: 'billing', listen: 'here' });
  });

  it('are returned without those that are undefined, so that these have their defaults', () => {
    expect(Object.keys(read({ name: 'billing', heartbeatMs: undefined }))).toEqual(['name']);
  });
});

describe('options that are wrong', () => {
  it.each([
    [undefined, 'open: the options must be an object, not undefined.'],
    [null, 'open: the options must be an object, not null.'],
    [[], 'open: the options must be an object, not [].'],
    [{}, "open: option 'name' is missing: what it is called."],
    [{ name: undefined }, "open: option 'name' is missing: what it is called."],
    [{ name: '' }, "open: option 'name' must be a text that is not empty, not ''."],
    [{ name: null }, "open: option 'name' must be a text that is not empty, not null."],
    [{ naem: 'billing' }, "open: there is no option 'naem'; did you mean 'name'?"],
    [{ Heartbeatms: 5 }, "open: there is no option 'Heartbeatms'; did you mean 'heartbeatMs'?"],
    [{ path: '/x', name: 'x' }, "open: option 'path' is called 'name' here."],
    [{ name: 'x', hosts: 'a,b' }, "open: option 'hosts' must be an array, not 'a,b'."],
    [{ name: 'x', hosts: [] }, "open: option 'hosts' must not be empty."],
    [{ name: 'x', hosts: ['a', 'a'] }, "open: option 'hosts' names 'a' twice; leave one out."],
    [
      { name: 'x', hosts: ['a', 7] },
      "open: option 'hosts' has an element that must be a text that is not empty, not 7.",
    ],
    [
      { name: 'x', succession: 'queeu' },
      "open: option 'succession' must be 'queue' or 'race', not 'queeu'; did you mean 'queue'?",
    ],
    [{ name: 'x', succession: 5 }, "open: option 'succession' must be 'queue' or 'race', not 5."],
    [{ name: 'x', heartbeatMs: '50' }, "open: option 'heartbeatMs' must be a number above 0, not '50'."],
    [{ name: 'x', heartbeatMs: Number.NaN }, "open: option 'heartbeatMs' must be a number above 0, not NaN."],
    [{ name: 'x', driftBound: 1 }, "open: option 'driftBound' must be a number from 0 to 0.5, not 1."],
    [{ name: 'x', count: 1.5 }, "open: option 'count' must be a whole number of at least 1, not 1.5."],
    [{ name: 'x', port: 70_000 }, "open: option 'port' must be a whole number from 0 to 65535, not 70000."],
    [
      { name: 'x', timeoutMs: [-1, 300] },
      "open: option 'timeoutMs' must be a range [min, max] of milliseconds with 0 < min <= max, not [-1, 300].",
    ],
    [{ name: 'x', verbose: 'yes' }, "open: option 'verbose' must be true or false, not 'yes'."],
    [{ name: 'x', onDiagnostic: {} }, "open: option 'onDiagnostic' must be a function, not an object."],
    [{ name: 'x', extras: () => {} }, "open: option 'extras' must be an object, not a function."],
    [{ name: 'x', tls: {} }, "open: option 'tls' is not right: option 'ca' is missing: whom to trust."],
    [
      { name: 'x', tls: { ca: 'y', requestCret: true } },
      "open: option 'tls' is not right: there is no option 'requestCret'; did you mean 'requestCert'?",
    ],
    [{ name: 'x', listen: {} }, "open: option 'listen' must be a text that is not empty, not an object."],
  ])('%j gets one sentence', (options, sentence) => {
    expect(() => read(options)).toThrow(new InvalidOptionError(sentence));
  });

  it('are told which there are when none is near, but not those that are always refused', () => {
    expect(() =>
      readOptions('open', { quorum: 3 }, { name: text, hosts: text, path: renamed('name') }),
    ).toThrow("open: there is no option 'quorum'; it knows name, hosts.");
  });

  it('are shown shortened, and on one line', () => {
    const message = (): unknown => read({ name: 'x', verbose: `a\n${'b'.repeat(1000)}` });
    expect(message).toThrow(/^open: option 'verbose' must be true or false, not 'a\\nb{57}…'\.$/);
  });
});

describe('the nearest word', () => {
  it('is the one with the fewest letters changed', () => {
    expect(nearest('hots', ['hosts', 'host', 'notes'])).toBe('hosts');
  });

  it('is none when all are far away', () => {
    expect(nearest('id', ['election', 'hosts'])).toBeNull();
  });
});
