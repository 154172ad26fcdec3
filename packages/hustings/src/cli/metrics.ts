/**
 * Prometheus' text format, version 0.0.4. Names and labels are those that an exporter of OpenTelemetry makes of the
 * library's own, so that one dashboard serves both.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Diagnostic } from '../index.js';
import type { LeadershipEvent } from '../telemetry.js';
import type { Candidate } from './candidate.js';

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

interface Metric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What this process has published on the library's channels, counted. */
export class Counts {
  /** Leaderships that began, by `elected`, or ended, by the reason. */
  readonly changes = new Map<string, number>();
  readonly diagnostics = new Map<string, number>();
  readonly #onLeadership = (event: unknown): void => {
    const leadership = event as LeadershipEvent;
    count(this.changes, leadership.type === 'began' ? 'elected' : leadership.reason);
  };
  readonly #onDiagnostic = (event: unknown): void => count(this.diagnostics, (event as Diagnostic).type);

  constructor() {
    subscribe('hustings:leadership', this.#onLeadership);
    subscribe('hustings:diagnostic', this.#onDiagnostic);
  }

  close(): void {
    unsubscribe('hustings:leadership', this.#onLeadership);
    unsubscribe('hustings:diagnostic', this.#onDiagnostic);
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

export function metricsOf(candidate: Candidate, counts: Counts): string {
  const { id, election } = candidate;
  const own = { hustings_node: id, ...(election === null ? {} : { hustings_election: election }) };
  return metrics(candidate, counts)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ labels = {}, value }) => `${name}{${write({ ...own, ...labels })}} ${value}`),
    ])
    .concat('')
    .join('\n');
}

function metrics({ leadership, elector }: Candidate, { changes, diagnostics }: Counts): readonly Metric[] {
  const { token } = elector.belief();
  const remainingMs = leadership?.remainingMs ?? Number.POSITIVE_INFINITY;
  // It may be lost, and held on to until the work has ended.
  const isLeading = leadership !== null && remainingMs > 0;
  const lease = Number.isFinite(remainingMs) ? [{ value: remainingMs / 1000 }] : [];
  return [
    gauge('hustings_leader', '1 while this node leads, else 0.', [{ value: isLeading ? 1 : 0 }]),
    gauge('hustings_token', 'The fencing token of the leader that this node believes in.', [
      { value: Number(token ?? 0n) },
    ]),
    gauge('hustings_lease_remaining_seconds', 'What is left of the lease that this node leads under.', lease),
    counter('hustings_elections_total', 'Elections that this node has won.', [
      { value: changes.get('elected') ?? 0 },
    ]),
    counter(
      'hustings_leadership_changes_total',
      'Leaderships of this node that began or ended.',
      samplesOf(changes, 'hustings_reason'),
    ),
    counter(
      'hustings_diagnostics_total',
      'Diagnostics, which the log has in words.',
      samplesOf(diagnostics, 'hustings_type'),
    ),
  ];
}

const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  type: 'gauge',
  help,
  samples,
});

const counter = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  type: 'counter',
  help,
  samples,
});

const samplesOf = (counts: ReadonlyMap<string, number>, label: string): Sample[] =>
  [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));

function write(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
