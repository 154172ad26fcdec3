/** Rules about who leads, for any protocol: they look at beliefs and tenures, not into states. */

import { byRank, type Finding, type Invariants, type NodeView } from '@hustings/elector/protocol';
import type { Recording } from '@hustings/simulator';

const strongestLeads = 'the strongest node leads, and everyone follows it';

/** In the end. */
export function strongestInTheEnd<State>(): Invariants<State> {
  return { eventually: { [strongestLeads]: theStrongestLeads } };
}

function theStrongestLeads(nodes: readonly NodeView<unknown>[]): Finding {
  const running = nodes.filter(({ running: runs }) => runs).sort((a, b) => byRank(a.id, b.id));
  const strongest = running.at(-1);
  if (strongest === undefined) return null;
  if (!strongest.leading) {
    const leader = running.find(({ leading }) => leading);
    return `${strongest.id} is the strongest, but ${leader === undefined ? 'nobody' : leader.id} leads`;
  }
  const second = running.find(({ leading, id }) => leading && id !== strongest.id);
  if (second !== undefined) return `${strongest.id} leads, and ${second.id} leads, too`;
  const astray = running.find(({ id, belief }) => id !== strongest.id && belief.leaderId !== strongest.id);
  if (astray === undefined) return null;
  return `${strongest.id} leads, but ${astray.id} follows ${astray.belief.leaderId ?? 'nobody'}`;
}

/** At the end of a run, also of one in which something never heals. */
export function strongestAtTheEnd<State>(recording: Recording<State>): string | null {
  const finding = theStrongestLeads(nodesAtTheEnd(recording));
  return finding === null ? null : `In the end ${finding}.`;
}

export function nodesAtTheEnd<State>(recording: Recording<State>): NodeView<State>[] {
  const { nodes, events } = recording.facts;
  return nodes.map((id) => {
    const { state, status, belief, leadership } = recording.at(id, events.length - 1);
    return { id, state, belief, running: status === 'running', leading: leadership !== null };
  });
}

/** Nobody but the strongest node ever leads. */
export function onlyTheStrongest<State>({ facts }: Recording<State>): string | null {
  const strongest = [...facts.nodes].sort(byRank).at(-1);
  const other = facts.tenures.find(({ node }) => node !== strongest);
  return other === undefined
    ? null
    : `${other.node} leads at ${other.beganMs.toFixed(1)} ms, although ${strongest} is there.`;
}

/** Somebody has to lead twice for anything to grow. */
export function tokensGrow<State>({ facts }: Recording<State>): string | null {
  const { tenures } = facts;
  if (tenures.length < 2) return 'Nobody led after the first leader had crashed.';
  for (const [index, tenure] of tenures.entries()) {
    const earlier = tenures.slice(0, index).find(({ token }) => token >= tenure.token);
    if (earlier === undefined) continue;
    return `${tenure.node} leads with token ${tenure.token} at ${tenure.beganMs.toFixed(1)} ms, but ${earlier.node} has led with ${earlier.token}.`;
  }
  return null;
}
