import { bully, invariants as bullyInvariants } from '@hustings/bully';
import { MalformedError } from '@hustings/elector/protocol';
import { ring, invariants as ringInvariants } from '@hustings/ring';
import {
  type FaultKind,
  formatFault,
  parseSchedule,
  type Recording,
  record,
  type Schedule,
  type Subject,
} from '@hustings/simulator';
import type { Check, Exercise, Finding } from '../grading/check.js';
import { tellRun } from '../grading/story.js';
import { readSections, type Sections, sectionOf, wordOf } from './sections.js';

const timing = { detectionMs: 300, maxDelayMs: 50, settleMs: 1800 };

interface Level {
  readonly leastMs: number;
  readonly only?: FaultKind['type'];
  readonly mostFaults?: number;
}

/** Long enough for a student's patience, and for ours. */
const bounds = { nodes: 9, durationMs: 60_000 } as const;

const hasTwoLeaders =
  <State>(part: string, subject: Subject<State>, level: Level): Check<Sections> =>
  (sections, draw) => {
    const schedule = readSchedule(sectionOf(sections, part));
    if (typeof schedule === 'string') return { detail: schedule };
    const refusal = refusalOf(schedule, level);
    if (refusal !== null) return { detail: refusal };
    const { algorithm } = subject.protocol;
    const recording = record(subject, schedule);
    const overlapMs = longestOverlapMs(recording);
    if (overlapMs > 0 && overlapMs >= level.leastMs) return null;
    return { ...tellFailure(recording, overlapMs, level, draw.tells), schedule, algorithm };
  };

/** Or what is wrong with it. */
function readSchedule(text: string): Schedule | string {
  try {
    return parseSchedule(text);
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    const { message } = error;
    return message.endsWith('is not a fault.') ? `${message} Faults are ${faultsOfTheReadme}.` : message;
  }
}

const faultsOfTheReadme = 'crash, pause, isolate, split, one-way, loss and slow-link';

function refusalOf({ nodes, durationMs, network, settings, faults }: Schedule, level: Level): string | null {
  const { only, mostFaults = 20 } = level;
  if (nodes.length > bounds.nodes || durationMs > bounds.durationMs) {
    return `At most ${bounds.nodes} nodes and 'run ${bounds.durationMs}', please: shorter runs are easier to read.`;
  }
  if (durationMs === 0) return "A line such as 'run 3000' is missing: the run ends before it begins.";
  if (settings !== undefined) return "Leave out 'set': bully's settings are given.";
  if (network.latencyMs[1] > timing.maxDelayMs) {
    return `Bully is told that no message takes longer than ${timing.maxDelayMs} ms: keep 'latency' below that.`;
  }
  const isLossy = network.lossProbability > 0 || network.duplicateProbability > 0;
  if (isLossy) return "Write losses as faults, such as 'at 1000 loss 0.5 until 2000'.";
  if (faults.length === 0) return 'Nothing goes wrong in this schedule yet.';
  if (faults.length > mostFaults)
    return `At most ${mostFaults === 1 ? 'one fault' : `${mostFaults} faults`} here.`;
  const other = only === undefined ? undefined : faults.find(({ type }) => type !== only);
  return other === undefined ? null : `'${formatFault(other)}' is not of the kind '${only}'.`;
}

function longestOverlapMs<State>({ facts }: Recording<State>): number {
  const overlaps = facts.reigns
    .filter(({ tenures }) => new Set(tenures.map((index) => facts.tenures[index]!.node)).size > 1)
    .map(({ fromMs, untilMs }) => untilMs - fromMs);
  return Math.max(0, ...overlaps);
}

function tellFailure<State>(
  recording: Recording<State>,
  overlapMs: number,
  { leastMs }: Level,
  tells: boolean,
): Finding {
  const detail =
    overlapMs === 0
      ? 'There is never more than one leader.'
      : `Two lead at once, but only for ${overlapMs.toFixed(1)} ms; ${leastMs} ms are asked for.`;
  return tells ? { detail, story: tellRun(recording, null, () => ({})) } : { detail };
}

const bullySubject = { protocol: bully(), invariants: bullyInvariants, timing };
const ringSubject = { protocol: ring(), invariants: ringInvariants, timing };

/** The letter in the README. Whoever finds it here has looked at the grader instead of at Raft. */
const rightLetter = 'c';

export const breakBullyExercise: Exercise<Sections> = {
  id: '01-break-bully',
  read: ({ text }) => readSections(text),
  checks: {
    'any-fault': hasTwoLeaders('any-fault', bullySubject, { leastMs: 100 }),
    'only-loss': hasTwoLeaders('only-loss', bullySubject, { leastMs: 100, only: 'loss' }),
    'only-one-way': hasTwoLeaders('only-one-way', bullySubject, { leastMs: 100, only: 'one-way' }),
    'only-a-pause': hasTwoLeaders('only-a-pause', bullySubject, { leastMs: 0, only: 'pause', mostFaults: 1 }),
    ring: hasTwoLeaders('ring', ringSubject, { leastMs: 100 }),
    'why-raft-resists': (sections) => {
      const word = wordOf(sections, 'why-raft-resists');
      if (word === rightLetter) return null;
      return { detail: word === '' ? 'There is no letter yet.' : `'${word}' is not it.` };
    },
  },
};
