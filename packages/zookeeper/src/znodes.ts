/** How znodes are named and ordered, so that candidates of Curator's LeaderLatch and ours line up in one queue. */

import type { SessionId, ZnodeName } from './messages.js';
import type { ZooKeeperState } from './state.js';

const marker = 'latch-';

/**
 * The name under which a session makes its n-th attempt: Curator's `_c_<uuid>-latch-`, to which the server
 * appends a number. The UUID is of version 8, which leaves its contents to us: session ids are unique in an
 * ensemble, so no chance is needed, and a node knows all that it ever created by name alone.
 */
export function protectedName(session: SessionId, attempt: number): string {
  return `_c_${uuidOf(session, attempt)}-${marker}`;
}

/** Those of the names that this session created, in whatever attempt. */
export function namesOf(session: SessionId, names: readonly ZnodeName[]): ZnodeName[] {
  // The attempt is in the last 12 digits.
  const beginning = protectedName(session, 0).slice(0, '_c_'.length + 24);
  return names.filter((name) => name.startsWith(beginning));
}

function uuidOf(session: SessionId, attempt: number): string {
  const digits = session.padStart(16, '0');
  const groups = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(12, 15)}`,
    `8${digits.slice(15)}00`,
    attempt.toString(16).padStart(12, '0'),
  ];
  return groups.join('-');
}

/** The candidates, first comer first: by the text after the last `latch-`, as Curator orders them. */
export function inOrder(names: readonly ZnodeName[]): ZnodeName[] {
  return names
    .filter((name) => name.includes(marker))
    .sort((a, b) => (sequenceOf(a) < sequenceOf(b) ? -1 : sequenceOf(a) > sequenceOf(b) ? 1 : 0));
}

export function sequenceOf(name: ZnodeName): string {
  return name.slice(name.lastIndexOf(marker) + marker.length);
}

export const pathOf = ({ settings }: ZooKeeperState, name: ZnodeName): string => `${settings.path}/${name}`;

/** The name of a znode in the queue; the empty name for the queue itself. */
export const nameOf = ({ settings }: ZooKeeperState, path: string): ZnodeName =>
  path.slice(settings.path.length + 1);
