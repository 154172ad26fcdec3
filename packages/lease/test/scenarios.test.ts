import { readdirSync, readFileSync } from 'node:fs';
import { type AnyProtocol, parseSchedule, run, type TraceEvent, tellStory } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { type LeaseMessage, type LeaseState, lease, type StoreTraits } from '../src/index.js';
import { type SimulatedStoreSettings, simulatedStore } from '../src/simulated.js';

const folder = new URL('./scenarios/', import.meta.url);
const divider = '---\n';

/** What a message is about, in a few words: the whole of it would not fit on a line. */
function brief(message: LeaseMessage): { type: string; about?: string } {
  const { type } = message;
  switch (message.type) {
    case 'acquire':
      return { type, about: `for ${message.holder}${message.over === null ? '' : ` over ${message.over}`}` };
    case 'acquired':
      return { type, about: `token ${message.token}` };
    case 'held':
      return { type, about: `by ${message.holder} with ${message.token}` };
    case 'found':
      return { type, about: message.lease === null ? 'nobody' : `${message.lease.holder}` };
    case 'release':
      return { type, about: `token ${message.token}` };
    default:
      return { type };
  }
}

function abridge(event: TraceEvent): TraceEvent {
  if (event.type === 'lost') return { ...event, message: brief(event.message as LeaseMessage) };
  if (event.type !== 'step') return event;
  const { input } = event;
  return {
    ...event,
    input: input.type === 'received' ? { ...input, message: brief(input.message as LeaseMessage) } : input,
    effects: event.effects
      .filter(({ type }) => type !== 'save')
      .map((effect) =>
        effect.type === 'send' ? { ...effect, message: brief(effect.message as LeaseMessage) } : effect,
      ),
  };
}

/** Which store it is has a line of its own. */
const storeLine = /^store (.*)\n/m;

function play(text: string): string {
  const [schedule = ''] = text.split(divider);
  const settings: Partial<SimulatedStoreSettings> = JSON.parse(storeLine.exec(schedule)?.[1] ?? '{}');
  const store: StoreTraits = {
    ...{ name: 'simulated', expiryFactor: 1, minTtlMs: 1, granularityMs: 1, survives: 'disk' },
    clock: settings.clock ?? 'store',
    tokens: settings.tokens ?? 'counter',
    guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
    assumptions: [],
  };
  const protocol = lease(store, { name: 'e', ttlMs: 2000 }) as AnyProtocol<LeaseState>;
  const { trace } = run(protocol, parseSchedule(schedule.replace(storeLine, '')), {
    services: [
      { id: 'store', machine: simulatedStore(settings), failLeader: { type: 'forget-last-writes' } },
    ],
    trace: true,
  });
  return schedule + divider + tellStory(trace.map(abridge), protocol.periodicMessages);
}

describe('the golden traces of lease', () => {
  for (const file of readdirSync(folder)) {
    it(file.replace('.txt', '').replaceAll('-', ' '), async () => {
      const path = new URL(file, folder).pathname;
      await expect(play(readFileSync(path, 'utf8'))).toMatchFileSnapshot(path);
    });
  }
});
