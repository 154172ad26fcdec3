/** What stands between the elections of one process and etcd. `state.ts` says what it is for. */

import { andThen, setTimer } from '@hustings/elector/protocol';
import { find, put } from '@hustings/elector/sessions';
import { type EtcdReply, type EtcdRequest, isDefiniteFailure } from '../messages.js';
import { answerRead, onChanged, onRead, onReadFailed, read, stopWatching, watch } from './copy.js';
import { apply, onGranted, onGrantFailed, onRenewalFailed, onRenewed, renewFor } from './leases.js';
import {
  emptyLocal,
  type SharedInput,
  type SharedSettings,
  type SharedState,
  type SharedTransition,
  toServer,
} from './state.js';
import { close, leave, onWriteFailed, onWritten, write, writesSomething } from './writes.js';

export function step(state: SharedState, input: SharedInput, nowMs: number): SharedTransition {
  switch (input.type) {
    case 'started':
      return read(state);
    case 'opened':
      return [{ ...state, locals: put(state.locals, input.election, emptyLocal) }, []];
    case 'closed':
      return close(state, input.election);
    case 'asked':
      return onAsked(state, input.election, input.request, nowMs);
    case 'answered':
      return andThen(onAnswered(state, input.reply, nowMs), (after) =>
        // etcd answers again. Changes may have been lost while it did not.
        after.suspicious && after.reading === null && input.reply.type !== 'failed'
          ? read(after)
          : [after, []],
      );
    case 'timer-fired':
      return read(state.reading === null ? state : { ...state, suspicious: true });
    case 'link-down':
      return [{ ...state, suspicious: true }, []];
    case 'link-up':
      // Every election asks again for what it waits for.
      return state.suspicious ? read({ ...state, granting: [], sent: [] }) : [state, []];
    case 'ended':
      return end(state);
  }
}

function onAsked(
  state: SharedState,
  election: string,
  request: EtcdRequest,
  nowMs: number,
): SharedTransition {
  const local = find(state.locals, election);
  if (local === undefined) return [state, []];
  switch (request.type) {
    case 'grant':
      return apply(state, election, local, { id: request.id, sentMs: request.sentMs }, nowMs);
    case 'keep-alive':
      return renewFor(state, election, request, nowMs);
    case 'revoke':
      return leave(state, election, local, request, nowMs);
    case 'txn':
    case 'audit':
      return writesSomething(request)
        ? write(state, election, local, request, nowMs)
        : answerRead(state, election, local, request);
    case 'watch':
      return watch(state, election, local, request);
    case 'cancel-watch':
      return stopWatching(state, election, local, request.id);
  }
}

function onAnswered(state: SharedState, reply: EtcdReply, nowMs: number): SharedTransition {
  switch (reply.type) {
    case 'granted':
      return onGranted(state, reply, nowMs);
    case 'kept-alive':
      return onRenewed(state, reply, nowMs);
    case 'txn-done':
    case 'audited':
      return state.reading?.id === reply.id ? onRead(state, reply) : onWritten(state, reply, nowMs);
    case 'changed':
      return state.watch === reply.id ? onChanged(state, reply) : [state, []];
    case 'watch-lost':
      return state.watch === reply.id
        ? [{ ...state, watch: null, suspicious: true, isCurrent: false }, [readLater(state.settings)]]
        : [state, []];
    case 'failed':
      return onFailed(state, reply, nowMs);
    default:
      return [state, []];
  }
}

function onFailed(
  state: SharedState,
  reply: Extract<EtcdReply, { type: 'failed' }>,
  nowMs: number,
): SharedTransition {
  const after = isDefiniteFailure(reply.reason) ? state : { ...state, suspicious: true };
  if (state.reading?.id === reply.id) return onReadFailed(after, readLater(state.settings));
  if (state.granting.some(({ id }) => id === reply.id)) return onGrantFailed(after, reply);
  return andThen(onRenewalFailed(after, reply.id), (failed) => onWriteFailed(failed, reply, nowMs));
}

const readLater = ({ retryMs }: SharedSettings) => setTimer('read', retryMs);

function end(state: SharedState): SharedTransition {
  const revokes = state.leases.map(({ id: lease }, index) =>
    toServer({ type: 'revoke', id: state.nextId + index, lease }),
  );
  return [{ ...state, leases: [], nextId: state.nextId + revokes.length }, revokes];
}
