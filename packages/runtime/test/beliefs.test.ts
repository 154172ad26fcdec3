import type { Belief } from '@hustings/elector';
import { undecided } from '@hustings/elector/protocol';
import { describe, expect, it } from 'vitest';
import { settled } from './manual-clock.js';
import { collect, obliging, type Script, type ScriptedInput, scene, startedScene } from './scripted.js';

/** Follows whoever writes, and nobody when `silence` comes. */
const follows: Script = (input) => {
  if (input.type !== 'received') return obliging(input);
  return input.message.type === 'silence'
    ? [{ type: 'follow', leaderId: null, token: null }]
    : [{ type: 'follow', leaderId: input.from, token: 3n }];
};
const followsB: Belief = { role: 'follower', leaderId: 'b', token: 3n };

describe('given a protocol that asks whether anybody observes', () => {
  const observations = ({ inputs }: { inputs: readonly ScriptedInput[] }): boolean[] =>
    inputs.flatMap((input) => (input.type === 'observation-changed' ? [input.observed] : []));

  it('is told when the first observer comes and when the last one goes', async () => {
    const stage = await startedScene(follows);
    const [first, second] = [new AbortController(), new AbortController()];
    const ended = [first, second].map(({ signal }) => collect(stage.elector.observe({ signal }), []));
    await settled();
    expect(observations(stage)).toEqual([true]);
    first.abort();
    await settled();
    expect(observations(stage)).toEqual([true]);
    second.abort();
    await Promise.all(ended);
    await settled();
    expect(observations(stage)).toEqual([true, false]);
  });

  it('is not told of an observe() that nobody iterates, nor of what belief() is asked', async () => {
    const stage = await startedScene(follows);
    stage.elector.observe();
    stage.elector.belief();
    await settled();
    expect(stage.heard()).toEqual(['started']);
  });

  it('is told of an observer that came before the start, after it has started', async () => {
    const stage = scene(follows);
    void collect(stage.elector.observe(), []);
    await stage.elector.start();
    await settled();
    expect(stage.heard()).toEqual(['started', 'observation-changed']);
    expect(observations(stage)).toEqual([true]);
  });
});

describe('given an observer', () => {
  it('receives the present belief, then every change, no leader included', async () => {
    const { elector, transport } = await startedScene(follows);
    await transport.receive('hello');
    const seen: Belief[] = [];
    const ended = collect(elector.observe(), seen);
    await settled();
    expect(seen).toEqual([followsB]);
    await transport.receive('silence');
    expect(seen).toEqual([followsB, undecided]);
    await elector.stop();
    await ended;
  });

  it('is not told again of what it knows', async () => {
    const { elector, transport } = await startedScene(follows);
    const seen: Belief[] = [];
    void collect(elector.observe(), seen);
    await transport.receive('hello');
    await transport.receive('hello again');
    expect(seen).toEqual([undecided, followsB]);
  });

  it('misses nothing however slowly it reads', async () => {
    const { elector, transport } = await startedScene(follows);
    const beliefs = elector.observe()[Symbol.asyncIterator]();
    await transport.receive('hello');
    await transport.receive('silence');
    await transport.receive('hello');
    await elector.stop();
    const seen: Belief[] = [];
    await collect({ [Symbol.asyncIterator]: () => beliefs }, seen);
    expect(seen).toEqual([undecided, followsB, undecided, followsB, undecided]);
  });

  it('ends when its signal aborts, and others go on', async () => {
    const { elector, transport } = await startedScene(follows);
    const controller = new AbortController();
    const [leaving, staying]: [Belief[], Belief[]] = [[], []];
    const ended = collect(elector.observe({ signal: controller.signal }), leaving);
    void collect(elector.observe(), staying);
    await settled();
    controller.abort();
    await ended;
    await transport.receive('hello');
    expect(leaving).toEqual([undecided]);
    expect(staying).toEqual([undecided, followsB]);
  });

  it('may stop reading while it waits', async () => {
    const { elector } = await startedScene(follows);
    const beliefs = elector.observe()[Symbol.asyncIterator]();
    await beliefs.next();
    const waiting = beliefs.next();
    await beliefs.return?.();
    expect((await waiting).done).toBe(true);
  });

  it('may begin before start, and sees the last belief and the end after stop', async () => {
    const { elector } = scene(follows);
    const early: Belief[] = [];
    const ended = collect(elector.observe(), early);
    await elector.start();
    await elector.campaign();
    await elector.stop();
    await ended;
    expect(early.map((belief) => belief.role)).toEqual(['follower', 'candidate', 'leader', 'follower']);
    const late: Belief[] = [];
    await collect(elector.observe(), late);
    expect(late).toEqual([undecided]);
  });
});
