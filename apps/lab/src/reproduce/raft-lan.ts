/** LogCabin's leader is killed, on a local network (Figure 16 of the paper, and the thesis). */

import type { DelayRangeMs } from '@hustings/elector/protocol';
import type { RaftMessage } from '@hustings/raft';
import { type ElectionSetup, electForGood, prepare } from './raft-election.js';
import { cellsOf, type Published } from './statistics.js';
import type { Cell, Table } from './table.js';

const trials = 1000;
/** The least of a thousand hangs on one of them. */
const leastToleranceMs = 10;

interface Network {
  readonly latencyMs: DelayRangeMs;
  readonly timerLatenessMs?: DelayRangeMs;
}

/** Fitted to one cell, the mean of 100–200: what was published is a round trip with a write to disk. */
const usual: Network = { latencyMs: [0.37, 5.39] };

/**
 * Where timeouts differ by a millisecond, chance is in messages and timers alone, and how much they vary was not
 * published. Of the same mean, and fitted to the mean of that row: its other cells follow.
 */
const steady: Network = { latencyMs: [2.38, 3.38], timerLatenessMs: [0, 1.7] };

export const raftLanFailover: Table = {
  name: 'raft-lan-failover',
  describes:
    'thesis and paper (Figure 16), LogCabin: 5 servers, the leader killed at a random point of its heartbeat interval, which is half the least timeout; no two logs alike: ms until the others hear the new leader. Both figures come from 1,000 trials, so the tolerance is 4 standard errors of their difference, and 10 ms of the least. One way 0.37 to 5.39 ms, fitted to the mean of 100–200; for 150–151, 2.38 to 3.38 ms and timers up to 1.7 ms late, fitted to its mean.',
  measure: () => [
    ...measure([50, 100], usual, 37.1, { p50: 66.7, mean: 71.3, p90: 95.8, p99: 168.9 }),
    ...measure([100, 200], usual, 65.7, { p50: 120.1, mean: 125.4, p90: 165.5, p99: 277.1 }),
    ...measure([150, 151], steady, 86.2, { p50: 1198.7, mean: 1535.8, p90: 3132.3, p99: 6012.8 }),
    ...measure([150, 175], usual, 84.4, { p50: 141.1, mean: 163.7, p90: 291.2, p99: 466.8 }),
    ...measure([150, 200], usual, 87.1, { p50: 146.5, mean: 156.0, p90: 193.5, p99: 352.0 }),
    ...measure([150, 300], usual, 92.7, { p50: 171.3, mean: 180.7, p90: 244.3, p99: 414.6 }),
  ],
};

function measure(timeoutMs: DelayRangeMs, network: Network, leastMs: number, published: Published): Cell[] {
  const times = Array.from({ length: trials }, (_, seed) => failover(timeoutMs, network, seed));
  const name = timeoutMs.join('–');
  const least = {
    cell: `${name}: min`,
    published: leastMs,
    ours: Math.min(...times),
    tolerance: leastToleranceMs,
  };
  return [least, ...cellsOf(name, times, published)];
}

/** From the leader's last heartbeat on: of its reign nothing else matters. */
function failover(electionTimeoutMs: DelayRangeMs, network: Network, seed: number): number {
  const { latencyMs, ...timers } = network;
  const heartbeatMs = electionTimeoutMs[0] / 2;
  const setup: ElectionSetup = {
    ...{ seed, size: 5, alive: 4, differentLogs: true, network: { latencyMs }, ...timers },
    settings: { electionTimeoutMs, heartbeatMs },
  };
  const election = prepare(setup);
  const { simulation, living } = election;
  const message: RaftMessage = {
    ...{ type: 'heartbeat', term: 1, sentMs: 0 },
    ...{ previousIndex: 0, previousTerm: 0, commitIndex: 0 },
  };
  for (const { id } of living) {
    simulation.at(simulation.random.delayMs(latencyMs), () =>
      simulation.give(id, { type: 'received', from: 'n5', message }),
    );
  }
  const killedMs = simulation.random.between(0, heartbeatMs);
  simulation.runUntil(latencyMs[1]);
  return electForGood(election).heardMs - killedMs;
}
