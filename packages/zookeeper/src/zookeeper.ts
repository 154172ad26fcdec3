import type { Guarantees } from '@hustings/elector';
import { deathCertificateAssumption, type Protocol } from '@hustings/elector/protocol';
import { decodeDurable, decodeMessage } from './messages.js';
import {
  checkSettings,
  defaultSettings,
  initialState,
  readSettings,
  type ZooKeeperSettings,
} from './state.js';
import { step } from './step.js';
import type { ZooKeeperTypes } from './transition.js';

export type ZooKeeperProtocol = Protocol<ZooKeeperTypes>;

const whoDeletes =
  'nobody deletes the znode of a leader, or of one whose turn has come, but itself and ZooKeeper';

const guarantees: Guarantees = {
  atMostOneLeader: true,
  monotonicTokens: true,
  toleratesPartition: true,
  orderedSuccession: true,
  targetedTransfer: false,
  leased: true,
  assumptions: [
    'a majority of the ensemble is up, and this node can reach it',
    "no clock, the ensemble's included, is off by more than driftBound",
    'a process that runs acts on the end of its lease within marginMs',
    'a session is granted at least two ticks, and members report to their leader every half tick',
    whoDeletes,
    'ZooKeeper keeps what it has acknowledged; if it does not, a process started since cannot know which tokens were used',
  ],
};

const certified: Guarantees = {
  ...guarantees,
  assumptions: [
    ...guarantees.assumptions.filter((assumption) => assumption !== whoDeletes),
    `${whoDeletes}, and whoever has the death certificate of its process`,
    deathCertificateAssumption,
  ],
};

/** The ZooKeeper elector with these settings; what is left out is as in `defaultSettings`. */
export function zookeeper(settings: Partial<ZooKeeperSettings> = {}): ZooKeeperProtocol {
  const checked = checkSettings({ ...defaultSettings, ...readSettings(settings) });
  return {
    algorithm: 'zookeeper',
    variant: variantOf(checked),
    guarantees: checked.deathCertificates ? certified : guarantees,
    deathCertificates: checked.deathCertificates,
    periodicMessages: new Set(['ping', 'pong', 'prove', 'proven']),
    initialState: (id, _peers, incarnation) => initialState(id, checked, incarnation),
    step,
    decodeMessage,
    decodeDurable,
  };
}

function variantOf({ succession, deathCertificates }: ZooKeeperSettings): string {
  if (deathCertificates) return 'certificates';
  return succession === 'queue' ? 'default' : 'herd';
}
