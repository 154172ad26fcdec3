import type { NodeId } from '@hustings/elector';
import { createElector, memoryStorage } from '@hustings/runtime';
import { type CreateCandidate, type LiveCandidate, LiveCandidates } from '@hustings/testkit';
import {
  type ZooKeeperDiagnostic,
  type ZooKeeperGatewayOptions,
  zookeeperGateway,
} from '../../src/gateway.js';
import { type ZooKeeperAnnouncement, type ZooKeeperElectionRequest, zookeeper } from '../../src/index.js';

export { eventually } from '@hustings/testkit';

export type Connection = Omit<ZooKeeperGatewayOptions, 'id'>;
export type Node = LiveCandidate<ZooKeeperElectionRequest, ZooKeeperAnnouncement> & {
  readonly diagnostics: readonly ZooKeeperDiagnostic[];
};

export const createCandidate: CreateCandidate<
  Connection,
  ZooKeeperElectionRequest,
  ZooKeeperAnnouncement
> = ({ id, election, leaseMs, connection, onAnnouncement }) =>
  createElector({
    protocol: zookeeper({ path: election, sessionTimeoutMs: leaseMs }),
    transport: zookeeperGateway({ id, ...connection }),
    peers: [],
    storage: memoryStorage(),
    onAnnouncement,
  });

/** Nodes of one election, which are stopped together. */
export class Nodes extends LiveCandidates<Connection, ZooKeeperElectionRequest, ZooKeeperAnnouncement> {
  constructor({ sessionTimeoutMs = 2000 }: { sessionTimeoutMs?: number } = {}) {
    super(createCandidate, { leaseMs: sessionTimeoutMs });
  }

  get path(): string {
    return this.election;
  }

  override async start(id: NodeId, connection: Connection): Promise<Node> {
    const diagnostics: ZooKeeperDiagnostic[] = [];
    const node = await super.start(id, {
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      ...connection,
    });
    return Object.assign(node, { diagnostics });
  }
}
