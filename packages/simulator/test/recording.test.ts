import { describe, expect, it } from 'vitest';
import {
  comesToAnEnd,
  defaultNetwork,
  defaultSwarm,
  type Fault,
  judge,
  Recorder,
  type Recording,
  record,
  type Schedule,
  type Subject,
  scheduleOfSeed,
} from '../src/index.js';
import { agreement, atMostOneLeader, tokensGrow } from '../src/oracle.js';
import { type HastyState, hastySubject } from './hasty-protocol.js';

const subject = hastySubject();
const orderly = { ...subject.protocol.guarantees, monotonicTokens: true };

const scheduleWith = (faults: readonly Fault[] = [], change: Partial<Schedule> = {}): Schedule => ({
  nodes: ['n1', 'n2', 'n3'],
  seed: 7,
  durationMs: 400,
  network: { ...defaultNetwork, latencyMs: [1, 3] },
  unwindMs: 0,
  faults,
  ...change,
});

const recordWith = (faults: readonly Fault[] = [], change: Partial<Schedule> = {}): Recording<HastyState> =>
  record(subject, scheduleWith(faults, change));

const leaderAt = (recording: Recording<HastyState>, atMs: number): string | undefined =>
  recording.facts.nodes.find((id) => recording.at(id, recording.sequenceAt(atMs)).leadership !== null);

describe('a recording', () => {
  it('has the events of the run that it is of', () => {
    const schedule = scheduleWith([{ type: 'crash', node: 'leader', atMs: 150, healAtMs: 250 }]);
    expect(record(subject, schedule).facts.events).toEqual(judge(subject, schedule, { trace: true }).trace);
  });

  it('has the verdict that a judge reaches, although it goes on after it', () => {
    const strict = { ...subject, protocol: { ...subject.protocol, guarantees: orderly } };
    const seeds = Array.from({ length: 60 }, (_, seed) => seed);
    const verdicts = seeds.flatMap((seed) =>
      [subject, strict, hastySubject({ sulking: true })].map((each) => {
        const schedule = scheduleOfSeed(each, defaultSwarm, seed);
        const { violation } = record(each, schedule).facts;
        expect(violation).toEqual(judge(each, schedule).violation);
        return violation?.property ?? null;
      }),
    );
    expect(new Set(verdicts)).toEqual(new Set([null, atMostOneLeader, tokensGrow, agreement]));
  });

  it('is the same when it is made bit by bit', () => {
    const recorder = new Recorder(subject, scheduleWith());
    let slices = 0;
    while (recorder.advance(10)) slices += 1;
    expect(slices).toBeGreaterThan(5);
    expect(recorder.finish().facts).toEqual(recordWith().facts);
  });

  it('knows what every node was at any event, also when its messages are lost at once', () => {
    const recording = recordWith([{ type: 'isolate', node: 'leader', atMs: 100, healAtMs: 200 }]);
    const { events, nodes } = recording.facts;
    for (const event of events) {
      if (event.type !== 'step') continue;
      const moment = recording.at(event.node, event.sequence);
      expect(moment.sequence).toBe(event.sequence);
      const [state] = subject.protocol.step(
        recording.at(event.node, event.sequence - 1).state,
        event.input,
        0,
      );
      expect(moment.state).toEqual(state);
    }
    expect(nodes.map((id) => recording.at(id, -1).state.claims)).toEqual([0, 0, 0]);
  });

  it('knows which timers are set, and when they are due', () => {
    const { timers } = recordWith().at('n1', 2);
    expect(timers.map(({ name }) => name)).toEqual(['patience']);
    expect(timers[0]!.dueMs - timers[0]!.setMs).toBeGreaterThanOrEqual(30);
  });

  it('knows which links are cut, and that they were mended', () => {
    const recording = recordWith([{ type: 'isolate', node: 'n1', atMs: 100, healAtMs: 200 }]);
    expect(recording.cutsAt(recording.sequenceAt(99))).toEqual([]);
    expect(recording.cutsAt(recording.sequenceAt(150))).toHaveLength(4);
    expect(recording.cutsAt(recording.sequenceAt(300))).toEqual([]);
  });

  it('knows whom a fault struck that names an office', () => {
    const recording = recordWith([{ type: 'crash', node: 'leader', atMs: 150, healAtMs: 250 }]);
    const [struck] = recording.facts.faults;
    expect(struck).toMatchObject({ nodes: [leaderAt(recording, 149)], atMs: 150, healedMs: 250 });
  });
});

describe('the flights of a recording', () => {
  const faults: readonly Fault[] = [
    { type: 'isolate', node: 'n1', atMs: 60, healAtMs: 120 },
    { type: 'crash', node: 'leader', atMs: 125, healAtMs: 195 },
    { type: 'pause', node: 'leader', atMs: 200, healAtMs: 260 },
    { type: 'loss', probability: 0.7, atMs: 270, healAtMs: 300 },
    { type: 'duplicate', probability: 0.9, atMs: 310, healAtMs: 330 },
    { type: 'restart', node: 'n2', atMs: 340 },
  ];
  const recording = recordWith(faults);
  const { flights, events, endMs } = recording.facts;

  it('are numbered in the order of their sending', () => {
    expect(flights.map(({ number }) => number)).toEqual(flights.map((_, index) => index + 1));
  });

  it('account for every message that was sent, and none vanishes untold', () => {
    const sent = events.flatMap((event) =>
      event.type === 'step' ? event.effects.filter(({ type }) => type === 'send') : [],
    );
    const copies = flights.filter(
      ({ reachesMs, end }) => end.type === 'arrived' && reachesMs === end.atMs,
    ).length;
    expect(flights.length).toBeGreaterThanOrEqual(sent.length);
    expect(flights.length - sent.length).toBeLessThan(copies);
    for (const { end, reachesMs } of flights) {
      if (end.type === 'underway') expect(reachesMs).toBeGreaterThan(endMs);
    }
  });

  it('arrive in the step that hears them', () => {
    const arrivals = flights.filter(({ end }) => end.type === 'arrived');
    const heard = events.filter((event) => event.type === 'step' && event.input.type === 'received');
    expect(arrivals).toHaveLength(heard.length);
    for (const { to, message, end } of arrivals) {
      const event = events[end.type === 'arrived' ? end.sequence : -1];
      expect(event).toMatchObject({ node: to, input: { type: 'received', message } });
    }
  });

  it('are lost for the reason that lost them', () => {
    const reasons = new Set(flights.flatMap(({ end }) => (end.type === 'lost' ? [end.why] : [])));
    expect(reasons).toContain('the link is cut');
    expect(reasons).toContain('the network lost it');
    expect([...reasons].some((why) => why.startsWith('the receiver'))).toBe(true);
  });

  it('reach a paused node long before it takes them', () => {
    const late = flights.find(
      ({ end, reachesMs }) => end.type === 'arrived' && reachesMs !== null && end.atMs - reachesMs > 10,
    );
    expect(late?.end).toMatchObject({ type: 'arrived', atMs: 260 });
  });
});

describe('tenures and reigns', () => {
  it('say who led when', () => {
    const { tenures, reigns } = recordWith([{ type: 'crash', node: 'leader', atMs: 150 }]).facts;
    expect(tenures.length).toBeGreaterThanOrEqual(2);
    expect(tenures[0]!.endedMs).toBeLessThanOrEqual(150);
    expect(reigns[0]).toMatchObject({ fromMs: 0, tenures: [] });
    expect(reigns.at(-1)!.untilMs).toBe(400);
  });

  it('show two that lead at once, while both run', () => {
    const { reigns } = recordWith([{ type: 'isolate', node: 'leader', atMs: 150 }]).facts;
    expect(
      reigns.some(({ tenures, fromMs, untilMs }) => tenures.length === 2 && untilMs - fromMs > 100),
    ).toBe(true);
  });

  it('do not count a leader that is paused', () => {
    const { reigns, tenures, pauses } = recordWith([
      { type: 'pause', node: 'leader', atMs: 150, healAtMs: 350 },
    ]).facts;
    const during = reigns.filter(({ fromMs, untilMs }) => fromMs >= 150 && untilMs <= 350);
    const leading = during.flatMap((reign) => reign.tenures.map((index) => tenures[index]!.node));
    expect(leading.length).toBeGreaterThan(0);
    expect(leading).not.toContain(pauses[0]!.node);
  });
});

/** Leads and steps down at once, for ever. */
function runaway(): Subject<HastyState> {
  const { protocol } = hastySubject();
  return {
    ...subject,
    protocol: {
      ...protocol,
      step: (state, input) =>
        input.type === 'campaign-requested'
          ? [
              { ...state, claims: state.claims + 1 },
              [
                { type: 'lead', token: BigInt(state.claims + 1) },
                { type: 'step-down', reason: 'deposed' },
              ],
            ]
          : [state, []],
    },
  };
}

describe('a protocol that never lets time pass', () => {
  it('is a violation of a run that counts steps', () => {
    const { violation } = judge(runaway(), scheduleWith(), { maxSteps: 1000 });
    expect(violation).toMatchObject({
      property: comesToAnEnd,
      atMs: 0,
      detail: '1000 steps were taken by 0.0 ms',
    });
  });

  it('is a violation of a recording, which ends there', () => {
    const { violation, endMs } = record(runaway(), scheduleWith(), { maxSteps: 500 }).facts;
    expect(violation?.property).toBe(comesToAnEnd);
    expect(endMs).toBe(0);
  });

  it('is not what a long run is taken for', () => {
    const { violation } = judge(subject, scheduleWith(), { maxSteps: 1000 });
    expect(violation).toBeNull();
  });
});
