/** The three runs of exercise 02: right answers that were broken in one place, and what they did then. */

import {
  type AnyEffect,
  type AnyInput,
  type AnyProtocol,
  isWorthTelling,
  parseSchedule,
  record,
  tellEvent,
} from '@hustings/simulator';
import bully from '../answers/05-bully/textbook.js';
import { onVoteRequest } from '../answers/09-raft-vote/figure-2.js';
import { raftWith } from '../src/given/raft.js';

const timing = { detectionMs: 300, maxDelayMs: 50, settleMs: 1800 };

/** The same protocol, but for some effects of one node. */
function without<State>(
  protocol: AnyProtocol<State>,
  isLeftOut: (state: State, input: AnyInput, effect: AnyEffect) => boolean,
): AnyProtocol<State> {
  return {
    ...protocol,
    step(before, input, nowMs) {
      const [state, effects] = protocol.step(before, input, nowMs);
      return [state, effects.filter((effect) => !isLeftOut(state, input, effect))];
    },
  };
}

interface Case {
  readonly title: string;
  readonly protocol: AnyProtocol<unknown>;
  readonly schedule: string;
}

const asAny = <State>(protocol: AnyProtocol<State>) => protocol as unknown as AnyProtocol<unknown>;
const heartbeats = new Set(['heartbeat', 'append', 'append-reply']);

const cases: readonly Case[] = [
  {
    title: 'case-1: bully. n2 leads for a moment, although n3 is there all the time.',
    protocol: asAny(
      without(
        { ...bully, periodicMessages: heartbeats } as AnyProtocol<{ id: string }>,
        ({ id }, input, effect) =>
          id === 'n3' &&
          input.type === 'received' &&
          input.from === 'n2' &&
          effect.type === 'send' &&
          effect.message.type === 'answer',
      ),
    ),
    schedule: 'nodes n1 n2 n3\nseed 1\nlatency 2\nrun 420\nat 200 fire n1 leader\n',
  },
  {
    title: 'case-2: bully. n3 leads with a token that n3 has led with before.',
    protocol: asAny(
      without(
        { ...bully, periodicMessages: heartbeats } as AnyProtocol<{ id: string }>,
        (_, __, effect) => effect.type === 'save',
      ),
    ),
    schedule:
      'nodes n1 n2 n3\nseed 2\nlatency 2\nrun 900\nat 100 crash n1\nat 100 crash n2\nat 450 crash n3 until 460\n',
  },
  {
    title: 'case-3: Raft. Two nodes are elected in term 1.',
    protocol: asAny(
      without(
        raftWith({ onVoteRequest }) as AnyProtocol<{ id: string }>,
        ({ id }, input, effect) => id === 'n3' && input.type === 'received' && effect.type === 'save',
      ),
    ),
    schedule:
      'nodes n1 n2 n3\nseed 1\nlatency 1\nrun 115\nat 0 stall n1 n2 until 390\nat 100 fire n1 election\nat 101.5 restart n3\nat 110 fire n2 election\n',
  },
];

function tellCase({ title, protocol, schedule }: Case): string {
  const subject = { protocol, invariants: {}, timing, letsTwoLead: true };
  const { events } = record(subject, parseSchedule(schedule)).facts;
  const told = events.filter(
    (event) =>
      isWorthTelling(event, heartbeats) &&
      !(event.type === 'step' && event.input.type === 'campaign-requested' && event.effects.length === 0),
  );
  const lines = told.map((event, index) => {
    const isIgnored = event.type === 'step' && !event.changed && event.effects.length === 0;
    return `${String(index + 1).padStart(4)}  ${event.atMs.toFixed(1).padStart(7)}  ${tellEvent(event)}${isIgnored ? ' => ignored' : ''}\n`;
  });
  return `== ${title}\n\n${lines.join('')}`;
}

export const tellCases = (): string => cases.map(tellCase).join('\n');
