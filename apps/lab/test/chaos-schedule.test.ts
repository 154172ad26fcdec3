import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawEpisode } from '../src/chaos/draw.js';
import { algorithms, canBeCut, layouts } from '../src/chaos/layouts.js';
import { parseSchedule, printAction, printSchedule, ScheduleError } from '../src/chaos/schedule.js';

const numbers = Array.from({ length: 300 }, (_, index) => index + 1);
const drawn = (seed: string, beyond = false) =>
  algorithms.map((algorithm) => ({
    algorithm,
    nodes: 3,
    episodes: numbers.map((number) => drawEpisode({ algorithm, nodes: 3, seed, beyond }, number)),
  }));

describe('the nemesis', () => {
  it('draws the same schedule from the same seed', () => {
    expect(drawn('one')).toEqual(drawn('one'));
  });

  it('draws another one from another seed', () => {
    expect(drawn('one')).not.toEqual(drawn('two'));
  });

  it('freezes an etcd that leads only where it may leave the declared assumptions', () => {
    const frozen = (beyond: boolean) =>
      drawn('two', beyond)
        .filter(({ algorithm }) => layouts[algorithm].coordinator === 'etcd')
        .flatMap(({ episodes }) => episodes.flatMap(({ lines }) => lines))
        .filter(({ action }) => action.verb === 'stop' && action.subject === 'M1');
    expect(frozen(false)).toEqual([]);
    expect(frozen(true).length).toBeGreaterThan(10);
  });

  it('undoes all that it does, even where nothing settles afterwards', () => {
    const undone: Readonly<Record<string, readonly string[]>> = {
      kill: ['restart', 'restart-unchecked'],
      stop: ['continue'],
      cut: ['heal'],
      stall: ['release'],
      withdraw: ['stand'],
      'hold-writes': ['release-writes'],
      'hold-disk': ['mend-disk'],
      'slow-disk': ['mend-disk'],
      'fill-disk': ['mend-disk'],
    };
    for (const { episodes } of drawn('three')) {
      for (const { lines } of episodes) {
        const done = lines.map(({ action }) => printAction(action).split(' ').slice(0, 2).join(' '));
        for (const [place, text] of done.entries()) {
          const [verb = '', object] = text.split(' ');
          const opposites = undone[verb]?.map((opposite) => `${opposite} ${object}`);
          const isUndone = done.slice(place).some((later) => opposites?.includes(later));
          expect({ text, isUndone }).toEqual({ text, isUndone: opposites !== undefined });
        }
      }
    }
  });

  it('keeps each episode short', () => {
    for (const { episodes } of drawn('four')) {
      for (const { lines } of episodes) {
        expect(lines.reduce((total, { afterMs }) => total + afterMs, 0)).toBeLessThan(10_000);
      }
    }
  });

  it('draws every attack on every algorithm that it concerns, and late words often', () => {
    for (const { algorithm, episodes } of drawn('five')) {
      const layout = layouts[algorithm];
      const attacks = new Set(episodes.flatMap((episode) => episode.attacks));
      expect(attacks).toContain('kill');
      expect(attacks).toContain('strangers');
      expect(attacks.has('late-words')).toBe(algorithm === 'raft');
      expect(attacks.has('member-frozen')).toBe(layout.coordinator !== null);
      expect(attacks.has('full-disk')).toBe(layout.coordinator === null);
      expect(attacks.has('broken-link')).toBe(layout.links === 'through proxies');
      expect(attacks.has('stall-over-death')).toBe(canBeCut(layout));
    }
  });

  it('cuts no link that no proxy stands in', () => {
    for (const { algorithm, episodes } of drawn('seven')) {
      const verbs = new Set(episodes.flatMap(({ lines }) => lines.map(({ action }) => action.verb)));
      expect(verbs.has('cut')).toBe(canBeCut(layouts[algorithm]));
    }
  });

  it('cuts a node with peers and a coordinator off from either, and from both', () => {
    const ends = drawn('eight')
      .filter(({ algorithm }) => algorithm === 'etcd-heirs')
      .flatMap(({ episodes }) => episodes.flatMap(({ lines }) => lines))
      .flatMap(({ action }) => (action.verb === 'cut' ? [action.to] : []));
    expect(ends).toEqual(expect.arrayContaining(['servers', '*', 'A', 'B', 'C']));
  });
});

describe('a schedule', () => {
  it('reads as it was printed', () => {
    for (const schedule of drawn('six')) expect(parseSchedule(printSchedule(schedule))).toEqual(schedule);
  });

  it('may have remarks and empty lines', () => {
    const text = 'chaos etcd nodes 3\n\nepisode 1 stop # at once\n# first\n+10 stop A\n+20 continue A\n';
    expect(parseSchedule(text).episodes[0]?.lines).toEqual([
      { afterMs: 10, action: { verb: 'stop', subject: 'A' } },
      { afterMs: 20, action: { verb: 'continue', subject: 'A' } },
    ]);
  });

  it.each([
    ['', "A schedule begins with 'chaos raft nodes 3'"],
    ['chaos paxos nodes 3', "not with 'chaos paxos nodes 3'"],
    ['chaos raft nodes 3\n+1 kill A', "Line 2 comes before any 'episode 1 …'"],
    ['chaos raft nodes 3\nepisode 1 x\n+1 bribe A', "Line 3 is not of the form '+120 kill A': '+1 bribe A'"],
    ['chaos raft nodes 3\nepisode 1 x\nkill A', "Line 3 is not of the form '+120 kill A'"],
    ['chaos raft nodes 3\nepisode 1 x\n+1 cut A', 'Line 3'],
    ['chaos raft nodes 3\nepisode 1 x\n+1 await A sleeps 100', 'Line 3'],
  ])('is refused when it makes no sense: %j', (text, message) => {
    expect(() => parseSchedule(text)).toThrow(ScheduleError);
    expect(() => parseSchedule(text)).toThrow(message);
  });

  it('of late words is committed, and can be read', () => {
    const text = readFileSync(new URL('../schedules/late-words.txt', import.meta.url), 'utf8');
    expect(parseSchedule(text).episodes.map(({ attacks }) => attacks)).toEqual([
      ['waiting'],
      ['late-words'],
      ['waiting'],
      ['late-words'],
    ]);
  });
});
