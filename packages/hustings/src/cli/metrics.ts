/** Prometheus' text format, version 0.0.4. */

import type { Office } from './office.js';

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

export function metricsOf(office: Office): string {
  const { id, election } = office;
  const own = { id, ...(election === null ? {} : { election }) };
  return metrics(office)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ labels = {}, value }) => `${name}{${write({ ...own, ...labels })}} ${show(value)}`),
    ])
    .concat('')
    .join('\n');
}

function metrics({ leadership, elector, elections, losses, diagnostics }: Office): readonly Metric[] {
  const { leaderId, token } = elector.belief();
  return [
    gauge('hustings_is_leader', 'Whether this node leads.', leadership === null ? 0 : 1),
    gauge('hustings_has_leader', 'Whether this node believes in a leader.', leaderId === null ? 0 : 1),
    gauge('hustings_token', 'The fencing token of the leader that it believes in.', Number(token ?? 0n)),
    gauge(
      'hustings_lease_remaining_seconds',
      'What is left of the lease that this node leads under.',
      (leadership?.remainingMs ?? 0) / 1000,
    ),
    {
      ...counter('hustings_elections_total', 'How often this node was elected.'),
      samples: [{ value: elections }],
    },
    {
      ...counter('hustings_leadership_lost_total', 'How often this node lost its leadership.'),
      samples: samplesOf(losses, 'reason'),
    },
    {
      ...counter('hustings_diagnostics_total', 'Diagnostics, which the log has in words.'),
      samples: samplesOf(diagnostics, 'type'),
    },
  ];
}

const gauge = (name: string, help: string, value: number): Metric => ({
  name,
  type: 'gauge',
  help,
  samples: [{ value }],
});

const counter = (name: string, help: string) => ({ name, type: 'counter' as const, help });

const samplesOf = (counts: ReadonlyMap<string, number>, label: string): Sample[] =>
  [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));

function write(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const show = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value));
