/**
 * Mutants: algorithms broken on purpose, to find out whether the checks notice. Each wraps what is intact; none copies
 * it, so they stay broken versions of what is there today.
 */

import type { Finding } from '@hustings/elector/protocol';
import type { AnyProtocol } from '@hustings/simulator';

export type Change<Intact> = (intact: Intact) => Intact;

export interface MutantOf<Intact> {
  readonly name: string;
  /** What is broken, in one sentence. */
  readonly breaks: string;
  readonly alter: Change<Intact>;
}

/** A check under one name, or several under theirs: which of them fails is part of the finding. */
export interface CheckOf<Intact> {
  /** Null if nothing is wrong with what was altered. */
  find(alter: Change<Intact>): Failure | null;
}

export interface Failure {
  readonly check: string;
  readonly detail: string;
}

/** Something with its checks, in the order in which they are tried, and its mutants. */
export interface SubjectOf<Intact> {
  readonly algorithm: string;
  readonly checks: readonly CheckOf<Intact>[];
  readonly mutants: readonly MutantOf<Intact>[];
}

export type Alteration<State> = Change<AnyProtocol<State>>;
export type Mutant<State> = MutantOf<AnyProtocol<State>>;
export type Check<State> = CheckOf<AnyProtocol<State>>;
export type Subject<State> = SubjectOf<AnyProtocol<State>>;

export function named<Intact>(check: string, find: (alter: Change<Intact>) => Finding): CheckOf<Intact> {
  return {
    find(alter) {
      const detail = find(alter);
      return detail === null ? null : { check, detail };
    },
  };
}
