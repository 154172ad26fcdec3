/** What every elector of the front door is built with: it speaks, measures, and owns what it was built from. */

import {
  type Belief,
  type CampaignOptions,
  type Elector,
  type Guarantees,
  helpAddress,
  InvalidOptionError,
  type Leadership,
  type LeadershipLostError,
  type NodeId,
  type ObserveOptions,
  type ResignOptions,
} from '@hustings/elector';
import type { MachineTypes, Protocol } from '@hustings/elector/protocol';
import {
  createElector,
  type Diagnostic as RuntimeDiagnostic,
  type RuntimeElector,
  type Storage,
} from '@hustings/runtime';
import type { Transport } from '@hustings/transport';
import type { Diagnostic, Report, Reporter } from './diagnostics.js';
import { type Logger, standardError, thinned } from './logger.js';
import { RoundTrips } from './round-trips.js';
import { ended, noLeader, ofRuntime, tooSlow } from './sentences.js';
import { Telemetry } from './telemetry.js';
import { type Endurance, longestMs } from './timings.js';
import { type Answers, watched } from './watched.js';

export interface CommonOptions {
  /** What this node is called: unique among the candidates, and the same when it comes back. */
  readonly id: NodeId;
  /** How much faster or slower than real time a clock may run: 0.01, the default, is one per cent. */
  readonly driftBound?: number | undefined;
  /** Hears everything that is logged, each time, as data. */
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

/** What an elector is made of. A further one is a table of options, and this. */
export interface Parts<Types extends MachineTypes> {
  readonly protocol: Protocol<Types>;
  /** The election's name, for people; null where it has none. */
  readonly election: string | null;
  readonly storage: (report: Reporter) => Storage<Types['durable']>;
  readonly transport: (report: Reporter) => Transport<Types['message']>;
  readonly endurance: Endurance;
  readonly answers: Answers;
  /** Of those who answer, how many make a renewal: a majority of the other nodes, or one coordinator. */
  readonly answersNeeded: number;
  readonly onAnnouncement?: (announcement: Types['announcement'], report: Reporter) => void;
  readonly onStopped?: () => void;
  /** What to look for when nobody leads. */
  readonly withoutLeader: string;
  /** Reported when it starts. */
  readonly warnings?: readonly Report[];
  /** Where elections of one process share a session, what they share of the log. */
  readonly log?: Log;
  /** For coordinators: how long `start()` waits for the first answer, and of whom. */
  readonly connection?: { readonly timeoutMs: number; readonly server: string };
}

export function openElector<Types extends MachineTypes>(
  options: CommonOptions,
  parts: Parts<Types>,
): HustingsElector<Types['request']> {
  return new FrontElector(options, parts);
}

class FrontElector<Types extends MachineTypes> implements HustingsElector<Types['request']> {
  readonly id: NodeId;
  readonly guarantees: Guarantees;
  readonly #parts: Parts<Types>;
  readonly #elector: RuntimeElector<Types['request']>;
  readonly #telemetry: Telemetry;
  readonly #roundTrips: RoundTrips;
  readonly #report: Reporter;
  /** Of the peers, those whose absence has been reported. */
  readonly #missing = new Set<NodeId>();
  #leadership: Leadership | null = null;
  #starting: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;
  #stopConnecting = (): void => {};
  readonly #connected = new Promise<void>((resolve) => {
    this.#stopConnecting = resolve;
  });

  constructor(options: CommonOptions, parts: Parts<Types>) {
    const { protocol, election, storage, onAnnouncement } = parts;
    const { slackMs } = parts.endurance;
    if (slackMs > longestMs)
      throw new InvalidOptionError(
        `The timings leave a slack of ${slackMs} ms; it must be at most a day, ${longestMs}.`,
      );
    this.id = options.id;
    this.guarantees = protocol.guarantees;
    this.#parts = parts;
    this.#telemetry = new Telemetry({ id: options.id, election, algorithm: protocol.algorithm });
    this.#roundTrips = new RoundTrips(parts.answersNeeded);
    this.#report = reporter(options, election, this.#telemetry, parts.log ?? logOf(options));
    const report: Reporter = (given) => this.#onReport(given);
    this.#elector = createElector({
      protocol,
      transport: watched(parts.transport(report), parts.answers, {
        message: (direction, peer, type) => this.#telemetry.message(direction, peer, type),
        roundTrip: (peer, ms) => this.#onRoundTrip(peer, ms),
        linkUp: (peer) => this.#onLinkUp(peer),
        linkDown: (peer) => this.#roundTrips.forget(peer),
      }),
      storage: storage(report),
      onDiagnostic: (diagnostic) => this.#onDiagnostic(diagnostic),
      ...(onAnnouncement && { onAnnouncement: (announcement) => onAnnouncement(announcement, report) }),
    });
  }

  async start(): Promise<void> {
    this.#starting ??= this.#start();
    await this.#starting;
    // Which says so if it has stopped since.
    await this.#elector.start();
  }

  async campaign(options: CampaignOptions = {}): Promise<Leadership> {
    const impatience = this.#missLeader();
    const leadership = await this.#telemetry
      .span('hustings.campaign', () => this.#elector.campaign(options))
      .finally(() => clearInterval(impatience));
    if (this.#leadership !== leadership) this.#onLeadership(leadership);
    return leadership;
  }

  belief(): Belief {
    return this.#elector.belief();
  }

  observe(options: ObserveOptions = {}): AsyncIterable<Belief> {
    return this.#elector.observe(options);
  }

  resign(options: ResignOptions = {}): Promise<void> {
    return this.#telemetry.span('hustings.resign', () => this.#elector.resign(options));
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  request(request: Types['request']): void {
    this.#elector.request(request);
  }

  setHealthy(healthy: boolean): void {
    this.#elector.setHealthy(healthy);
  }

  async #start(): Promise<void> {
    const { connection, warnings = [] } = this.#parts;
    await this.#telemetry.open();
    for (const warning of warnings) this.#report(warning);
    const timer = connection && setTimeout(() => this.#giveUpWaiting(connection), connection.timeoutMs);
    try {
      await this.#elector.start();
      if (connection !== undefined) await this.#connected;
    } finally {
      clearTimeout(timer);
    }
  }

  async #stop(): Promise<void> {
    this.#stopConnecting();
    await this.#elector.stop();
    this.#parts.onStopped?.();
  }

  #giveUpWaiting({ server, timeoutMs }: NonNullable<Parts<Types>['connection']>): void {
    this.#stopConnecting();
    this.#report({
      type: 'not-connected-in-time',
      level: 'warn',
      message: `${server} has not answered within ${timeoutMs} ms (connectTimeoutMs); this node follows nobody yet, and goes on trying.`,
    });
  }

  #onLeadership(leadership: Leadership): void {
    const { token, signal } = leadership;
    this.#leadership = leadership;
    this.#telemetry.began(leadership);
    this.#report({ type: 'leads', level: 'info', message: `leads with token ${token}.` });
    const onEnd = (): void => {
      const { reason } = signal.reason as LeadershipLostError;
      this.#telemetry.ended(leadership, reason);
      this.#report(ended(reason, this.#parts.endurance));
    };
    if (signal.aborted) onEnd();
    else signal.addEventListener('abort', onEnd, { once: true });
  }

  /** Says so whenever many elections had time to fail since a leader was last seen. */
  #missLeader(): NodeJS.Timeout {
    const { endurance, withoutLeader } = this.#parts;
    let looks = 0;
    return setInterval(() => {
      looks = this.#elector.belief().leaderId === null ? looks + 1 : 0;
      if (looks > 0 && looks % 10 === 0) this.#report(noLeader(looks * endurance.slackMs, withoutLeader));
    }, endurance.slackMs);
  }

  #onReport(report: Report): void {
    // A server that says no has answered.
    if (report.type === 'connected' || report.type === 'denied') this.#stopConnecting();
    if (report.type === 'peer-unreachable' && report.about !== undefined) this.#missing.add(report.about);
    this.#report(report);
  }

  #onDiagnostic(diagnostic: RuntimeDiagnostic): void {
    if (diagnostic.type === 'stalled') this.#telemetry.stalled(diagnostic.forMs);
    this.#report(ofRuntime(diagnostic, this.#parts.endurance));
  }

  #onLinkUp(peer: NodeId): void {
    if (!this.#missing.delete(peer)) return;
    this.#report({ type: 'peer-connected', level: 'info', message: `${peer} is connected.`, about: peer });
  }

  #onRoundTrip(peer: NodeId, ms: number): void {
    this.#telemetry.roundTrip(ms);
    const renewalMs = this.#roundTrips.add(peer, ms);
    const { endurance } = this.#parts;
    if (renewalMs > endurance.slackMs / 2) this.#report(tooSlow(renewalMs, endurance));
  }
}

type Log = (diagnostic: Diagnostic) => void;

const logOf = ({ logger = standardError }: CommonOptions): Log =>
  logger === false ? () => {} : thinned(logger);

/** For what is of no single election. */
export function openReporter(options: CommonOptions, algorithm: string) {
  const log = logOf(options);
  const telemetry = new Telemetry({ id: options.id, election: null, algorithm });
  return { log, report: reporter(options, null, telemetry, log) };
}

function reporter(
  { id, onDiagnostic }: CommonOptions,
  election: string | null,
  telemetry: Telemetry,
  log: Log,
): Reporter {
  return (report) => {
    const help = helpAddress(report.reason ?? report.type);
    const diagnostic: Diagnostic = { ...report, id, election, help };
    for (const listener of [log, onDiagnostic, (given: Diagnostic) => telemetry.diagnostic(given)]) {
      // A broken listener must not break the election, whether it throws or its promise is rejected.
      (async () => listener?.(diagnostic))().catch(() => {});
    }
  };
}
