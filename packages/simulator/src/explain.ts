/**
 * Says why: why this node leads, why two do, why nobody does, why a write was refused. Every sentence quotes events of
 * the recording and says nothing that is not in them. It knows no algorithm: causes are messages, timers and faults, and
 * they lead through a coordinator as through any other node.
 */

import type { NodeId } from '@hustings/elector';
import type { ProtocolMessage } from '@hustings/elector/protocol';
import { Causes, type Step } from './causes.js';
import type { RecordedFault, RecordedTenure, Recording, Reign } from './recording.js';
import type { AnyInput } from './simulation.js';
import { tellFault } from './story.js';
import type { TraceEvent } from './trace.js';

export interface Statement {
  readonly text: string;
  /** The events that it speaks of, by their sequence. */
  readonly events: readonly number[];
}

export type Question =
  /** Why does this node lead? The index of a tenure. */
  | { readonly type: 'tenure'; readonly tenure: number }
  /** Why do two lead at once, or nobody? */
  | { readonly type: 'reign'; readonly reign: Reign }
  /** Why was this write taken, or refused? Its index. */
  | { readonly type: 'write'; readonly write: number }
  /** What did this event come of? */
  | { readonly type: 'event'; readonly sequence: number };

export function explain<State>(recording: Recording<State>, question: Question): Statement[] {
  const explainer = new Explainer(recording as Recording);
  switch (question.type) {
    case 'tenure':
      return explainer.tenure(question.tenure);
    case 'reign':
      return question.reign.tenures.length === 0
        ? explainer.gap(question.reign)
        : explainer.reign(question.reign);
    case 'write':
      return explainer.write(question.write);
    case 'event':
      return explainer.event(question.sequence);
  }
}

/** As lines, for a terminal or a golden file. */
export const tellStatements = (statements: readonly Statement[]): string =>
  statements.map(({ text }) => `${text}\n`).join('');

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const said = (text: string, ...events: readonly (number | null | undefined)[]): Statement => ({
  text,
  events: events.filter((sequence) => sequence != null),
});
const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
/** `3 were lost (the link is cut)`. */
const lossOf = (whys: readonly string[]): string =>
  `${whys.length} ${whys.length === 1 ? 'was' : 'were'} lost (${listed([...new Set(whys)])})`;

/** A message with what fits on a line: numbers, answers and short words. */
function named({ type, ...fields }: ProtocolMessage): string {
  const short = Object.entries(fields).filter(
    ([name, value]) =>
      !/^id$|Ms$|^(last|previous)/.test(name) &&
      (typeof value === 'number' ||
        typeof value === 'boolean' ||
        (typeof value === 'string' && value.length <= 12)),
  );
  const told = short.slice(0, 3).map(([name, value]) => `${name} ${value}`);
  return told.length === 0 ? type.toUpperCase() : `${type.toUpperCase()}(${told.join(', ')})`;
}

/** What reached a node, as something past: `its timer 'election' fired`. */
function past(input: AnyInput): string {
  switch (input.type) {
    case 'received':
      return `it heard ${named(input.message)} from ${input.from}`;
    case 'timer-fired':
      return `its timer '${input.timer}' fired`;
    case 'campaign-requested':
      return 'it was asked to campaign';
    case 'resign-requested':
      return input.to === undefined ? 'it was asked to resign' : `it was asked to resign to ${input.to}`;
    case 'health-changed':
      return input.healthy ? 'it was healthy again' : 'it became unhealthy';
    case 'observation-changed':
      return input.observed ? 'it was observed' : 'it was observed no longer';
    case 'link-up':
      return `its connection to ${input.peer} opened`;
    case 'link-down':
      return `its connection to ${input.peer} closed`;
    case 'peer-gone':
      return `it had proof that ${input.peer} had died`;
    case 'restarted':
      return 'it restarted';
    case 'started':
      return 'it started';
    case 'lease-expired':
      return 'it noticed that its lease had run out';
    case 'requested':
      return 'its application asked for something';
  }
}

/** The same with the node's name in it: `n1's timer 'election' fired`. */
export function pastOf({ node, input }: Pick<Step, 'node' | 'input'>): string {
  const told = past(input);
  return told.replace(/^its /, `${node}'s `).replace(/^it /, `${node} `);
}

class Explainer {
  readonly #recording: Recording;
  readonly #causes: Causes;

  constructor(recording: Recording) {
    this.#recording = recording;
    this.#causes = new Causes(recording);
  }

  get #facts() {
    return this.#recording.facts;
  }

  // ---- One leads --------------------------------------------------------------------------------------------

  tenure(index: number): Statement[] {
    const { node, token, beganMs, beganBy } = this.#facts.tenures[index]!;
    return [
      said(`${node} leads from ${ms(beganMs)} with token ${token}.`, beganBy),
      ...this.#originOf(index),
      ...this.#supportOf(index),
      ...this.#endOf(index),
    ];
  }

  /** What led to it, from the first cause on. */
  #originOf(index: number): Statement[] {
    const tenure = this.#facts.tenures[index]!;
    return this.#storyOf(this.#causes.chainTo(tenure.beganBy), this.#formerTo(index));
  }

  #storyOf(chain: readonly Step[], former: RecordedTenure | null): Statement[] {
    const [first, ...rest] = chain as [Step, ...Step[]];
    const campaigns = this.#campaignsBefore(first);
    const start = campaigns.at(-1);
    if (start === undefined) return [...this.#rootOf(first, former), ...this.#condensed(rest)];
    const inVain = campaigns.length - 1;
    return [
      ...this.#storyOf(this.#causes.chainTo(start.sequence), former),
      ...(inVain === 0 ? [] : [said(`${first.node} campaigned ${times(inVain)} more, in vain.`)]),
      ...this.#condensed([first, ...rest]),
    ];
  }

  /** A timer that was set while a node campaigned belongs to that campaign. The latest first. */
  #campaignsBefore(step: Step): Step[] {
    const campaigns: Step[] = [];
    let setter = this.#causes.setterOf(step);
    while (setter !== null && this.#asked(setter) !== '') {
      campaigns.push(setter);
      setter = this.#causes.setterOf(setter);
    }
    return campaigns;
  }

  /** The Leadership before it, whosever it was. */
  #formerTo(index: number): RecordedTenure | null {
    return this.#facts.tenures[index - 1] ?? null;
  }

  /** The step at which a chain of messages began, and what made it. */
  #rootOf(step: Step, former: RecordedTenure | null): Statement[] {
    const { node, input, atMs, sequence } = step;
    switch (input.type) {
      case 'timer-fired':
        return this.#timerRoot(step, former);
      case 'link-down':
      case 'peer-gone': {
        const saw =
          input.type === 'link-down'
            ? `saw that its connection to ${input.peer} had closed`
            : `had proof that ${input.peer} had died`;
        const crash = this.#causes.before(input.peer, sequence, ({ type }) => type === 'crashed');
        return [
          ...(crash === null ? [] : [this.#crashOf(input.peer, crash)]),
          said(`At ${ms(atMs)} ${node} ${saw}.`, sequence),
        ];
      }
      default:
        return [...this.#historyOf(step, former), this.#hop(step)];
    }
  }

  /** An application that has just lost its Leadership campaigns again. */
  #historyOf({ node, atMs }: Step, former: RecordedTenure | null): Statement[] {
    const own = this.#facts.tenures.findLast(
      (tenure) => tenure.node === node && tenure.endedMs !== null && tenure.endedMs <= atMs,
    );
    if (own !== undefined) return [this.#endedOf(own)];
    return former === null ? [said('Nobody had led before.')] : [];
  }

  #timerRoot(step: Step, former: RecordedTenure | null): Statement[] {
    const { node, atMs, sequence } = step;
    const fired = this.#causes.faultOn(node, atMs, 'fire');
    if (fired?.atMs === atMs) {
      return [said(`At ${ms(atMs)} ${pastOf(step)}, by hand${this.#asked(step)}.`, fired.sequence, sequence)];
    }
    const isOwn = former === null || former.node === node;
    return [
      ...(isOwn
        ? this.#historyOf(step, former)
        : [...this.#goneBefore(former, node, step), ...this.#lastWord(former, step)]),
      this.#timerOf(step),
    ];
  }

  /** A coordinator's patience counts from when it last heard of the leader, not from what befell the leader. */
  #lastWord(former: RecordedTenure, { node, atMs }: Step): Statement[] {
    if (!this.#facts.services.includes(node)) return [];
    const heard = this.#facts.flights.flatMap(({ from, to, end }) =>
      from === former.node && to === node && end.type === 'arrived' && end.atMs <= atMs ? [end] : [],
    );
    const last = heard.reduce<(typeof heard)[number] | null>(
      (latest, end) => (latest === null || end.atMs > latest.atMs ? end : latest),
      null,
    );
    return last === null
      ? []
      : [said(`${node} had last heard from ${former.node} at ${ms(last.atMs)}.`, last.sequence)];
  }

  #asked({ effects }: Step): string {
    return effects.some(({ type }) => type === 'campaign') ? ', and it campaigned' : '';
  }

  /** What had become of the leader before, as seen from where it was missed. */
  #goneBefore(former: RecordedTenure, observer: NodeId, step: Step): Statement[] {
    const { node, endedMs } = former;
    const { atMs, sequence } = step;
    const { status } = this.#recording.at(node, sequence);
    if (status === 'crashed') {
      const crash = this.#causes.before(node, sequence, ({ type }) => type === 'crashed');
      if (crash !== null) return [this.#crashOf(node, crash)];
    }
    if (status === 'paused') {
      const pause = this.#causes.before(node, sequence, ({ type }) => type === 'paused');
      const fault = this.#causes.faultOn(node, atMs, 'pause');
      if (pause !== null) {
        return [said(`At ${ms(pause.atMs)} ${node}, which led, was paused${quoted(fault)}.`, pause.sequence)];
      }
    }
    if (observer !== node) {
      const cut = this.#causes.cutBetween(node, observer, atMs);
      if (cut !== null) {
        return [
          said(
            `At ${ms(cut.atMs)} the link from ${node}, which led, to ${observer} was cut${quoted(cut)}.`,
            cut.sequence,
          ),
        ];
      }
    }
    if (endedMs !== null && endedMs <= atMs) return [this.#endedOf(former)];
    return this.#silence(node, observer, step);
  }

  #crashOf(node: NodeId, crash: TraceEvent): Statement {
    const fault = this.#facts.faults.find(
      ({ atMs, nodes, fault: { type } }) =>
        atMs === crash.atMs && (nodes.includes(node) || type.includes('crash')),
    );
    return said(`At ${ms(crash.atMs)} ${node} crashed${quoted(fault ?? null)}.`, crash.sequence);
  }

  /** It is there, and yet what it sent did not come in time. */
  #silence(node: NodeId, observer: NodeId, step: Step): Statement[] {
    // Nodes that have a coordinator may never talk to one another, and then miss nothing.
    if (!this.#facts.flights.some(({ from, to }) => from === node && to === observer)) return [];
    const setter = this.#causes.setterOf(step);
    const fromMs = setter?.atMs ?? 0;
    const missed = this.#facts.flights.filter(
      ({ from, to, sentMs, end }) =>
        from === node &&
        to === observer &&
        sentMs <= step.atMs &&
        ((end.type === 'lost' && end.atMs >= fromMs && sentMs >= fromMs - 1) ||
          (end.type === 'arrived' && end.atMs > step.atMs)),
    );
    const lost = missed.flatMap(({ end }) => (end.type === 'lost' ? [end.why] : []));
    const text =
      missed.length === 0
        ? `${node} led, but sent ${observer} nothing that arrived in that time.`
        : lost.length > 0
          ? `${node} led, but ${counted(lost.length, 'message')} from it to ${observer} did not arrive: ${listed([...new Set(lost)])}.`
          : `${node} led, but ${counted(missed.length, 'message')} from it to ${observer} were still on their way.`;
    return [said(text, ...missed.slice(0, 3).map(({ sentBy }) => sentBy))];
  }

  /** The middle of a long exchange is left out; nobody would read it. */
  #condensed(chain: readonly Step[]): Statement[] {
    const told = chain.map((step) => this.#hop(step));
    if (told.length <= 7) return told;
    const left = told.slice(4, -3);
    return [...told.slice(0, 4), said(`(${counted(left.length, 'further message')}.)`), ...told.slice(-3)];
  }

  #hop(step: Step): Statement {
    const { atMs, sequence, effects } = step;
    const led = effects.find(({ type }) => type === 'lead');
    const consequence = led === undefined ? this.#asked(step) : ', and it began to lead';
    const flight = this.#causes.flightInto(sequence);
    return said(`At ${ms(atMs)} ${pastOf(step)}${consequence}.`, flight?.sentBy, sequence);
  }

  /** Who else had said the same as the one whose word was the last that it needed. */
  #supportOf(index: number): Statement[] {
    const { node, beganBy } = this.#facts.tenures[index]!;
    const begin = this.#causes.event(beganBy) as Step;
    if (begin.input.type !== 'received' || this.#facts.services.includes(begin.input.from)) return [];
    const { type } = begin.input.message;
    const campaign = this.#causes.before(
      node,
      beganBy,
      (event) => event.type === 'step' && event.effects.some((effect) => effect.type === 'campaign'),
    );
    const heard = this.#causes
      .between(node, campaign?.sequence ?? -1, beganBy + 1)
      .filter(({ input }) => input.type === 'received' && input.message.type === type);
    const from = [...new Set(heard.flatMap(({ input }) => (input.type === 'received' ? [input.from] : [])))];
    if (from.length < 2) return [];
    return [
      said(
        `By then ${type.toUpperCase()} had come from ${listed(from)}.`,
        ...heard.map(({ sequence }) => sequence),
      ),
    ];
  }

  #endOf(index: number): Statement[] {
    const tenure = this.#facts.tenures[index]!;
    return tenure.endedMs === null ? [] : [this.#endedOf(tenure)];
  }

  #endedOf(tenure: RecordedTenure): Statement {
    const { node, token, endedBy } = tenure;
    const endedMs = tenure.endedMs!;
    if (endedBy === null) return this.#lapseOf(tenure, endedMs);
    const event = this.#causes.event(endedBy);
    if (event.type === 'crashed') return this.#crashOf(node, event);
    const told = `At ${ms(endedMs)} ${node} stopped leading with token ${token}`;
    if (event.type !== 'step' || event.node !== node || event.atMs !== endedMs) {
      const fault = this.#causes.faultOn(node, endedMs, 'graceful', 'unhealthy');
      return said(`${told}${quoted(fault)}.`, event.sequence);
    }
    return said(`${told}: ${past(event.input)}.`, event.sequence);
  }

  /** And why nobody extended it. */
  #lapseOf({ node, token }: RecordedTenure, endedMs: number): Statement {
    const before = this.#recording.at(node, this.#recording.sequenceAt(endedMs - 1e-5));
    const renewedMs = before.leadership?.renewedMs ?? endedMs;
    const told = `At ${ms(endedMs)} the lease of ${node}, with token ${token}, ran out. It had last been extended at ${ms(renewedMs)}`;
    if (before.status === 'paused') return said(`${told}; then ${node} was paused.`);
    const sent = this.#facts.flights.filter(
      ({ from, to, sentMs }) => (from === node || to === node) && sentMs >= renewedMs && sentMs < endedMs,
    );
    const lost = sent.flatMap(({ end }) => (end.type === 'lost' ? [end.why] : []));
    if (lost.length === 0) return said(`${told}.`);
    return said(`${told}; of ${counted(sent.length, 'message')} to and from it since then ${lossOf(lost)}.`);
  }

  // ---- Two lead, or one ------------------------------------------------------------------------------------

  reign(reign: Reign): Statement[] {
    const [first, second] = reign.tenures as [number, number?];
    return second === undefined ? this.tenure(first) : this.#overlap(reign, first, second);
  }

  #overlap({ fromMs, untilMs, tenures }: Reign, first: number, second: number): Statement[] {
    const earlier = this.#facts.tenures[first]!;
    const later = this.#facts.tenures[second]!;
    const names = tenures.map((index) => this.#facts.tenures[index]!.node);
    return [
      said(
        `${listed(names)} lead at the same time for ${ms(untilMs - fromMs)}, from ${ms(fromMs)} to ${ms(untilMs)}.`,
        earlier.beganBy,
        later.beganBy,
      ),
      said(
        `${earlier.node} has led since ${ms(earlier.beganMs)} with token ${earlier.token}.`,
        earlier.beganBy,
      ),
      ...this.#coordinatorFaults(earlier, later),
      ...this.#originOf(second),
      ...this.#ignoranceOf(earlier, later, untilMs),
      ...this.#clocksOf(earlier, fromMs),
      ...this.#outcomeOf(earlier, later, untilMs),
      this.#promise(),
      this.#fenceOf(earlier, later),
    ];
  }

  /** What happened to the coordinator that had made the first of them a leader. */
  #coordinatorFaults(earlier: RecordedTenure, later: RecordedTenure): Statement[] {
    return this.#facts.faults
      .filter(
        ({ fault, atMs }) =>
          fault.type.startsWith('coordinator') && atMs > earlier.beganMs && atMs < later.beganMs,
      )
      .map(({ fault, atMs, sequence }) =>
        said(`At ${ms(atMs)} ${listed(this.#facts.services)} was struck (${tellFault(fault)}).`, sequence),
      );
  }

  /** Why the one that led first does not know better. */
  #ignoranceOf(earlier: RecordedTenure, later: RecordedTenure, untilMs: number): Statement[] {
    const others = [...this.#facts.nodes, ...this.#facts.services].filter((id) => id !== earlier.node);
    const to = this.#facts.flights.filter(
      ({ to, from, sentMs }) =>
        to === earlier.node && others.includes(from) && sentMs >= later.beganMs - 1 && sentMs < untilMs,
    );
    const lost = to.flatMap((flight) =>
      flight.end.type === 'lost' ? [{ ...flight, why: flight.end.why }] : [],
    );
    if (lost.length === 0) return [];
    const loss = lossOf(lost.map(({ why }) => why));
    return [
      said(
        `${earlier.node} cannot know: of ${counted(to.length, 'message')} to it in that time ${loss}.`,
        ...lost.slice(0, 3).map(({ sentBy }) => sentBy),
      ),
    ];
  }

  #clocksOf({ node }: RecordedTenure, atMs: number): Statement[] {
    const drift = this.#causes.faultOn(node, atMs, 'clock-drift');
    if (drift?.fault.type !== 'clock-drift') return [];
    return [
      said(
        `The clock of ${node} runs at ${drift.fault.rate} times real time since ${ms(drift.atMs)}, and by it the lease is not over yet.`,
        drift.sequence,
      ),
    ];
  }

  #outcomeOf(earlier: RecordedTenure, later: RecordedTenure, untilMs: number): Statement[] {
    for (const tenure of [earlier, later]) {
      if (tenure.endedMs !== null && Math.abs(tenure.endedMs - untilMs) < 1e-9)
        return [this.#endedOf(tenure)];
    }
    return untilMs >= this.#facts.endMs ? [said('Nothing ends it before the recording does.')] : [];
  }

  #promise(): Statement {
    const { algorithm, variant, guarantees } = this.#facts;
    // Variants promise different things.
    const name = variant === 'default' ? algorithm : `${algorithm} (${variant})`;
    if (!guarantees.atMostOneLeader) {
      return said(`Nobody promised otherwise: ${name} does not promise that at most one node leads.`);
    }
    return guarantees.leased
      ? said(
          `The promise of ${name}, that at most one node leads, holds only while clocks keep to their bound.`,
        )
      : said(`This breaks the promise of ${name} that at most one node leads.`);
  }

  #fenceOf(earlier: RecordedTenure, later: RecordedTenure): Statement {
    if (earlier.token === later.token) {
      return said(
        `Both hold token ${later.token}: a fence takes writes of whichever wrote first, and cannot tell which leads.`,
      );
    }
    const [low, high] = earlier.token < later.token ? [earlier, later] : [later, earlier];
    return said(
      `Tokens ${low.token} and ${high.token} tell them apart: once ${high.node} has written, a fence refuses ${low.node}.`,
    );
  }

  // ---- Nobody leads ----------------------------------------------------------------------------------------

  gap({ fromMs, untilMs }: Reign): Statement[] {
    const first = this.#recording.sequenceAt(fromMs - 1e-9);
    const last = this.#recording.sequenceAt(untilMs);
    return [
      said(`Nobody leads from ${ms(fromMs)} to ${ms(untilMs)}: ${ms(untilMs - fromMs)}.`),
      ...withoutRepetition([
        ...this.#lastBefore(fromMs),
        ...this.#attempts(first, last),
        ...this.#lossesOf(fromMs, untilMs),
        ...this.#endOfGap(untilMs, first, last),
      ]),
    ];
  }

  #lastBefore(fromMs: number): Statement[] {
    if (fromMs === 0) return [said('Nobody had led before.')];
    const ended = this.#facts.tenures.filter(
      ({ endedMs }) => endedMs !== null && Math.abs(endedMs - fromMs) < 1e-9,
    );
    if (ended.length > 0) {
      return ended.map((tenure) => this.#endedOf(tenure));
    }
    const paused = this.#facts.pauses.find((pause) => pause.fromMs === fromMs);
    if (paused === undefined) return [];
    const fault = this.#causes.faultOn(paused.node, fromMs, 'pause');
    return [said(`At ${ms(fromMs)} ${paused.node}, which led, was paused${quoted(fault)}.`, fault?.sequence)];
  }

  #noticed(first: number, last: number): Statement[] {
    const step = this.#campaigns(first, last)[0];
    if (step === undefined) return [];
    return [
      said(
        `${step.node} is the first to campaign, at ${ms(step.atMs)}, when ${past(step.input)}.`,
        step.sequence,
      ),
    ];
  }

  #campaigns(first: number, last: number): Step[] {
    return this.#facts.events
      .slice(Math.max(0, first + 1), last + 1)
      .filter(
        (event): event is Step =>
          event.type === 'step' && event.effects.some((effect) => effect.type === 'campaign'),
      );
  }

  #attempts(first: number, last: number): Statement[] {
    const steps = this.#campaigns(first, last);
    if (steps.length < 2) return [];
    const counts = new Map<NodeId, number>();
    for (const { node } of steps) counts.set(node, (counts.get(node) ?? 0) + 1);
    const told = [...counts].map(([node, count]) => `${node} (${times(count)})`);
    return [said(`Candidates: ${listed(told)}.`, ...steps.map(({ sequence }) => sequence))];
  }

  #lossesOf(fromMs: number, untilMs: number): Statement[] {
    const sent = this.#facts.flights.filter(({ sentMs }) => sentMs >= fromMs && sentMs < untilMs);
    const lost = sent.flatMap(({ end }) => (end.type === 'lost' ? [end.why] : []));
    if (lost.length === 0) return [];
    return [said(`Of ${counted(sent.length, 'message')} sent meanwhile ${lossOf(lost)}.`)];
  }

  #endOfGap(untilMs: number, first: number, last: number): Statement[] {
    const next = this.#facts.tenures.findIndex(({ beganMs }) => beganMs === untilMs);
    if (next >= 0) return [...this.#originOf(next), ...this.#supportOf(next)];
    const woken = this.#facts.pauses.find((pause) => pause.untilMs === untilMs);
    if (woken !== undefined && untilMs < this.#facts.endMs) {
      return [said(`At ${ms(untilMs)} ${woken.node} goes on, and still leads.`)];
    }
    return [...this.#noticed(first, last), said('It lasts until the end of the recording.')];
  }

  // ---- Writes and events -----------------------------------------------------------------------------------

  write(index: number): Statement[] {
    const { node, token, begunMs, arrivedMs, tenure, refusal } = this.#facts.writes[index]!;
    const verdict = refusal === null ? 'was taken' : 'was refused';
    const { beganBy, beganMs } = this.#facts.tenures[tenure]!;
    const pause = this.#facts.pauses.find(
      (known) => known.node === node && known.fromMs >= begunMs && known.fromMs < arrivedMs,
    );
    const newer = this.#facts.tenures.find(
      (other) => other.beganMs > beganMs && other.beganMs <= arrivedMs && other.node !== node,
    );
    return [
      said(`A write of ${node} with token ${token} arrived at ${ms(arrivedMs)} and ${verdict}.`),
      said(`${node} had looked at ${ms(begunMs)} whether it led, and it did, since ${ms(beganMs)}.`, beganBy),
      ...(pause === undefined
        ? []
        : [
            said(
              `From ${ms(pause.fromMs)} to ${ms(pause.untilMs)} it was paused, in the middle of its work.`,
            ),
          ]),
      ...(newer === undefined
        ? []
        : [
            said(
              `${newer.node} began to lead at ${ms(newer.beganMs)} with token ${newer.token}.`,
              newer.beganBy,
            ),
          ]),
      refusal === null
        ? said('The store had seen no greater token, nor this one from anybody else.')
        : said(`The store: ${refusal} A store without a fence would have taken it.`),
    ];
  }

  event(sequence: number): Statement[] {
    const event = this.#causes.event(sequence);
    if (event.type !== 'step') return [this.#worldEvent(event)];
    const [first, ...rest] = this.#causes.chainTo(sequence) as [Step, ...Step[]];
    const former = this.#facts.tenures.findLast(
      ({ beganBy, node }) => beganBy < first.sequence && node !== first.node,
    );
    const isOfElection = this.#asked(first) !== '' || this.#campaignsBefore(first).length > 0;
    if (first.input.type !== 'timer-fired' || isOfElection) {
      return this.#storyOf([first, ...rest], former ?? null);
    }
    return [this.#timerOf(first), ...this.#condensed(rest)];
  }

  #timerOf(step: Step): Statement {
    const setter = this.#causes.setterOf(step);
    const isRegular = setter !== null && pastOf(setter) === pastOf(step);
    const since =
      setter === null || isRegular ? '' : ` (set at ${ms(setter.atMs)}, when ${past(setter.input)})`;
    const told = `At ${ms(step.atMs)} ${pastOf(step)}${isRegular ? ', as it does regularly' : since}${this.#asked(step)}.`;
    return said(told, ...(isRegular ? [] : [setter?.sequence]), step.sequence);
  }

  #worldEvent(event: Exclude<TraceEvent, Step>): Statement {
    const at = `At ${ms(event.atMs)}`;
    switch (event.type) {
      case 'lost': {
        const { from, to, message } = event;
        const flight = this.#facts.flights.find(
          (known) =>
            known.from === from &&
            known.to === to &&
            known.message === message &&
            known.end.type === 'lost' &&
            known.end.atMs === event.atMs,
        );
        const why = flight?.end.type === 'lost' ? `: ${flight.end.why}` : '';
        return said(
          `${at} ${named(message)} from ${from} to ${to} was lost${why}.`,
          flight?.sentBy,
          event.sequence,
        );
      }
      case 'fault':
      case 'healed': {
        const struck = this.#facts.faults.find(({ fault }) => fault === event.fault);
        const whom =
          struck === undefined || struck.nodes.length === 0 ? '' : `, which meant ${listed(struck.nodes)}`;
        const what = event.type === 'fault' ? 'began' : 'was over';
        return said(`${at} '${tellFault(event.fault)}' ${what}${whom}.`, event.sequence);
      }
      case 'ticked':
        return said(`${at} the clock advanced.`, event.sequence);
      default:
        return said(
          `${at} ${event.node} ${event.type === 'crashed' ? 'crashed' : `was ${event.type}`}.`,
          event.sequence,
        );
    }
  }
}

function withoutRepetition(statements: readonly Statement[]): Statement[] {
  const told = statements.map(({ text }) => text);
  return statements.filter(({ text }, index) => told.indexOf(text) === index);
}

const quoted = (recorded: RecordedFault | null): string =>
  recorded === null ? '' : ` (${tellFault(recorded.fault)})`;
