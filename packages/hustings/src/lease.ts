/** What all stores share: an election on leases. */

import { must, numberAbove, numberFrom, type OptionTable, required, text } from '@hustings/elector/options';
import {
  defaultSettings,
  type LeaseAnnouncement,
  type LeaseElectionRequest,
  type LeaseMessage,
  type LeaseStore,
  lease,
} from '@hustings/lease';
import { type LeaseDiagnostic, leaseGateway } from '@hustings/lease/gateway';
import { memoryStorage } from '@hustings/runtime';
import type { Transport } from '@hustings/transport';
import type { Report, Reporter } from './diagnostics.js';
import { type CommonOptions, type HustingsElector, openElector, type Parts } from './front.js';
import { slackMs } from './lease-kinds/kind.js';
import { store as storeKind } from './lease-kinds/stores.js';
import { type CertificateOptions, commonRules } from './shared-options.js';
import { adviceFor, leaseTimings, longestMs, type TimingsName, timingsOf, timingsRule } from './timings.js';

export interface LeaseOptions {
  /** Candidates of one election compete for it. */
  readonly election: string;
  /** Default `lan`. */
  readonly timings?: TimingsName | undefined;
  /** How long a leader that is not heard of stays leader. Default: as in `timings`, 5000. */
  readonly ttlMs?: number | undefined;
  /** How long `start()` waits for the first answer before it says that there is none and goes on trying. Default 3000. */
  readonly connectTimeoutMs?: number | undefined;
}

export const leaseRules: OptionTable = {
  ...commonRules,
  election: required(text, 'the name of the election; candidates of one name compete'),
  timings: timingsRule(leaseTimings),
  ttlMs: numberAbove(0),
  connectTimeoutMs: numberFrom(1, longestMs),
};

/** Something with methods, of which the store itself says what it needs. */
export const client = must(
  'a client',
  (value) => ['object', 'function'].includes(typeof value) && value !== null,
);

/** Adds to the way to the store whatever other way the nodes have to each other. */
type Link = (gateway: Transport<LeaseMessage>, report: Reporter) => Transport<LeaseMessage>;

/** `server` is what people call the store. */
export function leaseElector(
  options: CommonOptions & LeaseOptions & CertificateOptions,
  store: LeaseStore,
  server = 'the store',
  shared: Pick<Parts<never>, 'log' | 'onStopped'> = {},
  link: Link = (gateway) => gateway,
): HustingsElector<LeaseElectionRequest> {
  const { id, election, timings, connectTimeoutMs = 3000 } = options;
  const { driftBound = defaultSettings.driftBound, ttlMs = timingsOf(leaseTimings, timings).ttlMs } = options;
  const { deathCertificates = false } = options;
  const protocol = lease(store.traits, { name: election, ttlMs, driftBound, deathCertificates });
  return openElector(options, {
    ...shared,
    protocol,
    election,
    storage: () => memoryStorage(),
    transport: (report) => {
      const onDiagnostic = (diagnostic: LeaseDiagnostic) => report(ofGateway(diagnostic, server));
      return link(leaseGateway({ id, store, onDiagnostic }), report);
    },
    endurance: {
      slackMs: slackMs(storeKind, ttlMs, driftBound),
      advice: adviceFor(timings, `ttlMs (now ${ttlMs})`),
    },
    answers: { renewed: null },
    answersNeeded: 1,
    withoutLeader: `check that ${server} answers this node`,
    connection: { timeoutMs: connectTimeoutMs, server },
    onAnnouncement: (announcement, report) => report(ofAnnouncement(announcement, server)),
  });
}

function ofGateway(diagnostic: LeaseDiagnostic, server: string): Report {
  const { type } = diagnostic;
  if (type === 'connected') return { type, level: 'info', message: `${server} answers.`, about: server };
  const message = `cannot reach ${server}: ${diagnostic.detail.replace(/\.$/, '')}. Trying again.`;
  return { type, level: 'warn', message, about: server };
}

function ofAnnouncement({ type, detail }: LeaseAnnouncement, server: string): Report {
  if (type === 'data-lost') return { type, level: 'error', message: detail };
  return { type: 'denied', level: 'warn', message: `${server} refuses this node: ${detail}`, about: server };
}

/** An election that stops must not close what the others use. */
export function withoutClose(store: LeaseStore): LeaseStore {
  const { watch } = store;
  return {
    traits: store.traits,
    acquire: (request) => store.acquire(request),
    renew: (request) => store.renew(request),
    release: (request) => store.release(request),
    read: (name) => store.read(name),
    ...(watch && { watch: (name: string, changed: () => void) => watch(name, changed) }),
  };
}
