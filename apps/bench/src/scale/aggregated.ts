/** Clients of an aggregator, and the aggregator, in the simulator. What they say is what goes over its wire: calls, many at once. */

import { type ProtocolMessage, send } from '@hustings/elector/protocol';
import type { LeaseReply, LeaseRequest } from '@hustings/lease';
import { gatherMs, gathersOn, Renewals, shortened, simulatedStore } from '@hustings/lease/simulated';
import type { AnyMachine } from '@hustings/simulator';
import type { Shared, SharedEffect, SharedInput } from './process.js';

type Calls = { readonly type: 'calls'; readonly id: number; readonly calls: readonly LeaseRequest[] };
type Answers = { readonly type: 'answers'; readonly id: number; readonly answers: readonly LeaseReply[] };

// ---- The aggregator ------------------------------------------------------------------------------------

/** A store of leases that is asked many things in one message. `onCalls` hears of each message. */
export function simulatedAggregator(onCalls: () => void): AnyMachine<unknown> {
  const store = simulatedStore();
  const machine: AnyMachine<ReturnType<typeof store.initialState>> = {
    initialState: () => store.initialState('store', []),
    step(state, input, nowMs) {
      if (input.type !== 'received') return [state, []];
      onCalls();
      const { id, calls } = input.message as Calls;
      const answers: LeaseReply[] = [];
      let now = state;
      for (const message of calls) {
        const [after, effects] = store.step(now, { type: 'received', from: input.from, message }, nowMs);
        now = after;
        for (const effect of effects) if (effect.type === 'send') answers.push(effect.message as LeaseReply);
      }
      const reply: Answers = { type: 'answers', id, answers };
      return [now, [send(input.from, reply)]];
    },
  };
  return machine as AnyMachine<unknown>;
}

// ---- A process that asks it ----------------------------------------------------------------------------

type Renew = Extract<LeaseRequest, { type: 'renew' }>;

interface Asked {
  readonly election: string;
  readonly request: Renew;
  readonly askedMs: number;
}

interface Underway {
  /** Who asked for each; null for the renewal of all. */
  readonly elections: readonly string[] | null;
  readonly calls: readonly LeaseRequest[];
  readonly askedMs: number;
}

/** What `sharedStore` and `leaseGateway` are in a real process, by the same rules for what goes together. */
export class LeaseClient implements Shared {
  readonly #renewals = new Renewals();
  readonly #underway = new Map<number, Underway>();
  /** Those who wait for the renewal of all, while it is under way. */
  #waiting: Asked[] | null = null;
  /** Reads that are to go together. */
  #reads: { readonly election: string; readonly request: LeaseRequest }[] = [];
  #readsSinceMs = 0;
  #nextId = 1;

  hear(input: SharedInput, nowMs: number): readonly SharedEffect[] {
    if (input.type === 'asked') return this.#onAsked(input.election, input.request as LeaseRequest, nowMs);
    if (input.type === 'answered') return this.#onAnswered(input.reply, nowMs);
    return input.type === 'timer-fired' ? this.#readAll(nowMs) : [];
  }

  #onAsked(election: string, request: LeaseRequest, nowMs: number): readonly SharedEffect[] {
    switch (request.type) {
      case 'watch':
        // One stream for all, on which the death of a process is not told.
        return [deliver(election, { type: 'watching', id: request.id })];
      case 'renew':
        return this.#renew({ election, request, askedMs: nowMs });
      case 'read':
        if (this.#reads.length === 0) this.#readsSinceMs = nowMs;
        this.#reads.push({ election, request });
        return gathersOn(this.#readsSinceMs, nowMs)
          ? [{ type: 'set-timer', timer: 'reads', delayMs: [gatherMs, gatherMs] }]
          : [];
      default:
        return [this.#call([election], [request], nowMs)];
    }
  }

  #readAll(nowMs: number): readonly SharedEffect[] {
    const reads = this.#reads;
    this.#reads = [];
    const [elections, calls] = [reads.map(({ election }) => election), reads.map(({ request }) => request)];
    return [this.#call(elections, calls, nowMs)];
  }

  #renew(asked: Asked): readonly SharedEffect[] {
    const { election, request, askedMs } = asked;
    this.#renewals.asked(leaseOf(request), askedMs);
    const left = this.#renewals.leftOf(leaseOf(request), askedMs);
    if (left !== null) return [deliver(election, renewed(request, left.validForMs))];
    if (!this.#renewals.has(leaseOf(request))) return [this.#call([election], [request], askedMs)];
    if (this.#waiting !== null) {
      this.#waiting.push(asked);
      return [];
    }
    this.#waiting = [asked];
    const all = this.#renewals.wanted(askedMs).map(
      ({ name, holder, token, ttlMs }): Renew => ({
        ...{ type: 'renew', id: 0, name, holder, token: `${token}`, ttlMs, sentMs: askedMs },
      }),
    );
    return [this.#call(null, all, askedMs)];
  }

  #call(elections: readonly string[] | null, calls: readonly LeaseRequest[], askedMs: number): SharedEffect {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#underway.set(id, { elections, calls, askedMs });
    const message: Calls = { type: 'calls', id, calls };
    return { type: 'send', request: message };
  }

  #onAnswered(reply: ProtocolMessage, nowMs: number): readonly SharedEffect[] {
    const { id, answers } = reply as Answers;
    const { elections, calls, askedMs } = this.#underway.get(id)!;
    this.#underway.delete(id);
    if (elections === null) return this.#onAllRenewed(calls as readonly Renew[], answers, askedMs, nowMs);
    return answers.map((answer, index) => {
      const request = calls[index]!;
      if (request.type === 'acquire' && answer.type === 'acquired') {
        const { name, holder, ttlMs } = request;
        this.#renewals.acquired({ name, holder, ttlMs }, { ...answer, token: BigInt(answer.token) }, askedMs);
      }
      return deliver(elections[index]!, answer);
    });
  }

  #onAllRenewed(
    calls: readonly Renew[],
    answers: readonly LeaseReply[],
    askedMs: number,
    nowMs: number,
  ): readonly SharedEffect[] {
    const given = new Map(calls.map(({ name }, index) => [name, answers[index]!]));
    for (const request of calls) {
      const answer = given.get(request.name)!;
      const kept = answer.type === 'renewed' ? answer : ({ type: 'lost' } as const);
      this.#renewals.answered(leaseOf(request), kept, askedMs);
    }
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    return waiting.map(({ election, request, askedMs: startedMs }) => {
      const answer = given.get(request.name);
      if (answer === undefined) return this.#call([election], [request], nowMs);
      if (answer.type !== 'renewed') {
        return deliver(election, { type: 'lost', id: request.id, token: request.token });
      }
      const { validForMs } = shortened({ ...answer, type: 'renewed' }, startedMs - askedMs);
      return deliver(election, renewed(request, validForMs));
    });
  }
}

const leaseOf = ({ name, holder, token, ttlMs }: Renew) => ({ name, holder, ttlMs, token: BigInt(token) });

const renewed = ({ id, token, sentMs }: Renew, validForMs: number): LeaseReply => ({
  ...{ type: 'renewed', id, token, validForMs, sentMs },
});

const deliver = (election: string, reply: LeaseReply): SharedEffect => ({ type: 'deliver', election, reply });
