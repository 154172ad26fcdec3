import { InvalidOptionError, type NodeId } from '@hustings/elector';
import type { DelayRangeMs, Obituary } from '@hustings/elector/protocol';
import type { LeaseView, Token } from './messages.js';
import type { StoreTraits } from './store.js';
import { holderOf } from './tokens.js';

export interface LeaseSettings {
  /** What the store has declared. */
  readonly store: StoreTraits;
  /** The election's name: candidates of one name compete for one lease. */
  readonly name: string;
  /** The lease asked for. */
  readonly ttlMs: number;
  /** How much faster or slower than real time a clock may run, the store's or ours: 0.01 is one per cent. */
  readonly driftBound: number;
  /** How late this process may be to act on the end of its lease while it runs. */
  readonly marginMs: number;
  /**
   * Fraction of the lease after which it is renewed, and the store asked who has it. Larger: faster failover, fewer
   * requests, less tolerance for a slow store.
   */
  readonly renewAfter: number;
  /** How long to wait for an answer before the request is sent again. */
  readonly requestTimeoutMs: number;
  /** How long to wait after a request is known to have failed. */
  readonly retryMs: DelayRangeMs;
  /** The node on the transport that is the store. */
  readonly coordinator: NodeId;
  /**
   * Whoever has the death certificate of the holder's process releases its lease, and the next leads at once. Needs
   * links between the nodes that give certificates, and a store whose leases anybody may release.
   */
  readonly deathCertificates: boolean;
}

export const defaultSettings: Omit<LeaseSettings, 'store'> = {
  name: 'hustings',
  ttlMs: 5000,
  driftBound: 0.01,
  marginMs: 100,
  renewAfter: 1 / 3,
  requestTimeoutMs: 1000,
  retryMs: [50, 150],
  coordinator: 'store',
  deathCertificates: false,
};

export type Phase =
  /** Does not stand, or cannot. */
  | 'following'
  /** Has asked for the lease; or has it, too late to lead with, and has asked for more time. */
  | 'acquiring'
  /** Another has it. */
  | 'waiting'
  | 'leading'
  /**
   * Has it under a token at or below one that was seen. Keeps it, so that nobody leads, until told that this is fine;
   * where tokens are of a clock, for a while only.
   */
  | 'refusing'
  /** Gives back what it has, or may have. Until that is acknowledged nothing is forgotten. */
  | 'leaving';

/** The lease, while this process has it. */
export interface OwnLease {
  readonly token: Token;
  /** What the store granted last. */
  readonly validForMs: number;
  /** When that was asked for, by this node's clock. The store's count began later. */
  readonly sentMs: number;
}

/** The lease, while somebody else has it. */
export interface OthersLease extends LeaseView {
  /**
   * By this node's clock. Where the store's clock rules: when it was last shown. Where the observer's does: when this
   * version was first shown.
   */
  readonly sinceMs: number;
  /** It has come to its end, and has not been seen renewed since. */
  readonly isOver: boolean;
}

export interface LeaseState {
  readonly id: NodeId;
  readonly settings: LeaseSettings;
  readonly phase: Phase;
  /** The application asks to lead. A step-down ends that. */
  readonly standing: boolean;
  /** An unhealthy node does not stand. */
  readonly healthy: boolean;
  /** Somebody here wants to hear of every leader at once. */
  readonly observed: boolean;
  /** This process's name, which no other process has. */
  readonly holder: string;
  /** Known to be this process's. */
  readonly own: OwnLease | null;
  /** Known to be another's. */
  readonly other: OthersLease | null;
  /** The version that has stood still, which the request for the lease takes over from. */
  readonly over: string | null;
  /** The highest token seen. Only a token above it is led with. */
  readonly floor: Token;
  /**
   * The highest token that this process has led with, or has had and has no longer. A store that has missed its end may
   * give it once more, or an earlier one. `0` for none.
   */
  readonly formerOwn: Token;
  /** A token at or below one that was seen has come up, and none above it since. */
  readonly dataLost: boolean;
  /** What the driver was last told to believe: `nobody`, `candidate`, `leading`, or another's holder and token. */
  readonly told: string;
  /** The request that the present phase waits for. Answers to earlier ones are out of date. */
  readonly request: number | null;
  /** A hint has come since that request was sent: what it finds may be out of date already. */
  readonly hinted: boolean;
  /** The read whose answer is awaited. */
  readonly look: number | null;
  /** The last renewal, until it is answered. */
  readonly renewal: number | null;
  /** The last request to watch: hints come under its id. */
  readonly watch: number | null;
  /** Something went unanswered, so hints may be missing. The next answer asks for them again, and clears it. */
  readonly suspicious: boolean;
  /** Holders that are known to have died, where death certificates are wanted. */
  readonly gone: Obituary;
  /** The last release of a dead holder's lease: its answer is a hint. */
  readonly eviction: number | null;
  /** Leaving answers a resign-requested, and owes a step-down when it is done. */
  readonly owesStepDown: boolean;
  /** The next request's id. Each process counts from one. */
  readonly nextId: number;
}

/** `process` is a name that no other process of this node has, ever. */
export function initialState(id: NodeId, settings: LeaseSettings, process: string): LeaseState {
  return {
    id,
    settings,
    phase: 'following',
    standing: false,
    healthy: true,
    observed: false,
    holder: holderOf(id, process),
    own: null,
    other: null,
    over: null,
    floor: '0',
    formerOwn: '0',
    dataLost: false,
    told: 'nobody',
    request: null,
    hinted: false,
    look: null,
    renewal: null,
    watch: null,
    suspicious: false,
    gone: [],
    eviction: null,
    owesStepDown: false,
    nextId: 1,
  };
}

/** Spelled out, and not spread, for the sake of speed: docs/decisions/0015. */
export function change(state: LeaseState, changes: Partial<LeaseState>): LeaseState {
  const copy: LeaseState = {
    id: state.id,
    settings: state.settings,
    phase: state.phase,
    standing: state.standing,
    healthy: state.healthy,
    observed: state.observed,
    holder: state.holder,
    own: state.own,
    other: state.other,
    over: state.over,
    floor: state.floor,
    formerOwn: state.formerOwn,
    dataLost: state.dataLost,
    told: state.told,
    request: state.request,
    hinted: state.hinted,
    look: state.look,
    renewal: state.renewal,
    watch: state.watch,
    suspicious: state.suspicious,
    gone: state.gone,
    eviction: state.eviction,
    owesStepDown: state.owesStepDown,
    nextId: state.nextId,
  };
  return Object.assign(copy, changes);
}

/**
 * How long before a lease may end this node must have stopped. Our clock may be slow by `driftBound` and the store's,
 * or the observer's, fast by as much: of a time T we then measure T·(1−d) while it measures T·(1+d), and the two differ
 * by less than 2·d·T. The margin is for acting on it.
 */
export function guardMs(
  { driftBound, marginMs }: Pick<LeaseSettings, 'driftBound' | 'marginMs'>,
  validForMs: number,
): number {
  return 2 * driftBound * validForMs + marginMs;
}

/** Until when the lease certainly stands, by this node's clock. */
export function deadlineMs({ settings }: LeaseState, { sentMs, validForMs }: OwnLease): number {
  return sentMs + validForMs - guardMs(settings, validForMs);
}

/**
 * When another's lease is to be asked for, by this node's clock. The store answers who has it, whatever we believe, so
 * where its clock rules it is enough to ask about then. Where ours does, nobody else will hold us back: its holder's own
 * guard is granted to it once more.
 */
export function dueMs({ settings }: LeaseState, { sinceMs, expiresInMs }: OthersLease): number {
  const { clock, granularityMs } = settings.store;
  return sinceMs + expiresInMs + (clock === 'store' ? granularityMs : guardMs(settings, expiresInMs));
}

/** How long a lease is left alone before it is renewed, or looked at. */
export const renewalMs = ({ renewAfter, ttlMs }: LeaseSettings): number => renewAfter * ttlMs;

/** Throws `InvalidOptionError` for settings under which no lease could be kept. */
export function checkSettings(settings: LeaseSettings): LeaseSettings {
  const { store, name, ttlMs, driftBound, marginMs, renewAfter, requestTimeoutMs, retryMs } = settings;
  const { deathCertificates } = settings;
  if (name === '') throw new InvalidOptionError('The election needs a name.');
  if (!(Number.isFinite(ttlMs) && ttlMs >= store.minTtlMs && ttlMs > 0)) {
    throw new InvalidOptionError(
      `ttlMs must be at least ${store.minTtlMs}, the shortest that ${store.name} keeps to; it is ${ttlMs}.`,
    );
  }
  if (!(driftBound >= 0 && marginMs >= 0)) {
    throw new InvalidOptionError('driftBound and marginMs must not be negative.');
  }
  if (!(guardMs(settings, ttlMs) <= ttlMs / 2)) {
    throw new InvalidOptionError(
      `The guard of ${guardMs(settings, ttlMs)} ms takes more than half of the lease; raise ttlMs or lower marginMs.`,
    );
  }
  if (!(renewAfter > 0 && renewAfter <= 0.7)) {
    throw new InvalidOptionError('renewAfter must be greater than 0 and at most 0.7: a renewal may fail.');
  }
  if (!(requestTimeoutMs > 0 && retryMs[0] > 0 && retryMs[0] <= retryMs[1])) {
    throw new InvalidOptionError('requestTimeoutMs and the range retryMs must be greater than 0.');
  }
  if (deathCertificates && store.releasedBy !== 'anybody') {
    throw new InvalidOptionError(
      `deathCertificates are of no use on ${store.name}: nobody but its holder can release a lease there.`,
    );
  }
  return settings;
}
