/** A protocol fed by hand, for what no run shows soon enough. */

import type { NodeId } from '@hustings/elector';
import type { Finding, ProtocolMessage } from '@hustings/elector/protocol';
import type { AnyEffect, AnyInput, AnyProtocol } from '@hustings/simulator';
import { sends } from './alterations.js';

/** An input, which may depend on the state that it meets, at its time. */
export type Move<State> = readonly [atMs: number, input: AnyInput | ((state: State) => AnyInput)];

/** The state after the last move, and the effects of that one. */
export function feed<State>(
  protocol: AnyProtocol<State>,
  state: State,
  moves: readonly Move<State>[],
): ReturnType<AnyProtocol<State>['step']> {
  return moves.reduce<ReturnType<AnyProtocol<State>['step']>>(
    ([before], [atMs, input]) =>
      protocol.step(before, typeof input === 'function' ? input(before) : input, atMs),
    [state, []],
  );
}

export const from = (node: NodeId, message: ProtocolMessage): AnyInput => ({
  type: 'received',
  from: node,
  message,
});

export const leadOf = (effects: readonly AnyEffect[]) => effects.find((effect) => effect.type === 'lead');

export const stepsDown = (effects: readonly AnyEffect[]): boolean =>
  effects.some(({ type }) => type === 'step-down');

export const asks = (effects: readonly AnyEffect[], type: string): boolean =>
  effects.some((effect) => sends(effect, type));

/** Null if a Leadership begins that lasts no longer than this. */
export function leadsAtMost(effects: readonly AnyEffect[], longestMs: number): Finding {
  const lead = leadOf(effects);
  if (lead === undefined) return 'it did not lead';
  const { validForMs = Number.POSITIVE_INFINITY } = lead;
  return validForMs <= longestMs + 1e-6 ? null : `valid for ${validForMs} ms, not ${longestMs}`;
}
