import { createElector, memoryStorage } from '@hustings/runtime';
import { type CreateCandidate, type LiveCandidate, LiveCandidates } from '@hustings/testkit';
import { type EtcdGatewayOptions, etcdGateway } from '../../src/gateway.js';
import { type EtcdAnnouncement, type EtcdElectionRequest, type EtcdSettings, etcd } from '../../src/index.js';

export { eventually } from '@hustings/testkit';

export type Connection = Omit<EtcdGatewayOptions, 'id'>;
export type Node = LiveCandidate<EtcdElectionRequest, EtcdAnnouncement>;

export const createCandidate: CreateCandidate<Connection, EtcdElectionRequest, EtcdAnnouncement> = ({
  id,
  election,
  leaseMs,
  connection,
  onAnnouncement,
}) =>
  createElector({
    protocol: etcd({ name: election, ttlSeconds: leaseMs / 1000 }),
    transport: etcdGateway({ id, ...connection }),
    peers: [],
    storage: memoryStorage(),
    onAnnouncement,
  });

/** Nodes of one election, which are stopped together. */
export class Nodes extends LiveCandidates<Connection, EtcdElectionRequest, EtcdAnnouncement> {
  constructor({ name, ttlSeconds = 2 }: Partial<Pick<EtcdSettings, 'name' | 'ttlSeconds'>> = {}) {
    super(createCandidate, {
      leaseMs: 1000 * ttlSeconds,
      ...(name === undefined ? {} : { election: name }),
    });
  }

  get name(): string {
    return this.election;
  }
}
