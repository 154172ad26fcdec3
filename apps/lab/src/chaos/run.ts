import { monotonicMs, Processes } from '@hustings/servers';
import { Arena, type ArenaOptions, type Cast } from './arena.js';
import { drawEpisode } from './draw.js';
import type { Happening } from './history.js';
import type { Algorithm } from './layouts.js';
import { type Episode, printEpisode, printLine } from './schedule.js';
import { patienceMs } from './settings.js';
import { judge, type Verdict } from './verdict.js';

export interface RunOptions extends ArenaOptions {
  /** Hears each line as it is done, and what comes of it. */
  readonly onLine?: (line: string) => void;
}

/** Something that was promised and did not hold. */
export interface Violation {
  readonly property: 'overlap' | 'token' | 'stale-write' | 'gave-up' | 'no-leader';
  readonly detail: string;
  /** Since the first process was started. */
  readonly atMs: number;
  readonly episode: number;
}

export interface Outcome {
  readonly algorithm: Algorithm;
  readonly nodes: number;
  readonly seconds: number;
  readonly disks: 'mounted' | 'pretended';
  /** Those that were begun, the violated and the others. */
  readonly episodes: readonly Episode[];
  readonly actions: number;
  /** How many `await` lines waited in vain: what followed them fell flat. */
  readonly unmet: number;
  readonly verdict: Verdict;
  readonly violations: readonly Violation[];
  /** Whether it was called off. */
  readonly interrupted: boolean;
}

/** Draws episodes until the time is up. */
export function runDrawn(options: RunOptions, seed: string, forMs: number): Promise<Outcome> {
  return run(options, function* () {
    const untilMs = monotonicMs() + forMs;
    for (let number = 1; monotonicMs() < untilMs; number += 1) {
      yield drawEpisode({ ...options, seed }, number);
    }
  });
}

/** These episodes, in turn, as often as is said. */
export function runWritten(
  options: RunOptions,
  episodes: readonly Episode[],
  times: number,
): Promise<Outcome> {
  return run(options, function* () {
    for (let time = 0; time < times; time += 1) yield* episodes;
  });
}

async function run(options: RunOptions, episodes: () => Iterable<Episode>): Promise<Outcome> {
  const processes = await Processes.open('hustings-chaos');
  let arena: Arena | null = null;
  try {
    arena = await Arena.open(processes, options);
    return await runIn(arena, options, episodes);
  } finally {
    await arena?.close();
    await processes.close();
  }
}

async function runIn(
  arena: Arena,
  { algorithm, nodes, signal, onLine = () => {} }: RunOptions,
  episodes: () => Iterable<Episode>,
): Promise<Outcome> {
  const beganMs = arena.history[0]?.atMs ?? monotonicMs();
  arena.onHappening = (happening) => {
    const text = describeHappening(happening);
    if (text !== null) onLine(`# ${((happening.atMs - beganMs) / 1000).toFixed(3)} s: ${text}`);
  };
  const done: Episode[] = [];
  try {
    await arena.settle(500);
    for (const episode of episodes()) {
      done.push(episode);
      await perform(arena, episode, done.length, onLine);
    }
    await arena.settle(500);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const endMs = monotonicMs();
  const verdict = judge(arena.history, endMs);
  const episodeAt = (atMs: number) =>
    arena.history.findLast((each) => each.type === 'episode' && each.atMs <= atMs);
  const violations = violationsIn(verdict).map(({ atMs, ...rest }): Violation => {
    const episode = episodeAt(atMs);
    return {
      ...rest,
      atMs: Math.round(atMs - beganMs),
      episode: episode?.type === 'episode' ? episode.number : 0,
    };
  });
  return {
    ...{ algorithm, nodes, seconds: (endMs - beganMs) / 1000, disks: arena.disks, episodes: done },
    actions: done.reduce((total, { lines }) => total + lines.length, 0),
    ...{ unmet: arena.unmet, verdict, violations, interrupted: signal.aborted },
  };
}

/** `place` is the episode's among those of this run, which counts where one is done several times. */
async function perform(
  arena: Arena,
  episode: Episode,
  place: number,
  onLine: (line: string) => void,
): Promise<void> {
  arena.note({ type: 'episode', number: place });
  const mentionsMembers = episode.lines.some(
    ({ action }) => 'subject' in action && /^M\d$/.test(action.subject),
  );
  const cast = await arena.cast(episode.number, mentionsMembers);
  onLine(`${printEpisode({ ...episode, lines: [] })} # ${describe(cast)}`);
  for (const line of episode.lines) {
    await arena.until(() => false, line.afterMs);
    onLine(printLine(line));
    await arena.perform(line.action, cast);
  }
}

/** Null for what would only fill the screen. */
function describeHappening(happening: Happening): string | null {
  switch (happening.type) {
    case 'wrote':
    case 'episode':
      return null;
    case 'well':
      return happening.well ? 'there should be a leader' : 'there need not be a leader';
    case 'started':
      return `process ${happening.process} of ${happening.node} started`;
    case 'failed':
      return `process ${happening.process} failed: ${happening.reason}`;
    case 'began':
    case 'ended':
      return `process ${happening.process} ${happening.type} to lead with token ${happening.token}`;
    default:
      return `process ${happening.process} ${happening.type}`;
  }
}

function describe({ nodes, members }: Cast): string {
  return [...nodes, ...members].map(([role, who]) => `${role}=${who}`).join(' ');
}

type Found = Omit<Violation, 'episode'>;

function violationsIn({ overlaps, tokenFaults, staleAcceptedAtMs, failures, leaderless }: Verdict): Found[] {
  return [
    ...overlaps.map(({ fromMs, toMs, holders }): Found => {
      const who = holders.map(({ node, process, token }) => `${node} (process ${process}, token ${token})`);
      return {
        property: 'overlap',
        detail: `${who.join(' and ')} led at once for ${(toMs - fromMs).toFixed(1)} ms.`,
        atMs: fromMs,
      };
    }),
    ...tokenFaults.map(
      ({ atMs, token, earlier }): Found => ({
        property: 'token',
        detail: `A Leadership began with token ${token} after one with ${earlier}.`,
        atMs,
      }),
    ),
    ...staleAcceptedAtMs.slice(0, 1).map(
      (atMs): Found => ({
        property: 'stale-write',
        detail: `The fenced store accepted ${staleAcceptedAtMs.length} writes of leaders after one of a successor, the first now.`,
        atMs,
      }),
    ),
    ...failures.map(
      ({ atMs, reason }): Found => ({
        property: 'gave-up',
        detail: `A node ended by itself, ${reason}`,
        atMs,
      }),
    ),
    ...leaderless
      .filter(({ fromMs, toMs }) => toMs - fromMs > patienceMs)
      .map(
        ({ fromMs, toMs }): Found => ({
          property: 'no-leader',
          detail: `Nobody led for ${Math.round(toMs - fromMs)} ms although a majority was well.`,
          atMs: fromMs,
        }),
      ),
  ];
}
