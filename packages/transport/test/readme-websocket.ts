import { readRecord, readString } from '@hustings/elector/protocol';
import { webSocketTransport } from '@hustings/transport/websocket';

const { HUSTINGS_SECRET: secret = '' } = process.env;

export const transport = webSocketTransport({
  id: 'node-1',
  listen: { host: '0.0.0.0', port: 7000 },
  peers: { 'node-2': 'ws://10.0.0.2:7000', 'node-3': 'ws://10.0.0.3:7000' },
  secret,
  // With an algorithm: protocol.decodeMessage.
  decodeMessage: (value) => ({ type: readString(readRecord(value, 'A message'), 'type') }),
});
