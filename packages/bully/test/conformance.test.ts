import { describeElector } from '@hustings/testkit';
import { bully } from '../src/index.js';

describeElector({ protocol: () => bully({ heartbeatMs: 20, leaderTimeoutMs: [100, 150], maxDelayMs: 30 }) });
