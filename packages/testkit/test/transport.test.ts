import { type FaultRule, faulty, metered } from '@hustings/transport';
import {
  memoryNetwork,
  type NetworkKind,
  type TransportSubject,
  transportConformance,
  webSocketNetwork,
} from '../src/index.js';

const delay: FaultRule = { type: 'delay', delayMs: [0, 5] };

/** Held for a while in both directions, and counted: whatever is put over a transport must keep its promises. */
const delayed = (kind: NetworkKind): TransportSubject => ({
  name: `${kind.name}, delayed and metered`,
  open(ids, decodeMessage) {
    const network = kind.open(ids, decodeMessage);
    return { transport: (id) => metered(faulty(network.transport(id), { rules: [delay] })) };
  },
});

transportConformance(memoryNetwork);
transportConformance(webSocketNetwork);
transportConformance(delayed(memoryNetwork));
transportConformance(delayed(webSocketNetwork));
