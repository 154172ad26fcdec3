/** Why a connection was refused or dropped. Stable: dashboards and alerts may rely on it. */
export type RefusalReason =
  | 'malformed'
  | 'oversized'
  | 'unauthenticated'
  | 'unknown-peer'
  | 'wrong-node'
  | 'duplicate-identity'
  | 'superseded'
  | 'unsupported-version'
  | 'handshake-timeout'
  | 'too-many-connections'
  | 'slow-peer';

export type RefusalCounts = Readonly<Record<RefusalReason, number>>;

/** Thrown inside this package to end the connection at hand; it never reaches a caller. */
export class Refusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** The WebSocket close code that tells the other end why. 4000 to 4999 are free for private use. */
const closeCodes: RefusalCounts = {
  malformed: 1007,
  oversized: 1009,
  unauthenticated: 4001,
  'unknown-peer': 4002,
  'wrong-node': 4003,
  'duplicate-identity': 4004,
  'unsupported-version': 4005,
  'handshake-timeout': 4006,
  'too-many-connections': 4007,
  'slow-peer': 4008,
  superseded: 4009,
};

/** Not a refusal: the pair has a connection already. */
export const redundantCode = 4100;
/** Not a refusal: the node is stopping. */
export const goingAwayCode = 1001;

export function closeCodeOf(reason: RefusalReason): number {
  return closeCodes[reason];
}

/** What the other end meant by closing with this code; null when it did not refuse anything. */
export function reasonOfCloseCode(code: number): RefusalReason | null {
  return reasons.find((reason) => closeCodes[reason] === code) ?? null;
}

const reasons = Object.keys(closeCodes) as RefusalReason[];

export class RefusalCounter {
  readonly #counts = Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<
    RefusalReason,
    number
  >;

  add(reason: RefusalReason): void {
    this.#counts[reason] += 1;
  }

  counts(): RefusalCounts {
    return { ...this.#counts };
  }
}
