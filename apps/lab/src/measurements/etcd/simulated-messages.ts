/** The same count as on the wire, in the simulator: messages from the leader's death until all is quiet. */

import { type EtcdSettings, type EtcdState, etcd } from '@hustings/etcd';
import { simulatedEtcd } from '@hustings/etcd/simulated';
import { type AnyProtocol, Simulation } from '@hustings/simulator';

export function messagesInSimulation(candidates: number, settings: Partial<EtcdSettings>) {
  const protocol = etcd({ ...settings, ttlSeconds: 2 }) as AnyProtocol<EtcdState>;
  const byType: Record<string, number> = {};
  let isCounting = false;
  const simulation = new Simulation<EtcdState>({
    protocol,
    services: [{ id: 'etcd', machine: simulatedEtcd() }],
    nodes: Array.from({ length: candidates }, (_, index) => `n${index + 1}`),
    seed: candidates,
    network: { latencyMs: [0.5, 1] },
    observers: [
      {
        sending(_from, _to, { type }) {
          if (isCounting && !protocol.periodicMessages.has(type)) byType[type] = (byType[type] ?? 0) + 1;
          return undefined;
        },
      },
    ],
  });
  simulation.runUntil(5000);
  simulation.inject({ type: 'crash', node: 'leader' });
  isCounting = true;
  simulation.runUntil(10_000);
  return { byType, total: Object.values(byType).reduce((sum, count) => sum + count, 0) };
}
