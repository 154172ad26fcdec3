/** What raft, bully and ring share: nodes that talk to each other over WebSockets. */

import type { Transport } from '@hustings/transport';
import { describeDiagnostic, webSocketTransport } from '@hustings/transport/websocket';
import type { Report } from './diagnostics.js';
import type { CommonOptions } from './front.js';
import { type PeerOptions, readListen } from './shared-options.js';

export function peerTransport<Message>(
  { id, listen, peers, secret, tls }: CommonOptions & PeerOptions,
  decodeMessage: (value: unknown) => Message,
  report: (report: Report) => void,
): Transport<Message> {
  return webSocketTransport({
    id,
    listen: readListen(listen),
    peers,
    secret,
    decodeMessage,
    ...(tls === undefined ? {} : { tls: tls as object }),
    onDiagnostic: (diagnostic) =>
      report({ type: diagnostic.type, level: 'warn', message: describeDiagnostic(id, diagnostic) }),
  });
}
