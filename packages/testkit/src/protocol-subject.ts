import type { NodeId } from '@hustings/elector';
import type { Protocol, ProtocolMessage } from '@hustings/elector/protocol';
import { createElector, memoryStorage, type Storage } from '@hustings/runtime';
import type { ElectorSubject } from './elector-subject.js';
import type { NetworkKind } from './networks.js';

export interface ProtocolSubject<
  State,
  Message extends ProtocolMessage,
  Durable,
  Timer extends string,
  Request = never,
  Announcement = never,
> {
  /** Configured to be quick: the suite waits for real elections. */
  readonly protocol: () => Protocol<State, Message, Durable, Timer, Request, Announcement>;
  readonly patienceMs?: number;
}

/** Electors that run a protocol in the runtime, over one kind of network. */
export function protocolSubject<
  State,
  Message extends ProtocolMessage,
  Durable,
  Timer extends string,
  Request = never,
  Announcement = never,
>(
  { protocol, ...rest }: ProtocolSubject<State, Message, Durable, Timer, Request, Announcement>,
  kind: NetworkKind,
): ElectorSubject {
  const { algorithm, variant, guarantees, decodeMessage } = protocol();
  return {
    ...rest,
    name: `${algorithm} (${variant}) over ${kind.name}`,
    guarantees,
    open(ids) {
      const network = kind.open(ids, decodeMessage);
      const disks = new Map<NodeId, Storage<Durable>>(ids.map((id) => [id, memoryStorage<Durable>()]));
      return {
        create: (id) =>
          createElector({
            protocol: protocol(),
            transport: network.transport(id),
            peers: ids.filter((other) => other !== id),
            storage: disks.get(id) ?? memoryStorage<Durable>(),
          }),
      };
    },
  };
}
