/**
 * How Hustings nodes talk. The transports themselves are subpaths, so that a browser never loads `ws`:
 * `@hustings/transport/memory` and `@hustings/transport/websocket`. What is here works over any of them.
 *
 * @packageDocumentation
 */
export type { FaultRule, LinkPattern } from './fault-rules.js';
export { type FaultOptions, type FaultyTransport, faulty } from './faulty.js';
export { type JoinedTransports, joinTransports } from './joined.js';
export { type MessageCounts, type MeteredTransport, metered, type Tally } from './metered.js';
export { checkNodeId } from './node-id.js';
export { type SharedTransport, type SharedTransportOptions, shareTransport } from './shared.js';
export type { Envelope, Transport, TransportHandlers } from './transport.js';
