import { describe, expect, it } from 'vitest';
import { formatTrace, happenedBefore, parseSchedule, run, type TraceEvent } from '../src/index.js';
import { ping, scripted, tick } from './counter-protocol.js';

const story = `nodes n1 n2 n3 n4 n5
latency 0.5 20
run 4000
at 700 crash leader until 1500
at 1000 loss 0.1 until 2000
at 1800 split n1 n2 until 2600
at 2000 clock-drift n3 1.01
`;
/** Each node greets the next, over and over, at moments left to chance. */
const gossip = scripted((id, input) => {
  if (input.type !== 'started' && input.type !== 'restarted' && input.type !== 'timer-fired') return [];
  const next = `n${(Number(id.slice(1)) % 5) + 1}`;
  return [{ type: 'save', durable: 1 }, ping(next), tick(5, 50)];
});

const traceOf = (seed: number): readonly TraceEvent[] =>
  run(gossip, parseSchedule(`${story}seed ${seed}`), { trace: true }).trace;

describe('the trace', () => {
  it('is the same for the same seed, byte for byte', () => {
    expect(formatTrace(traceOf(7))).toBe(formatTrace(traceOf(7)));
  });

  it('is another for another seed', () => {
    expect(formatTrace(traceOf(7))).not.toBe(formatTrace(traceOf(8)));
  });

  it('is not recorded unless asked for, and the run is the same', () => {
    const schedule = parseSchedule(`${story}seed 7`);
    const [silent, recorded] = [run(gossip, schedule), run(gossip, schedule, { trace: true })];
    expect(silent.trace).toEqual([]);
    expect(silent.steps).toBe(recorded.steps);
  });

  it('has one JSON document a line', () => {
    const lines = formatTrace(traceOf(7)).trimEnd().split('\n');
    expect(lines.length).toBe(traceOf(7).length);
    expect(JSON.parse(lines[0]!)).toMatchObject({ sequence: 0, atMs: 0, type: 'step', node: 'n1' });
  });
});

describe('vector clocks', () => {
  const steps = traceOf(7).filter((event) => event.type === 'step');

  it('put the sending of a message before its receipt', () => {
    const greeting = steps.find((event) => event.input.type === 'received')!;
    const { input, clock } = greeting;
    if (input.type !== 'received') throw new Error('unreachable');
    const sender = steps.find(
      (event) =>
        event.node === input.from &&
        event.effects.some((effect) => effect.type === 'send' && effect.message === input.message),
    )!;
    expect(happenedBefore(sender.clock, clock)).toBe(true);
    expect(happenedBefore(clock, sender.clock)).toBe(false);
  });

  it('count the events of a node without gaps', () => {
    for (const id of ['n1', 'n5']) {
      const own = traceOf(7).flatMap((event) =>
        'node' in event && event.node === id && event.clock !== undefined ? [event.clock[id]] : [],
      );
      expect(own).toEqual(own.map((_, index) => index + 1));
    }
  });

  it('are written out with the events of nodes, whether or not anybody has asked for one', () => {
    const [asked, unasked] = [traceOf(7), traceOf(7)];
    const clocks = asked.map(({ clock }) => clock);
    const written = formatTrace(unasked).trimEnd().split('\n');
    expect(written.map((line) => JSON.parse(line).clock)).toEqual(clocks);
    expect(clocks.filter((clock) => clock !== undefined)).toHaveLength(
      asked.filter((event) => 'node' in event).length,
    );
  });

  it('leave two events unordered when neither node has heard of the other', () => {
    const [first, second] = ['n1', 'n2'].map((id) => steps.find((event) => event.node === id)!);
    expect(happenedBefore(first!.clock, second!.clock)).toBe(false);
    expect(happenedBefore(second!.clock, first!.clock)).toBe(false);
  });
});
