import type { NodeId } from '@hustings/elector';
import type { MachineTypes, Protocol } from '@hustings/elector/protocol';
import { createElector, memoryStorage, type Storage } from '@hustings/runtime';
import type { ElectorSubject } from './elector-subject.js';
import type { NetworkKind } from './networks.js';

export interface ProtocolSubject<Types extends MachineTypes> {
  /** Configured to be quick: the suite waits for real elections. */
  readonly protocol: () => Protocol<Types>;
  readonly patienceMs?: number;
}

/** Electors that run a protocol in the runtime, over one kind of network. */
export function protocolSubject<Types extends MachineTypes>(
  { protocol, ...rest }: ProtocolSubject<Types>,
  kind: NetworkKind,
): ElectorSubject {
  const { algorithm, variant, guarantees, decodeMessage } = protocol();
  return {
    ...rest,
    name: `${algorithm} (${variant}) over ${kind.name}`,
    guarantees,
    open(ids) {
      const network = kind.open(ids, decodeMessage);
      const disks = new Map<NodeId, Storage<Types['durable']>>(
        ids.map((id) => [id, memoryStorage<Types['durable']>()]),
      );
      return {
        create: (id) =>
          createElector({
            protocol: protocol(),
            transport: network.transport(id),
            peers: ids.filter((other) => other !== id),
            storage: disks.get(id) ?? memoryStorage<Types['durable']>(),
          }),
      };
    },
  };
}
