import { InvalidOptionError } from '@hustings/elector';
import { describe, expect, it, vi } from 'vitest';
import { MemoryNetwork } from '../src/memory.js';
import { eventually, memoryPair, type Note, note, Recorder } from './nodes.js';

const pair = () => memoryPair((transport) => transport);

describe('given two nodes in memory', () => {
  it('tells both that the link is up, once both have started', async () => {
    const { atA, atB } = await pair();
    expect(atA.events).toEqual(['up b']);
    expect(atB.events).toEqual(['up a']);
  });

  it('tells a node that is alone nothing', async () => {
    const atA = new Recorder();
    const a = new MemoryNetwork<Note>().transport('a', ['b']);
    await a.start(atA);
    a.send('b', note('lost'));
    expect(atA.events).toEqual([]);
  });

  it('links only nodes that name each other', async () => {
    const network = new MemoryNetwork<Note>();
    const [atA, atB] = [new Recorder(), new Recorder()];
    const a = network.transport('a', ['b']);
    await a.start(atA);
    await network.transport('b', []).start(atB);
    a.send('b', note('lost'));
    await turn();
    expect([...atA.events, ...atB.events]).toEqual([]);
  });

  it('delivers in order', async () => {
    const { a, atB } = await pair();
    for (const text of ['one', 'two', 'three']) a.send('b', note(text));
    await eventually(() => expect(atB.messages).toEqual(['a: one', 'a: two', 'a: three']));
  });

  it('never delivers inside send', async () => {
    const { a, atB } = await pair();
    a.send('b', note('one'));
    expect(atB.messages).toEqual([]);
  });

  it('shares no object between the nodes', async () => {
    const { a, atB } = await pair();
    const received = vi.spyOn(atB, 'received');
    const message = { type: 'note', text: 'before' };
    a.send('b', message);
    message.text = 'after';
    await eventually(() => expect(received).toHaveBeenCalledWith('a', note('before'), a.incarnation));
  });

  it('tells the other node when one stops, after what it said last', async () => {
    const { a, atB } = await pair();
    a.send('b', note('goodbye'));
    await a.stop();
    await eventually(() => expect(atB.events).toEqual(['up a', 'a: goodbye', 'down a']));
  });

  it('calls no handler of a node that has stopped', async () => {
    const { a, b, atA } = await pair();
    b.send('a', note('too late'));
    await a.stop();
    await a.stop();
    b.send('a', note('later still'));
    await turn();
    expect(atA.events).toEqual(['up b']);
  });

  it('links a node that comes back, and gives it nothing that was meant for the one before', async () => {
    const network = new MemoryNetwork<Note>();
    const [before, after, atB] = [new Recorder(), new Recorder(), new Recorder()];
    const a = network.transport('a', ['b']);
    const b = network.transport('b', ['a']);
    await a.start(before);
    await b.start(atB);
    b.send('a', note('for the first'));
    await a.stop();
    await network.transport('a', ['b']).start(after);
    expect(after.events).toEqual(['up b']);
    expect(atB.events).toEqual(['up a', 'down a', 'up a']);
  });

  it('refuses a second node of the same name while the first runs', async () => {
    const network = new MemoryNetwork<Note>();
    await network.transport('a', []).start(new Recorder());
    await expect(network.transport('a', []).start(new Recorder())).rejects.toThrow(InvalidOptionError);
  });

  it('starts only once', async () => {
    const { a } = await pair();
    await expect(a.start(new Recorder())).rejects.toThrow(InvalidOptionError);
  });
});

/** After everything that was under way in memory. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
