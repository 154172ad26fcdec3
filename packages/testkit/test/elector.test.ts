import { describeElector, memoryNetwork } from '../src/index.js';
import { rollCall } from './roll-call.js';

describeElector({ protocol: () => rollCall() });

// The other side of every declaration.
describeElector(
  {
    protocol: () => rollCall({ guarantees: { leased: true, targetedTransfer: true, monotonicTokens: true } }),
  },
  [memoryNetwork],
);
