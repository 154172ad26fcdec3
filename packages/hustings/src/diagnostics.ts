/** What an operator would want to know, from every part of an elector in one form. */

import type { NodeId } from '@hustings/elector';

export type Level = 'info' | 'warn' | 'error';

/** None of them needs an answer: the elector has acted already. */
export interface Diagnostic {
  /** Stable: alerts may rely on it. The README lists them. */
  readonly type: string;
  readonly level: Level;
  /** One sentence for people: what happened, and what to do about it. */
  readonly message: string;
  readonly id: NodeId;
  /** Null where the elector has no name for its election. */
  readonly election: string | null;
  readonly error?: Error;
}

/** What a part of an elector reports; the elector adds who it is. */
export type Report = Omit<Diagnostic, 'id' | 'election'>;
