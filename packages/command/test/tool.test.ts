import { describe, expect, it } from 'vitest';
import {
  algorithmOption,
  listOf,
  oneOf,
  parseFlags,
  tool,
  UsageError,
  wholeNumber,
  wholeNumberOption,
} from '../src/index.js';

const weigh = () =>
  tool('weigh', 'Weighs electors.')
    .addOption(algorithmOption('which', ['bully', 'raft'], new Map([['etcd', 'etcd is too heavy']])))
    .addOption(wholeNumberOption('--times', 'how often', 1, 9).default(3));

const sentenceOf = (...argv: string[]): string => {
  try {
    parseFlags(weigh(), argv);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('It was accepted.');
};

describe('a command line', () => {
  it('gives its flags, with what was not said', () => {
    expect(parseFlags(weigh(), ['--algorithm', 'raft'])).toEqual({
      algorithm: 'raft',
      times: 3,
      json: false,
    });
  });

  it.each([
    [['--algorithm', 'raf'], "There is no algorithm 'raf'; choose from bully, raft."],
    [['--algorithm', 'etcd'], 'etcd is too heavy; choose from bully, raft.'],
    [['--times', '10'], "--times takes a whole number from 1 to 9, not '10'."],
    [['--frob'], "Unknown option '--frob'; run 'npm run weigh -- --help' to see what there is."],
  ])('%j is answered by one sentence that says what to do', (argv, sentence) => {
    expect(sentenceOf(...argv)).toBe(sentence);
  });
});

describe('what a flag holds', () => {
  it('may be several things, each of which counts once', () => {
    expect(listOf(wholeNumber('--nodes', 1))('3, 5,3')).toEqual([3, 5]);
  });

  it('is refused with the names that there are', () => {
    expect(() => oneOf('fault', ['crash', 'pause'])('cra')).toThrow(
      "There is no fault 'cra'; choose from crash, pause.",
    );
  });
});
