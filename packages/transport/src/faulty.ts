import type { NodeId } from '@hustings/elector';
import { DelayLine } from './delay-line.js';
import { logged } from './diagnostics.js';
import { checkRule, decideFate, type FaultRule } from './fault-rules.js';
import type { Transport, TransportHandlers } from './transport.js';

export interface FaultOptions {
  readonly rules?: readonly FaultRule[];
  /** From 0 to 1, 1 excluded. A seeded source makes the faults repeatable. */
  readonly random?: () => number;
}

export interface FaultyTransport<Message> extends Transport<Message> {
  /** Replaces every rule. Messages that are held already keep their delay. */
  setRules(rules: readonly FaultRule[]): void;
  /** Adds a rule and returns what removes it again. */
  addRule(rule: FaultRule): () => void;
}

/**
 * Breaks a transport on purpose. Rules apply to what this node sends and to what it receives, so that one
 * process alone can cut itself off both ways. A rule given to both ends of a link therefore works twice:
 * for a cut that is no matter, but give a loss or a delay to one end only.
 */
export function faulty<Message>(
  transport: Transport<Message>,
  options: FaultOptions = {},
): FaultyTransport<Message> {
  const { random = Math.random } = options;
  const id = transport.id;
  const outbound = new Lines();
  const inbound = new Lines();
  /** Which process of each peer the link leads to. */
  const linked = new Map<NodeId, string>();
  let rules: readonly FaultRule[] = [];
  let stopped = false;

  function setRules(next: readonly FaultRule[]): void {
    next.forEach(checkRule);
    rules = [...next];
  }

  function afflict(line: DelayLine, from: NodeId, to: NodeId, deliver: () => void): void {
    if (stopped) return;
    for (const { delayMs, overtakable } of decideFate(rules, from, to, random)) {
      line.pass(delayMs, overtakable, deliver);
    }
  }

  function afflicted(handlers: TransportHandlers<Message>): TransportHandlers<Message> {
    return {
      received(from, message, incarnation) {
        afflict(inbound.of(from), from, id, () => handlers.received(from, message, incarnation));
      },
      linkUp(peer, incarnation) {
        linked.set(peer, incarnation);
        handlers.linkUp(peer, incarnation);
      },
      linkDown(peer) {
        linked.delete(peer);
        // What was held went down with its connection.
        outbound.of(peer).clear();
        inbound.of(peer).clear();
        handlers.linkDown(peer);
      },
      peerGone: (peer, incarnation) => handlers.peerGone?.(peer, incarnation),
    };
  }

  /** A message leaves over the link that it was given to, however long it is held, or not at all. */
  function send(to: NodeId, message: Message, incarnation?: string): void {
    const addressee = linked.get(to);
    const copy = copyOf(message);
    afflict(outbound.of(to), id, to, () => {
      if (linked.get(to) === addressee) transport.send(to, copy, incarnation ?? addressee);
    });
  }

  setRules(options.rules ?? []);
  return {
    id,
    incarnation: transport.incarnation,
    ...(transport.peers === undefined ? {} : { peers: transport.peers }),
    start: (handlers) => transport.start(afflicted(logged(id, handlers))),
    send,
    stop() {
      stopped = true;
      outbound.clear();
      inbound.clear();
      return transport.stop();
    },
    setRules,
    addRule(rule) {
      const added = { ...rule };
      setRules([...rules, added]);
      return () => {
        rules = rules.filter((other) => other !== added);
      };
    },
  };
}

/** The sender may change a message while it is held. One that is not plain data is left to the transport to refuse. */
function copyOf<Message>(message: Message): Message {
  try {
    return structuredClone(message);
  } catch {
    return message;
  }
}

class Lines {
  readonly #byPeer = new Map<NodeId, DelayLine>();

  of(peer: NodeId): DelayLine {
    const line = this.#byPeer.get(peer) ?? new DelayLine();
    this.#byPeer.set(peer, line);
    return line;
  }

  clear(): void {
    for (const line of this.#byPeer.values()) line.clear();
  }
}
