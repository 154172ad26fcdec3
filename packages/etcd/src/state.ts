import { InvalidOptionError, type NodeId } from '@hustings/elector';
import {
  flag,
  must,
  numberAbove,
  numberFrom,
  type OptionTable,
  oneOf,
  rangeMs,
  readOptions,
  text,
  wholeNumberFrom,
} from '@hustings/elector/options';
import type { DelayRangeMs, Obituary } from '@hustings/elector/protocol';
import { checkHeirSettings, type HeirPromise, type Offer, offerDeadlineMs } from './heirs/state.js';
import type { LeaseId, Revision } from './messages.js';

export interface EtcdSettings {
  /** The election's name: candidates of one name compete. Keys are `<name>/<lease id in hex>`, and no others count. */
  readonly name: string;
  /** The lease asked for. etcd may grant a longer one, and what it granted counts. */
  readonly ttlSeconds: number;
  /**
   * Who leads next. `queue`: candidates line up, and each watches only the one before it, as in the official
   * Go client. `race`: all watch one key and run for it when it goes, as in the textbook.
   */
  readonly succession: 'queue' | 'race';
  /** How much faster or slower than real time a clock may run, the server's or ours: 0.01 is one per cent. */
  readonly driftBound: number;
  /** How late this process may be to act on the end of its lease while it runs. */
  readonly marginMs: number;
  /**
   * Fraction of the lease after which it is renewed, and the election looked at. Larger: faster failover, less
   * tolerance for a slow etcd.
   */
  readonly renewAfter: number;
  /** How long to wait for an answer before the request is sent again. */
  readonly requestTimeoutMs: number;
  /** How long to wait after a request is known to have failed. */
  readonly retryMs: DelayRangeMs;
  /**
   * How long the next in line lets a leader be silent before it takes over; 0 for until its lease runs out. Nodes must
   * reach each other for it. A leader that cannot reach the next in line stays in office.
   */
  readonly heirWaitMs: number;
  /**
   * Whoever has the death certificate of a candidate's process deletes its key, and the next leads at once. Needs links
   * between the nodes, and a transport that certifies.
   */
  readonly deathCertificates: boolean;
  /** The node on the transport that is etcd. */
  readonly coordinator: NodeId;
}

export const defaultSettings: EtcdSettings = {
  name: 'hustings',
  ttlSeconds: 5,
  succession: 'queue',
  driftBound: 0.01,
  marginMs: 100,
  renewAfter: 1 / 3,
  requestTimeoutMs: 1000,
  retryMs: [50, 150],
  heirWaitMs: 0,
  deathCertificates: false,
  coordinator: 'etcd',
};

export type Phase =
  /** Does not stand, or cannot. */
  | 'following'
  /** Has asked for a lease. */
  | 'granting'
  /** Has asked for its key to be put. */
  | 'joining'
  /** Waits for its turn; or, first in line, for a lease that is fresh enough to lead under. */
  | 'waiting'
  | 'leading'
  /** Has asked for its lease to be ended, and its key with it. Until that is acknowledged nothing is forgotten. */
  | 'leaving';

/** A lease, and the key that is bound to it. */
export interface Session {
  readonly lease: LeaseId;
  readonly key: string;
  /** What the server granted. */
  readonly ttlMs: number;
  /** When the last renewal that succeeded was sent, by this node's clock. The server's count began later. */
  readonly renewedMs: number;
}

/** A key of the election. */
export interface Member {
  readonly key: string;
  readonly value: string;
  readonly lease: LeaseId;
  readonly createRevision: Revision;
}

/** What can be watched: one key, or all that begin with it. */
export interface Watched {
  readonly key: string;
  readonly prefix: boolean;
}

export interface Watch extends Watched {
  readonly id: number;
}

export interface EtcdState {
  readonly id: NodeId;
  /** Which process of it this is; null where death certificates are not wanted. */
  readonly incarnation: string | null;
  /** The other nodes. Only heirs talk to them. */
  readonly peers: readonly NodeId[];
  readonly settings: EtcdSettings;
  readonly phase: Phase;
  /** The application asks to lead. A step-down ends that. */
  readonly standing: boolean;
  /** An unhealthy node does not stand. */
  readonly healthy: boolean;
  /** Somebody here wants to hear of every leader at once. */
  readonly observed: boolean;
  /** Null unless a lease is held, which is from joining to leaving. */
  readonly session: Session | null;
  /** The own key's create revision, which is the token. Null until the key is known to be there. */
  readonly ownRevision: Revision | null;
  /**
   * The keys that are known, oldest first: the first leads, and the last before its own is what this node waits
   * for. All of them while somebody observes, else just those two and its own.
   */
  readonly members: readonly Member[];
  /** Other keys than candidates' have been seen below the election's name, so looks ask for all. */
  readonly crowded: boolean;
  /** The revision of the last look. Events up to it say nothing new. */
  readonly lookedAt: Revision;
  /** The revision of the latest event. One that comes after it and is older has been overtaken. */
  readonly heardUpTo: Revision;
  /** The highest revision that etcd has told of. */
  readonly seen: Revision;
  /** The same when the last look was sent. An answer that knows less is of an etcd that has lost data. */
  readonly seenAtLook: Revision;
  /** Which cluster has answered; null before the first answer. */
  readonly clusterId: string | null;
  /** The highest token seen; since data were lost, the highest revision. Only a token above it is led with. */
  readonly floor: Revision;
  /** That data were lost is known, and no leader with a token above the floor has been seen since. */
  readonly dataLost: boolean;
  /** What the driver was last told to believe: `nobody`, `candidate`, `leading`, or a leader's create revision. */
  readonly told: string;
  /** The request that the present phase waits for. */
  readonly request: number | null;
  /** When it was sent, by this process's clock. */
  readonly requestedMs: number;
  /** The look, or audit, whose answer is awaited. Answers to earlier ones are out of date. */
  readonly look: number | null;
  /** The only watch there is, if any. */
  readonly watch: Watch | null;
  /**
   * Something went unanswered, so events may be missing and the watch dead. The next look
   * replaces the watch and clears it.
   */
  readonly suspicious: boolean;
  /** A renewal has been sent since the last one was answered. */
  readonly renewing: boolean;
  /** Leaving answers a resign-requested, and owes a step-down when it is done. */
  readonly owesStepDown: boolean;
  /** Values to publish, the one in flight first. */
  readonly proclaims: readonly string[];
  readonly proclaimRequest: number | null;
  /** The mod revision of the own key, as last seen. A value is published, and an offer made, for this one only. */
  readonly ownModRevision: Revision | null;
  /** What this leader has allowed its heir. Null until it has offered, and again once that is void. */
  readonly offer: Offer | null;
  /** What this candidate has promised the leader. */
  readonly promise: HeirPromise | null;
  /** The look that deletes the leader's key as well. */
  readonly inheritance: number | null;
  /** When it was last announced that heirs are strained. */
  readonly strainedMs: number | null;
  /** Processes of other nodes that are known to have ended. */
  readonly gone: Obituary;
  /** The next request's or watch's id. Each process counts from one: no driver lets it hear what another asked. */
  readonly nextId: number;
}

export function initialState(
  id: NodeId,
  settings: EtcdSettings = defaultSettings,
  peers: readonly NodeId[] = [],
  incarnation: string | null = null,
): EtcdState {
  if (isBroken(id))
    throw new InvalidOptionError(`A node id must not contain half of a surrogate pair: ${brokenText}`);
  if (id.includes('\n')) {
    throw new InvalidOptionError(
      'A node id must be a single line: a proclaimed value follows it on the next.',
    );
  }
  return {
    id,
    incarnation: settings.deathCertificates ? incarnation : null,
    peers: settings.heirWaitMs > 0 ? peers : [],
    settings,
    phase: 'following',
    standing: false,
    healthy: true,
    observed: false,
    session: null,
    ownRevision: null,
    members: [],
    crowded: false,
    lookedAt: '0',
    heardUpTo: '0',
    seen: '0',
    seenAtLook: '0',
    clusterId: null,
    floor: '0',
    dataLost: false,
    told: 'nobody',
    request: null,
    requestedMs: 0,
    look: null,
    watch: null,
    suspicious: false,
    renewing: false,
    owesStepDown: false,
    proclaims: [],
    proclaimRequest: null,
    ownModRevision: null,
    offer: null,
    promise: null,
    inheritance: null,
    strainedMs: null,
    gone: [],
    nextId: 1,
  };
}

/** Spelled out, and not spread, for the sake of speed: docs/decisions/0015. */
export function change(state: EtcdState, changes: Partial<EtcdState>): EtcdState {
  const copy: EtcdState = {
    id: state.id,
    incarnation: state.incarnation,
    peers: state.peers,
    settings: state.settings,
    phase: state.phase,
    standing: state.standing,
    healthy: state.healthy,
    observed: state.observed,
    session: state.session,
    ownRevision: state.ownRevision,
    members: state.members,
    crowded: state.crowded,
    lookedAt: state.lookedAt,
    heardUpTo: state.heardUpTo,
    seen: state.seen,
    seenAtLook: state.seenAtLook,
    clusterId: state.clusterId,
    floor: state.floor,
    dataLost: state.dataLost,
    told: state.told,
    request: state.request,
    requestedMs: state.requestedMs,
    look: state.look,
    watch: state.watch,
    suspicious: state.suspicious,
    renewing: state.renewing,
    owesStepDown: state.owesStepDown,
    proclaims: state.proclaims,
    proclaimRequest: state.proclaimRequest,
    ownModRevision: state.ownModRevision,
    offer: state.offer,
    promise: state.promise,
    inheritance: state.inheritance,
    strainedMs: state.strainedMs,
    gone: state.gone,
    nextId: state.nextId,
  };
  return Object.assign(copy, changes);
}

/** Whether half of a surrogate pair stands alone. */
const isBroken = (text: string): boolean => /\p{Surrogate}/u.test(text);
const brokenText = 'etcd keeps UTF-8, and would give another character back.';

/**
 * How long before the server may end the lease this node must have stopped. Our clock may be slow by
 * `driftBound` and the server's fast by as much: of a TTL T we then measure T·(1−d) while it measures T·(1+d),
 * and the two differ by less than 2·d·T. The margin is for acting on it.
 */
export function guardMs({ driftBound, marginMs }: EtcdSettings, ttlMs: number): number {
  return 2 * driftBound * ttlMs + marginMs;
}

/** How long a lease is left alone before it is renewed. */
export function renewalMs({ settings }: EtcdState, session: Session | null): number {
  return settings.renewAfter * (session?.ttlMs ?? 1000 * settings.ttlSeconds);
}

/** Until when the lease certainly stands, by this node's clock. */
export function leaseDeadlineMs({ settings }: EtcdState, { renewedMs, ttlMs }: Session): number {
  return renewedMs + ttlMs - guardMs(settings, ttlMs);
}

/** Until when this node may lead: its lease stands, and its heir waits. */
export function deadlineMs(state: EtcdState, session: Session): number {
  return Math.min(leaseDeadlineMs(state, session), offerDeadlineMs(state.settings, state.offer));
}

const rules: OptionTable = {
  name: text,
  ttlSeconds: wholeNumberFrom(1),
  succession: oneOf('queue', 'race'),
  driftBound: numberFrom(0, 0.5),
  marginMs: numberFrom(0, Number.MAX_SAFE_INTEGER),
  renewAfter: must(
    'greater than 0 and at most 0.7, since a renewal may fail',
    (value) => typeof value === 'number' && value > 0 && value <= 0.7,
  ),
  requestTimeoutMs: numberAbove(0),
  retryMs: rangeMs,
  deathCertificates: flag,
  heirWaitMs: must(
    '0 for no heirs, or at least 100',
    (value) => typeof value === 'number' && (value === 0 || (value >= 100 && Number.isFinite(value))),
  ),
  coordinator: text,
};

/** Without those that are undefined. Throws `InvalidOptionError`. */
export function readSettings(settings: Partial<EtcdSettings>): Partial<EtcdSettings> {
  return readOptions('etcd', settings, rules);
}

/** Throws `InvalidOptionError` for settings under which no lease could be kept. */
export function checkSettings(settings: EtcdSettings): EtcdSettings {
  const { name, ttlSeconds } = settings;
  if (isBroken(name))
    throw new InvalidOptionError(`name must not contain half of a surrogate pair: ${brokenText}`);
  const ttlMs = 1000 * ttlSeconds;
  if (!(guardMs(settings, ttlMs) <= ttlMs / 2)) {
    throw new InvalidOptionError(
      `The guard of ${guardMs(settings, ttlMs)} ms takes more than half of the lease; ask for a longer one.`,
    );
  }
  checkHeirSettings(settings, ttlMs - guardMs(settings, ttlMs));
  return settings;
}
