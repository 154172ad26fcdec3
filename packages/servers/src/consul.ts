import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { host, type LoneMember, type LoneServer, loneServer, type Place, startMembers } from './members.js';

export type ConsulServer = LoneServer;

/** A real server of Consul on the loopback interface, alone, which grants sessions of a few hundred milliseconds. */
export async function startConsul(): Promise<ConsulServer> {
  const program = await findConsul();
  if (program === null) {
    const advice = "run 'npm run setup', or put consul on the PATH";
    throw new Error(`Consul is not installed: ${advice}.`);
  }
  const members = await startMembers({
    system: 'Consul',
    count: 1,
    portsEach: 4,
    layOut: async (places) => places.map((place) => layOut(place, program)),
  });
  return loneServer(members);
}

function layOut(
  { name, directory, ports: [http = 0, server = 0, lan = 0, wan = 0] }: Place,
  command: string,
): LoneMember {
  const url = `http://${host}:${http}`;
  return {
    name,
    url,
    command,
    dataDirectory: directory,
    parameters: [
      ...['agent', '-server', '-bootstrap-expect=1', `-data-dir=${directory}`, `-bind=${host}`],
      ...[`-http-port=${http}`, `-server-port=${server}`, `-serf-lan-port=${lan}`, `-serf-wan-port=${wan}`],
      ...['-dns-port=-1', '-grpc-port=-1', '-log-level=err', '-disable-host-node-id'],
      '-hcl=session_ttl_min = "100ms"  performance { raft_multiplier = 1 }  disable_update_check = true',
    ],
    isServing: () => isServing(url),
  };
}

/** It accepts a write, which it does not before it has elected itself. */
async function isServing(url: string): Promise<boolean> {
  const options = { method: 'PUT', body: '', signal: AbortSignal.timeout(1000) };
  return (await fetch(`${url}/v1/kv/hustings-is-serving`, options).catch(() => null))?.ok === true;
}

/** Null where there is none. `npm run setup` puts it where it disturbs nobody. */
export async function findConsul(): Promise<string | null> {
  const cached = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'hustings', 'consul');
  if (existsSync(cached)) return cached;
  const found = await promisify(execFile)('which', ['consul']).catch(() => null);
  return found?.stdout.trim() ?? null;
}
