import { describe, expect, it } from 'vitest';
import { settled } from './manual-clock.js';
import { type Script, startedScene } from './scripted.js';
import { slowDisk } from './slow-disk.js';

const answering: Script = (input) =>
  input.type === 'received' ? [{ type: 'send', to: 'b', message: { type: `re ${input.message.type}` } }] : [];

describe('given b has restarted, and its second process is linked', () => {
  const open = async () => {
    const stage = await startedScene(answering);
    await stage.transport.receive('of the first', 'b1');
    stage.transport.handlers?.linkDown('b');
    stage.transport.handlers?.linkUp('b', 'b2');
    await settled();
    return stage;
  };

  it('then what its first process had said is not heard any more', async () => {
    const { transport, inputs } = await open();
    await transport.receive('late words', 'b1');
    expect(inputs).not.toContainEqual({ type: 'received', from: 'b', message: { type: 'late words' } });
  });

  it('then what its second process says is heard, and answered to that process', async () => {
    const { transport } = await open();
    await transport.receive('of the second', 'b2');
    expect(transport.sent).toEqual(['re of the first', 're of the second']);
    expect(transport.addressees).toEqual(['b1', 'b2']);
  });
});

describe('given b restarts while a saves what b had asked it to', () => {
  it('then the answer goes to the process that asked, and reaches nobody', async () => {
    const { storage, writes } = slowDisk();
    const { transport } = await startedScene(
      (input) =>
        input.type === 'received'
          ? [
              { type: 'save', durable: { term: 1 } },
              { type: 'send', to: 'b', message: { type: 'answer' } },
            ]
          : [],
      { storage },
    );
    await transport.receive('question', 'b1');
    transport.handlers?.linkUp('b', 'b2');
    writes[0]!.finish();
    await settled();
    expect(transport.sent).toEqual(['answer']);
    expect(transport.addressees).toEqual(['b1']);
  });
});
