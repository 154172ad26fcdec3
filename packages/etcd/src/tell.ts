/** What the driver and the application are told. */

import { announce, followNobody } from '@hustings/elector/protocol';
import { readValue } from './keys.js';
import { isAfter } from './revisions.js';
import { change, type EtcdState } from './state.js';
import type { EtcdEffect, EtcdTransition } from './transition.js';

/** Has the driver believe what this node knows, if it does not yet. A leader has nobody to follow. */
export function tell(state: EtcdState): EtcdTransition {
  const { members, phase, session } = state;
  const [leader] = members;
  // Until it has stepped down, a leader that resigns counts as one.
  if (state.told === 'leading') return [state, []];
  // A token below one that was seen is of an etcd that has lost data: whoever has it is not believed.
  if (
    leader !== undefined &&
    leader.lease !== session?.lease &&
    !isAfter(state.floor, leader.createRevision)
  ) {
    const token = leader.createRevision;
    if (state.told === token) return [state, []];
    const { leaderId } = readValue(leader.value);
    return [change(state, { told: token }), [{ type: 'follow', leaderId, token: BigInt(token) }]];
  }
  const seeks = phase === 'granting' || phase === 'joining' || phase === 'waiting';
  const told = seeks ? 'candidate' : 'nobody';
  if (state.told === told) return [state, []];
  return [change(state, { told }), [seeks ? { type: 'campaign' } : followNobody]];
}

/** Tells of the value that another leader has published, if it is new. */
export function announceValue(before: EtcdState, { members, phase }: EtcdState): EtcdEffect[] {
  const [leader] = members;
  if (phase === 'leading' || leader === undefined) return [];
  const [known] = before.members;
  if (known?.createRevision === leader.createRevision && known.value === leader.value) return [];
  const { leaderId, proclaimed } = readValue(leader.value);
  if (proclaimed === null) return [];
  return [
    announce({ type: 'value-seen', leaderId, token: BigInt(leader.createRevision), value: proclaimed }),
  ];
}

/** Tells of a first key that will never go by itself, if it is new. */
export function announceBlockage(before: EtcdState, { members }: EtcdState): EtcdEffect[] {
  const [first] = members;
  const isOld = before.members[0]?.createRevision === first?.createRevision;
  if (first === undefined || first.lease !== '0' || isOld) return [];
  const { key } = first;
  const detail = `The key ${key} belongs to no lease and is the oldest of the election: nobody leads until it is deleted.`;
  return [announce({ type: 'blocked', key, detail })];
}
