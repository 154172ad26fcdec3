/** ZooKeeper comes back without its data: what a process has seen must not be undone by what it sees then. */

import { type AnyProtocol, parseSchedule, Simulation } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { type ZooKeeperAnnouncement, type ZooKeeperState, zookeeper } from '../src/index.js';
import { type SimulatedZooKeeperSettings, simulatedZooKeeper } from '../src/simulated.js';

const seeds = Array.from({ length: 40 }, (_, seed) => seed);

interface Course {
  /** Each time that a process led, or believed somebody to lead, with a token below one that it had seen. */
  readonly relapses: readonly string[];
  /** Who has said that data were lost. */
  readonly announcedBy: ReadonlySet<string>;
  readonly leaderAtTheEnd: string | null;
}

/** Members that lag, fail, and lose touch. */
const restless: Partial<SimulatedZooKeeperSettings> = {
  lagMs: [0, 300],
  leaderFailsEveryMs: [1500, 6000],
  memberCutEveryMs: [200, 1500],
};

interface Story {
  readonly losesData: boolean;
  /** Whether all are told to accept lower tokens in the end. */
  readonly isTold?: boolean;
  readonly network?: string;
  readonly ensemble?: Partial<SimulatedZooKeeperSettings>;
}

/** Leaders come and go, and ZooKeeper restarts. In half of the runs a candidate is cut off meanwhile. */
function play(
  seed: number,
  succession: 'queue' | 'herd',
  { losesData, isTold = false, network = '', ensemble = {} }: Story,
): Course {
  const relapses: string[] = [];
  const announcedBy = new Set<string>();
  const highest = new Map<string, bigint>();
  const { faults, ...schedule } = parseSchedule(
    `nodes n1 n2 n3\nseed ${seed}\nlatency 1 20\nrun 30000
     at 3000 graceful leader until 3500\nat 5000 pause leader until 9000\nat 10000 graceful leader until 10500
     at ${12_000 + 50 * seed} coordinator-crash until ${14_000 + 100 * seed}
     ${network}
     ${seed % 2 === 0 ? `at ${13_000 + 50 * seed} isolate n1 until 21000` : ''}`,
  );
  const simulation = new Simulation<ZooKeeperState>({
    ...schedule,
    protocol: zookeeper({ sessionTimeoutMs: 2000, succession }) as AnyProtocol<ZooKeeperState>,
    services: [
      {
        id: 'zookeeper',
        machine: simulatedZooKeeper({ losesDataOnRestart: losesData, ...ensemble }),
      },
    ],
    observers: [
      {
        stepped({ id, isService, incarnation }, _input, before, effects) {
          if (isService) return;
          const process = `${id}#${incarnation}`;
          for (const effect of effects) {
            if (
              effect.type === 'announce' &&
              (effect.announcement as ZooKeeperAnnouncement).type === 'data-lost'
            ) {
              announcedBy.add(id);
            }
            if (effect.type !== 'lead' && effect.type !== 'follow') continue;
            const token = effect.token ?? highest.get(process) ?? 0n;
            const seen = highest.get(process) ?? 0n;
            const isNew = effect.type === 'lead' && !before.leading;
            if (token < seen || (isNew && token === seen))
              relapses.push(`${process}: ${token} after ${seen}`);
            highest.set(process, token > seen ? token : seen);
          }
        },
      },
    ],
  });
  for (const fault of faults) simulation.plan(fault);
  simulation.at(24_000, () => {
    if (!isTold) return;
    highest.clear();
    for (const { id } of simulation.nodes) {
      simulation.give(id, { type: 'requested', request: { type: 'accept-lower-tokens' } });
    }
  });
  simulation.runUntil(schedule.durationMs);
  return { relapses, announcedBy, leaderAtTheEnd: simulation.leader?.id ?? null };
}

describe.each(['queue', 'herd'] as const)(
  'given a ZooKeeper, by %s, that restarts without its data',
  (succession) => {
    it('then every process says so, and none uses a token that is not above all it has seen', () => {
      for (const seed of seeds) {
        const { relapses, announcedBy, leaderAtTheEnd } = play(seed, succession, { losesData: true });
        expect({ seed, relapses, announcedBy, leaderAtTheEnd }).toEqual({
          seed,
          relapses: [],
          announcedBy: new Set(['n1', 'n2', 'n3']),
          leaderAtTheEnd: null,
        });
      }
    });

    it('when all are told to accept lower tokens, then somebody leads again', () => {
      for (const seed of seeds) {
        const { relapses, leaderAtTheEnd } = play(seed, succession, { losesData: true, isTold: true });
        expect({ seed, relapses, leaderAtTheEnd }).toEqual({
          seed,
          relapses: [],
          leaderAtTheEnd: expect.stringMatching(/^n[123]$/),
        });
      }
    });
  },
);

describe.each(['queue', 'herd'] as const)(
  'given a ZooKeeper, by %s, that restarts with its data',
  (succession) => {
    it('then nobody says that data were lost, whatever happens to messages', () => {
      const network = 'at 0 loss 0.1 until 20000\nat 0 duplicate 0.2 until 20000\nat 0 reorder until 20000';
      for (const seed of seeds) {
        const { announcedBy } = play(seed, succession, { losesData: false, network, ensemble: restless });
        expect({ seed, announcedBy }).toEqual({ seed, announcedBy: new Set() });
      }
    });
  },
);
