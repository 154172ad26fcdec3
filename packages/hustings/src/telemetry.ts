/**
 * Metrics and spans by OpenTelemetry's API, where the application has installed it, and channels of
 * `node:diagnostics_channel`. The README lists the names and units.
 */

import { channel } from 'node:diagnostics_channel';
import type { Leadership, NodeId, StepDownReason } from '@hustings/elector';
import type { Attributes, Histogram, Meter, ObservableGauge, Span, Tracer } from '@opentelemetry/api';
import type { Diagnostic } from './diagnostics.js';

export interface Identity {
  readonly id: NodeId;
  readonly election: string | null;
  readonly algorithm: string;
}

/** What is published on `hustings:leadership`. */
export type LeadershipEvent = Identity &
  (
    | { readonly type: 'began'; readonly leadership: Leadership }
    | { readonly type: 'ended'; readonly leadership: Leadership; readonly reason: StepDownReason }
  );

/** What is published on `hustings:message`. */
export interface MessageEvent extends Identity {
  readonly direction: 'sent' | 'received';
  readonly peer: NodeId;
  readonly type: string;
}

const channels = {
  diagnostic: channel('hustings:diagnostic'),
  leadership: channel('hustings:leadership'),
  message: channel('hustings:message'),
};

interface Instruments {
  readonly elections: (attributes: Attributes) => void;
  readonly changes: (attributes: Attributes) => void;
  readonly messages: (attributes: Attributes) => void;
  readonly renewal: Histogram;
  readonly stall: Histogram;
  readonly isLeader: ObservableGauge;
  readonly leaseRemaining: ObservableGauge;
}

/** Who speaks for a node: of several electors with the same attributes, one after the other, the last. */
const speakers = new WeakMap<Meter, Map<string, Telemetry>>();

/** Of one elector. Everything may be called before `open`, and means nothing to OpenTelemetry until then. */
export class Telemetry {
  readonly #identity: Identity;
  readonly #attributes: Attributes;
  #instruments: Instruments | null = null;
  #tracer: Tracer | null = null;
  #leadership: Leadership | null = null;

  constructor(identity: Identity) {
    this.#identity = identity;
    this.#attributes = {
      'hustings.node': identity.id,
      'hustings.algorithm': identity.algorithm,
      ...(identity.election === null ? {} : { 'hustings.election': identity.election }),
    };
  }

  async open(): Promise<void> {
    const api = await import('@opentelemetry/api').catch(() => null);
    if (api === null) return;
    this.#tracer = api.trace.getTracer('hustings');
    this.#observe(api.metrics.getMeter('hustings'));
  }

  began(leadership: Leadership): void {
    this.#leadership = leadership;
    this.#instruments?.elections(this.#attributes);
    this.#instruments?.changes({ ...this.#attributes, 'hustings.reason': 'elected' });
    if (channels.leadership.hasSubscribers) {
      channels.leadership.publish({ ...this.#identity, type: 'began', leadership } satisfies LeadershipEvent);
    }
  }

  ended(leadership: Leadership, reason: StepDownReason): void {
    if (this.#leadership === leadership) this.#leadership = null;
    this.#instruments?.changes({ ...this.#attributes, 'hustings.reason': reason });
    if (channels.leadership.hasSubscribers) {
      const event = { ...this.#identity, type: 'ended', leadership, reason } satisfies LeadershipEvent;
      channels.leadership.publish(event);
    }
  }

  message(direction: 'sent' | 'received', peer: NodeId, type: string): void {
    this.#instruments?.messages({
      ...this.#attributes,
      'hustings.message.direction': direction,
      'hustings.message.type': type,
    });
    if (channels.message.hasSubscribers) {
      channels.message.publish({ ...this.#identity, direction, peer, type } satisfies MessageEvent);
    }
  }

  roundTrip(ms: number): void {
    this.#instruments?.renewal.record(ms / 1000, this.#attributes);
  }

  stalled(ms: number): void {
    this.#instruments?.stall.record(ms / 1000, this.#attributes);
  }

  diagnostic(diagnostic: Diagnostic): void {
    if (channels.diagnostic.hasSubscribers) channels.diagnostic.publish(diagnostic);
  }

  /** A span around something that takes time and may fail. */
  async span<Value>(name: string, action: () => Promise<Value>): Promise<Value> {
    const span: Span | undefined = this.#tracer?.startSpan(name, { attributes: this.#attributes });
    try {
      return await action();
    } catch (error) {
      span?.recordException(error as Error);
      span?.setStatus({ code: 2 });
      throw error;
    } finally {
      span?.end();
    }
  }

  #observe(meter: Meter): void {
    const instruments = instrumentsOf(meter);
    const { isLeader, leaseRemaining } = instruments;
    const attributes = this.#attributes;
    const key = JSON.stringify(attributes);
    const speakersHere = speakers.get(meter) ?? new Map<string, Telemetry>();
    const report: Parameters<Meter['addBatchObservableCallback']>[0] = (result) => {
      const remainingMs = speakersHere.get(key)!.#leadership?.remainingMs ?? 0;
      result.observe(isLeader, remainingMs > 0 ? 1 : 0, attributes);
      if (Number.isFinite(remainingMs)) result.observe(leaseRemaining, remainingMs / 1000, attributes);
    };
    // It stays when the elector has stopped: without it, SDKs would go on to export what it said last.
    if (!speakersHere.has(key)) meter.addBatchObservableCallback(report, [isLeader, leaseRemaining]);
    speakers.set(meter, speakersHere.set(key, this));
    this.#instruments = instruments;
  }
}

function instrumentsOf(meter: Meter): Instruments {
  const counter = (name: string, unit: string, description: string) => {
    const instrument = meter.createCounter(name, { unit, description });
    return (attributes: Attributes): void => instrument.add(1, attributes);
  };
  const seconds = (description: string) => ({ unit: 's', description });
  return {
    elections: counter('hustings.elections', '{election}', 'Elections that this node has won.'),
    changes: counter(
      'hustings.leadership.changes',
      '{change}',
      'Leaderships of this node that began or ended.',
    ),
    messages: counter('hustings.messages', '{message}', 'Messages that this node has sent and received.'),
    renewal: meter.createHistogram('hustings.renewal.duration', seconds('Round trip of a renewal.')),
    stall: meter.createHistogram('hustings.stall.duration', seconds('How long the event loop stood still.')),
    isLeader: meter.createObservableGauge('hustings.leader', {
      description: '1 while this node leads, else 0.',
    }),
    leaseRemaining: meter.createObservableGauge(
      'hustings.lease.remaining',
      seconds('What is left of the lease; not reported where none bounds the leadership.'),
    ),
  };
}
