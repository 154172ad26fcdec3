import type { NodeId } from '@hustings/elector';
import { guarded, type HandlerName } from './guarded.js';
import type { RefusalReason } from './refusals.js';
import type { TransportHandlers } from './transport.js';

/** What an operator may want to know. None of it contains text that an unauthenticated stranger chose. */
export type TransportDiagnostic =
  /** This node ended a connection. `peer` is null while nobody known has been named. */
  | {
      readonly type: 'refused';
      readonly reason: RefusalReason;
      readonly peer: NodeId | null;
      /** Where the other end is, as host and port. */
      readonly address: string | null;
      readonly detail: string;
    }
  /** The other end ended a connection, and said why. */
  | { readonly type: 'refused-by-peer'; readonly reason: RefusalReason; readonly peer: NodeId | null }
  | { readonly type: 'dial-failed'; readonly peer: NodeId; readonly error: Error }
  /** Should the peer's present process die, nothing will prove it: only time will tell. */
  | { readonly type: 'uncertifiable'; readonly peer: NodeId; readonly detail: string }
  /** A message was not sent: it is not plain data, or larger than the peers accept. */
  | { readonly type: 'unsendable'; readonly peer: NodeId; readonly error: Error }
  /** A handler that was given to `start` threw, which is a bug in it. */
  | {
      readonly type: 'handler-failed';
      readonly handler: HandlerName;
      readonly peer: NodeId;
      readonly error: Error;
    };

/** One line for a log. */
export function describeDiagnostic(id: NodeId, diagnostic: TransportDiagnostic): string {
  return `hustings transport ${id}: ${sentence(diagnostic)}`.replace(/\p{Cc}+/gu, ' ');
}

function sentence(diagnostic: TransportDiagnostic): string {
  const peer = diagnostic.peer ?? 'an unknown node';
  switch (diagnostic.type) {
    case 'refused': {
      const address = diagnostic.address === null ? '' : ` at ${diagnostic.address}`;
      return `refused ${peer}${address} (${diagnostic.reason}): ${diagnostic.detail}`;
    }
    case 'refused-by-peer':
      return `${peer} refused this node (${diagnostic.reason}): ${advice[diagnostic.reason]}`;
    case 'dial-failed':
      return `could not reach ${peer}: ${diagnostic.error.message}`;
    case 'uncertifiable':
      return `no death certificate of ${peer} can be had: ${diagnostic.detail}`;
    case 'unsendable':
      return `did not send a message to ${peer}: ${diagnostic.error.message}`;
    case 'handler-failed':
      return `the handler '${diagnostic.handler}' failed on ${peer}: ${diagnostic.error.message}`;
  }
}

const advice: Readonly<Record<RefusalReason, string>> = {
  malformed: 'it did not understand a frame; do both run the same algorithm and version?',
  oversized: 'a frame was larger than its maxPayloadBytes.',
  unauthenticated: 'the secrets differ, or this node holds no certificate that it trusts.',
  'unknown-peer': "this node is not among its 'peers'.",
  'wrong-node': 'the address belongs to a node of another name.',
  'duplicate-identity': 'another process runs with the id of this node.',
  superseded: 'a later process of this node has been linked to it; stop this one, or start it anew.',
  'unsupported-version': 'it runs another version of the wire protocol.',
  'handshake-timeout': 'this node did not complete the handshake in time.',
  'too-many-connections': 'too many strangers are connected to it.',
  'slow-peer': 'this node does not read fast enough.',
};

/**
 * The log that is used when none is given. It writes the first, second, fourth, eighth … of each kind, so
 * that a stranger who knocks a million times fills twenty lines.
 */
export function thinnedLog(id: NodeId): (diagnostic: TransportDiagnostic) => void {
  const counts = new Map<string, number>();
  return (diagnostic) => {
    const kind = `${diagnostic.type} ${'reason' in diagnostic ? diagnostic.reason : ''} ${diagnostic.peer}`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (Number.isInteger(Math.log2(count))) console.warn(describeDiagnostic(id, diagnostic));
  };
}

/** Handlers whose failures are logged: for transports that have nobody else to tell. */
export function logged<Message>(
  id: NodeId,
  handlers: TransportHandlers<Message>,
): TransportHandlers<Message> {
  const log = thinnedLog(id);
  return guarded(handlers, (handler, peer, error) => log({ type: 'handler-failed', handler, peer, error }));
}
