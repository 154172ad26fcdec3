import type { NodeId } from '@hustings/elector';
import type { TransportHandlers } from './transport.js';

export type HandlerName = keyof TransportHandlers<unknown>;

/**
 * Calls what a user has given. Neither an exception nor a rejected promise of it gets any further: it would end
 * the process, and strangers can cause such calls.
 */
export function attempt(call: () => unknown, onFailure: (error: Error) => void): void {
  try {
    const outcome = call();
    if (outcome instanceof Promise) outcome.catch((error) => onFailure(asError(error)));
  } catch (error) {
    onFailure(asError(error));
  }
}

/** The same handlers, save that they never throw. */
export function guarded<Message>(
  handlers: TransportHandlers<Message>,
  onFailure: (handler: HandlerName, peer: NodeId, error: Error) => void,
): TransportHandlers<Message> {
  const failed = (handler: HandlerName, peer: NodeId) => (error: Error) => onFailure(handler, peer, error);
  return {
    received: (from, message, incarnation) =>
      attempt(() => handlers.received(from, message, incarnation), failed('received', from)),
    linkUp: (peer, incarnation) => attempt(() => handlers.linkUp(peer, incarnation), failed('linkUp', peer)),
    linkDown: (peer) => attempt(() => handlers.linkDown(peer), failed('linkDown', peer)),
    peerGone: (peer, incarnation) =>
      attempt(() => handlers.peerGone?.(peer, incarnation), failed('peerGone', peer)),
  };
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
