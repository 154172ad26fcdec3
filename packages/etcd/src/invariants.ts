import type { Invariants } from '@hustings/elector/protocol';
import { isAfter } from './revisions.js';
import type { EtcdState } from './state.js';

const withSession: ReadonlySet<EtcdState['phase']> = new Set(['joining', 'waiting', 'leading', 'leaving']);

export const invariants: Invariants<EtcdState> = {
  ofOneState: {
    'whoever joins, waits, leads or leaves holds a lease, and nobody else does': ({ id, phase, session }) =>
      withSession.has(phase) === (session !== null) ? null : `${id} is ${phase} with lease ${session?.lease}`,
    'a leader knows its key and is told to lead': ({ id, phase, ownRevision, told }) =>
      phase === 'leading' && (ownRevision === null || told !== 'leading')
        ? `${id} leads with key ${ownRevision} and was told ${told}`
        : null,
    'only a healthy node that stands leads': ({ id, phase, standing, healthy }) =>
      phase !== 'leading' || (standing && healthy) ? null : `${id} leads`,
    'only a node that leaves owes a step-down': ({ id, phase, owesStepDown }) =>
      owesStepDown && phase !== 'leaving' ? `${id} is ${phase}` : null,
    'only a leader has something to proclaim': ({ id, phase, proclaims }) =>
      proclaims.length > 0 && phase !== 'leading' ? `${id} is ${phase}` : null,
    'only a leader offers, and only for its key as it last saw it': ({ id, phase, offer, ownModRevision }) =>
      offer !== null && (phase !== 'leading' || offer.modRevision !== ownModRevision)
        ? `${id} is ${phase} at ${ownModRevision} and offers for ${offer.modRevision}`
        : null,
    'only who waits has promised something': ({ id, phase, promise }) =>
      promise !== null && phase !== 'waiting' ? `${id} is ${phase}` : null,
  },
  ofTwoStates: {
    'a renewal never counts from earlier than the one before': (before, after) =>
      before.session !== null &&
      before.session.lease === after.session?.lease &&
      after.session.renewedMs < before.session.renewedMs
        ? `${after.id} went back to ${after.session.renewedMs}`
        : null,
    'a leader keeps its token': (before, after) =>
      before.phase === 'leading' && after.phase === 'leading' && before.ownRevision !== after.ownRevision
        ? `${after.id} went from ${before.ownRevision} to ${after.ownRevision}`
        : null,
    'nobody begins to lead with a token at or below one that it has seen': (before, after) =>
      before.phase !== 'leading' &&
      after.phase === 'leading' &&
      !isAfter(after.ownRevision ?? '0', before.floor)
        ? `${after.id} leads with ${after.ownRevision} after ${before.floor}`
        : null,
    'a leader that has left leads again only with a greater token': (before, after) =>
      before.ownRevision !== null &&
      after.ownRevision !== null &&
      before.ownRevision !== after.ownRevision &&
      !isAfter(after.ownRevision, before.ownRevision)
        ? `${after.id} went from ${before.ownRevision} to ${after.ownRevision}`
        : null,
    'under one mod revision a leader has one heir, and goes on from its newest heartbeat': (before, after) =>
      before.offer?.modRevision === after.offer?.modRevision &&
      before.offer !== null &&
      after.offer !== null &&
      (before.offer.heir.revision !== after.offer.heir.revision || after.offer.sinceMs < before.offer.sinceMs)
        ? `${after.id} went from ${before.offer.heir.key} since ${before.offer.sinceMs} to ${after.offer.heir.key} since ${after.offer.sinceMs}`
        : null,
    'only a later mod revision, or the end, frees a leader from its offer': (before, after) =>
      before.offer !== null &&
      before.offer.modRevision !== after.offer?.modRevision &&
      after.phase === 'leading' &&
      !isAfter(after.ownModRevision ?? '0', before.offer.modRevision)
        ? `${after.id} is at ${after.ownModRevision}`
        : null,
  },
};
