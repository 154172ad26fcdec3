/** Checks that run a protocol: in a schedule that is written down, or in many that are drawn. */

import type { Guarantees } from '@hustings/elector';
import type { Invariants } from '@hustings/elector/protocol';
import {
  type AnyProtocol,
  comesToAnEnd,
  drawSchedule,
  type FaultType,
  type Historian,
  judge,
  parseSchedule,
  type Recording,
  record,
  type Schedule,
  type Service,
  type Subject,
  shrink,
  type Timing,
  type Violation,
} from '@hustings/simulator';
import type { Check, Draw, Finding } from './check.js';
import { tellRun } from './story.js';

/** A protocol, and how its state is shown to people. */
export interface Candidate<State> {
  readonly protocol: AnyProtocol<State>;
  readonly timing: Timing;
  /** What its nodes talk to. */
  readonly services?: readonly Service[];
  /** The fields that a story may show. */
  fieldsOf(state: State): Readonly<Record<string, unknown>>;
}

/** Hundreds of times what a run of a few seconds takes: only a storm of messages needs more. */
const maxSteps = 60_000;
/** A shrunk run is for reading. The last half per cent would cost seconds. */
const maxShrinkRuns = 150;

export interface Rules<State> {
  readonly invariants?: Invariants<State>;
  /** Promises to hold the protocol to, whatever it declares. */
  readonly promised?: Partial<Guarantees>;
  /** For what no single state shows. */
  readonly historian?: () => Historian<State>;
  /** Whether what should come true in the end is asked for. Default: yes. */
  readonly settles?: boolean;
}

export function subjectOf<State>(
  { protocol, timing, services = [] }: Candidate<State>,
  { invariants = {}, promised = {}, historian, settles = true }: Rules<State>,
): Subject<State> {
  const guarantees = { ...protocol.guarantees, ...promised };
  return {
    protocol: { ...protocol, guarantees },
    invariants,
    timing,
    services,
    restless: !settles,
    letsTwoLead: true,
    ...(historian && { historian }),
  };
}

/** Held to rules in each of these schedules. */
export function inSchedules<State>(
  rules: Rules<State>,
  ...texts: readonly string[]
): Check<Candidate<State>> {
  const schedules = texts.map((text) => parseSchedule(text));
  return (candidate, draw) => firstViolation(candidate, rules, schedules, draw);
}

/** Held to rules in the schedules that an answer deserves. */
export function inSchedulesOf<State>(
  rules: Rules<State>,
  schedulesFor: (candidate: Candidate<State>, seedOf: Draw['seed']) => Iterable<Schedule>,
): Check<Candidate<State>> {
  return (candidate, draw) => firstViolation(candidate, rules, schedulesFor(candidate, draw.seed), draw);
}

export interface Drawing {
  readonly runs: number;
  readonly nodes: readonly [min: number, max: number];
  readonly faults: readonly FaultType[];
}

/** Held to rules in so many schedules that are drawn from the student's seed. */
export function inDrawnRuns<State>(
  rules: Rules<State>,
  { runs, nodes, faults }: Drawing,
): Check<Candidate<State>> {
  return inSchedulesOf(rules, function* (candidate, seedOf) {
    const { timing, services = [] } = candidate;
    const leased = rules.promised?.leased ?? false;
    const subject = { timing, targetedTransfer: false, leased, hasCoordinator: services.length > 0 };
    for (let index = 0; index < runs; index += 1) {
      yield drawSchedule(seedOf(index), { nodes, faults }, subject);
    }
  });
}

function firstViolation<State>(
  candidate: Candidate<State>,
  rules: Rules<State>,
  schedules: Iterable<Schedule>,
  draw: Draw,
): Finding | null {
  const subject = subjectOf(candidate, rules);
  for (const schedule of schedules) {
    const { violation } = judge(subject, schedule, { maxSteps });
    if (violation !== null) return tellViolation(candidate, subject, schedule, violation, draw);
  }
  return null;
}

function tellViolation<State>(
  candidate: Candidate<State>,
  subject: Subject<State>,
  schedule: Schedule,
  violation: Violation,
  draw: Draw,
): Finding {
  if (!draw.tells) return { detail: violation.detail };
  const smallest =
    violation.property === comesToAnEnd
      ? { schedule, violation }
      : (shrink(subject, schedule, maxShrinkRuns, { maxSteps }) ?? { schedule, violation });
  const recording = record(subject, smallest.schedule, { maxSteps });
  // A recording goes on at the moment of the violation; the story ends with the event that broke the rule.
  const { trace } = judge(subject, smallest.schedule, { maxSteps, trace: true });
  return {
    detail: sentenceOf(smallest.violation),
    story: tellRun(recording, smallest.violation, (state) => candidate.fieldsOf(state), trace.length),
    schedule: smallest.schedule,
    atMs: smallest.violation.atMs,
  };
}

function sentenceOf({ property, detail, atMs, node }: Violation): string {
  if (property === comesToAnEnd) {
    return `The run does not come to an end: ${detail}. Messages answer messages without end.`;
  }
  return `${detail}, ${node === null ? `at the end, after ${atMs} ms` : `at ${atMs.toFixed(1)} ms`}.`;
}

/** What is wrong with a recording, and from when on: its story ends there. */
export interface Mistake {
  readonly detail: string;
  readonly atMs: number;
}

/** Looks at the whole recording of each schedule. `look` says what is wrong with it, or null. */
export function inRecordings<State>(
  texts: readonly string[],
  look: (recording: Recording<State>) => string | Mistake | null,
): Check<Candidate<State>> {
  const schedules = texts.map((text) => parseSchedule(text));
  return (candidate, draw) => {
    for (const schedule of schedules) {
      const recording = record(subjectOf(candidate, {}), schedule, { maxSteps });
      const found = look(recording);
      if (found === null) continue;
      const mistake = typeof found === 'string' ? { detail: found, atMs: recording.facts.endMs } : found;
      return draw.tells
        ? toldFinding(recording, mistake, (state) => candidate.fieldsOf(state))
        : { detail: mistake.detail };
    }
    return null;
  };
}

/** With the story of the recording, up to the mistake. */
export function toldFinding<State>(
  recording: Recording<State>,
  { detail, atMs }: Mistake,
  fieldsOf: Candidate<State>['fieldsOf'],
): Finding {
  const { schedule, events } = recording.facts;
  const violation: Violation = { property: detail, detail, atMs, node: null };
  const eventCount = events.filter((event) => event.atMs <= atMs).length;
  return {
    detail,
    story: tellRun(recording, violation, fieldsOf, eventCount),
    schedule,
    atMs,
  };
}

/** One run of an answer, whatever it shows; null for an answer that has no runs. */
export function tellAgain(answer: unknown, schedule: Schedule): string | null {
  if (!isCandidate(answer)) return null;
  const recording = record(subjectOf(answer, {}), schedule, { maxSteps });
  const end = { detail: 'Here the run ends.', atMs: recording.facts.endMs };
  return toldFinding(recording, end, (state) => answer.fieldsOf(state)).story ?? null;
}

/** Not every exercise asks for a protocol. */
export const isCandidate = (answer: unknown): answer is Candidate<unknown> =>
  typeof answer === 'object' && answer !== null && 'protocol' in answer && 'fieldsOf' in answer;

/** Several checks under one name: the first finding counts. */
export function allOf<Answer>(...checks: readonly Check<Answer>[]): Check<Answer> {
  return async (answer, draw) => {
    for (const check of checks) {
      const finding = await check(answer, draw);
      if (finding !== null) return finding;
    }
    return null;
  };
}
