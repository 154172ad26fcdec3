import { Command, CommanderError, Option } from 'commander';
import { tolerateClosedPipes } from './closed-pipe.js';
import { UsageError } from './usage-error.js';

const usageExitCode = 2;

/** The beginning of a command: what all tools have in common. */
export function tool(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .allowExcessArguments(false)
    .option('--json', 'print one JSON document on standard output, and nothing else', false)
    .helpOption('--help', 'show this help')
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
}

/**
 * Reads the command line and acts on it. What cannot be carried out is one sentence on standard error, and
 * exit code 2.
 */
export function runTool<Flags>(command: Command, action: (flags: Flags) => void): void {
  tolerateClosedPipes();
  try {
    command.parse();
    action(command.opts<Flags & Record<string, unknown>>());
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return; // Help was asked for, and printed.
    if (!(error instanceof UsageError || error instanceof CommanderError)) throw error;
    process.stderr.write(`${asSentence(error, command.name())}\n`);
    process.exitCode = usageExitCode;
  }
}

/** One of `names`. Of other names `refusals` may know why they will not do. */
export function algorithmOption(
  description: string,
  names: readonly string[],
  refusals: ReadonlyMap<string, string> = new Map(),
): Option {
  return new Option('--algorithm <name>', description).argParser((name) => {
    if (names.includes(name)) return name;
    const why = refusals.get(name) ?? `There is no algorithm '${name}'`;
    throw new UsageError(`${why}; choose from ${names.join(', ')}.`);
  });
}

export function wholeNumberOption(
  flag: string,
  description: string,
  min: number,
  max = 1_000_000_000,
): Option {
  return new Option(`${flag} <n>`, description).argParser((text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new UsageError(`${flag} takes a whole number from ${min} to ${max}; '${text}' is none.`);
  });
}

/** Commander's own words on one line, with what to do about it. */
function asSentence(error: Error, name: string): string {
  if (error instanceof UsageError) return error.message;
  const words = error.message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/\.$/, '');
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return `${sentence}; run 'npm run ${name} -- --help' to see what there is.`;
}
