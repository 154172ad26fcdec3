import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { host, type Member, type Members, type Place, startMembers } from './members.js';

export interface DynamoEmulator {
  readonly url: string;
  /** Dies as if the machine had lost power; its data stay. */
  kill(): Promise<void>;
  /** Stops running, but keeps its connections, until resumed. */
  pause(): void;
  resume(): void;
  /** Starts it again with the data that it had. Resolves once it serves clients. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Amazon's own server is not to be had here; dynalite keeps to what it does, conditional writes included. */
export async function startDynamoEmulator(): Promise<DynamoEmulator> {
  const members: Members<DynamoMember> = await startMembers({
    system: 'dynalite',
    count: 1,
    portsEach: 1,
    layOut: async (places) => places.map(layOut),
  });
  return {
    url: members.at(0).url,
    kill: () => members.kill(0),
    pause: () => members.signal(0, 'SIGSTOP'),
    resume: () => members.signal(0, 'SIGCONT'),
    restart: () => members.restart(0),
    stop: () => members.stop(),
  };
}

interface DynamoMember extends Member {
  readonly url: string;
}

function layOut({ name, directory, ports: [port = 0] }: Place): DynamoMember {
  const program = join(dirname(createRequire(import.meta.url).resolve('dynalite')), 'cli.js');
  const url = `http://${host}:${port}`;
  return {
    name,
    url,
    command: process.execPath,
    dataDirectory: directory,
    parameters: [
      program,
      ...['--host', host, '--port', `${port}`, '--path', directory],
      ...['--createTableMs', '0'],
    ],
    isServing: async () => (await fetch(url).catch(() => null)) !== null,
  };
}
