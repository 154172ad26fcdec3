import type { Entry, RaftAnnouncement, RaftDurable, RaftMessage, RaftState } from '@hustings/raft';
import type { AnyEffect, AnyInput, Historian, SimulatedNode, Violation } from '@hustings/simulator';

type RaftNode = SimulatedNode<RaftState>;

/**
 * Remembers what no single state shows: who ever led each term, whom each node ever voted for, crashes or not, and
 * what was ever committed.
 */
export class RaftHistory implements Historian<RaftState> {
  violation: Violation | null = null;
  readonly #leaders = new Map<number, string>();
  readonly #votes = new Map<string, string>();
  readonly #committed = new Map<number, Entry>();
  /** By node: what is committed once the save of the same step is on disk. A process that dies first has told nobody. */
  readonly #onItsWay = new Map<
    string,
    { readonly incarnation: number; readonly entries: readonly Entry[] }
  >();
  readonly #announced = new Map<string, number>();
  #world: { readonly nowMs: number } = { nowMs: 0 };

  attach(world: { readonly nowMs: number }): void {
    this.#world = world;
  }

  sending(from: RaftNode, to: string, message: { readonly type: string }): undefined {
    const said = message as RaftMessage;
    if (said.type === 'vote-reply' && said.granted) this.#recordVote(from.id, said.term, to);
    if (said.type === 'vote-request') this.#recordVote(from.id, said.term, from.id);
    const { currentTerm } = from.state;
    const durable = from.durable as RaftDurable | undefined;
    if (currentTerm > 0 && durable?.currentTerm !== currentTerm) {
      this.#report('the term is saved before it is spoken of', from.id, `${said.type} to ${to}`);
    }
    return undefined;
  }

  stepped(node: RaftNode, input: AnyInput, before: RaftState, effects: readonly AnyEffect[]): void {
    const { state } = node;
    this.#recordSaved(node);
    if (state === before) return;
    if (state.role === 'leader' && before.role !== 'leader') {
      this.#recordOnce(this.#leaders, state.currentTerm, node.id, 'one leader a term, ever', node.id);
    }
    if (state.commitIndex > before.commitIndex && input.type !== 'restarted') {
      const entries = newlyCommitted(state, before);
      if (effects.some(({ type }) => type === 'save'))
        this.#onItsWay.set(node.id, { incarnation: node.incarnation, entries });
      else this.#recordCommitted(node.id, entries);
    }
    this.#checkOrder(node, effects);
  }

  /** No step follows in the same process before the save of the last one is on disk. */
  #recordSaved({ id, incarnation }: RaftNode): void {
    const saved = this.#onItsWay.get(id);
    if (saved === undefined) return;
    this.#onItsWay.delete(id);
    if (saved.incarnation === incarnation) this.#recordCommitted(id, saved.entries);
  }

  /** Messages are not copied in a simulation, so an entry is mostly the very same one everywhere. */
  #recordCommitted(id: string, entries: readonly Entry[]): void {
    for (const entry of entries) {
      const earlier = this.#committed.get(entry.index);
      if (earlier === undefined) this.#committed.set(entry.index, entry);
      else if (earlier !== entry && JSON.stringify(earlier) !== JSON.stringify(entry)) {
        const detail = `${entry.index}: ${JSON.stringify(earlier)}, then ${JSON.stringify(entry)}`;
        this.#report('committed entries never change', id, detail);
      }
    }
  }

  #checkOrder({ id, incarnation }: RaftNode, effects: readonly AnyEffect[]): void {
    for (const effect of effects) {
      if (effect.type !== 'announce') continue;
      const { type, index = 0 } = effect.announcement as RaftAnnouncement & { readonly index?: number };
      if (type === 'restored') this.#announced.set(`${id}#${incarnation}`, index);
      if (type === 'committed' || type === 'term-begun' || type === 'membership') {
        this.#follow(id, `${id}#${incarnation}`, index);
      }
    }
  }

  #follow(id: string, life: string, index: number): void {
    const previous = this.#announced.get(life) ?? 0;
    this.#announced.set(life, index);
    if (index !== previous + 1) this.#report('entries are announced in order', id, `${previous}, ${index}`);
  }

  #recordVote(voter: string, term: number, candidate: string): void {
    this.#recordOnce(this.#votes, `${voter} in ${term}`, candidate, 'one vote a term, ever', voter);
  }

  #recordOnce<Key>(record: Map<Key, string>, key: Key, value: string, property: string, node: string): void {
    const earlier = record.get(key);
    if (earlier === undefined) record.set(key, value);
    else if (earlier !== value) this.#report(property, node, `${key}: ${earlier}, then ${value}`);
  }

  #report(property: string, node: string, detail: string): void {
    this.violation ??= { property, detail, atMs: this.#world.nowMs, node };
  }
}

function newlyCommitted({ log, commitIndex }: RaftState, before: RaftState): readonly Entry[] {
  const { entries, snapshot } = log;
  return entries.slice(Math.max(0, before.commitIndex - snapshot.index), commitIndex - snapshot.index);
}
