/**
 * Counts what elections on etcd ask of it while nothing happens, in the simulator: each alone, and over one session in each
 * process. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/sessions/simulated.js [elections ...]
 *
 * Elections that are alone have nothing in common, so one is simulated and counted as often as there are elections.
 * Prints JSON.
 */

import { etcd, type ProcessState, sharedEtcd } from '@hustings/etcd';
import { type SimulatedEtcdState, simulatedEtcd } from '@hustings/etcd/simulated';
import { type AnyProtocol, Simulation } from '@hustings/simulator';
import { electionNames } from './lines.js';

const nodes = ['n1', 'n2', 'n3'];
const settledMs = 15_000;
const countedMs = 15_000;

interface Counts {
  readonly renewalsPerSecond: number;
  readonly transactionsPerSecond: number;
  readonly leases: number;
  readonly watches: number;
}

function count<State>(protocol: AnyProtocol<State>): Counts {
  const machine = simulatedEtcd();
  const asked = new Map<string, number>();
  let state: SimulatedEtcdState = machine.initialState('etcd', []);
  const counting: typeof machine = {
    ...machine,
    step(before, input, nowMs) {
      if (input.type === 'received') asked.set(input.message.type, (asked.get(input.message.type) ?? 0) + 1);
      const transition = machine.step(before, input, nowMs);
      [state] = transition;
      return transition;
    },
  };
  const simulation = new Simulation({
    protocol,
    nodes,
    services: [{ id: 'etcd', machine: counting }],
    seed: 1,
  });
  simulation.runUntil(settledMs);
  asked.clear();
  simulation.runUntil(settledMs + countedMs);
  const perSecond = (...types: readonly string[]): number =>
    types.reduce((sum, type) => sum + (asked.get(type) ?? 0), 0) / (countedMs / 1000);
  return {
    renewalsPerSecond: perSecond('keep-alive'),
    transactionsPerSecond: perSecond('txn', 'audit'),
    leases: state.leases.length,
    watches: state.watches.length,
  };
}

const times = (counts: Counts, factor: number): Counts => ({
  renewalsPerSecond: round(counts.renewalsPerSecond * factor),
  transactionsPerSecond: round(counts.transactionsPerSecond * factor),
  leases: counts.leases * factor,
  watches: counts.watches * factor,
});

const round = (value: number): number => Math.round(value * 100) / 100;

function overSession(elections: number): Counts {
  const settings = {
    elections: electionNames(elections),
    keysPerLease: 250,
    writesAtOnce: 64,
    auditMs: 30_000,
  };
  return times(count<ProcessState>(sharedEtcd(settings) as AnyProtocol<ProcessState>), 1);
}

const given = process.argv.slice(2).map(Number);
const alone = count(etcd() as unknown as AnyProtocol<unknown>);
const rows = (given.length === 0 ? [10, 100, 1000] : given).map((elections) => {
  const row = { elections, alone: times(alone, elections), session: overSession(elections) };
  console.error(JSON.stringify(row));
  return row;
});
console.log(JSON.stringify({ processes: nodes.length, ttlSeconds: 5, rows }, null, 2));
