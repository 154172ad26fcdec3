/** Nodes that talk to each other over WebSockets. */

import { createHmac } from 'node:crypto';
import type { NodeId } from '@hustings/elector';
import { joinTransports, type Transport } from '@hustings/transport';
import {
  describeDiagnostic,
  type TransportDiagnostic,
  type WebSocketTlsOptions,
  type WebSocketTransportOptions,
  webSocketTransport,
} from '@hustings/transport/websocket';
import type { Report, Reporter } from './diagnostics.js';
import {
  type CertificateOptions,
  type LinkedOptions,
  type LinkOptions,
  type PeerOptions,
  readListen,
} from './shared-options.js';

export function peerTransport<Message>(
  {
    id,
    election,
    listen,
    peers,
    secret,
    tls,
    deathCertificates = false,
  }: LinkOptions & CertificateOptions & Pick<PeerOptions, 'election'> & { readonly id: NodeId },
  decodeMessage: (value: unknown) => Message,
  report: Reporter,
  limits: Pick<WebSocketTransportOptions<Message>, 'maxPayloadBytes' | 'maxQueuedBytes'> = {},
): Transport<Message> {
  return webSocketTransport({
    ...limits,
    id,
    listen: readListen(listen),
    peers,
    secret: election === undefined ? secret : secretOf(election, secret),
    decodeMessage,
    deathCertificates,
    ...(tls === undefined ? {} : { tls: tls as WebSocketTlsOptions }),
    onDiagnostic: (diagnostic) => report(ofTransport(id, diagnostic)),
  });
}

/** The way to a coordinator and, where there are links, to the other nodes beside it. */
export function linkedTransport<Message>(
  coordinator: Transport<Message>,
  {
    id,
    election,
    links,
    deathCertificates,
  }: LinkedOptions & { readonly id: NodeId; readonly election: string },
  decodeMessage: (value: unknown) => Message,
  report: Reporter,
): Transport<Message> {
  if (links === undefined) return coordinator;
  const peers = peerTransport({ id, election, ...links, deathCertificates }, decodeMessage, report);
  return joinTransports({ coordinator, peers });
}

/** Nodes of different elections cannot talk to each other by mistake. */
function secretOf(election: string, secret: string | Uint8Array): Uint8Array {
  return createHmac('sha256', secret).update(election).digest();
}

function ofTransport(id: string, diagnostic: TransportDiagnostic): Report {
  const message = describeDiagnostic(id, diagnostic).replace(/^hustings transport .*?: /, '');
  const about = diagnostic.peer ?? 'a stranger';
  const cause = 'error' in diagnostic ? { error: diagnostic.error } : {};
  return { type: typeOf(diagnostic), level: 'warn', message, about, ...cause };
}

function typeOf({ type }: TransportDiagnostic): Report['type'] {
  if (type === 'dial-failed') return 'peer-unreachable';
  if (type === 'uncertifiable') return 'peer-uncertifiable';
  return type === 'refused' || type === 'refused-by-peer' ? 'peer-refused' : 'message-lost';
}
