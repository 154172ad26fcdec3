import type { Recording, Reign } from '@hustings/simulator';

/** How things stand at a moment, or how a run went: a sentence, and whether it is bad news. */
export interface Verdict {
  readonly tone: 'calm' | 'waiting' | 'bad';
  readonly text: string;
}

const ms = (value: number): string => (value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`);
const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

export function verdictAt(recording: Recording, atMs: number): Verdict {
  const { facts } = recording;
  const reign = recording.reignAt(atMs);
  const names = namesOf(recording, reign);
  if (names.length === 0) return { tone: 'waiting', text: 'Nobody leads' };
  if (names.length > 1) return { tone: 'bad', text: `Split brain: ${listed(names)} lead` };
  const { token } = facts.tenures[reign!.tenures[0]!]!;
  return { tone: 'calm', text: `${names[0]} leads with ${shortToken(token)}` };
}

/** ZooKeeper's tokens are long numbers that differ at the end. */
export function shortToken(token: bigint): string {
  const text = String(token);
  return text.length <= 5 ? `token ${text}` : `token …${text.slice(-3)}`;
}

const namesOf = ({ facts }: Recording, reign: Reign | null): string[] =>
  (reign?.tenures ?? []).map((index) => facts.tenures[index]!.node);

export const overlapsOf = ({ facts }: Recording): Reign[] =>
  facts.reigns.filter(({ tenures }) => tenures.length > 1);

/** The whole run in a sentence or two. */
export function outcomeOf(recording: Recording): Verdict {
  const { facts } = recording;
  const overlaps = overlapsOf(recording);
  const twoMs = overlaps.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0);
  const last = verdictAt(recording, facts.endMs - 1e-6).text;
  const refused = facts.writes.filter(({ refusal }) => refusal !== null).length;
  const fence = refused === 0 ? '' : ` The fence refused ${refused} of ${facts.writes.length} writes.`;
  if (overlaps.length > 0) {
    const all = overlaps.length > 1 ? ' in all' : '';
    return { tone: 'bad', text: `Two led at once for ${ms(twoMs)}${all}.${fence} In the end: ${last}.` };
  }
  const leaderless = facts.reigns.filter(({ tenures, fromMs }) => tenures.length === 0 && fromMs > 0);
  const longestMs = Math.max(0, ...leaderless.map(({ fromMs, untilMs }) => untilMs - fromMs));
  const gap = longestMs === 0 ? '' : ` Nobody led for up to ${ms(longestMs)}.`;
  return { tone: 'calm', text: `Never two leaders.${gap}${fence} In the end: ${last}.` };
}

export interface StoreView {
  readonly taken: number;
  readonly refused: number;
  /** The last write was refused a moment ago. */
  readonly isRefusing: boolean;
  readonly last: string | null;
}

/** What the fenced store has seen by then. */
export function storeAt({ facts }: Recording, atMs: number): StoreView {
  const seen = facts.writes.filter(({ arrivedMs }) => arrivedMs <= atMs);
  const refused = seen.filter(({ refusal }) => refusal !== null);
  const last = refused.at(-1);
  const isRefusing = last !== undefined && atMs - last.arrivedMs < 120;
  return {
    taken: seen.length - refused.length,
    refused: refused.length,
    isRefusing,
    last: isRefusing ? `✕ ${last.node}, ${shortToken(last.token)}` : null,
  };
}
