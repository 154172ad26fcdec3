/** What a leader shows and asks when it writes. Not yours to change. */
export interface Write {
  /** The higher, the later its leader was elected. Two leaders may have the same, where an algorithm allows it. */
  readonly token: bigint;
  /** Which process writes. */
  readonly holder: string;
  readonly key: string;
  readonly value: string;
}
