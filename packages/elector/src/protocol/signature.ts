/** How a process signs what it leaves with a coordinator, so that others know whose it is. */

import type { NodeId } from '../elector.js';

export interface Signature {
  readonly id: NodeId;
  /** The process; null where only its node is named. */
  readonly incarnation: string | null;
}

/** The id alone, as other candidates write it, where no incarnation is told. */
export const sign = ({ id, incarnation }: Signature): string =>
  incarnation === null ? id : `${id}\t${incarnation}`;

export function readSignature(text: string): Signature {
  const end = text.lastIndexOf('\t');
  return end === -1
    ? { id: text, incarnation: null }
    : { id: text.slice(0, end), incarnation: text.slice(end + 1) };
}

/** What whoever acts on death certificates must assume, beside what it assumes anyway. */
export const deathCertificateAssumption =
  'nodes are dialled at the address and port of their own listener, with no forwarder, virtual address, shared port or mesh between: then a connection that was closed by its kernel, and a dial that is refused after it, prove that a process has ended';

/** Which processes are known to have ended, the last of many. */
export type Obituary = readonly string[];

const longestObituary = 64;

export const withDeath = (obituary: Obituary, incarnation: string): Obituary =>
  obituary.includes(incarnation) ? obituary : [...obituary, incarnation].slice(-longestObituary);

/** Whether the process that signed so is known to have ended. */
export const hasDied = (obituary: Obituary, { incarnation }: Signature): boolean =>
  incarnation !== null && obituary.includes(incarnation);
