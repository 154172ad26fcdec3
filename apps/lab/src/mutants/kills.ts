import { bullySubject } from './bully.js';
import { etcdSubject } from './etcd.js';
import { heirsSubject } from './heirs.js';
import { leaseSubject } from './lease.js';
import type { Change, Failure, SubjectOf } from './mutant.js';
import { officeSubject } from './office.js';
import { raftSubject } from './raft.js';
import { ringSubject } from './ring.js';
import { zookeeperSubject } from './zookeeper.js';

/** What became of one mutant. */
export interface Kill {
  readonly algorithm: string;
  readonly mutant: string;
  readonly breaks: string;
  /** The check that noticed, or null: then the mutant survived. */
  readonly killedBy: string | null;
  readonly detail: string | null;
}

/** A subject of which only it knows the type of what it alters. */
interface OpenSubject {
  readonly algorithm: string;
  kill(): Kill[];
  /** What the checks have to say against the algorithm as it is: nothing. */
  accuse(): Failure | null;
}

const opened = <Intact>(subject: SubjectOf<Intact>): OpenSubject => ({
  algorithm: subject.algorithm,
  accuse: () => firstFailure(subject, (intact) => intact),
  kill: () =>
    subject.mutants.map(({ name, breaks, alter }) => {
      const failure = firstFailure(subject, alter);
      return {
        algorithm: subject.algorithm,
        mutant: name,
        breaks,
        killedBy: failure?.check ?? null,
        detail: failure?.detail ?? null,
      };
    }),
});

function firstFailure<Intact>({ checks }: SubjectOf<Intact>, alter: Change<Intact>): Failure | null {
  for (const check of checks) {
    const failure = check.find(alter);
    if (failure !== null) return failure;
  }
  return null;
}

export const subjects: readonly OpenSubject[] = [
  opened(bullySubject),
  opened(ringSubject),
  opened(raftSubject),
  opened(etcdSubject),
  opened(heirsSubject),
  opened(zookeeperSubject),
  opened(leaseSubject),
  opened(officeSubject),
];

/** For a terminal: a paragraph for each, since no line has room for all of it. */
export function listKills(kills: readonly Kill[]): string {
  return kills
    .map(
      ({ algorithm, mutant, breaks, killedBy }) =>
        `${algorithm} ${mutant}\n  ${breaks}\n  ${killedBy === null ? 'SURVIVES' : `killed by: ${killedBy}`}\n`,
    )
    .join('\n');
}

/** The table, for Markdown. */
function renderKills(kills: readonly Kill[]): string {
  const rows = [
    ['algorithm', 'mutant', 'what is broken', 'killed by'],
    ...kills.map(({ algorithm, mutant, breaks, killedBy }) => [
      algorithm,
      mutant,
      breaks,
      killedBy ?? '**survives**',
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const [heading, ...lines] = rows.map(
    (row) => `| ${row.map((text, column) => text.padEnd(widths[column]!)).join(' | ')} |`,
  );
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return `${[heading, rule, ...lines].join('\n')}\n`;
}

/** The page on which the table is committed. */
export function renderPage(kills: readonly Kill[]): string {
  return `# Mutants, and what kills them

Algorithms broken on purpose, each with the first check that notices. \`npm run mutants\` finds out again, and a
test compares what it finds with this page; \`vitest -u\` rewrites it.

${renderKills(kills)}`;
}
