/**
 * Watches a protocol that somebody has just written: whatever it does that no protocol may do is said at once, with the
 * node and the input that it was about, and not somewhere in the driver an hour of virtual time later.
 */

import type { NodeId } from '@hustings/elector';
import type { AnyEffect, AnyProtocol } from '@hustings/simulator';
import { pastOf } from '@hustings/simulator';
import type { ExerciseFacts } from './grading/check.js';
import { checkPlain, deepFreeze } from './plain.js';
import { checkDelay, isThenable } from './sketch.js';
import { nearest, Slip, slips } from './slips.js';

/** A slip, with the node that made it and what it was about. */
export class SlipInRun extends Error {
  readonly slip: Slip;

  /** `n3 heard ELECTION from n1` */
  constructor(slip: Slip, moment: string) {
    super(`When ${moment}: ${slip.message}`);
    this.slip = slip;
  }
}

export interface GuardOptions {
  /** Called before each step with what it is about: a step that never returns is the last that was told. */
  readonly before?: (moment: () => string) => void;
  /** Whom nodes may send to beside their peers. */
  readonly services?: readonly NodeId[];
  /** The messages and timers that there are. A misspelt one would do nothing and say nothing. */
  readonly names?: Pick<ExerciseFacts, 'messages' | 'timers'>;
  /** Whether all that it keeps, saves and sends has to survive JSON: where its types are its author's own. */
  readonly isPlain?: boolean;
}

interface Self {
  readonly id: NodeId;
  readonly peers: readonly NodeId[];
}

/** The same protocol. It throws `SlipInRun` instead of doing what no protocol may do. */
export function guarded<State>(protocol: AnyProtocol<State>, options: GuardOptions = {}): AnyProtocol<State> {
  const { services = [], isPlain = false, names = {} } = options;
  const ids = new WeakMap<object, Self>();
  // A check may make up a state: then it says by itself whose it is.
  const known = (state: State): Self => ids.get(state as object) ?? (state as Partial<Self> as Self);
  return {
    ...protocol,
    initialState(id, peers) {
      const state = protocol.initialState(id, peers);
      if (typeof state !== 'object' || state === null) throw slips.missingReturn(state);
      if (isPlain) checkPlain(state, 'state');
      deepFreeze(state);
      ids.set(state, { id, peers });
      return state;
    },
    step(state, input, nowMs) {
      const self = known(state);
      const moment = (): string => pastOf({ node: self.id, input });
      options.before?.(moment);
      try {
        const returned = protocol.step(deepFreeze(state), deepFreeze(input), nowMs);
        const [after, effects] = checkedTransition(returned);
        const reachable = services.length === 0 ? self.peers : [...self.peers, ...services];
        for (const effect of effects) {
          checkEffect(effect, self.id, reachable);
          checkNames(effect, names);
        }
        if (isPlain) checkTransition(after, effects);
        ids.set(deepFreeze(after) as object, self);
        return [after, effects];
      } catch (error) {
        throw new SlipInRun(toSlip(error), moment());
      }
    },
  } as AnyProtocol<State>;
}

type Rule = (state: unknown, ...rest: readonly unknown[]) => readonly [unknown, readonly AnyEffect[]];

/** What a rule is given may not change, also where the rest of the algorithm has just made it. */
export const guardedRule =
  (rule: Rule): Rule =>
  (state, ...rest) =>
    checkedTransition(rule(deepFreeze(state), ...rest));

function checkedTransition<State>(returned: readonly [State, readonly AnyEffect[]]) {
  if (isThenable(returned)) throw slips.asyncStep('Your function');
  const isPair = Array.isArray(returned) && returned.length === 2;
  if (!isPair || typeof returned[0] !== 'object' || returned[0] === null || !Array.isArray(returned[1])) {
    throw Array.isArray(returned) ? slips.notAPair() : slips.missingReturn(returned);
  }
  return returned;
}

function checkTransition(state: unknown, effects: readonly AnyEffect[]): void {
  checkPlain(state, 'state');
  for (const effect of effects) {
    if (effect.type === 'send') checkPlain(effect.message, 'message');
    if (effect.type === 'save') checkPlain(effect.durable, 'durable');
  }
}

const effectTypes: readonly AnyEffect['type'][] = [
  'send',
  'set-timer',
  'cancel-timer',
  'save',
  'announce',
  'campaign',
  'lead',
  'follow',
  'step-down',
];

function checkEffect(effect: AnyEffect, id: NodeId, peers: readonly NodeId[]): void {
  if (!effectTypes.includes(effect?.type)) {
    const said = String(effect?.type);
    throw slips.misspeltEffect(said, nearest(said, effectTypes));
  }
  switch (effect.type) {
    case 'send':
      if (!peers.includes(effect.to)) throw slips.unknownPeer(effect.to, id, peers);
      if (typeof effect.message?.type !== 'string')
        throw slips.notPlainData('A message without a type', 'no message');
      return;
    case 'set-timer':
      checkDelay(effect.timer, effect.delayMs?.[0], effect.delayMs?.[1]);
      return;
    case 'lead':
      if (typeof effect.token !== 'bigint') throw slips.numberToken(effect.token);
      return;
    case 'follow':
      if (effect.token !== null && typeof effect.token !== 'bigint') throw slips.numberToken(effect.token);
      if (effect.leaderId !== null && !peers.includes(effect.leaderId)) {
        throw slips.unknownPeer(effect.leaderId, id, peers);
      }
      return;
    default:
  }
}

function checkNames(effect: AnyEffect, { messages, timers }: NonNullable<GuardOptions['names']>): void {
  if (effect.type === 'send') checkName('message', effect.message.type, messages);
  if (effect.type === 'set-timer' || effect.type === 'cancel-timer') checkName('timer', effect.timer, timers);
}

function checkName(kind: string, said: string, known: readonly string[] | undefined): void {
  if (known !== undefined && !known.includes(said)) throw slips.unknownName(kind, said, known);
}

const methods = ['send', 'wait', 'stopWaiting', 'lead', 'follow', 'save'];

/** What a student's code threw, as a slip. The engine's own sentences hide the usual ones. */
export function toSlip(error: unknown): Slip {
  if (error instanceof Slip) return error;
  const { message = String(error), stack } = (error ?? {}) as { message?: string; stack?: string };
  const slip = recognized(message);
  if (stack !== undefined) slip.stack = stack;
  return slip;
}

function recognized(message: string): Slip {
  const changed =
    /Cannot (?:assign to read only|add|delete) property '?([^',]+)'?/.exec(message) ??
    /Cannot redefine property: (\S+)/.exec(message);
  if (changed !== null) return slips.mutatedState(changed[1]!);
  if (message === 'Maximum call stack size exceeded') return slips.recursion();
  const missing = /^(\w+)\.(\w+) is not a function/.exec(message);
  if (missing !== null) {
    const [, object = '', said = ''] = missing;
    return slips.misspeltMethod(object, said, nearest(said, methods));
  }
  return new Slip('threw', `Your code threw: ${message}`);
}
