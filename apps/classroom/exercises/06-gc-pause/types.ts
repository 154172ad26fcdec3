/** What a leader has to work with. Not yours to change. */

export interface Leadership {
  /** Higher than that of every leader before. */
  readonly token: bigint;
  /** Throws when this node leads no longer, as far as it knows: what has happened in a pause it does not know yet. */
  assertValid(): void;
}

/** An account in a store that many leaders have written to, one after the other. Every call may take a while. */
export interface Store {
  /** The balance of the account. */
  read(): number;
  /** Sets the balance, whoever asks. */
  write(balance: number): void;
  /** Sets the balance, unless a higher token has been seen: then it is false, and nothing has changed. */
  writeFenced(token: bigint, balance: number): boolean;
  /** Raises the fence without writing: from now on, lower tokens are refused. False if a higher one has been seen. */
  raiseFence(token: bigint): boolean;
}
