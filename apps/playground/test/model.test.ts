import { algorithmNames } from '@hustings/catalogue';
import { parseSchedule } from '@hustings/simulator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layoutOf } from '../src/draw/layout.js';
import { columnsFor, heightsFor } from '../src/draw/sizes.js';
import { readAddress, viewOf, writeAddress } from '../src/model/address.js';
import { Axis } from '../src/model/axis.js';
import { faultOn, forked, healed, targetOf, withFault } from '../src/model/edit.js';
import { exportsOf } from '../src/model/export.js';
import { knobsFor } from '../src/model/knobs.js';
import { quiz } from '../src/model/quiz.js';
import { recordRun } from '../src/model/run.js';
import { scenarioOf, scenarios } from '../src/model/scenarios.js';

const schedule = parseSchedule(
  'nodes n1 n2 n3\nseed 1\nlatency 1 5\nrun 3000\nat 1000 crash leader until 2000',
);
const raft = { algorithm: 'raft', variant: 'default' };
const record = (changed = schedule) => recordRun(raft, changed, async () => {});

describe('the squeezed axis', () => {
  const moments = fc.array(fc.double({ min: 0, max: 5000, noNaN: true }), { maxLength: 40 });
  it('finds the time of every place, and the place of every time', () => {
    fc.assert(
      fc.property(moments, fc.double({ min: 0, max: 5000, noNaN: true }), (times, atMs) => {
        const axis = new Axis(
          times.sort((a, b) => a - b),
          5000,
        );
        expect(axis.msAt(axis.unitsAt(atMs))).toBeCloseTo(atMs, 4);
      }),
    );
  });

  it('folds what is quiet, and nothing else', () => {
    const axis = new Axis([100, 105, 110], 5000);
    expect(axis.unitsAt(110) - axis.unitsAt(100)).toBe(10);
    expect(axis.folds).toHaveLength(2);
    expect(axis.length).toBeLessThan(100);
  });
});

describe('the stage', () => {
  const sizes = [
    { width: 250, height: 170 },
    { width: 420, height: 300 },
    { width: 880, height: 320 },
  ];
  const nodesOf = (count: number) => Array.from({ length: count }, (_, index) => `n${index + 1}`);
  const layout = (
    count: number,
    cuts: readonly (readonly [string, string])[],
    size: (typeof sizes)[number],
  ) => layoutOf({ facts: { nodes: nodesOf(count), services: [] } } as never, cuts, size);

  it.each(sizes)('of $width by $height has room for 25 nodes, which do not touch', (size) => {
    for (let count = 2; count <= 25; count += 1) {
      const { places, radius } = layout(count, [], size);
      const all = [...places.values()];
      for (const { x, y } of all) {
        expect(x).toBeGreaterThan(radius);
        expect(x).toBeLessThan(size.width - radius);
        expect(y).toBeGreaterThan(radius);
        expect(y).toBeLessThan(size.height - radius);
      }
      for (const [index, a] of all.entries()) {
        for (const b of all.slice(index + 1)) {
          expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(2 * radius);
        }
      }
    }
  });

  it('moves the sides of a partition apart', () => {
    const [left, right] = [
      ['n1', 'n2'],
      ['n3', 'n4', 'n5'],
    ] as const;
    const cuts = left.flatMap((a) => right.flatMap((b) => [[a, b] as const, [b, a] as const]));
    const { places, sides } = layout(5, cuts, { width: 420, height: 300 });
    expect(sides).toHaveLength(2);
    const xs = (ids: readonly string[]) => ids.map((id) => places.get(id)!.x);
    expect(Math.max(...xs(left))).toBeLessThan(Math.min(...xs(right)));
  });
});

describe('the window', () => {
  it('is filled by one card, shared by two or three, and scrolled from card to card on a phone', () => {
    expect([1, 2, 3, 4, 5].map((count) => columnsFor(count, 884))).toEqual([1, 2, 3, 2, 3]);
    expect([1, 2, 3, 4, 5].map((count) => columnsFor(count, 366))).toEqual([1, 1, 1, 1, 1]);
  });

  it('is never too low for a drawing', () => {
    const { stage, diagram } = heightsFor(5, 26, { width: 884, windowHeight: 300, hasNote: true });
    expect(stage).toBeGreaterThanOrEqual(150);
    expect(diagram).toBeGreaterThanOrEqual(118);
  });
});

describe('an address', () => {
  it.each(scenarios)('of scenario $id is its name', (scenario) => {
    const view = viewOf(scenario);
    expect(writeAddress({ ...view, atMs: null })).toBe(`#scenario=${scenario.id}`);
    expect(readAddress(writeAddress(view))).toEqual(view);
  });

  it('of a changed run has the whole run in it', () => {
    const view = {
      electors: [raft, { algorithm: 'etcd', variant: 'race' }],
      schedule,
      scenario: null,
      atMs: 12.5,
    };
    expect(readAddress(writeAddress(view))).toEqual(view);
  });

  it('of nothing is nothing', () => {
    expect(readAddress('')).toBeNull();
  });

  it('that was damaged says so', () => {
    const address = writeAddress({ electors: [raft], schedule, scenario: null, atMs: 0 });
    expect(() => readAddress(address.replace('crash', 'crush'))).toThrow('damaged');
  });

  it('of an elector that is not there says so', () => {
    const address = writeAddress({ electors: [raft], schedule, scenario: null, atMs: 0 });
    expect(() => readAddress(`${address}&beside=paxos.default`)).toThrow("no algorithm 'paxos'");
  });
});

describe('an edit', () => {
  it('strikes at the moment that is looked at, or a moment later, never before', () => {
    const { faults } = withFault(schedule, { type: 'pause', node: 'n1' }, 512.34567);
    expect(faults[0]).toEqual({ type: 'pause', node: 'n1', atMs: 512.4 });
  });

  it('heals what goes on', () => {
    expect(healed(schedule, 0, 1500).faults[0]!.healAtMs).toBe(1500);
  });

  it('forks: what was planned later is gone, what is going on stays', () => {
    const busy = withFault(schedule, { type: 'pause', node: 'n1' }, 2500);
    expect(forked(busy, 1500).faults).toEqual([{ type: 'crash', node: 'leader', atMs: 1000 }]);
  });

  it('names nodes by their office where several electors share the schedule', async () => {
    const { recording } = await record();
    const sequence = recording.sequenceAt(900);
    const leader = recording.facts.tenures[0]!.node;
    const [first] = recording.facts.nodes.filter((id) => id !== leader);
    expect(targetOf(recording, leader, sequence, true)).toBe('leader');
    expect(targetOf(recording, first!, sequence, true)).toBe('follower-1');
    expect(targetOf(recording, leader, sequence, false)).toBe(leader);
  });

  it('finds the fault that strikes a node, however it was named', async () => {
    const { recording } = await record();
    const leader = recording.facts.tenures[0]!.node;
    expect(faultOn(recording, leader, 1500, ['crash'])).toBe(0);
    expect(faultOn(recording, leader, 2500, ['crash'])).toBeNull();
  });
});

describe('sliders', () => {
  const plain = parseSchedule('nodes n1 n2 n3\nrun 100\nset raft.heartbeatMs 30');

  it('show what each elector takes by itself, or what the schedule says', () => {
    const electors = algorithmNames.map((algorithm) => ({ algorithm, variant: 'default' }));
    const shown = knobsFor(electors, plain).map(({ name, value }) => [name, value]);
    expect(Object.fromEntries(shown)).toMatchObject({
      'Raft election timeout': 150,
      'Raft heartbeat': 30,
      'ZooKeeper session': 6000,
      'etcd TTL': 5,
    });
    for (const [name, value] of shown.slice(2)) expect(value, String(name)).toBeGreaterThan(0);
  });

  it('of electors that are not shown are not there', () => {
    expect(knobsFor([raft], plain).map(({ name }) => name)).not.toContain('etcd TTL');
  });
});

describe('an export', () => {
  it('is JSON, a picture, and a log for ShiViz', async () => {
    const [json, svg, shiviz] = exportsOf(await record()).map(({ text }) => text());
    expect(JSON.parse(json!)).toMatchObject({ run: expect.stringMatching(/^2\.raft\.default\.x\./) });
    expect(svg).toMatch(/^<svg /);
    expect(shiviz).toMatch(/^\d+\.\d{3} .*\nn\d \{/);
  });
});

describe('the quiz', () => {
  it.each(quiz)('$question has one right answer, and a scenario that shows it', ({ choices, scenario }) => {
    expect(choices.filter(({ isRight }) => isRight)).toHaveLength(1);
    expect(scenarioOf(scenario)).not.toBeNull();
  });
});
