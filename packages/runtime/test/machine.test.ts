import type { TransportHandlers } from '@hustings/transport';
import { describe, expect, it } from 'vitest';
import { memoryStorage, runMachine, type Storage } from '../src/index.js';
import { DeskTransport, type Kept, type Note, obliging, scriptedProtocol } from './scripted.js';

const machine = scriptedProtocol(obliging, [], {});

/** A storage that knows whether it was closed. */
function closable(): Storage<Kept> & { closes: number } {
  return {
    ...memoryStorage<Kept>(),
    closes: 0,
    async close() {
      this.closes += 1;
    },
  };
}

describe('a machine that takes no part in the election', () => {
  it('lets go of all that it was given when it is stopped', async () => {
    const [transport, storage] = [new DeskTransport('etcd'), closable()];
    const running = await runMachine({ machine, transport, storage });
    await running.stop();
    expect([transport.stops, storage.closes]).toEqual([1, 1]);
  });

  it('only rejects when it cannot start, and lets go as well', async () => {
    const [transport, storage] = [new Unstartable('etcd'), closable()];
    await expect(runMachine({ machine, transport, storage })).rejects.toThrow('the port is taken');
    expect([transport.stops, storage.closes]).toEqual([1, 1]);
  });
});

class Unstartable extends DeskTransport {
  override async start(_handlers: TransportHandlers<Note>): Promise<void> {
    throw new Error('the port is taken');
  }
}
