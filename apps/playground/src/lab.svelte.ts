/** All that the page knows: which electors run under which schedule, and which moment is looked at. */

import { HustingsError, type NodeId } from '@hustings/elector';
import {
  type FaultKind,
  parseSchedule,
  type Question,
  type Schedule,
  type Setting,
} from '@hustings/simulator';
import { readAddress, type View, viewOf, writeAddress } from './model/address.js';
import { Axis, axisOf, isStirring } from './model/axis.js';
import { faultOn, forked, healed, targetOf, withFault, withoutFault, withSetting } from './model/edit.js';
import { type Elector, isSame, type Run, recordRun } from './model/run.js';
import { type Scenario, scenarios } from './model/scenarios.js';
import { overlapsOf } from './model/verdict.js';

export interface Selection {
  readonly run: number;
  readonly node: NodeId;
}

export interface Asked {
  readonly run: number;
  readonly question: Question;
}

export type Panel = 'guide' | 'hands' | 'why' | 'run';

/** Units of the axis a second: a message of 3 ms takes about a tenth of a second at full speed. */
const unitsPerSecond = 30;
/** Readouts and buttons follow the playhead this often: nobody reads faster. */
const readoutMs = 120;
const mostElectors = 5;

const freePlay = 'nodes n1 n2 n3 n4 n5\nseed 1\nlatency 1 5\nrun 4000\n';

export class Lab {
  electors = $state.raw<readonly Elector[]>([]);
  schedule = $state.raw<Schedule>(parseSchedule(freePlay));
  scenario = $state.raw<Scenario | null>(null);
  runs = $state.raw<readonly Run[]>([]);
  axis = $state.raw(new Axis([], 1));
  nowMs = $state(0);
  /** The playhead for text and buttons. */
  shownMs = $state(0);
  isPlaying = $state(false);
  hasEnded = $state(false);
  speed = $state(1);
  selected = $state.raw<Selection | null>(null);
  asked = $state.raw<Asked | null>(null);
  panel = $state<Panel>('guide');
  problem = $state<string | null>(null);
  progress = $state<number | null>(null);
  /** What was predicted in this scenario. */
  prediction = $state<number | null>(null);
  #past = $state.raw<readonly Schedule[]>([]);
  #frame = 0;
  #lastMs = 0;
  #shownAtMs = 0;
  #showing = 0;
  #recording = 0;

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get endMs(): number {
    return this.axis.endMs;
  }

  get view(): View {
    const { electors, schedule, scenario, nowMs } = this;
    return { electors, schedule, scenario, atMs: nowMs };
  }

  // ---- Opening -------------------------------------------------------------------------------------------

  /** What the address says, or the first scenario. */
  async open(hash: string): Promise<void> {
    try {
      await this.show(readAddress(hash) ?? viewOf(scenarios[0]!));
    } catch (error) {
      await this.show(viewOf(scenarios[0]!));
      this.problem = `This link cannot be opened. ${messageOf(error)}`;
    }
  }

  async show(view: View): Promise<void> {
    this.pause();
    this.scenario = view.scenario;
    this.electors = view.electors.slice(0, mostElectors);
    this.schedule = view.schedule;
    this.prediction = null;
    this.hasEnded = false;
    this.selected = null;
    this.asked = null;
    this.#past = [];
    this.panel = view.scenario === null ? 'why' : 'guide';
    await this.#record();
    const violation = this.runs[0]?.recording.facts.violation ?? null;
    this.seek(view.atMs ?? violation?.atMs ?? 0);
    if (view.atMs === null && violation !== null) this.#askWhy(violation.atMs);
  }

  async choose(scenario: Scenario): Promise<void> {
    await this.show(viewOf(scenario));
  }

  async playFreely(): Promise<void> {
    const electors = this.electors.length === 0 ? [{ algorithm: 'raft', variant: 'default' }] : this.electors;
    await this.show({ electors, schedule: parseSchedule(freePlay), scenario: null, atMs: 600 });
    this.panel = 'hands';
  }

  async toggle(elector: Elector): Promise<void> {
    const others = this.electors.filter((other) => !isSame(other, elector));
    const isThere = others.length < this.electors.length;
    if (isThere ? others.length === 0 : others.length >= mostElectors) return;
    this.electors = isThere ? others : [...others, elector];
    this.selected = null;
    this.asked = null;
    await this.#record();
  }

  // ---- Editing -------------------------------------------------------------------------------------------

  /** Records the edited schedule; what cannot work is said, and nothing changes. */
  async edit(schedule: Schedule): Promise<void> {
    const before = this.schedule;
    this.schedule = schedule;
    if (await this.#record()) this.#past = [...this.#past, before];
    else this.schedule = before;
  }

  async undo(): Promise<void> {
    const before = this.#past.at(-1);
    if (before === undefined) return;
    this.#past = this.#past.slice(0, -1);
    this.schedule = before;
    await this.#record();
  }

  /** Does something to the run at the moment that is looked at. */
  strike(kind: FaultKind): Promise<void> {
    return this.edit(withFault(this.schedule, kind, this.nowMs));
  }

  heal(index: number): Promise<void> {
    return this.edit(healed(this.schedule, index, this.nowMs));
  }

  remove(index: number): Promise<void> {
    return this.edit(withoutFault(this.schedule, index));
  }

  fork(): Promise<void> {
    return this.edit(forked(this.schedule, this.nowMs));
  }

  set(name: string, value: Setting): Promise<void> {
    return this.edit(withSetting(this.schedule, name, value));
  }

  /** How the schedule names this node of this run. */
  target(run: number, node: NodeId): string {
    const { recording } = this.runs[run]!;
    return targetOf(recording, node, recording.sequenceAt(this.nowMs), this.runs.length > 1);
  }

  /** Which fault of these kinds strikes this node now: its place in the schedule. */
  suffering({ run, node }: Selection, ...types: FaultKind['type'][]): number | null {
    const found = this.runs[run];
    return found === undefined ? null : faultOn(found.recording, node, this.shownMs, types);
  }

  async #record(): Promise<boolean> {
    const ticket = ++this.#recording;
    this.problem = null;
    try {
      const runs: Run[] = [];
      for (const elector of this.electors) {
        runs.push(await recordRun(elector, this.schedule, (progress) => this.#breathe(progress)));
      }
      if (ticket !== this.#recording) return false;
      this.runs = runs;
      this.axis = axisOf(runs.map(({ recording }) => recording));
      this.seek(Math.min(this.nowMs, this.endMs));
      return true;
    } catch (error) {
      this.problem = messageOf(error);
      return false;
    } finally {
      this.progress = null;
    }
  }

  async #breathe(progress: number): Promise<void> {
    this.progress = progress;
    await new Promise((resolve) => setTimeout(resolve));
  }

  // ---- Time ----------------------------------------------------------------------------------------------

  seek(atMs: number): void {
    this.#move(atMs);
    this.#show();
  }

  /** Follows a hand that moves the playhead about. */
  scrub(atMs: number): void {
    this.pause();
    this.#move(atMs);
    this.#showInTime();
  }

  #move(atMs: number): void {
    this.nowMs = Math.max(0, Math.min(atMs, this.endMs));
    if (this.nowMs >= this.endMs) this.hasEnded = true;
  }

  #show(): void {
    clearTimeout(this.#showing);
    this.#shownAtMs = performance.now();
    this.shownMs = this.nowMs;
  }

  #showInTime(): void {
    clearTimeout(this.#showing);
    const waitMs = this.#shownAtMs + readoutMs - performance.now();
    if (waitMs <= 0) this.#show();
    else this.#showing = window.setTimeout(() => this.#show(), waitMs);
  }

  play(): void {
    if (this.isPlaying) return;
    if (this.nowMs >= this.endMs) this.seek(this.scenario?.fromMs ?? 0);
    this.isPlaying = true;
    this.#lastMs = 0;
    this.#frame = requestAnimationFrame((atMs) => this.#tick(atMs));
  }

  pause(): void {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    cancelAnimationFrame(this.#frame);
    this.#show();
  }

  #tick(frameMs: number): void {
    const passedMs = this.#lastMs === 0 ? 0 : Math.min(100, frameMs - this.#lastMs);
    this.#lastMs = frameMs;
    const units = this.axis.unitsAt(this.nowMs) + (passedMs / 1000) * unitsPerSecond * this.speed;
    this.nowMs = this.axis.msAt(units);
    this.#showInTime();
    if (units >= this.axis.length) {
      this.pause();
      this.seek(this.endMs);
      return;
    }
    this.#frame = requestAnimationFrame((atMs) => this.#tick(atMs));
  }

  /** To the next event of an election, of any elector that is shown; or the one before. */
  step(direction: 1 | -1): void {
    this.pause();
    const times = this.runs.map(({ recording }) => {
      const { events, periodicMessages } = recording.facts;
      const from = recording.sequenceAt(direction === 1 ? this.nowMs : this.nowMs - 1e-7);
      for (
        let sequence = direction === 1 ? from + 1 : from;
        sequence >= 0 && sequence < events.length;
        sequence += direction
      ) {
        const event = events[sequence]!;
        if (isStirring(event, periodicMessages) && event.atMs * direction > this.nowMs * direction)
          return event.atMs;
      }
      return direction === 1 ? this.endMs : 0;
    });
    this.seek(direction === 1 ? Math.min(...times) : Math.max(...times));
  }

  /** To the end, where the lesson is. */
  finish(): void {
    this.pause();
    this.seek(this.endMs);
  }

  // ---- Asking --------------------------------------------------------------------------------------------

  ask(run: number, question: Question): void {
    this.asked = { run, question };
    this.panel = 'why';
  }

  /** Why things stand as they do now. */
  askNow(run: number): void {
    const reign = this.runs[run]?.recording.reignAt(this.nowMs);
    if (reign) this.ask(run, { type: 'reign', reign });
  }

  #askWhy(atMs: number): void {
    const { recording } = this.runs[0]!;
    const overlap = overlapsOf(recording).find(
      ({ fromMs, untilMs }) => fromMs <= atMs + 1e-6 && untilMs >= atMs,
    );
    if (overlap === undefined) {
      this.ask(0, { type: 'event', sequence: Math.max(0, recording.sequenceAt(atMs)) });
    } else this.ask(0, { type: 'reign', reign: overlap });
  }

  get address(): string {
    return writeAddress(this.view);
  }
}

function messageOf(error: unknown): string {
  if (error instanceof HustingsError || error instanceof Error) return error.message;
  return String(error);
}
