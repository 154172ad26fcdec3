/** What every elector of the front door is built with: it logs, and owns what it was built from. */

import type { Elector, NodeId } from '@hustings/elector';
import type { MachineTypes, Protocol } from '@hustings/elector/protocol';
import { createElector, type RuntimeElector, type Storage } from '@hustings/runtime';
import type { Transport } from '@hustings/transport';
import type { Diagnostic, Report } from './diagnostics.js';
import { type Logger, lineOf, standardError } from './logger.js';

export interface CommonOptions {
  /** What this node is called: unique among the candidates, and the same when it comes back. */
  readonly id: NodeId;
  /** How much faster or slower than real time a clock may run: 0.01, the default, is one per cent. */
  readonly driftBound?: number | undefined;
  /** Hears everything that is logged, and more, as data. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Default: one line on standard error for each thing that an operator must know. `false` for silence. */
  readonly logger?: Logger | false | undefined;
}

export interface HustingsElector<Request = never> extends Elector {
  /** Asks the protocol for something that only this algorithm offers. */
  request(request: Request): void;
  /** Tells the others whether this process is fit to lead. It is taken to be fit until told otherwise. */
  setHealthy(healthy: boolean): void;
}

export interface Parts<Types extends MachineTypes> {
  readonly protocol: Protocol<Types>;
  readonly peers: readonly NodeId[];
  readonly storage: Storage<Types['durable']>;
  readonly transport: (report: (report: Report) => void) => Transport<Types['message']>;
  readonly onAnnouncement?: (announcement: Types['announcement']) => void;
}

export function openElector<Types extends MachineTypes>(
  { id, onDiagnostic, logger = standardError }: CommonOptions,
  election: string | null,
  parts: Parts<Types>,
): RuntimeElector<Types['request']> {
  const report = (given: Report): void => {
    const diagnostic = { ...given, id, election };
    onDiagnostic?.(diagnostic);
    if (logger !== false) logger[given.level](lineOf(diagnostic));
  };
  return createElector({
    ...parts,
    transport: parts.transport(report),
    onDiagnostic: (diagnostic) => report({ type: diagnostic.type, level: 'warn', message: diagnostic.type }),
  });
}
