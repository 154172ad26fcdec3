/** What the processes of a live trial are told, and what they say: JSON, a line each. */

import type { Way } from '../plan.js';

/** To a process of a service. */
export interface NodeOrder {
  readonly id: string;
  /** Which of the processes of its service it is, from 0. */
  readonly place: number;
  readonly way: Way;
  readonly prefix: string;
  readonly elections: number;
  /** Of etcd, or of the aggregators. */
  readonly urls: readonly string[];
  readonly secret: string;
  readonly balance: boolean;
}

export interface AggregatorOrder {
  readonly id: string;
  readonly election: string;
  readonly hosts: readonly string[];
  readonly secret: string;
}

/** All times are those of the machine's monotonic clock, which the processes share. */
export type NodeLine =
  | {
      readonly type: 'began' | 'ended';
      readonly election: string;
      readonly token: string;
      /** When it began, or when it last found that it led. */
      readonly atMs: number;
    }
  | { readonly type: 'failed'; readonly election: string; readonly detail: string; readonly atMs: number }
  | {
      readonly type: 'state';
      /** Elections of which it knows a leader. */
      readonly known: number;
      /** Elections that it stands in. */
      readonly standing: number;
      readonly cpuMs: number;
      readonly atMs: number;
    };

export interface AggregatorLine {
  readonly type: 'state';
  readonly url: string;
  readonly leads: boolean;
  /** Requests of clients, however many calls each carries. */
  readonly calls: number;
  readonly cpuMs: number;
  readonly atMs: number;
}

export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

export const say = (line: NodeLine | AggregatorLine): void =>
  void process.stdout.write(`${JSON.stringify(line)}\n`);
