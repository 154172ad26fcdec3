import { describeElector } from '@hustings/testkit';
import { raft } from '../src/index.js';

describeElector({ protocol: () => raft({ electionTimeoutMs: [150, 250], heartbeatMs: 25 }) });
