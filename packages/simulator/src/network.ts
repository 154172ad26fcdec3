import type { DelayRangeMs } from '@hustings/elector/protocol';
import type { Random } from './random.js';

/** How the network treats messages while nothing is wrong. */
export interface NetworkModel {
  /** One-way latency, drawn for each message. */
  readonly latencyMs: DelayRangeMs;
  readonly lossProbability: number;
  readonly duplicateProbability: number;
  /** Messages on one link may overtake each other. Off, they arrive in order, as over TCP. */
  readonly reorders: boolean;
  /**
   * Messages name the process at each end, and one that is gone neither hears nor is heard. Off, a restarted node
   * may be answered what its former process had asked.
   */
  readonly tellsLivesApart: boolean;
  /** A crashed node's peers see its connections close one latency later, as a killed process's peers do. */
  readonly closesLinksOnCrash: boolean;
}

export const defaultNetwork: NetworkModel = {
  latencyMs: [0.5, 2],
  lossProbability: 0,
  duplicateProbability: 0,
  reorders: false,
  tellsLivesApart: true,
  closesLinksOnCrash: true,
};

/** A disturbance that a fault lays over the network until it heals. Links are pairs of node indices. */
export interface Disturbance {
  readonly lossProbability?: number;
  readonly duplicateProbability?: number;
  readonly reorders?: boolean;
  readonly extraLatencyMs?: number;
  /** In place of the model's. */
  readonly latencyMs?: DelayRangeMs;
  /** Which links it affects. */
  affects(from: number, to: number): boolean;
}

/** How a link treats messages now. */
interface Conditions {
  lossProbability: number;
  duplicateProbability: number;
  reorders: boolean;
  extraLatencyMs: number;
  /** In place of what is drawn otherwise. */
  latencyMs: DelayRangeMs | null;
}

/** How long one message takes, between two node indices. */
export type DrawLatencyMs = (from: number, to: number) => number;

/** The state of every link: what is cut, what is disturbed, and when the last message arrives. */
export class Network {
  /** While nothing disturbs them. */
  readonly #calm: Readonly<Conditions>;
  readonly #random: Random;
  readonly #drawLatencyMs: DrawLatencyMs;
  readonly #size: number;
  readonly #cuts: Uint8Array;
  readonly #lastArrivalMs: Float64Array;
  #disturbances: readonly Disturbance[] = [];
  #cutLinks = 0;

  constructor(
    size: number,
    model: NetworkModel,
    random: Random,
    drawLatencyMs: DrawLatencyMs = () => random.delayMs(model.latencyMs),
  ) {
    const { lossProbability, duplicateProbability, reorders } = model;
    this.#calm = { lossProbability, duplicateProbability, reorders, extraLatencyMs: 0, latencyMs: null };
    this.#random = random;
    this.#drawLatencyMs = drawLatencyMs;
    this.#size = size;
    this.#cuts = new Uint8Array(size * size);
    this.#lastArrivalMs = new Float64Array(size * size);
  }

  isCut(from: number, to: number): boolean {
    return this.#cuts[from * this.#size + to] !== 0;
  }

  /** Whether any link is cut: nearly always none is, and then nobody need ask which. */
  get isTorn(): boolean {
    return this.#cutLinks > 0;
  }

  /** Cuts add up: a link carries messages again when every cut of it has healed. */
  cut(from: number, to: number): void {
    this.#cuts[from * this.#size + to]! += 1;
    this.#cutLinks += 1;
  }

  mend(from: number, to: number): void {
    this.#cuts[from * this.#size + to]! -= 1;
    this.#cutLinks -= 1;
  }

  disturb(disturbance: Disturbance): void {
    this.#disturbances = [...this.#disturbances, disturbance];
  }

  calm(disturbance: Disturbance): void {
    this.#disturbances = this.#disturbances.filter((other) => other !== disturbance);
  }

  /** What the disturbances of a link make of the model. */
  #conditionsOf(from: number, to: number): Readonly<Conditions> {
    if (this.#disturbances.length === 0) return this.#calm;
    const conditions = { ...this.#calm };
    for (const disturbance of this.#disturbances) {
      // Of several that replace the model's latency, the last.
      conditions.latencyMs = disturbance.latencyMs ?? conditions.latencyMs;
      if (!disturbance.affects(from, to)) continue;
      const { lossProbability = 0, duplicateProbability = 0, extraLatencyMs = 0 } = disturbance;
      conditions.lossProbability = Math.max(conditions.lossProbability, lossProbability);
      conditions.duplicateProbability = Math.max(conditions.duplicateProbability, duplicateProbability);
      conditions.extraLatencyMs += extraLatencyMs;
      conditions.reorders ||= disturbance.reorders ?? false;
    }
    return conditions;
  }

  latencyMs(from: number, to: number): number {
    return this.#latencyMs(from, to, this.#conditionsOf(from, to));
  }

  #latencyMs(from: number, to: number, { extraLatencyMs, latencyMs }: Readonly<Conditions>): number {
    return (
      extraLatencyMs + (latencyMs === null ? this.#drawLatencyMs(from, to) : this.#random.delayMs(latencyMs))
    );
  }

  /** When a message sent now arrives; never, `Infinity`, if it is lost. */
  arrivalMs(from: number, to: number, nowMs: number): number {
    if (this.isCut(from, to)) return Number.POSITIVE_INFINITY;
    const conditions = this.#conditionsOf(from, to);
    if (this.#random.chance(conditions.lossProbability)) return Number.POSITIVE_INFINITY;
    const arrivalMs = nowMs + this.#latencyMs(from, to, conditions);
    return conditions.reorders ? arrivalMs : this.#afterTheLast(from, to, arrivalMs);
  }

  /** When news of the connection itself arrives: after whatever was sent over it before. */
  inOrderMs(from: number, to: number, nowMs: number): number {
    return this.#afterTheLast(from, to, nowMs + this.latencyMs(from, to));
  }

  #afterTheLast(from: number, to: number, arrivalMs: number): number {
    const link = from * this.#size + to;
    const inOrderMs = Math.max(arrivalMs, this.#lastArrivalMs[link]!);
    this.#lastArrivalMs[link] = inOrderMs;
    return inOrderMs;
  }

  /** Whether the network delivers this message once more. */
  duplicates(from: number, to: number): boolean {
    return this.#random.chance(this.#conditionsOf(from, to).duplicateProbability);
  }
}
