/** One thing to say about a node, such as `term` and `4`. A few of them fit beside the node in a drawing. */
export interface Trait {
  readonly name: string;
  readonly value: string;
}

/** Leaves out what there is nothing to say about. */
export function portrait(traits: Readonly<Record<string, string | number | null>>): readonly Trait[] {
  return Object.entries(traits).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [{ name, value: `${value}` }],
  );
}

/** The role in an algorithm whose nodes know these three. */
export function roleOf(role: string, leaderId: string | null): string {
  if (role !== 'follower') return role;
  return leaderId === null ? 'follower of nobody' : `follower of ${leaderId}`;
}

/** What keeps a node out of elections, if anything does. */
export function absenceOf({ standing, healthy }: { standing: boolean; healthy: boolean }): string | null {
  if (!healthy) return 'unhealthy: takes no part';
  return standing ? null : 'does not stand';
}

export function timeLeft(untilMs: number, nowMs: number): string {
  const leftMs = Math.round(untilMs - nowMs);
  return leftMs > 0 ? `${leftMs} ms left` : 'over';
}
