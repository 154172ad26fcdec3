import { Command, CommanderError, Option } from 'commander';
import { tolerateClosedPipes } from './closed-pipe.js';
import { UsageError } from './usage-error.js';

const usageExitCode = 2;

/** The beginning of a command: what all of them have in common. */
export function tool(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .allowExcessArguments(false)
    .option('--json', 'print one JSON document on standard output, and nothing else', false)
    .helpOption('--help', 'show this help')
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
}

/** Null when help was asked for, and has been printed. Throws `UsageError`. */
export function parseFlags<Flags>(command: Command, argv: readonly string[]): Flags | null {
  try {
    command.parse([...argv], { from: 'user' });
    return command.opts<Flags & Record<string, unknown>>();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return null;
    throw new UsageError(asSentence(error, command.name()));
  }
}

/** Reads the command line and acts on it. */
export function runTool<Flags>(
  command: Command,
  action: (flags: Flags) => void | Promise<void>,
): Promise<void> {
  return guarded(async () => {
    const flags = parseFlags<Flags>(command, process.argv.slice(2));
    if (flags !== null) await action(flags);
  });
}

/** A whole program: what cannot be carried out is one sentence on standard error, and exit code 2. */
export async function guarded(program: () => Promise<void>): Promise<void> {
  tolerateClosedPipes();
  try {
    await program();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = usageExitCode;
  }
}

/** 128 and the number of the signal, as shells do. */
const signalExitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Aborts when the user has had enough. The exit code is set by then; asked twice, the program ends at once. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const [name, exitCode] of Object.entries(signalExitCodes)) {
    process.on(name, () => {
      process.exitCode = exitCode;
      if (controller.signal.aborted) process.exit();
      controller.abort();
    });
  }
  return controller.signal;
}

/** One of `names`. Of other names `refusals` may know why they will not do. */
export function algorithmOption(
  description: string,
  names: readonly string[],
  refusals: ReadonlyMap<string, string> = new Map(),
): Option {
  return new Option('--algorithm <name>', description).argParser((name) => {
    const why = refusals.get(name);
    if (why !== undefined) throw new UsageError(`${why}; choose from ${names.join(', ')}.`);
    return oneOf('algorithm', names)(name);
  });
}

export function wholeNumberOption(
  flag: string,
  description: string,
  min: number,
  max = 1_000_000_000,
): Option {
  return new Option(`${flag} <n>`, description).argParser(wholeNumber(flag, min, max));
}

// ---- What flags hold ----------------------------------------------------------------------------------

export function wholeNumber(flag: string, min: number, max = 1_000_000_000): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new UsageError(`${flag} takes a whole number from ${min} to ${max}, not '${text}'.`);
  };
}

/** `kind` is what the names are names of. */
export function oneOf<Name extends string>(kind: string, names: readonly Name[]): (text: string) => Name {
  return (text) => {
    const found = names.find((name) => name === text);
    if (found !== undefined) return found;
    throw new UsageError(`There is no ${kind} '${text}'; choose from ${names.join(', ')}.`);
  };
}

/** Several, with commas between them; each counts once. */
export function listOf<Item>(read: (text: string) => Item): (text: string) => Item[] {
  return (text) => [...new Set(text.split(',').map((item) => read(item.trim())))];
}

/** Commander's own words on one line, with what to do about it. */
function asSentence({ message }: CommanderError, name: string): string {
  const words = message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/\.$/, '');
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  // A command of a command, such as `bench -- scale`, has its dashes already.
  const help = `${name}${name.includes(' -- ') ? '' : ' --'} --help`;
  return `${sentence}; run 'npm run ${help}' to see what there is.`;
}
