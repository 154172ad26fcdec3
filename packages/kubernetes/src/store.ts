/**
 * A Lease of Kubernetes, read and written as client-go does it, so that its candidates and ours stand in one election.
 *
 * Whoever waits takes over once the object has stood still for its duration by the waiter's own clock; the times in it
 * are written for people and for client-go, and never read. The token is the resource version that the acquiring write
 * replaced: no two writes replace the same one, and it is known before the write, so it can be written along with it.
 */

import { createHash } from 'node:crypto';
import { InvalidOptionError } from '@hustings/elector';
import {
  type Acquired,
  type AcquireRequest,
  type Free,
  type Held,
  type LeaseStore,
  type Lost,
  type ReleaseRequest,
  type Renewed,
  type RenewRequest,
  type StoreTraits,
  Turns,
} from '@hustings/lease';
import { LeaseApi, type LeaseObject } from './api.js';
import { type ApiServer, inCluster, readKubeconfig } from './api-server.js';

export interface KubernetesStoreOptions {
  /** Default: of the pod's service account; outside of a cluster, of the kubeconfig. */
  readonly server?: ApiServer | undefined;
  /** Default: the pod's own; outside of a cluster, the context's, or `default`. */
  readonly namespace?: string | undefined;
}

const traits: StoreTraits = {
  name: 'kubernetes',
  clock: 'observer',
  expiryFactor: 1,
  minTtlMs: 1000,
  granularityMs: 1000,
  survives: 'majority',
  releasedBy: 'anybody',
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: [
    'Other candidates wait for as long as the Lease says, by their own clocks, as client-go does.',
    'Nobody edits or deletes the Lease by hand while somebody leads.',
    'Resource versions are revisions of etcd, and etcd keeps its data.',
  ],
};

/** A lease store in a namespace of Kubernetes. */
export function kubernetesStore({ server, namespace }: KubernetesStoreOptions = {}): LeaseStore {
  const chosen = server ?? inCluster() ?? readKubeconfig();
  if (typeof chosen.url !== 'string' || !/^https?:\/\//.test(chosen.url)) {
    throw new InvalidOptionError("server.url must be an address such as 'https://10.96.0.1:443'.");
  }
  return new KubernetesStore(new LeaseApi(chosen, namespace ?? chosen.namespace ?? 'default'));
}

class KubernetesStore implements LeaseStore {
  readonly traits = traits;
  readonly #api: LeaseApi;
  readonly #turns = new Turns();
  /** What this process has written last, by name: a renewal need not read it first. */
  readonly #written = new Map<string, LeaseObject>();
  readonly #watches = new Set<AbortController>();

  constructor(api: LeaseApi) {
    this.#api = api;
  }

  acquire({ name, holder, ttlMs, over }: AcquireRequest): Promise<Acquired | Held> {
    return this.#turns.take(name, async () => {
      for (let lease = await this.#lease(name); ; lease = await this.#lease(name)) {
        const present = holderOf(lease);
        if (present !== null && present !== holder && versionOf(lease) !== over) return heldAs(lease);
        // Somebody may have cleared the annotations, and the token with them: then it is taken anew.
        const isOwn = present === holder && tokenOf(lease) !== null;
        const next = isOwn ? renewed(lease, ttlMs) : taken(lease, holder, ttlMs);
        // Null: somebody has been faster, or this very write, of which no answer came.
        if ((await this.#write(name, next)) !== null) {
          return { type: 'acquired', token: tokenOf(next)!, validForMs: ttlMs };
        }
      }
    });
  }

  renew({ name, holder, token, ttlMs }: RenewRequest): Promise<Renewed | Lost> {
    return this.#turns.take(name, async () => {
      const guess = this.#written.get(name);
      for (let lease = guess ?? (await this.#lease(name)); ; lease = await this.#lease(name)) {
        if (holderOf(lease) !== holder || tokenOf(lease) !== token) return { type: 'lost' };
        if ((await this.#write(name, renewed(lease, ttlMs))) !== null) {
          return { type: 'renewed', validForMs: ttlMs };
        }
      }
    });
  }

  release({ name, holder, token }: ReleaseRequest): Promise<void> {
    return this.#turns.take(name, async () => {
      for (;;) {
        const lease = await this.#lease(name);
        if (holderOf(lease) !== holder || tokenOf(lease) !== token) return;
        if ((await this.#write(name, released(lease))) !== null) return;
      }
    });
  }

  async read(name: string): Promise<Held | Free> {
    const lease = await this.#api.get(objectName(name));
    return lease === null || holderOf(lease) === null ? { type: 'free' } : heldAs(lease);
  }

  async watch(name: string, changed: () => void): Promise<() => void> {
    const ending = new AbortController();
    const unwatch = () => {
      ending.abort();
      this.#watches.delete(ending);
    };
    this.#watches.add(ending);
    try {
      const first = await this.#lease(name);
      void this.#watchSince(name, first, changed, ending.signal);
    } catch (error) {
      unwatch();
      throw error;
    }
    return unwatch;
  }

  async close(): Promise<void> {
    for (const watch of this.#watches) watch.abort();
    this.#api.close();
  }

  /** It is made where it is missing, so that there always is a version to replace. */
  async #lease(name: string): Promise<LeaseObject> {
    const found = await this.#api.get(objectName(name));
    if (found !== null) return found;
    const created = await this.#api.create({ ...kind, metadata: { name: objectName(name) }, spec: {} });
    return created ?? this.#lease(name);
  }

  async #write(name: string, lease: LeaseObject): Promise<LeaseObject | null> {
    this.#written.delete(name);
    const written = await this.#api.replace(lease);
    if (written !== null) this.#written.set(name, written);
    return written;
  }

  /** Renewals change the object, too; only another holder, or none, is news. */
  async #watchSince(
    name: string,
    first: LeaseObject,
    changed: () => void,
    ending: AbortSignal,
  ): Promise<void> {
    let known = first;
    while (!ending.aborted) {
      try {
        for await (const lease of this.#api.changes(objectName(name), versionOf(known), ending)) {
          if (lease === null || holderOf(lease) !== holderOf(known)) changed();
          if (lease === null) break;
          known = lease;
        }
      } catch {
        if (ending.aborted) return;
      }
      await pause(watchAgainMs);
      if (ending.aborted) return;
      const present = await this.#lease(name).catch(() => known);
      if (holderOf(present) !== holderOf(known)) changed();
      known = present;
    }
  }
}

/** API servers end each watch after some minutes. */
const watchAgainMs = 200;

// ---- The object -----------------------------------------------------------------------------------------

const kind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' } as const;

/** The token and whose it is. Candidates of client-go keep annotations, so one of theirs leaves the last of ours behind. */
const annotations = { token: 'hustings.dev/token', holder: 'hustings.dev/holder' } as const;

const holderOf = ({ spec }: LeaseObject): string | null => spec?.holderIdentity || null;

const versionOf = ({ metadata }: LeaseObject): string => metadata.resourceVersion ?? '0';

/** Null where a candidate of another kind has it. */
function tokenOf(lease: LeaseObject): bigint | null {
  const { [annotations.token]: token, [annotations.holder]: holder } = lease.metadata.annotations ?? {};
  return token !== undefined && holder === holderOf(lease) && /^\d+$/.test(token) ? BigInt(token) : null;
}

function heldAs(lease: LeaseObject): Held {
  const expiresInMs = (lease.spec?.leaseDurationSeconds ?? 0) * 1000;
  return {
    type: 'held',
    holder: holderOf(lease),
    token: tokenOf(lease),
    expiresInMs,
    version: versionOf(lease),
  };
}

function taken(lease: LeaseObject, holder: string, ttlMs: number): LeaseObject {
  const { annotations: kept, ...metadata } = lease.metadata;
  const token = versionOf(lease);
  const transitions = lease.spec?.leaseTransitions ?? 0;
  return {
    ...kind,
    metadata: {
      ...metadata,
      annotations: { ...kept, [annotations.token]: token, [annotations.holder]: holder },
    },
    spec: {
      ...termsOf(ttlMs),
      holderIdentity: holder,
      acquireTime: now(),
      leaseTransitions: transitions + 1,
    },
  };
}

/** A write that changes nothing makes no version, and whoever waits would take the holder for dead: see `unlike`. */
function renewed({ metadata, spec }: LeaseObject, ttlMs: number): LeaseObject {
  const terms = termsOf(ttlMs);
  return {
    ...kind,
    metadata,
    spec: { ...spec, ...terms, renewTime: unlike(spec?.renewTime, terms.renewTime) },
  };
}

/** The clock may stand where it stood at the last renewal: in the same millisecond, or after it was put back. */
const unlike = (last: string | undefined, time: string): string =>
  time === last ? time.replace('000Z', '001Z') : time;

/** As client-go does it: no holder, and the shortest duration that there is. */
function released({ metadata, spec }: LeaseObject): LeaseObject {
  return { ...kind, metadata, spec: { ...spec, ...termsOf(1000), holderIdentity: '', acquireTime: now() } };
}

const termsOf = (ttlMs: number) => ({
  leaseDurationSeconds: Math.ceil(ttlMs / 1000),
  renewTime: now(),
});

/** Six digits after the point: the API server refuses a time without a fraction. */
const now = (): string => new Date().toISOString().replace('Z', '000Z');

/** As it is where Kubernetes can have such a name; client-go then finds it under the same one. */
function objectName(name: string): string {
  if (/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name) && !/\.[.-]|-\./.test(name)) return name;
  return `hustings-${createHash('sha256').update(name).digest('hex').slice(0, 40)}`;
}

const pause = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));
