import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { host, type LoneMember, type LoneServer, loneServer, type Place, startMembers } from './members.js';

export type DynamoEmulator = LoneServer;

/** Amazon's own server is not to be had here; dynalite keeps to what it does, conditional writes included. */
export async function startDynamoEmulator(): Promise<DynamoEmulator> {
  const members = await startMembers({
    system: 'dynalite',
    count: 1,
    portsEach: 1,
    layOut: async (places) => places.map(layOut),
  });
  return loneServer(members);
}

function layOut({ name, directory, ports: [port = 0] }: Place): LoneMember {
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
