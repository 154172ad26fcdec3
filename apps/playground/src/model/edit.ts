/** What hands do, as edits of the schedule. Nothing here touches a run: the schedule is recorded again. */

import type { NodeId } from '@hustings/elector';
import type { Fault, FaultKind, Recording, Schedule, Setting } from '@hustings/simulator';

/** Tenths of a millisecond keep schedules readable. Never before the moment that was looked at. */
export const roundMs = (atMs: number): number => Math.ceil(atMs * 10 - 1e-6) / 10;

export function withFault(schedule: Schedule, kind: FaultKind, atMs: number): Schedule {
  const fault: Fault = { ...kind, atMs: roundMs(atMs) };
  const faults = [...schedule.faults, fault].sort((a, b) => a.atMs - b.atMs);
  return { ...schedule, faults };
}

/** The fault is over at this moment. */
export function healed(schedule: Schedule, index: number, atMs: number): Schedule {
  const fault = schedule.faults[index]!;
  return { ...schedule, faults: schedule.faults.with(index, { ...fault, healAtMs: roundMs(atMs) }) };
}

export function withoutFault(schedule: Schedule, index: number): Schedule {
  return { ...schedule, faults: schedule.faults.toSpliced(index, 1) };
}

/** From this moment on nothing is planned any more: another future. */
export function forked(schedule: Schedule, atMs: number): Schedule {
  const faults = schedule.faults
    .filter((fault) => fault.atMs <= atMs)
    .map((fault): Fault => {
      if (fault.healAtMs === undefined || fault.healAtMs <= atMs) return fault;
      const { healAtMs: _, ...lasting } = fault;
      return lasting;
    });
  return { ...schedule, faults };
}

export function withSetting(schedule: Schedule, name: string, value: Setting): Schedule {
  return { ...schedule, settings: { ...schedule.settings, [name]: value } };
}

/** Faults of these kinds that are going on, by their place in the schedule. */
export function activeFaults(
  schedule: Schedule,
  atMs: number,
  types: readonly FaultKind['type'][],
): number[] {
  return schedule.faults.flatMap((fault, index) =>
    types.includes(fault.type) && fault.atMs <= atMs && (fault.healAtMs ?? Number.POSITIVE_INFINITY) > atMs
      ? [index]
      : [],
  );
}

/** The place in the schedule of the fault that struck this node, if one of these kinds is going on. */
export function faultOn(
  { facts }: Recording,
  node: NodeId,
  atMs: number,
  types: readonly FaultKind['type'][],
): number | null {
  const struck = facts.faults.findLast(
    ({ fault, nodes, atMs: fromMs, healedMs }) =>
      types.includes(fault.type) &&
      nodes.includes(node) &&
      fromMs <= atMs &&
      (healedMs ?? Number.POSITIVE_INFINITY) > atMs,
  );
  const index = facts.schedule.faults.findIndex(
    (fault) =>
      fault.type === struck?.fault.type && fault.atMs === struck.atMs && isMeant(fault, struck.fault),
  );
  return struck === undefined || index < 0 ? null : index;
}

function isMeant(fault: FaultKind, other: FaultKind): boolean {
  return !('node' in fault) || !('node' in other) || fault.node === other.node;
}

/**
 * How a node is named in the schedule: by its office where several electors share the schedule, so that it means the
 * same in each; otherwise by its id.
 */
export function targetOf(recording: Recording, node: NodeId, sequence: number, isShared: boolean): string {
  if (recording.facts.services.includes(node)) return 'coordinator';
  if (!isShared) return node;
  const running = recording.facts.nodes.filter((id) => recording.at(id, sequence).status === 'running');
  const leader = leaderOf(recording, running, sequence);
  if (node === leader) return 'leader';
  const place = running.filter((id) => id !== leader).indexOf(node);
  return place < 0 ? node : `follower-${place + 1}`;
}

function leaderOf(recording: Recording, running: readonly NodeId[], sequence: number): NodeId | null {
  let leader: { readonly id: NodeId; readonly token: bigint } | null = null;
  for (const id of running) {
    const token = recording.at(id, sequence).leadership?.token;
    if (token !== undefined && (leader === null || token > leader.token)) leader = { id, token };
  }
  return leader?.id ?? null;
}
