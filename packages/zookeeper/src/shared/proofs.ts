/** One write for all proves that the session lives. */

import { andThen, setTimer } from '@hustings/elector/protocol';
import { entriesOf, find, mapTable, put } from '@hustings/elector/sessions';
import { pingRestMs, type Session } from '../state.js';
import { learn } from '../step/leading.js';
import { enqueue } from './requests.js';
import {
  deliver,
  type Local,
  pathOf,
  type SharedEffect,
  type SharedState,
  type SharedTransition,
  toServer,
  type Want,
} from './state.js';

/**
 * How long the first election waits for the others, at most. It is left to chance, so that elections that asked at
 * different times come together: whoever is answered together asks together from then on.
 */
export const collectMs = (timeoutMs: number): number => timeoutMs / 20;

/** Elections that do not yet ask together are answered many times in the time in which a member reports to its leader. */
const keptAnswers = 64;

/** A write that was sent at `sentMs` was carried out. */
export const learnOf = (session: Session, sentMs: number, nowMs: number): Session =>
  learn(session, sentMs, nowMs, keptAnswers);

export function wantProof(
  state: SharedState,
  election: string,
  want: Omit<Want, 'askedMs'>,
  nowMs: number,
): SharedTransition {
  const local = find(state.locals, election);
  if (local === undefined || !local.joined || state.session === null) return [state, []];
  const wants = [...local.wants, { ...want, askedMs: nowMs }];
  const wanted: SharedState = {
    ...state,
    locals: put(state.locals, election, { ...local, wants, waits: true }),
    waiting: state.waiting + (local.waits ? 0 : 1),
  };
  if (wanted.waiting === wanted.joined) return prove(wanted, nowMs);
  return [
    wanted,
    state.waiting === 0 ? [setTimer('prove', [0, collectMs(state.session.timeoutMs)] as const)] : [],
  ];
}

export function prove(state: SharedState, nowMs: number): SharedTransition {
  const { session, settings, nextId: id } = state;
  if (!state.connected || session === null || state.waiting === 0) return [state, []];
  const proving: SharedState = {
    ...state,
    locals: mapTable(state.locals, (_, local) => (local.waits ? { ...local, waits: false } : local)),
    waiting: 0,
    proofs: [...state.proofs, { id, sentMs: nowMs }],
    nextId: id + 1,
  };
  // Whether that znode is there does not matter.
  const proof = toServer({ type: 'prove', id, session: session.id, path: settings.prefix });
  return andThen([proving, [proof]], (after) => audit(after, nowMs));
}

/** Every election that had asked by the time when the write was sent is answered by it. */
export function onProven(state: SharedState, id: number, nowMs: number): SharedTransition {
  const proof = state.proofs.find((each) => each.id === id);
  if (proof === undefined || state.session === null) return [state, []];
  const { sentMs } = proof;
  const told: SharedEffect[] = [];
  let answeredThatWaited = 0;
  const answer = (election: string, local: Local): Local => {
    const want = local.wants.findLast(({ askedMs }) => askedMs <= sentMs);
    if (want === undefined) return local;
    const type = want.type === 'ping' ? 'pong' : 'proven';
    told.push(deliver(election, { type, id: want.id, exists: true }));
    if (local.waits) answeredThatWaited += 1;
    return { ...local, wants: [], waits: false };
  };
  return [
    {
      ...state,
      session: learnOf(state.session, sentMs, nowMs),
      locals: mapTable(state.locals, answer),
      waiting: state.waiting - answeredThatWaited,
      proofs: state.proofs.filter((each) => each.id > id),
    },
    told,
  ];
}

/** No event is lost on a connection that lives, as far as is known. So a few at a time are looked after. */
function audit(state: SharedState, nowMs: number): SharedTransition {
  const { session, settings, audited, joined } = state;
  if (session === null) return [state, []];
  const count = Math.ceil((joined * pingRestMs(session.timeoutMs)) / settings.auditMs);
  const all = entriesOf(state.locals).filter(([, local]) => local.joined);
  const chosen = Array.from(
    { length: Math.min(count, all.length) },
    (_, index) => all[(audited + index) % all.length]!,
  );
  const looks = chosen.flatMap(([election, { wants }]) => {
    const path = wants.at(-1)?.path ?? pathOf(state, election);
    // Of the queue itself, whoever watches nothing else lists it.
    return path === pathOf(state, election) ? [] : [{ election, path }];
  });
  const next = { ...state, audited: all.length === 0 ? 0 : (audited + chosen.length) % all.length };
  return andThen(
    [next, []],
    ...looks.map(({ election, path }) => (after: SharedState): SharedTransition => {
      const request = { type: 'ping', id: 0, session: session.id, path } as const;
      return enqueue(after, { election, asker: 'audit', request }, nowMs);
    }),
  );
}
