import { mergeConfig } from 'vitest/config';
import base from '../vitest.config.js';

// What needs a real API server, and has its time: candidates of client-go wait for a minute.
const real = { ...base, test: { ...base.test, include: ['packages/kubernetes/test/real/*.real.ts'] } };

export default mergeConfig(real, {
  test: { testTimeout: 600_000, hookTimeout: 120_000 },
});
