/** Many elections over one session: what all kinds of sessions have in common. */

import { InvalidOptionError } from '@hustings/elector';
import { type OptionTable, refused, text } from '@hustings/elector/options';
import type { MachineTypes } from '@hustings/elector/protocol';
import type { Reporter } from './diagnostics.js';
import { type CommonOptions, type HustingsElector, openReporter, type Parts } from './front.js';

export interface ElectionSession<Request = never> extends AsyncDisposable {
  /**
   * This node's elector for one election. The same name gives the same elector until that is stopped. It competes with
   * electors of that name in other sessions.
   */
  elector(election: string): HustingsElector<Request>;
  /** Stops every elector, and gives back what the session holds. */
  stop(): Promise<void>;
}

/** What lies below a session: it makes electors of parts that all of them share. */
interface Base<Request> {
  open(election: string, shared: SharedParts): HustingsElector<Request>;
  stop(): Promise<void>;
}

type SharedParts = Required<Pick<Parts<MachineTypes>, 'log' | 'onStopped'>>;

/** A session has a prefix in place of an election's name. */
export function sessionRules({ election: _, name: __, path: ___, ...rules }: OptionTable): OptionTable {
  return { ...rules, prefix: text };
}

/** Where many electors start over one connection, none of them waits for the first answer. */
export const coordinatorSessionRules = (rules: OptionTable): OptionTable => ({
  ...sessionRules(rules),
  connectTimeoutMs: refused('is not taken by a session, whose electors start before the server has answered'),
});

export function openSession<Request>(
  options: CommonOptions,
  algorithm: string,
  connect: (report: Reporter) => Base<Request>,
): ElectionSession<Request> {
  const { report, log } = openReporter(options, algorithm);
  const base = connect(report);
  const electors = new Map<string, HustingsElector<Request>>();
  let stopped: Promise<void> | null = null;

  async function stop(): Promise<void> {
    await Promise.all([...electors.values()].map((elector) => elector.stop()));
    await base.stop();
  }

  function elector(election: string): HustingsElector<Request> {
    if (typeof election !== 'string' || election === '') {
      throw new InvalidOptionError('elector() takes the name of an election, a text that is not empty.');
    }
    if (stopped !== null) throw new InvalidOptionError('The session is stopped; open another one.');
    const known = electors.get(election);
    if (known !== undefined) return known;
    const opened = base.open(election, { log, onStopped: () => electors.delete(election) });
    electors.set(election, opened);
    return opened;
  }

  const close = (): Promise<void> => {
    stopped ??= stop();
    return stopped;
  };
  return { elector, stop: close, [Symbol.asyncDispose]: close };
}
