import { mergeConfig } from 'vitest/config';
import base from '../vitest.config.js';

/** A cluster of the user's own is asked, and not harmed. */
const files = process.env.KUBECONFIG
  ? ['packages/kubernetes/test/real/any-cluster.real.ts']
  : ['{packages,apps}/*/test/real/*.real.ts'];

// What needs a real API server, and has its time: candidates of client-go wait for a minute.
const real = { ...base, test: { ...base.test, include: files } };

export default mergeConfig(real, {
  // One API server at a time: each has as much to do as the rest together.
  test: { testTimeout: 600_000, hookTimeout: 600_000, fileParallelism: false },
});
