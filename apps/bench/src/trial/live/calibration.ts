/** How fast this machine is at what a hand-over is made of, measured just before the trials that are compared. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type CoordinatorKind, coordinatorOf } from '@hustings/catalogue';
import type { Processes, StartedProcess } from '@hustings/servers';
import { rounded, summarise } from '../../statistics.js';
import type { FromCalibration, Probe, ToCalibration } from './calibration-process.js';
import { Access, type Coordinator } from './coordinators.js';
import { startCalibration } from './processes.js';

/** The least and the mean of the samples, without the slowest tenth: a uniform draw between `range` has both. */
export interface Measured {
  readonly samples: number;
  readonly minMs: number;
  readonly p50Ms: number;
  readonly meanMs: number;
  /** Of all samples, the slowest tenth included. */
  readonly maxMs: number;
  readonly rangeMs: readonly [minMs: number, maxMs: number];
}

export interface Calibration {
  /** One way between two nodes, when one tells all. */
  readonly message: Measured;
  /** A save of a node's durable state, flushed. */
  readonly save: Measured;
  /** What processes and their driver take in a hand-over that decides nothing, beside its one message. */
  readonly driver: Measured;
  /** One way to the coordinator or back, and what a write takes there beyond a question; null without one. */
  readonly coordinator: { readonly read: Measured; readonly commit: Measured } | null;
}

/** Who share a calibration: those with the same coordinator, and those who save alike. */
export type CalibrationKey = CoordinatorKind | 'raft' | 'none';

export const calibrationKey = (algorithm: string): CalibrationKey =>
  coordinatorOf(algorithm) ?? (algorithm === 'raft' ? 'raft' : 'none');

export type CalibrationSamples = Readonly<Record<Probe, readonly number[]>>;

export const noSamples: CalibrationSamples = {
  ...{ message: [], save: [], read: [], write: [] },
  'hand-over': [],
};

const probes = Object.keys(noSamples) as Probe[];

export function joinSamples(a: CalibrationSamples, b: CalibrationSamples): CalibrationSamples {
  const entries = probes.map((probe) => [probe, [...a[probe], ...b[probe]]] as const);
  return Object.fromEntries(entries) as Record<Probe, number[]>;
}

export function calibrationOf(samples: CalibrationSamples): Calibration {
  const { read, write } = samples;
  const message = measuredOf(samples.message);
  const question = read.length === 0 ? null : measuredOf(read);
  return {
    message,
    save: measuredOf(samples.save),
    driver: measuredOf(samples['hand-over'].map((ms) => Math.max(0, ms - message.meanMs))),
    coordinator:
      question === null
        ? null
        : {
            read: question,
            // There and back of a question is no part of the commit.
            commit: measuredOf(write.map((ms) => Math.max(0, ms - 2 * question.meanMs))),
          },
  };
}

const keptShare = 0.9;

export function measuredOf(samples: readonly number[]): Measured {
  const sorted = [...samples].sort((a, b) => a - b);
  const { min, p50, mean } = summarise(sorted.slice(0, Math.max(1, Math.ceil(keptShare * sorted.length))))!;
  return {
    samples: samples.length,
    minMs: min,
    p50Ms: p50,
    meanMs: mean,
    maxMs: rounded(sorted.at(-1)!),
    rangeMs: [min, rounded(2 * mean - min)],
  };
}

const limitMs = 30_000;
/** Between two questions: processes that have nothing to do sleep, as they do before a fault. */
const restMs = 30;

/**
 * As many processes as a trial has, new like those of a trial, and each is asked each question once: a hand-over, too,
 * happens in a process that has never done it.
 */
export async function calibrate(
  processes: Processes,
  algorithm: string,
  nodes: readonly string[],
  coordinator: Coordinator | null,
  signal: AbortSignal,
): Promise<CalibrationSamples> {
  const accesses: Access[] = [];
  const crowd = new Crowd(processes, signal);
  const secret = randomBytes(32).toString('base64');
  const election = `hustings-bench-${randomBytes(6).toString('hex')}`;
  const directory = join(processes.directory, election);
  const accessTo = async ({ kind, ...rest }: Coordinator) => {
    const access = await Access.open({ kind, ...rest }, () => {});
    accesses.push(access);
    return { kind, addresses: access.addresses, election };
  };
  try {
    for (const id of nodes) {
      const way = coordinator === null ? null : await accessTo(coordinator);
      crowd.start({ id, nodes, algorithm, secret, directory, coordinator: way });
    }
    await crowd.connect();
    // Connections of a trial have carried messages before.
    await crowd.measure('message');
    const samples: Record<Probe, readonly number[]> = { ...noSamples };
    const needed = probes.filter((probe) => coordinator !== null || (probe !== 'read' && probe !== 'write'));
    for (const probe of needed) {
      samples[probe] = await (probe === 'hand-over' ? crowd.handOver() : crowd.measure(probe));
    }
    return samples;
  } finally {
    await crowd.stop();
    await Promise.all(accesses.map((access) => access.close()));
  }
}

/** The processes of a calibration, which are asked one after the other. */
class Crowd {
  readonly #processes: Processes;
  readonly #signal: AbortSignal;
  readonly #members: StartedProcess<ToCalibration>[] = [];
  readonly #ports: Record<string, number> = {};
  #connected = 0;
  #samplesMs: readonly number[] | null = null;
  #beganMs: number | null = null;
  #failed = false;

  constructor(processes: Processes, signal: AbortSignal) {
    this.#processes = processes;
    this.#signal = signal;
  }

  start(settings: Extract<ToCalibration, { type: 'start' }>['settings']): void {
    const member = startCalibration(this.#processes, settings, {
      received: (message) => this.#receive(settings.id, message),
      failed: () => {
        this.#failed = true;
      },
    });
    this.#members.push(member);
  }

  async connect(): Promise<void> {
    await this.#until(() => Object.keys(this.#ports).length === this.#members.length);
    for (const member of this.#members) member.tell({ type: 'addresses', ports: this.#ports });
    await this.#until(() => this.#connected === this.#members.length);
  }

  async measure(probe: Probe): Promise<readonly number[]> {
    const samples: number[] = [];
    for (const member of this.#members) samples.push(...(await this.#ask(member, probe)));
    return samples;
  }

  /** From the first to the last, each to the next. */
  async handOver(): Promise<readonly number[]> {
    const samples: number[] = [];
    for (const member of this.#members.slice(0, -1)) {
      this.#beganMs = null;
      const [startedMs] = await this.#ask(member, 'hand-over');
      await this.#until(() => this.#beganMs !== null);
      samples.push(this.#beganMs! - startedMs!);
    }
    return samples;
  }

  async #ask(member: StartedProcess<ToCalibration>, probe: Probe): Promise<readonly number[]> {
    await new Promise((resolve) => setTimeout(resolve, restMs));
    this.#samplesMs = null;
    member.tell({ type: 'measure', probe });
    await this.#until(() => this.#samplesMs !== null);
    return this.#samplesMs ?? [];
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.kill()));
  }

  #receive(id: string, message: FromCalibration): void {
    if (message.type === 'listening') this.#ports[id] = message.port;
    else if (message.type === 'connected') this.#connected += 1;
    else if (message.type === 'began') this.#beganMs = message.atMs;
    else this.#samplesMs = message.samplesMs;
  }

  async #until(condition: () => boolean): Promise<void> {
    const giveUpMs = performance.now() + limitMs;
    while (!condition()) {
      this.#signal.throwIfAborted();
      if (this.#failed)
        throw new Error('A process of the calibration ended by itself; see its output above.');
      if (performance.now() > giveUpMs) {
        throw new Error(
          `The calibration had no answer within ${limitMs / 1000} s; is the machine overloaded?`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
