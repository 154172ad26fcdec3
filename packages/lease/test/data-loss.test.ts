/** The store comes back without its data: what a process has seen must not be undone by what it sees then. */

import { type AnyProtocol, parseSchedule, Simulation } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import type { LeaseAnnouncement, LeaseState } from '../src/index.js';
import { simulatedStore } from '../src/simulated.js';
import { electionOn, seeds } from './stories.js';

interface Course {
  /** Each time that a process led, or believed somebody to lead, with a token below one that it had seen. */
  readonly relapses: readonly string[];
  /** Who has said that data were lost. */
  readonly announcedBy: ReadonlySet<string>;
  readonly leaderAtTheEnd: string | null;
}

interface Story {
  readonly losesData: boolean;
  /** Whether all are told to accept lower tokens in the end. */
  readonly isTold?: boolean;
  readonly network?: string;
}

/** Leaders come and go, and the store restarts. In half of the runs a candidate is cut off meanwhile. */
function play(seed: number, { losesData, isTold = false, network = '' }: Story): Course {
  const relapses: string[] = [];
  const announcedBy = new Set<string>();
  const highest = new Map<string, bigint>();
  const { faults, ...schedule } = parseSchedule(
    `nodes n1 n2 n3\nseed ${seed}\nlatency 1 20\nrun 15000
     at 1000 graceful leader until 1300\nat 2000 pause leader until 4000\nat 4500 graceful leader until 5000
     at ${6000 + 20 * seed} coordinator-crash until ${7000 + 50 * seed}
     ${network}
     ${seed % 2 === 0 ? `at ${6500 + 20 * seed} isolate n1 until 10000` : ''}`,
  );
  const simulation = new Simulation<LeaseState>({
    ...schedule,
    protocol: electionOn({}) as AnyProtocol<LeaseState>,
    services: [{ id: 'store', machine: simulatedStore({ losesDataOnRestart: losesData }) }],
    observers: [
      {
        stepped({ id, isService, incarnation }, _input, before, effects) {
          if (isService) return;
          const process = `${id}#${incarnation}`;
          for (const effect of effects) {
            const announced = effect.type === 'announce' ? (effect.announcement as LeaseAnnouncement) : null;
            if (announced?.type === 'data-lost') announcedBy.add(id);
            if (effect.type !== 'lead' && effect.type !== 'follow') continue;
            const seen = highest.get(process) ?? 0n;
            const token = effect.token ?? seen;
            const isNew = effect.type === 'lead' && before.phase !== 'leading';
            if (token < seen || (isNew && token === seen))
              relapses.push(`${process}: ${token} after ${seen}`);
            highest.set(process, token > seen ? token : seen);
          }
        },
      },
    ],
  });
  for (const fault of faults) simulation.plan(fault);
  simulation.at(12_000, () => {
    if (!isTold) return;
    highest.clear();
    for (const { id } of simulation.nodes) {
      simulation.give(id, { type: 'requested', request: { type: 'accept-lower-tokens' } });
    }
  });
  simulation.runUntil(schedule.durationMs);
  return { relapses, announcedBy, leaderAtTheEnd: simulation.leader?.id ?? null };
}

describe('given a store that restarts without its data', () => {
  it('then no process uses a token that is not above all it has seen, and one says so', () => {
    for (const seed of seeds) {
      const { relapses, announcedBy, leaderAtTheEnd } = play(seed, { losesData: true });
      expect({ seed, relapses, leaderAtTheEnd }).toEqual({ seed, relapses: [], leaderAtTheEnd: null });
      expect(announcedBy.size, `seed ${seed}`).toBeGreaterThan(0);
    }
  });

  it('when all are told to accept lower tokens, then somebody leads again', () => {
    for (const seed of seeds) {
      const { relapses, leaderAtTheEnd } = play(seed, { losesData: true, isTold: true });
      expect({ seed, relapses, leaderAtTheEnd }).toEqual({
        seed,
        relapses: [],
        leaderAtTheEnd: expect.stringMatching(/^n[123]$/),
      });
    }
  });
});

describe('given a store that restarts with its data', () => {
  it('then nobody says that data were lost, whatever happens to messages', () => {
    const network = 'at 0 loss 0.1 until 10000\nat 0 duplicate 0.2 until 10000\nat 0 reorder until 10000';
    for (const seed of seeds) {
      const { announcedBy } = play(seed, { losesData: false, network });
      expect({ seed, announcedBy }).toEqual({ seed, announcedBy: new Set() });
    }
  });
});
