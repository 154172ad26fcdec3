/** `hustings run` on a real etcd. The lab's measurement asks the same more often: docs/data/run. */

import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, type Manner, runTrial } from '../src/measurements/run/trial.js';

let etcd: EtcdCluster;
beforeAll(async () => {
  etcd = await startEtcdCluster();
});
afterAll(() => etcd.stop());

describe('when the node that leads', () => {
  it.each([
    ['is cut off from etcd, its command', 'cut-off', 'polite'],
    ['is cut off from etcd, its command, which ignores SIGTERM,', 'cut-off', 'stubborn'],
    ['is killed, its command, which ignores SIGTERM,', 'kill', 'stubborn'],
    ['is stopped by SIGSTOP, its command', 'pause', 'polite'],
    ['is asked to leave, its command', 'hand-over', 'polite'],
  ] satisfies [string, Fault, Manner][])(
    '%s is dead before the next one starts',
    async (_what, fault, manner) => {
      const result = await runTrial(etcd, fault, manner);
      expect(result.deadBeforeNextMs).toBeGreaterThan(0);
      expect(result).toMatchObject({ foundAlive: false, wasAskedToEnd: true, tokenGrew: true });
    },
    120_000,
  );
});
