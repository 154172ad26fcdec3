/** How tokens and holders are written in messages and states. */

import type { NodeId } from '@hustings/elector';
import type { Token } from './messages.js';

/** Whether token `a` is greater than `b`. */
export const isAfter = (a: Token, b: Token): boolean =>
  // Decimal and without leading zeros, so the longer is the greater. Big integers would cost half of a simulation.
  a.length === b.length ? a > b : a.length > b.length;

/**
 * A holder is a process of a node: the same node's next process is another one. What a transport calls a process is
 * its own affair, but the last `#` ends the node.
 */
export const holderOf = (id: NodeId, process: string): string => `${id}#${process.replaceAll('#', '.')}`;

/** The node of a holder; a stranger that names itself otherwise is taken by its whole name. */
export function nodeOf(holder: string): NodeId {
  const end = holder.lastIndexOf('#');
  return end === -1 ? holder : holder.slice(0, end);
}
