/** What etcd answers to node n7, whose lease is 7 and whose key is 'e/7', where it is fed by hand. */

import type { EtcdReply, EtcdState, KeyValue } from '@hustings/etcd';
import type { AnyInput } from '@hustings/simulator';
import { from, type Move } from './by-hand.js';

export type EtcdMove = Move<EtcdState>;

export const heard = (message: EtcdReply): AnyInput => from('etcd', message);

export const keyOf = (lease: string, revision: number, modRevision = revision): KeyValue => ({
  key: `e/${lease}`,
  value: `n${lease}`,
  lease,
  createRevision: `${revision}`,
  modRevision: `${modRevision}`,
});

export const done = (
  id: number | null | undefined,
  revision: number,
  found: readonly KeyValue[],
  succeeded = true,
): AnyInput =>
  heard({
    type: 'txn-done',
    id: id ?? -1,
    succeeded,
    revision: `${revision}`,
    clusterId: '1',
    found: [found],
  });

export const asked: readonly EtcdMove[] = [
  [1000, { type: 'started' }],
  [1000, { type: 'campaign-requested' }],
];

/** Its lease is for three seconds. */
export const granted = (atMs: number): EtcdMove => [
  atMs,
  ({ request }) => heard({ type: 'granted', id: request ?? -1, lease: '7', ttlSeconds: 3, sentMs: 1000 }),
];

/** Its key is put. */
export const put = (atMs: number, revision: number): EtcdMove => [
  atMs,
  ({ request }) => done(request, revision, [keyOf('7', revision)]),
];

export const gone = (atMs: number, lease: string, revision: number): EtcdMove => [
  atMs,
  ({ watch }) =>
    heard({
      type: 'changed',
      id: watch?.id ?? -1,
      changes: [{ type: 'delete', key: `e/${lease}`, revision: `${revision}` }],
    }),
];
