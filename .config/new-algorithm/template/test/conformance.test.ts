import { describeElector } from '@hustings/testkit';
import { rollCall } from '../src/index.js';

describeElector({ protocol: () => rollCall({ decideAfterMs: 100 }) });
