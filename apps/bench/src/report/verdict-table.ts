/** What the rows come to, an algorithm a line, in plain words. */

import { duration, nameOf } from './charts.js';
import { familiarSize } from './presentation.js';
import type { Row } from './results.js';

export interface Verdict {
  readonly name: string;
  /** The leader dies. */
  readonly crash: string;
  /** The leader resigns. */
  readonly handOver: string;
  /** The network is partitioned. */
  readonly partition: string;
  readonly twoLeaders: string;
  readonly staleWrites: string;
  readonly messages: string;
  /** Whether something that should never happen did. */
  readonly alarming: boolean;
}

export const verdictHeadings: Readonly<Record<Exclude<keyof Verdict, 'alarming'>, string>> = {
  name: 'Elector',
  crash: 'The leader dies',
  handOver: 'The leader resigns',
  partition: 'The network is partitioned',
  twoLeaders: 'Two leaders at once',
  staleWrites: 'Stale writes accepted',
  messages: 'Messages until the next one leads',
};

export function verdictsByVariant(rows: readonly Row[]): Verdict[] {
  const names = [...new Set(rows.map(nameOf))];
  return names.map((name) =>
    verdictOf(
      name,
      rows.filter((row) => nameOf(row) === name),
    ),
  );
}

function verdictOf(name: string, rows: readonly Row[]): Verdict {
  const affected = sum(rows, (row) => row.splitBrain.trialsAffected);
  const trials = sum(rows, (row) => row.trials);
  const stale = sum(rows, (row) => row.writes.staleAcceptedUnfenced);
  const fenced = sum(rows, (row) => row.writes.staleAcceptedFenced);
  const longestMs = Math.max(0, ...rows.map((row) => row.splitBrain.overlapMs?.max ?? 0));
  return {
    name,
    crash: outcomeOf(rows, ['crash']),
    handOver: outcomeOf(rows, ['graceful']),
    partition: outcomeOf(rows, ['split', 'isolate']),
    twoLeaders:
      affected === 0
        ? 'never'
        : `in ${number(affected)} of ${number(trials)} trials, for up to ${duration(longestMs)}`,
    staleWrites:
      stale === 0
        ? 'none was attempted'
        : `unfenced ${number(stale)}, fenced ${fenced === 0 ? 'none' : number(fenced)}`,
    messages: messagesOf(rows),
    alarming: affected > 0 || fenced > 0,
  };
}

function outcomeOf(rows: readonly Row[], faults: readonly string[]): string {
  const fault = faults.find((name) => rows.some((row) => row.fault === name));
  const own = rows.filter((row) => row.fault === fault);
  if (own.length === 0) return 'not measured';
  const open = sum(own, (row) => row.unresolved);
  const trials = sum(own, (row) => row.trials);
  const row = own.find(({ nodes }) => nodes === familiarSize) ?? own[0];
  const back =
    row!.failoverMs === null ? 'nobody took over' : `next leader after ${duration(row!.failoverMs.p50)}`;
  return open === 0 ? back : `${back}; none agreed upon in ${number(open)} of ${number(trials)} trials`;
}

function messagesOf(rows: readonly Row[]): string {
  const fault = ['isolate', 'crash'].find((name) =>
    rows.some((row) => row.fault === name && row.messages.failover !== null),
  );
  const own = rows.filter((row) => row.fault === fault && row.messages.failover !== null);
  if (own.length === 0) return 'not measured';
  const [first, last] = [own[0]!, own.at(-1)!];
  const of = ({ nodes, messages }: Row) => `${number(messages.failover!.p50)} with ${nodes} nodes`;
  return first === last ? of(first) : `${of(first)}, ${of(last)}`;
}

const number = (value: number): string => value.toLocaleString('en-US');
const sum = (rows: readonly Row[], pick: (row: Row) => number): number =>
  rows.reduce((total, row) => total + pick(row), 0);
