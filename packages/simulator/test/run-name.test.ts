import { InvalidOptionError } from '@hustings/elector';
import { MalformedError } from '@hustings/elector/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Fault,
  type FaultKind,
  faultTypes,
  formatRunName,
  nodeNames,
  parseRunName,
  parseSchedule,
  type RunName,
  type Schedule,
  scheduleOf,
  sealName,
} from '../src/index.js';
import { hastySubject } from './hasty-protocol.js';

const name = { algorithm: 'bully', variant: 'default' };
const ms = fc.integer({ min: 0, max: 1_000_000 }).map((tenths) => tenths / 10);
const share = fc.integer({ min: 1, max: 100 }).map((hundredths) => hundredths / 100);

function faultsAmong(nodes: readonly string[]): fc.Arbitrary<Fault> {
  const node = fc.constantFrom(...nodes, 'leader');
  const kind: fc.Arbitrary<FaultKind> = fc.oneof(
    fc.record({ type: fc.constantFrom('crash', 'restart', 'pause', 'isolate', 'one-way'), node }),
    fc.record({ type: fc.constant('split'), side: fc.subarray([...nodes], { minLength: 1 }) }),
    fc.record({ type: fc.constantFrom('loss', 'duplicate'), probability: share }),
    fc.record({ type: fc.constant('reorder') }),
    fc.record({ type: fc.constant('slow-link'), node, extraMs: ms }),
    fc.record({ type: fc.constant('clock-drift'), node, rate: share }),
    fc.record({ type: fc.constant('graceful'), node }),
    fc.record({ type: fc.constant('graceful'), node, to: fc.constantFrom(...nodes) }),
  ) as fc.Arbitrary<FaultKind>;
  return fc
    .tuple(kind, fc.record({ atMs: ms, healAtMs: ms }, { requiredKeys: ['atMs'] }))
    .map(([what, when]) => ({ ...what, ...when }));
}

const nodeLists = fc.oneof(
  fc.integer({ min: 1, max: 12 }).map(nodeNames),
  fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/), { minLength: 1, maxLength: 5 }),
);

const schedules: fc.Arbitrary<Schedule> = nodeLists.chain((nodes) =>
  fc.record(
    {
      nodes: fc.constant(nodes),
      seed: fc.integer(),
      durationMs: ms,
      network: fc.record({
        latencyMs: fc.tuple(ms, ms).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
        lossProbability: fc.oneof(fc.constant(0), share),
        duplicateProbability: fc.oneof(fc.constant(0), share),
        reorders: fc.boolean(),
        closesLinksOnCrash: fc.boolean(),
        tellsLivesApart: fc.boolean(),
      }),
      unwindMs: ms,
      faults: fc.array(faultsAmong(nodes), { maxLength: 4 }),
      decisions: fc.nat(),
    },
    { requiredKeys: ['nodes', 'seed', 'durationMs', 'network', 'unwindMs', 'faults'] },
  ),
);

const names: fc.Arbitrary<RunName> = fc.oneof(
  fc
    .record({
      seed: fc.integer(),
      min: fc.integer({ min: 1, max: 9 }),
      more: fc.integer({ min: 0, max: 9 }),
      faults: fc.subarray([...faultTypes]),
    })
    .map(({ seed, min, more, faults }) => ({
      ...name,
      type: 'seed' as const,
      seed,
      swarm: { nodes: [min, min + more] as const, faults },
    })),
  schedules.map((schedule) => ({ ...name, type: 'schedule' as const, schedule })),
);

describe('the name of a run', () => {
  it('names a run completely', () => {
    fc.assert(
      fc.property(names, (run) => {
        expect(parseRunName(formatRunName(run))).toEqual(run);
      }),
    );
  });

  it('is one word for any shell', () => {
    fc.assert(
      fc.property(names, (run) => {
        expect(formatRunName(run)).toMatch(/^[A-Za-z0-9][A-Za-z0-9._~-]*$/);
      }),
    );
  });

  it('is refused with a reason when it is none', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => parseRunName(text)).toThrow(MalformedError);
      }),
    );
  });

  it('is refused after any change', () => {
    fc.assert(
      fc.property(names, fc.nat(), fc.string({ maxLength: 3 }), (run, at, typo) => {
        const text = formatRunName(run);
        const place = at % text.length;
        const changed = text.slice(0, place) + typo + text.slice(place + 1);
        if (changed !== text) expect(() => parseRunName(changed)).toThrow(MalformedError);
      }),
    );
  });

  it('is short for a seed', () => {
    const swarm = { nodes: [3, 7] as const, faults: faultTypes };
    expect(formatRunName({ ...name, type: 'seed', seed: 7, swarm })).toBe(
      '2.bully.default.s.7.3-7.5m9r.sqptw',
    );
  });

  it('can be read by a person when it holds a schedule', () => {
    const schedule = parseSchedule('nodes n1 n2\nseed 3\nlatency 1\nrun 350\nat 0 isolate n2 until 300');
    expect(formatRunName({ ...name, type: 'schedule', schedule })).toBe(
      '2.bully.default.x.n_2~s_3~l_1_1~r_350~a_0_isolate_n2_until_300.rwica',
    );
  });

  it('of another version says so', () => {
    expect(() => parseRunName('3.bully.default.s.7.3-7.cn3')).toThrow(
      'is of version 3, and this is version 2',
    );
  });

  it('of version 1, which had no checksum, is read if it holds a schedule', () => {
    expect(parseRunName('1.bully.default.x.n_2~s_3~l_1_1~r_350')).toMatchObject({
      ...name,
      type: 'schedule',
      schedule: { seed: 3, durationMs: 350 },
    });
  });

  it('of version 1 is refused if it is a seed, which draws another run by now', () => {
    expect(() => parseRunName('1.bully.default.s.7.3-7.cn3')).toThrow('is a seed of version 1');
  });

  it('is refused without one of its letters', () => {
    fc.assert(
      fc.property(names, fc.nat(), (run, at) => {
        const text = formatRunName(run);
        const place = at % text.length;
        expect(() => parseRunName(text.slice(0, place) + text.slice(place + 1))).toThrow(MalformedError);
      }),
    );
  });

  it('says that it is damaged when its last letter is missing', () => {
    const swarm = { nodes: [3, 7] as const, faults: faultTypes };
    const text = formatRunName({ ...name, type: 'seed', seed: 7, swarm });
    expect(() => parseRunName(text.slice(0, -1))).toThrow('This token is damaged');
  });

  it.each([
    ['1.bully.default.x.n_999999~r_1000', 'has 999999 nodes; runs of up to 101 are replayed'],
    [sealName('bully', 'default', 's', '7', '3-999', 'cn3'), 'has 999 nodes; runs of up to 101 are replayed'],
    ['1.raft.default.x.n_100~r_600000', 'runs for 600000 ms; with 100 nodes, up to 150000 ms are replayed'],
    ['1.bully.default.x.n_3~r_31536000000', 'runs for 31536000000 ms; runs of up to 600000 ms are replayed'],
  ])('is refused when %s asks for too much', (text, sentence) => {
    expect(() => parseRunName(text)).toThrow(sentence);
  });

  it('says which line of its schedule cannot be read', () => {
    expect(() => parseRunName('1.bully.default.x.n_2~r_100~a_5_explode_n1')).toThrow(
      "'explode' is not a fault",
    );
  });

  it('stands for what its seed draws', () => {
    const swarm = { nodes: [3, 7] as const, faults: faultTypes };
    const run = { ...name, type: 'seed', seed: 7, swarm } as const;
    const schedule = scheduleOf(run, hastySubject());
    expect(schedule.seed).toBe(7);
    expect(schedule).toEqual(scheduleOf(parseRunName(formatRunName(run)), hastySubject()));
  });

  it('is not given to a run whose nodes have names that do not fit into a word', () => {
    const schedule = { ...parseSchedule('nodes n1 n2\nrun 1'), nodes: ['a b'] };
    expect(() => formatRunName({ ...name, type: 'schedule', schedule })).toThrow(InvalidOptionError);
  });
});
