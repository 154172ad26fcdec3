import { describe, expect, it } from 'vitest';
import {
  agreement,
  atMostOneLeader,
  defaultSwarm,
  formatSchedule,
  judge,
  parseSchedule,
  type Subject,
  scheduleOfSeed,
  shrink,
} from '../src/index.js';
import { type HastyState, hastySubject, seeds, withoutPartitions } from './hasty-protocol.js';

const subject = hastySubject();

describe('a search of hasty', () => {
  it('finds a split brain within 100 seeds', () => {
    const broken = seeds(100).filter((seed) => {
      const { violation } = judge(subject, scheduleOfSeed(subject, defaultSwarm, seed));
      return violation?.property === atMostOneLeader;
    });
    expect(broken.length).toBeGreaterThan(0);
  });

  it('finds nothing where nothing parts the nodes', () => {
    for (const seed of seeds(500)) {
      expect(judge(subject, scheduleOfSeed(subject, withoutPartitions, seed)).violation).toBeNull();
    }
  });
});

describe('shrinking', () => {
  const broken = seeds(60)
    .map((seed) => scheduleOfSeed(subject, defaultSwarm, seed))
    .filter((schedule) => judge(subject, schedule).violation !== null);

  it('leaves two nodes, one fault and no decision of every split brain', () => {
    expect(broken.length).toBeGreaterThan(5);
    for (const schedule of broken) {
      const small = shrink(subject, schedule)!.schedule;
      expect(small.nodes).toEqual(['n1', 'n2']);
      expect(small.faults).toHaveLength(1);
      expect(small.decisions).toBe(0);
    }
  });

  it('keeps to the property that was broken', () => {
    for (const schedule of broken) {
      const { violation, schedule: small } = shrink(subject, schedule)!;
      expect(violation.property).toBe(judge(subject, schedule).violation!.property);
      expect(judge(subject, small).violation).toEqual(violation);
    }
  });

  it('comes to the same end each time', () => {
    const [first] = broken;
    expect(shrink(subject, first!)).toEqual(shrink(subject, first!));
  });

  it('makes no more runs than it is allowed', () => {
    expect(shrink(subject, broken[0]!, 10)!.runs).toBeLessThanOrEqual(10);
  });

  it('finds a small schedule small enough', () => {
    const { schedule } = shrink(subject, broken[0]!)!;
    expect(formatSchedule(shrink(subject, schedule)!.schedule)).toBe(formatSchedule(schedule));
  });

  it('has nothing to do where nothing is broken', () => {
    expect(shrink(subject, parseSchedule('nodes n1 n2\nlatency 1\nrun 500'))).toBeNull();
  });

  it('leaves what should have come true the time to do so', () => {
    const sulking = hastySubject({ sulking: true });
    const lost = parseSchedule(
      'nodes n1 n2 n3\nlatency 1 4\nrun 700\nat 60 reorder until 90\nat 100.5 crash leader until 200',
    );
    expect(judge(sulking, lost).violation?.property).toBe(agreement);
    const { schedule, violation } = shrink(sulking, lost)!;
    const [fault] = schedule.faults;
    expect(violation.property).toBe(agreement);
    expect(schedule.nodes).toEqual(['n1']);
    expect(schedule.faults).toHaveLength(1);
    expect(schedule.durationMs).toBe((fault!.healAtMs ?? fault!.atMs) + 240);
  });
});

describe('a subject with settings and a workload', () => {
  const withExtras: Subject<HastyState> = {
    ...subject,
    workload: {
      // Whoever hears of it resigns.
      resignations: (simulation) => simulation.plan({ type: 'graceful', node: 'n1', atMs: 1000 }),
      nothing: () => {},
    },
    withSettings: ({ sulking = false }) => ({
      ...withExtras,
      ...hastySubject({ sulking: sulking === true }),
    }),
  };
  const lost =
    'nodes n1 n2\nset sulking true\nset other 1\nlatency 1\nworkload 100 nothing resignations\nrun 700\nat 100.5 crash leader until 200';

  it('is judged with those of its schedule, which shrink to what is needed', () => {
    const schedule = parseSchedule(lost);
    expect(judge(withExtras, schedule).violation?.property).toBe(agreement);
    const small = shrink(withExtras, schedule)!.schedule;
    expect(small.settings).toEqual({ sulking: true });
    expect(small.workload).toBeUndefined();
  });

  it('keeps its promises without them', () => {
    expect(judge(withExtras, parseSchedule(lost.replace('set sulking true\n', ''))).violation).toBeNull();
  });

  it('refuses a workload that it does not have, and settings where it has none', () => {
    const run = (text: string) => () => judge(subject, parseSchedule(`nodes n1\n${text}\nrun 10`));
    expect(run('workload 10 dances')).toThrow("There is no workload 'dances'");
    expect(run('set sulking true')).toThrow("takes no settings from a schedule: leave out 'sulking'");
  });
});
