/** What processes notice of their connections: that one has closed or opened, and that a peer is certified dead. */

import { type Links, nameOfLife } from './links.js';
import type { Network } from './network.js';
import type { SimulatedNode } from './node.js';
import type { AnyInput } from './observer.js';
import type { Random } from './random.js';

interface Time {
  readonly nowMs: number;
  at(atMs: number, action: () => void): void;
}

export interface ConnectionsOptions<State> {
  readonly everyone: readonly SimulatedNode<State>[];
  readonly network: Network;
  readonly links: Links;
  readonly time: Time;
  /** Draws how late certificates are, and when a cut closes a connection; null where nobody wants certificates. */
  readonly mortality: Random | null;
  /** Whether a crash closes connections. */
  readonly closeOnCrash: boolean;
  /** Hands a node an input at a time, with the life of the peer that it is about. */
  readonly post: (node: SimulatedNode<State>, input: AnyInput, atMs: number, life: number) => void;
}

export class Connections<State> {
  readonly #everyone: readonly SimulatedNode<State>[];
  readonly #network: Network;
  readonly #links: Links;
  readonly #time: Time;
  readonly #mortality: Random | null;
  readonly #closeOnCrash: boolean;
  readonly #post: ConnectionsOptions<State>['post'];

  constructor(options: ConnectionsOptions<State>) {
    this.#everyone = options.everyone;
    this.#network = options.network;
    this.#links = options.links;
    this.#time = options.time;
    this.#mortality = options.mortality;
    this.#closeOnCrash = options.closeOnCrash;
    this.#post = options.post;
  }

  /** A process has just started: it has no connections yet. */
  begin(node: SimulatedNode<State>): void {
    this.#links.forget(node.index);
    if (this.#closeOnCrash) this.refreshAllOf(node);
    else for (const peer of this.#everyone) this.#links.tell(peer.index, node.index, node.incarnation);
  }

  refreshAllOf(node: SimulatedNode<State>): void {
    for (const peer of this.#everyone) this.#refreshBothWays(peer, node);
  }

  #refreshBothWays(node: SimulatedNode<State>, peer: SimulatedNode<State>): void {
    this.#refreshLink(node, peer);
    this.#refreshLink(peer, node);
  }

  /** A connection that has closed or opened is noticed one latency later, and only when the link is whole. */
  #refreshLink(node: SimulatedNode<State>, peer: SimulatedNode<State>): void {
    if (!this.#closeOnCrash || node === peer || node.status === 'crashed') return;
    if (this.#network.isCut(node.index, peer.index) || this.#network.isCut(peer.index, node.index)) return;
    for (const type of this.#links.refresh(node, peer)) {
      const atMs = this.#network.inOrderMs(peer.index, node.index, this.#time.nowMs);
      this.#post(node, this.#linkNews(type, peer), atMs, peer.incarnation);
    }
    if (this.#mortality !== null) this.#certify(node, peer, this.#mortality);
  }

  #linkNews(type: 'link-up' | 'link-down', { id: peer, incarnation }: SimulatedNode<State>): AnyInput {
    if (type === 'link-down' || this.#mortality === null) return { type, peer };
    return { type, peer, incarnation: nameOfLife(peer, incarnation) };
  }

  // ---- Death certificates: a crash causes them, and a pause or a cut never does ----------------------------

  /** Everyone begins connected, and is told to whom. */
  introduceEveryone(): void {
    for (const node of this.#everyone) {
      for (const peer of this.#everyone) {
        if (peer !== node && !node.isService && !peer.isService)
          this.#post(node, this.#linkNews('link-up', peer), 0, 0);
      }
    }
  }

  /** Soon as a rule, but at times much later, when the next life has long been linked. */
  #certify(node: SimulatedNode<State>, peer: SimulatedNode<State>, mortality: Random): void {
    if (node.isService || peer.isService) return;
    const life = this.#links.takeEnded(node, peer);
    if (life === null) return;
    const lateMs = mortality.between(0, mortality.pick([4, 4, 20, 1000]));
    const atMs = this.#network.inOrderMs(peer.index, node.index, this.#time.nowMs) + lateMs;
    const incarnation = nameOfLife(peer.id, life);
    this.#post(node, { type: 'peer-gone', peer: peer.id, incarnation }, atMs, life);
  }

  /** A cut that lasts closes connections between processes that live: what looks like a death is none. */
  #closeWhileCut(links: readonly (readonly [from: number, to: number])[], mortality: Random): void {
    for (const [from, to] of links) {
      const [node, peer] = [this.#everyone[from]!, this.#everyone[to]!];
      if (node.isService || peer.isService || from > to) continue;
      this.#time.at(this.#time.nowMs + mortality.between(0, mortality.pick([20, 400, 4000])), () => {
        if (!this.#network.isCut(from, to) && !this.#network.isCut(to, from)) return;
        this.#disconnect(node, peer);
        this.#disconnect(peer, node);
      });
    }
  }

  #disconnect(node: SimulatedNode<State>, peer: SimulatedNode<State>): void {
    if (node.status === 'crashed' || !this.#links.isConnected(node.index, peer.index)) return;
    this.#links.disconnect(node.index, peer.index);
    this.#post(node, { type: 'link-down', peer: peer.id }, this.#time.nowMs, peer.incarnation);
  }

  cut(isCut: (from: SimulatedNode<State>, to: SimulatedNode<State>) => boolean): () => void {
    const links = this.#everyone.flatMap((from) =>
      this.#everyone
        .filter((to) => from !== to && isCut(from, to))
        .map((to) => [from.index, to.index] as const),
    );
    for (const [from, to] of links) this.#network.cut(from, to);
    if (this.#mortality !== null) this.#closeWhileCut(links, this.#mortality);
    return () => {
      for (const [from, to] of links) this.#network.mend(from, to);
      // A peer that died meanwhile is heard of only now.
      for (const [from, to] of links) this.#refreshBothWays(this.#everyone[from]!, this.#everyone[to]!);
    };
  }
}
