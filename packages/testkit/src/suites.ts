import type { MachineTypes } from '@hustings/elector/protocol';
import { describe, it } from 'vitest';
import type { Check } from './check.js';
import { electorChecks } from './elector-checks.js';
import type { ElectorSubject } from './elector-subject.js';
import { type GatewaySubject, gatewayChecks } from './gateway-checks.js';
import { type LeaseStoreSubject, leaseStoreChecks } from './lease-store-checks.js';
import { memoryNetwork, type NetworkKind, webSocketNetwork } from './networks.js';
import { type ProtocolSubject, protocolSubject } from './protocol-subject.js';
import { type TransportSubject, transportChecks } from './transport-checks.js';

/** Registers the suite of electors for one subject. */
export function electorConformance(subject: ElectorSubject): void {
  suite(`the elector ${subject.name}`, electorChecks, subject);
}

/** Registers the suite of transports for one subject. */
export function transportConformance(subject: TransportSubject): void {
  suite(`the transport ${subject.name}`, transportChecks, subject);
}

/** Registers the suite of stores of leases for one subject. */
export function describeLeaseStore(subject: LeaseStoreSubject): void {
  suite(`the store ${subject.name}`, leaseStoreChecks, subject);
}

/** Registers the suite of gateways for one subject. */
export function describeGateway(subject: GatewaySubject): void {
  suite(`the gateway to ${subject.name}`, gatewayChecks, subject);
}

/** Registers the suite of electors for a protocol, over each kind of network. */
export function describeElector<Types extends MachineTypes>(
  subject: ProtocolSubject<Types>,
  networks: readonly NetworkKind[] = [memoryNetwork, webSocketNetwork],
): void {
  for (const kind of networks) electorConformance(protocolSubject(subject, kind));
}

function suite<Subject>(name: string, checks: readonly Check<Subject>[], subject: Subject): void {
  describe(name, () => {
    for (const check of checks) it(check.name, () => check.run(subject));
  });
}
