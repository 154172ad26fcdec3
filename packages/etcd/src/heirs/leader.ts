/** A leader and its heir, the leader's side: rules 2 to 5. `state.ts` has them all. */

import type { NodeId } from '@hustings/elector';
import { andThen, announce, cancelTimer, send, setTimer } from '@hustings/elector/protocol';
import type { KeyValue, Revision, Transaction, TransactionResult } from '../messages.js';
import { isAfter } from '../revisions.js';
import { change, type EtcdState, type Session } from '../state.js';
import { renew } from '../step/renewing.js';
import { type EtcdEffect, type EtcdTransition, toCoordinator } from '../transition.js';
import type { Candidacy, HeirMessage } from './messages.js';
import { beatMs, heirGuardMs, type Offer, offerDeadlineMs, silenceMs } from './state.js';

/** Somebody says that it is the next in line. Whoever has an offer keeps it until it is void. */
export function onVolunteer(
  state: EtcdState,
  from: NodeId,
  { leader, heir }: Extract<HeirMessage, { type: 'volunteer' }>,
  nowMs: number,
): EtcdTransition {
  const mayOffer = state.phase === 'leading' && state.offer === null && state.settings.heirWaitMs > 0;
  return mayOffer && isOwn(state, leader) ? offerTo(state, { node: from, ...heir }, nowMs) : [state, []];
}

/** The deadline comes down before the first heartbeat leaves. */
function offerTo(state: EtcdState, heir: Offer['heir'], nowMs: number): EtcdTransition {
  const { ownModRevision } = state;
  if (ownModRevision === null) return [state, []];
  const offer: Offer = {
    heir,
    modRevision: ownModRevision,
    sinceMs: nowMs,
    heartbeats: [],
    withdrawal: null,
  };
  return andThen(renew(change(state, { offer }), nowMs), (leader) => beat(leader, offer, nowMs));
}

function beat(state: EtcdState, offer: Offer, nowMs: number): EtcdTransition {
  const { settings, nextId: id } = state;
  const { heir, modRevision } = offer;
  const leader = ownCandidacy(state);
  if (leader === null) return [state, []];
  const heartbeats = [...offer.heartbeats, { id, sentMs: nowMs }];
  return [
    change(state, { offer: { ...offer, heartbeats }, nextId: id + 1 }),
    [
      send(heir.node, {
        type: 'offer',
        id,
        leader,
        modRevision,
        heir: { key: heir.key, revision: heir.revision },
        waitMs: settings.heirWaitMs,
      }),
      setTimer('offer', beatMs(settings)),
    ],
  ];
}

/** Time for the next heartbeat; and to withdraw what has not been answered. */
export function onBeat(state: EtcdState, nowMs: number): EtcdTransition {
  const { offer, settings } = state;
  if (offer === null) return [state, []];
  const isSilent = nowMs - offer.sinceMs > silenceMs(settings);
  const next: EtcdTransition = isSilent ? withdraw(state) : [state, []];
  return andThen(next, (leader) => beat(leader, leader.offer ?? offer, nowMs));
}

/** The heir waits since it heard a heartbeat, so since after that one was written. */
export function onPromise(
  state: EtcdState,
  { id, leader }: Extract<HeirMessage, { type: 'promise' }>,
  nowMs: number,
): EtcdTransition {
  const { offer } = state;
  const heard = offer?.heartbeats.find((heartbeat) => heartbeat.id === id);
  if (offer === null || heard === undefined || !isOwn(state, leader)) return [state, []];
  const sinceMs = Math.max(offer.sinceMs, heard.sentMs);
  const heartbeats = offer.heartbeats.filter(({ sentMs }) => sentMs > sinceMs);
  return andThen(noteStrain(state, nowMs), (leading) =>
    renew(change(leading, { offer: { ...offer, sinceMs, heartbeats } }), nowMs),
  );
}

/** Asks etcd to make the offer worthless. Nothing is changed by asking: only the answer counts. */
export function withdraw(state: EtcdState): EtcdTransition {
  const { offer, session, nextId: id } = state;
  if (offer === null || session === null) return [state, []];
  return [
    change(state, { offer: { ...offer, withdrawal: id }, nextId: id + 1 }),
    [toCoordinator(state, { type: 'txn', id, ...withdrawing(state, session, offer) })],
  ];
}

function withdrawing({ ownRevision }: EtcdState, { key }: Session, { modRevision }: Offer): Transaction {
  return {
    compare: [
      { key, target: 'mod', revision: modRevision },
      { key, target: 'create', revision: ownRevision ?? '0' },
    ],
    success: [
      { type: 'touch', key },
      { type: 'get', key },
    ],
    failure: [{ type: 'get', key }],
  };
}

/** Whether this answer to a withdrawal shows that the leader's key is gone. */
export function isGone(state: EtcdState, id: number, result: TransactionResult): boolean {
  return state.offer?.withdrawal === id && ownIn(state, result.found.flat()) === undefined;
}

/** Whatever shows the own key shows its mod revision. */
export function seeOwn(state: EtcdState, { found }: TransactionResult, nowMs: number): EtcdTransition {
  const own = state.phase === 'leading' ? ownIn(state, found.flat()) : undefined;
  return own === undefined ? [state, []] : seeModified(state, own.modRevision, nowMs);
}

const ownIn = ({ session, ownRevision }: EtcdState, keys: readonly KeyValue[]): KeyValue | undefined =>
  keys.find(({ key, createRevision }) => key === session?.key && createRevision === ownRevision);

/** The own key has been written since the offer was made, so the offer is void. The only place where it becomes so. */
export function seeModified(state: EtcdState, modRevision: Revision, nowMs: number): EtcdTransition {
  const { offer, settings, ownModRevision } = state;
  if (!isAfter(modRevision, ownModRevision ?? '0')) return [state, []];
  const isAnswering = offer !== null && nowMs - offer.sinceMs <= silenceMs(settings);
  return andThen(offer === null ? [state, []] : noteStrain(state, nowMs), (leader) => {
    const free = change(leader, { ownModRevision: modRevision, offer: null });
    if (offer === null) return [free, []];
    // Whoever answers goes on being the heir, under what is written there now.
    if (isAnswering) return offerTo(free, offer.heir, nowMs);
    return andThen(renew(free, nowMs), (freed) => [freed, [cancelTimer('offer')]]);
  });
}

/** The link to the heir is down: it will not answer. */
export function onHeirLost(state: EtcdState, peer: NodeId): EtcdTransition {
  return state.offer?.heir.node === peer ? withdraw(state) : [state, []];
}

const ownCandidacy = ({ session, ownRevision }: EtcdState): Candidacy | null =>
  session === null || ownRevision === null ? null : { key: session.key, revision: ownRevision };

const isOwn = ({ session, ownRevision }: EtcdState, { key, revision }: Candidacy): boolean =>
  key === session?.key && revision === ownRevision;

// ---- What an operator hears --------------------------------------------------------------------------------

/** How much of the wait must be left when a deadline moves up; and how much of it an answer of etcd may take. */
const leastLeft = 0.25;
const mostTaken = 0.2;
const tellAgainMs = 60_000;

/** The deadline is about to move up: was it close? */
function noteStrain(state: EtcdState, nowMs: number): EtcdTransition {
  const { settings, offer } = state;
  const { heirWaitMs } = settings;
  const leftMs = offerDeadlineMs(settings, offer) - nowMs;
  if (leftMs >= leastLeft * (heirWaitMs - heirGuardMs(settings))) return [state, []];
  return strained(
    state,
    `Of ${heirWaitMs} ms this leader had ${Math.round(leftMs)} left when its heir, or etcd, answered.`,
    nowMs,
  );
}

/** etcd has answered what was asked at `sentMs`. Too slow, and it cannot free a leader from a silent heir in time. */
export function noteLatency(state: EtcdState, sentMs: number, nowMs: number): EtcdTransition {
  const { heirWaitMs } = state.settings;
  const takenMs = nowMs - sentMs;
  if (state.phase !== 'leading' || heirWaitMs === 0 || takenMs <= mostTaken * heirWaitMs) return [state, []];
  return strained(state, `etcd took ${Math.round(takenMs)} ms to answer.`, nowMs);
}

function strained(state: EtcdState, what: string, nowMs: number): EtcdTransition {
  const { strainedMs, settings } = state;
  if (strainedMs !== null && nowMs - strainedMs < tellAgainMs) return [state, []];
  const detail =
    `${what} That is close to heirWaitMs (${settings.heirWaitMs}): look for stalls of this process, slow links and ` +
    'a slow etcd, or make heirWaitMs longer.';
  const effect: EtcdEffect = announce({ type: 'heirs-strained', detail });
  return [change(state, { strainedMs: nowMs }), [effect]];
}
