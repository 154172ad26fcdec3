import { describeElector } from '@hustings/testkit';
import { changRoberts, ring } from '../src/index.js';

const quick = { heartbeatMs: 20, leaderTimeoutMs: [100, 150], maxDelayMs: 30 } as const;

describeElector({ protocol: () => ring(quick) });
describeElector({ protocol: () => changRoberts(quick) });
