import { MalformedError } from '@hustings/elector/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Fault, formatSchedule, parseSchedule, type Schedule } from '../src/index.js';

const node = fc.constantFrom('n1', 'n2', 'n3', 'leader');
const time = fc.record({ atMs: fc.nat(5000) });
const healing = fc.oneof(fc.constant({}), fc.record({ healAtMs: fc.nat(9000) }));
const share = fc.constantFrom(0.05, 0.25, 1);
const kind: fc.Arbitrary<object> = fc.oneof(
  fc.record({
    type: fc.constantFrom('crash', 'restart', 'pause', 'isolate', 'one-way', 'isolate-from-coordinator'),
    node,
  }),
  fc.record({ type: fc.constant('split'), side: fc.array(node, { minLength: 1, maxLength: 2 }) }),
  fc.record({ type: fc.constantFrom('loss', 'duplicate'), probability: share }),
  fc.constantFrom({ type: 'reorder' }, { type: 'coordinator-crash' }, { type: 'coordinator-member-crash' }),
  fc.record({ type: fc.constantFrom('crash', 'pause'), node: fc.constant('coordinator') }),
  fc.record({ type: fc.constant('slow-link'), node, extraMs: fc.nat(500) }),
  fc.record({ type: fc.constant('clock-drift'), node, rate: fc.constantFrom(0.99, 1.01) }),
  fc.record({ type: fc.constant('graceful'), node }),
  fc.record({ type: fc.constant('graceful'), node, to: fc.constantFrom('n1', 'n2') }),
);
const fault = fc.tuple(kind, time, healing).map((parts) => Object.assign({}, ...parts) as Fault);
const schedule: fc.Arbitrary<Schedule> = fc.record({
  nodes: fc.constant(['n1', 'n2', 'n3']),
  seed: fc.integer(),
  durationMs: fc.nat(10_000),
  unwindMs: fc.nat(100),
  network: fc.record({
    latencyMs: fc.tuple(fc.nat(10), fc.nat(10)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
    lossProbability: fc.constantFrom(0, 0.1),
    duplicateProbability: fc.constantFrom(0, 0.1),
    reorders: fc.boolean(),
    closesLinksOnCrash: fc.boolean(),
    tellsLivesApart: fc.boolean(),
  }),
  faults: fc.array(fault, { maxLength: 5 }),
});
const extras = fc.record(
  {
    settings: fc.constantFrom(
      { electionTimeoutMs: [60, 80], preVote: false },
      { succession: 'race', order: ['n2', 'n1'], driftBound: 0.2 },
    ),
    workload: fc.constantFrom(
      { untilMs: 700, kinds: ['writes'] },
      { untilMs: 0.5, kinds: ['reads', 'writes'] },
    ),
  },
  { requiredKeys: [] },
);

describe('the text form of a schedule', () => {
  it('reads back as what was written', () => {
    fc.assert(
      fc.property(schedule, extras, (plain, extra) => {
        const original: Schedule = { ...plain, ...extra };
        expect(parseSchedule(formatSchedule(original))).toEqual(original);
      }),
    );
  });

  it('may carry comments and blank lines', () => {
    expect(parseSchedule('# a story\n\nnodes n1 # one node\nrun 10\n').nodes).toEqual(['n1']);
  });

  const mistakes: Record<string, [text: string, complaint: string]> = {
    'a word it does not know': ['nodes n1\nwait 10', "Line 2 ('wait 10'): 'wait' is not a word"],
    'a fault it does not know': ['nodes n1\nat 5 explode n1', "'explode' is not a fault"],
    'a missing number': ['nodes n1\nrun', 'a number is missing'],
    'a latency upside down': ['nodes n1\nlatency 5 2', 'must not exceed'],
    'a stranger among the faults': ['nodes n1\nat 5 crash n7', 'names n7, which is not among the nodes'],
    'a coordinator that resigns': ['nodes n1\nat 5 graceful coordinator', 'no coordinator can suffer that'],
    'a setting without a value': ['nodes n1\nset preVote', 'a value is missing'],
    'nobody at all': ['run 10', "needs a line 'nodes"],
  };
  for (const [name, [text, complaint]] of Object.entries(mistakes)) {
    it(`refuses ${name}, and says where`, () => {
      expect(() => parseSchedule(text)).toThrow(MalformedError);
      expect(() => parseSchedule(text)).toThrow(complaint);
    });
  }
});
