/** The command line: what its words mean, and what each command does. */

import { readFileSync } from 'node:fs';
import { HustingsError } from '../index.js';
import { Candidate } from './candidate.js';
import { checkObservable, chooseElector, electorFlags } from './electors.js';
import { Endpoint } from './endpoint.js';
import { observeRemotely, resignRemotely } from './remote.js';
import { run } from './run.js';
import { sidecar } from './sidecar.js';
import { plansOf, tellPlans, ttlFlags } from './ttl.js';
import {
  address,
  describeFlags,
  type Flags,
  type FlagTable,
  inColumns,
  isSet,
  readFlags,
  text,
  UsageError,
  wholeNumber,
} from './usage.js';

interface Subcommand {
  readonly usage: string;
  readonly about: string;
  readonly flags: FlagTable;
  /** The exit code. */
  readonly act: (flags: Flags, command: readonly string[] | null, stop: AbortSignal) => Promise<number>;
}

const listen = {
  takes: 'HOST:PORT',
  about: 'where to answer /healthz, /leader, /metrics, /events and /resign',
};
const atSidecar = { takes: 'URL', about: 'a running sidecar, such as http://127.0.0.1:4040' };
const json = { about: 'print JSON' };
const hour = 3_600_000;

const subcommands: Readonly<Record<string, Subcommand>> = {
  run: {
    usage: 'hustings run [flags] -- COMMAND…',
    about: 'runs a command only while this node leads',
    flags: {
      ...electorFlags,
      once: { about: 'end with the first run; exit 75 if leadership was lost before the command had ended' },
      'grace-ms': {
        takes: 'N',
        about: 'from SIGTERM to SIGKILL when the lease runs out (default: a fifth of it)',
      },
      'stop-ms': {
        takes: 'N',
        about: 'from SIGTERM to SIGKILL when the command is asked to end (default 10000)',
      },
      listen,
    },
    act: async (flags, command, stop) => {
      const [program, ...parameters] = command ?? [];
      if (program === undefined)
        throw new UsageError('Say what to run, after two dashes: hustings run [flags] -- ./job.sh');
      if (process.platform === 'win32')
        throw new UsageError(
          'hustings run needs process groups, which Windows does not have; use the library.',
        );
      const limits = {
        graceMs: wholeNumber(flags, 'grace-ms', [0, hour]),
        stopMs: wholeNumber(flags, 'stop-ms', [0, hour]) ?? 10_000,
      };
      return asCandidate(flags, { promiseMs: 0 }, (candidate) => {
        const once = isSet(flags, 'once');
        return run({ candidate, command: { command: program, parameters }, once, stop, say, ...limits });
      });
    },
  },
  sidecar: {
    usage: 'hustings sidecar --listen 127.0.0.1:4040 [flags]',
    about: 'stands for election on behalf of a process beside it',
    flags: {
      ...electorFlags,
      listen,
      'promise-ms': {
        takes: 'N',
        about: 'how long a process may act on a 200 of /leader without asking again (default 1000)',
      },
    },
    act: async (flags, _command, stop) => {
      if (!isSet(flags, 'listen')) throw new UsageError('Say where: --listen 127.0.0.1:4040.');
      const promiseMs = wholeNumber(flags, 'promise-ms', [0, hour]);
      return asCandidate(flags, { promiseMs }, (candidate, endpoint) => sidecar(candidate, endpoint, stop));
    },
  },
  observe: {
    usage: 'hustings observe [flags]',
    about: 'prints who leads, at once and at every change',
    flags: { ...electorFlags, sidecar: atSidecar, json },
    act: async (flags, _command, stop) => {
      const tell = (line: string) => process.stdout.write(`${isSet(flags, 'json') ? line : inWords(line)}\n`);
      const base = sidecarOf(flags);
      checkOneSource(flags, base);
      if (base !== null) await observeRemotely(base, stop, tell);
      else await observeHere(flags, stop, tell);
      return 0;
    },
  },
  resign: {
    usage: 'hustings resign --sidecar http://127.0.0.1:4040 [--to ID]',
    about: 'has the node of a running sidecar, or of a run with --listen, give up its office',
    flags: {
      sidecar: atSidecar,
      to: { takes: 'ID', about: 'who shall lead next, where the elector can choose' },
      json,
    },
    act: async (flags, _command, stop) => {
      const base = sidecarOf(flags);
      if (base === null) throw new UsageError('Say which node: --sidecar http://127.0.0.1:4040.');
      const answer = await resignRemotely(base, text(flags, 'to'), stop);
      process.stdout.write(`${isSet(flags, 'json') ? JSON.stringify(answer) : 'Resigned.'}\n`);
      return 0;
    },
  },
  ttl: {
    usage: 'hustings ttl --failover-ms 10000 [flags]',
    about: 'says how long a lease must be',
    flags: ttlFlags,
    act: async (flags) => {
      const plans = plansOf(flags);
      return print(isSet(flags, 'json') ? `${JSON.stringify(plans)}\n` : tellPlans(plans));
    },
  },
};

/** Opens the elector and what it tells over HTTP, and closes both. */
async function asCandidate(
  flags: Flags,
  promise: { readonly promiseMs: number | undefined },
  act: (candidate: Candidate, endpoint: Endpoint) => Promise<number>,
): Promise<number> {
  const where = address(flags, 'listen');
  const candidate = new Candidate(await chooseElector(flags));
  const endpoint = new Endpoint(candidate, promise);
  if (where !== undefined) say(`answers at ${await endpoint.listen(where)}`);
  try {
    return await act(candidate, endpoint);
  } finally {
    if (where !== undefined) await endpoint.close();
  }
}

async function observeHere(flags: Flags, stop: AbortSignal, tell: (line: string) => void): Promise<void> {
  checkObservable(flags);
  const { elector, start } = await chooseElector(flags);
  await using _stopped = elector;
  stop.addEventListener('abort', () => void elector.stop(), { once: true });
  if (stop.aborted) return;
  await start().catch((error: Error) => {
    // One that is stopped while it starts says so.
    if (!stop.aborted) throw error;
  });
  let isFirst = true;
  let waiting: NodeJS.Timeout | undefined;
  for await (const { role, leaderId, token } of elector.observe({ signal: stop })) {
    const line = JSON.stringify({ role, leaderId, token: token === null ? null : String(token) });
    clearTimeout(waiting);
    if (isFirst && leaderId === null) waiting = setTimeout(tell, firstLookMs, line);
    else tell(line);
    isFirst = false;
  }
  clearTimeout(waiting);
}

/** An elector that has just started believes in nobody; within this time it has asked its server. */
const firstLookMs = 1000;

function inWords(line: string): string {
  const { leaderId, token } = JSON.parse(line) as { leaderId: string | null; token: string | null };
  return leaderId === null ? 'nobody leads' : `${leaderId} leads with token ${token}`;
}

function sidecarOf(flags: Flags): URL | null {
  const given = text(flags, 'sidecar');
  if (given === undefined) return null;
  if (URL.canParse(given) && /^https?:/.test(given)) return new URL(given);
  throw new UsageError(`--sidecar takes an address such as http://127.0.0.1:4040, not '${given}'.`);
}

/** Either a sidecar is asked or a server, and what belongs to the other means nothing. */
function checkOneSource(flags: Flags, base: URL | null): void {
  const other = Object.keys(flags).find((name) => Object.hasOwn(electorFlags, name));
  if (base === null && other === undefined)
    throw new UsageError(
      'Say whom to ask: --sidecar http://127.0.0.1:4040, or a server, such as --etcd URLS.',
    );
  if (base !== null && other !== undefined)
    throw new UsageError(`--${other} means nothing beside --sidecar; leave one of them out.`);
}

/** The exit code. What is wrong is said in one sentence on standard error. */
export async function commandLine(words: readonly string[], stop: AbortSignal): Promise<number> {
  return act(words, stop).catch(explain);
}

async function act([name, ...words]: readonly string[], stop: AbortSignal): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h') return print(help());
  if (name === '--version') return print(version());
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand === undefined) {
    const known = Object.keys(subcommands).join(', ');
    throw new UsageError(`There is no command '${name}'; choose from ${known}.`);
  }
  const end = words.indexOf('--');
  const [before, after] = end === -1 ? [words, null] : [words.slice(0, end), words.slice(end + 1)];
  if (before.includes('--help') || before.includes('-h')) return print(help(subcommand));
  if (after !== null && name !== 'run')
    throw new UsageError(`hustings ${name} runs no command; leave -- out.`);
  return subcommand.act(readFlags(before, subcommand.flags), after, stop);
}

// ---- Words ---------------------------------------------------------------------------------------------

const say = (sentence: string): void => void process.stderr.write(`hustings: ${sentence}\n`);

function help(subcommand?: Subcommand): string {
  if (subcommand !== undefined) {
    return `${subcommand.usage}\n\n${subcommand.about}\n\n${describeFlags(subcommand.flags)}\n`;
  }
  const rows = Object.entries(subcommands).map(([name, { about }]) => [`  ${name}`, about] as const);
  return `hustings COMMAND [flags]\n\n${inColumns(rows)}\n\n'hustings COMMAND --help' shows its flags.\n`;
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return `${(JSON.parse(manifest) as { version: string }).version}\n`;
}

function print(words: string): number {
  process.stdout.write(words);
  return 0;
}

function explain(error: unknown): number {
  const address = error instanceof HustingsError ? ` ${error.help}` : '';
  say(`${error instanceof Error ? error.message : String(error)}${address}`);
  return error instanceof UsageError ? 2 : 1;
}
