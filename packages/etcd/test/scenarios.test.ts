import { readdirSync, readFileSync } from 'node:fs';
import { type AnyProtocol, parseSchedule, run, type TraceEvent, tellStory } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { type EtcdMessage, type EtcdState, etcd, type Operation } from '../src/index.js';
import { simulatedEtcd } from '../src/simulated.js';

const folder = new URL('./scenarios/', import.meta.url);
const divider = '---\n';

/** What a message is about, in a few words: the whole of it would not fit on a line. */
function brief(message: EtcdMessage): { type: string; about?: string } {
  const { type } = message;
  switch (message.type) {
    case 'txn':
    case 'audit':
      return { type, about: message.success.map(briefOperation).join(' ') };
    case 'txn-done':
    case 'audited':
      return {
        type,
        about: `${message.succeeded ? 'yes' : 'no'} at ${message.revision}: ${message.found
          .flat()
          .map(({ value, createRevision }) => `${value}@${createRevision}`)
          .join(' ')}`,
      };
    case 'changed':
      return { type, about: message.changes.map((each) => `${each.type} ${each.key}`).join(' ') };
    case 'watch':
      return { type, about: `${message.key} from ${message.fromRevision}` };
    case 'granted':
      return { type, about: `lease ${message.lease}` };
    default:
      return { type };
  }
}

const briefOperation = (operation: Operation): string =>
  operation.type === 'range' ? `range ${operation.prefix}` : `${operation.type} ${operation.key}`;

function abridge(event: TraceEvent): TraceEvent {
  if (event.type === 'lost') return { ...event, message: brief(event.message as EtcdMessage) };
  if (event.type !== 'step') return event;
  const { input } = event;
  return {
    ...event,
    input: input.type === 'received' ? { ...input, message: brief(input.message as EtcdMessage) } : input,
    effects: event.effects
      .filter(({ type }) => type !== 'save')
      .map((effect) =>
        effect.type === 'send' ? { ...effect, message: brief(effect.message as EtcdMessage) } : effect,
      ),
  };
}

/** Who observes is no part of a schedule; here it has a line of its own. */
const observing = /^at (\d+) observe (\w+)\n/gm;

function play(text: string): string {
  const [schedule = ''] = text.split(divider);
  const protocol = etcd({ name: 'e', ttlSeconds: 2 }) as AnyProtocol<EtcdState>;
  const { trace } = run(protocol, parseSchedule(schedule.replace(observing, '')), {
    services: [{ id: 'etcd', machine: simulatedEtcd() }],
    trace: true,
    prepare(simulation) {
      for (const [, atMs, node = ''] of schedule.matchAll(observing)) {
        const input = { type: 'observation-changed', observed: true } as const;
        simulation.at(Number(atMs), () => simulation.give(node, input));
      }
    },
  });
  return schedule + divider + tellStory(trace.map(abridge), protocol.periodicMessages);
}

describe('the golden traces of etcd', () => {
  for (const file of readdirSync(folder)) {
    it(file.replace('.txt', '').replaceAll('-', ' '), async () => {
      const path = new URL(file, folder).pathname;
      await expect(play(readFileSync(path, 'utf8'))).toMatchFileSnapshot(path);
    });
  }
});
