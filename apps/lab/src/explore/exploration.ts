import { type Configured, configure, defaultBudgetMs, open } from '@hustings/catalogue';
import type { Guarantees } from '@hustings/elector';
import {
  atMostOneLeader,
  type Counterexample,
  defaultBounds,
  type Exploration,
  type ExploreBounds,
  type ExploreProgress,
  explore,
  tellCounterexample,
} from '@hustings/simulator';

export interface ExploreRequest {
  readonly algorithm: string;
  readonly variant: string;
  readonly nodes: number;
  readonly bounds: Partial<ExploreBounds> & Pick<ExploreBounds, 'depth'>;
  /** Asks for one leader at a time even of an algorithm that does not promise it. */
  readonly undeclared: boolean;
  /** Off, states are only counted: what exploration costs without its checks. */
  readonly checks?: boolean;
  readonly onDepth?: (progress: ExploreProgress) => void;
}

export interface ExploreReport {
  readonly algorithm: string;
  readonly variant: string;
  readonly nodes: number;
  /** The greatest depth that was asked for. */
  readonly depth: number;
  /** Up to this depth nothing has been left out, but for `leftOut`. */
  readonly depthReached: number;
  readonly states: number;
  readonly transitions: number;
  readonly statesPerSecond: number;
  readonly endedBy: Exploration['endedBy'];
  readonly leftOut: number;
  readonly violations: readonly ReportedViolation[];
}

export interface ReportedViolation {
  readonly property: string;
  readonly detail: string;
  /** Whether the algorithm promises it. */
  readonly declared: boolean;
  /** The shortest way there. */
  readonly steps: readonly string[];
}

export function exploreAlgorithm(request: ExploreRequest): ExploreReport {
  const { algorithm: name, variant, nodes, bounds, undeclared, checks = true } = request;
  return open(name)((algorithm) => {
    const configured = configure(algorithm, variant, 'defaults', defaultBudgetMs);
    const { protocol, services } = configured;
    const clocked = { ...boundsFor(configured), ...bounds };
    const declared = promisesOneLeader(protocol.guarantees, clocked.tickMs);
    const startedAtMs = performance.now();
    const exploration = explore({
      ...clocked,
      protocol,
      services,
      nodes: Array.from({ length: nodes }, (_, index) => `n${index + 1}`),
      ...(checks ? { invariants: algorithm.invariants } : {}),
      promised: { atMostOneLeader: checks && (declared || undeclared) },
      ...(request.onDepth === undefined ? {} : { onDepth: request.onDepth }),
    });
    const seconds = (performance.now() - startedAtMs) / 1000;
    const { violation, depth: depthReached, states, ...counts } = exploration;
    return {
      algorithm: name,
      variant,
      nodes,
      depth: bounds.depth,
      depthReached,
      states,
      ...counts,
      statesPerSecond: Math.round(states / seconds),
      violations: violation === null ? [] : [reported(violation, declared)],
    };
  });
}

/** A lease holds by the clock: without one, what leases promise is not to be asked. */
const promisesOneLeader = ({ atMostOneLeader: promised, leased }: Guarantees, tickMs: number): boolean =>
  promised && (!leased || tickMs > 0);

/** A coordinator's leases run out by its clock. A message that is lost or late there costs many states. */
function boundsFor<State>({
  services,
  detectionMs,
}: Configured<State>): Pick<ExploreBounds, 'tickMs' | 'maxLosses'> {
  return services.length === 0
    ? { tickMs: defaultBounds.tickMs, maxLosses: defaultBounds.maxLosses }
    : { tickMs: Math.round(detectionMs / 5), maxLosses: 0 };
}

function reported(violation: Counterexample, oneLeaderIsDeclared: boolean): ReportedViolation {
  const { property, detail } = violation;
  return {
    property,
    detail,
    declared: property !== atMostOneLeader || oneLeaderIsDeclared,
    steps: tellCounterexample(violation),
  };
}

/** What the report says to a person. */
export function renderExploration(report: ExploreReport): string {
  const { algorithm, variant, nodes, states, transitions, statesPerSecond, depthReached, violations } =
    report;
  const name = variant === 'default' ? algorithm : `${algorithm} (${variant})`;
  return [
    `${name}, ${nodes} nodes:`,
    `${count(states)} distinct states by ${count(transitions)} events, depth ${depthReached}, ${count(statesPerSecond)} states per second.`,
    endings[report.endedBy],
    ...(report.leftOut === 0
      ? []
      : [
          `Except for ${count(report.leftOut)} events that were left out because a link was full; --max-in-flight-per-link makes room.`,
        ]),
    ...violations.flatMap(renderViolation),
    '',
  ].join('\n');
}

function renderViolation({ property, detail, declared, steps }: ReportedViolation): string[] {
  const weight = declared ? 'Broken' : 'Not promised, and not kept';
  return [
    '',
    `${weight}: ${property}. ${detail}. The shortest way there:`,
    ...steps.map((step) => `  ${step}`),
  ];
}

const endings: Readonly<Record<Exploration['endedBy'], string>> = {
  violation: 'Ended at the first violation.',
  depth: 'Ended at the depth asked for: nothing is broken by so few events, whatever their order.',
  'max-states': 'Ended at --max-states, before the depth asked for.',
  exhaustion: 'Ended because there is nothing more: within these bounds, nothing is broken by any run.',
};

const count = (value: number): string => value.toLocaleString('en');
