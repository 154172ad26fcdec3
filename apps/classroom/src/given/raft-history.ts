/** What no single state shows: who led in which term, who voted for whom, and what was once committed. */

import type { NodeId } from '@hustings/elector';
import type { ProtocolMessage } from '@hustings/elector/protocol';
import type { AnyInput, Historian, SimulatedNode, Violation } from '@hustings/simulator';
import type { RaftMessage, RaftState } from './raft.js';

export const raftProperties = {
  oneVote: 'a node votes once in a term',
  oneLeader: 'a term has one leader',
  keepsEntries: 'what was committed is in the log of the leader of every later term',
} as const;

export class RaftHistory implements Historian<RaftState> {
  violation: Violation | null = null;
  readonly #votes = new Map<string, NodeId>();
  readonly #leaders = new Map<number, NodeId>();
  /** Each entry with its term, and the term whose leader committed it. */
  readonly #committed: { readonly term: number; readonly inTerm: number }[] = [];
  #world: { readonly nowMs: number } = { nowMs: 0 };

  attach(world: { readonly nowMs: number }): void {
    this.#world = world;
  }

  /** A vote counts when others are told of it. One that died with its save was never given. */
  sending({ id }: SimulatedNode<RaftState>, to: NodeId, said: ProtocolMessage): void {
    const message = said as RaftMessage;
    if (message.type === 'vote-request') this.#vote(id, message.term, id);
    if (message.type === 'vote-reply' && message.granted) this.#vote(id, message.term, to);
  }

  stepped({ state }: SimulatedNode<RaftState>, _input: AnyInput, before: RaftState): void {
    if (this.violation !== null) return;
    if (state.role === 'leader' && before.role !== 'leader') this.#begin(state);
    if (state.role === 'leader') this.#commit(state);
  }

  #vote(voter: NodeId, term: number, candidate: NodeId): void {
    const key = `${voter} ${term}`;
    const before = this.#votes.get(key);
    this.#votes.set(key, before ?? candidate);
    if (before === undefined || before === candidate) return;
    this.#report(
      raftProperties.oneVote,
      `${voter} votes for ${candidate} in term ${term}, and had voted for ${before}`,
      voter,
    );
  }

  #begin({ id, currentTerm, log }: RaftState): void {
    const before = this.#leaders.get(currentTerm) ?? id;
    this.#leaders.set(currentTerm, before);
    if (before !== id) {
      this.#report(
        raftProperties.oneLeader,
        `${before} and ${id} were both elected in term ${currentTerm}`,
        id,
      );
    }
    // A leader of an earlier term, elected by votes that came late, need not know of it (§5.4.3).
    const lost = this.#committed.findIndex(
      ({ term, inTerm }, index) => inTerm < currentTerm && log[index] !== term,
    );
    if (lost !== -1) {
      this.#report(
        raftProperties.keepsEntries,
        `${id} was elected in term ${currentTerm} without entry ${lost + 1}, which had been committed`,
        id,
      );
    }
  }

  #commit({ log, commitIndex, currentTerm }: RaftState): void {
    for (let index = this.#committed.length; index < commitIndex; index += 1) {
      this.#committed.push({ term: log[index]!, inTerm: currentTerm });
    }
  }

  #report(property: string, detail: string, node: NodeId): void {
    this.violation ??= { property, detail, atMs: this.#world.nowMs, node };
  }
}
