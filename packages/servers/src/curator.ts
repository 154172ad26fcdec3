import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { clientClassPath, machineFlags } from './zookeeper-ensemble.js';

/** How a program is started; further parameters come after these. */
export interface Command {
  readonly command: string;
  readonly parameters: readonly string[];
}

const source = fileURLToPath(new URL('../java/CuratorCandidate.java', import.meta.url));
const run = promisify(execFile);

/**
 * A candidate that campaigns with Apache Curator's LeaderLatch: the Java program's own comment says what it takes and
 * prints. Its classes go to `directory`. Compiled once, a dozen of them start in the time that one takes from source.
 */
export async function compileCuratorCandidate(directory: string): Promise<Command> {
  await requireCurator();
  // It resigns on a signal, which Java offers only by an unofficial way, and warns of it.
  await run('javac', ['-nowarn', '-XDignore.symbol.file', '-d', directory, '-cp', clientClassPath, source]);
  return {
    command: 'java',
    parameters: [...machineFlags, '-cp', `${directory}:${clientClassPath}`, 'CuratorCandidate'],
  };
}

async function requireCurator(): Promise<void> {
  try {
    await Promise.all([run('javac', ['-version']), ...clientClassPath.split(':').map((jar) => access(jar))]);
  } catch (cause) {
    const advice = "run 'apt-get install default-jdk-headless libcurator-recipes-java'";
    throw new Error(`Apache Curator or a Java compiler is not installed: ${advice}.`, { cause });
  }
}
