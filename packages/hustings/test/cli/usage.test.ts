import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { commandLine } from '../../src/cli/command-line.js';
import { inFlags } from '../../src/cli/electors.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hustings-usage-'));
  writeFileSync(join(directory, 'secret'), 'sixteen bytes or more of it\n');
  writeFileSync(join(directory, 'short'), 'short\n');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true });
});

/** What it prints and its exit code. It is given words as a shell would give them; `@` is a directory. */
async function hustings(
  line: string,
  stop = new AbortController(),
): Promise<{ code: number; said: string; printed: string }> {
  const said: string[] = [];
  const printed: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  const words = line.split(' ').map((word) => word.replace('@', directory));
  const code = await commandLine(words, stop.signal);
  return { code, said: said.join(''), printed: printed.join('') };
}

const raft = 'run --raft 127.0.0.1:0 --peers b=ws://h:1 --directory @';

describe('a bad flag gets one sentence that says what to do, and exit code 2', () => {
  it.each([
    ['frobnicate', "There is no command 'frobnicate'; choose from run, sidecar, observe, resign, ttl."],
    ['run', 'Say what to run, after two dashes: hustings run [flags] -- ./job.sh'],
    [
      'run --etcd http://h:1 --election e',
      'Say what to run, after two dashes: hustings run [flags] -- ./job.sh',
    ],
    [
      'run --election e -- true',
      'Say how to elect: one of --etcd, --zookeeper, --postgres, --redis, --dynamodb',
    ],
    ['run --etcd http://h:1 -- true', '--election is missing: the name of the election'],
    ['run --electoin e -- true', 'There is no flag --electoin; did you mean --election?'],
    ['run -e e -- true', 'There is no flag -e; '],
    ['run --election -- true', '--election needs a value: --election NAME.'],
    ['run --election --once -- true', '--election needs a value: --election NAME.'],
    ['run --once=yes -- true', "--once takes nothing, and was given 'yes'."],
    ['run --election a --election b -- true', '--election is given twice; leave one out.'],
    ['run --etcd h --zookeeper h --election e -- true', '--etcd and --zookeeper: choose one of them.'],
    [
      'run --etcd h --election e --peers b=ws://h:1 -- true',
      '--peers means nothing to --etcd; leave it out.',
    ],
    [
      'run --etcd 10.0.0.1:2379 --election e -- true',
      "--etcd has an element that must look like http://host:2379 or https://host:2379, not '10.0.0.1:2379'.",
    ],
    [
      'run --etcd http://h,,http://i --election e -- true',
      '--etcd has an element that must look like http://',
    ],
    [
      'run --consul localhost:8500 --election e -- true',
      '--consul has an element that must look like http://host:8500',
    ],
    ['run --postgres h:5432 --election e -- true', '--postgres takes an address such as postgres://'],
    ['run --redis h:6379 --election e -- true', '--redis takes an address such as redis://'],
    [
      'run --raft 127.0.0.1:0 --directory @ --secret-file @/secret -- true',
      '--peers is missing: node-2=ws://10.0.0.2:7000,node-3=…, the other nodes and their addresses.',
    ],
    [
      'run --etcd h --election e --user u -- true',
      '--user and --password-file go together; give both or neither.',
    ],
    ['run --etcd h --election e --tls-ca @/none -- true', '--tls-ca cannot be read: '],
    ['run --etcd https://h --election e --tls-ca @/short -- true', '--tls-ca must be in PEM, -----BEGIN …'],
    [
      'run --etcd https://h --election e --tls-cert @/short -- true',
      '--tls-cert and --tls-key go together; give both or neither.',
    ],
    [
      'run --etcd h --election e --grace-ms 1s -- true',
      "--grace-ms takes a whole number from 0 to 3600000, not '1s'",
    ],
    ['run job.sh --etcd h --election e', "What is 'job.sh'? Put -- before a command."],
    [`${raft} --election e -- true`, '--secret-file is missing: a secret that all nodes share'],
    [`${raft} -- true`, '--secret-file is missing: a secret that all nodes share'],
    [`${raft} --secret-file @/none -- true`, '--secret-file cannot be read: '],
    [`${raft} --secret-file @/short -- true`, '--secret-file must have at least 16 bytes'],
    ['run --raft 7000 --peers b=ws://h:1 -- true', '--raft takes host:port, such as '],
    ['run --raft 127.0.0.1:70000 --peers b=ws://h:1 -- true', '--raft takes host:port, such as '],
    [
      'run --raft 127.0.0.1:0 --peers b -- true',
      "--peers takes node-2=ws://10.0.0.2:7000,node-3=…, not 'b'.",
    ],
    ['sidecar --etcd h --election e', 'Say where: --listen 127.0.0.1:4040.'],
    [
      'sidecar --etcd h --election e --listen 4040',
      "--listen takes host:port, such as 127.0.0.1:4040, not '4040'.",
    ],
    ['sidecar --etcd h --election e -- true', 'hustings sidecar runs no command; leave -- out.'],
    ['observe', 'Say whom to ask: --sidecar http://127.0.0.1:4040, or a server, such as --etcd URLS.'],
    [
      'observe --sidecar http://h:1 --etcd http://h:1',
      '--etcd means nothing beside --sidecar; leave one of them out.',
    ],
    ['observe --raft 127.0.0.1:0', 'Nodes of --raft are observed by way of one of them: --sidecar URL.'],
    ['observe --sidecar nowhere', '--sidecar takes an address such as http://127.0.0.1:4040'],
    ['resign', 'Say which node: --sidecar http://127.0.0.1:4040.'],
    ['resign --sidecar http://localhost:1', 'Nothing answers at http://localhost:1 '],
    ['ttl', 'Say how long nobody may lead: --failover-ms 10000.'],
    ['ttl --failover-ms 10s', "--failover-ms takes a whole number from 1 to 86400000, not '10s'"],
    ['ttl --failover-ms 9000 --drift 0.5', "--drift takes a number from 0 to 0.05, not '0.5'."],
    ['ttl --failover-ms 9000 --drift 1%', "--drift takes a number from 0 to 0.05, not '1%'."],
    ['ttl --failover-ms 9000 --elector bully', '--elector takes one of raft, etcd, zookeeper, postgres, '],
    ['ttl --failover-ms 9000 -- true', 'hustings ttl runs no command; leave -- out.'],
  ])('%s', async (line, sentence) => {
    const { code, said, printed } = await hustings(line);
    expect(said).toContain(`hustings: ${sentence}`);
    expect(said.trim().split('\n')).toHaveLength(1);
    expect([code, printed]).toEqual([2, '']);
  });

  it.each(['--listen', '--raft'])('%s, where another program listens', async (flag) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const where = `127.0.0.1:${port}`;
    const line =
      flag === '--listen'
        ? `sidecar --etcd http://127.0.0.1:1 --election e --listen ${where}`
        : `run --raft ${where} --id a --peers b=ws://h:1 --directory @ --secret-file @/secret -- true`;
    try {
      const { code, said } = await hustings(line);
      expect(said).toContain(String(port));
      expect(said).toMatch(/listens there/);
      expect(said).toContain(flag);
      expect(said.match(/listens there/g)).toHaveLength(1);
      expect(code).toBe(2);
    } finally {
      server.close();
    }
  });
});

describe('what an elector has to say is said in flags', () => {
  it.each([
    ['etcd', 'http://127.0.0.1:1', 'check that etcd is running, and the port in --etcd.'],
    ['zookeeper', '127.0.0.1:1', 'check that ZooKeeper is running, and the port in --zookeeper.'],
  ])('--%s', async (flag, hosts, advice) => {
    const stop = new AbortController();
    const ended = hustings(`observe --${flag} ${hosts} --election e`, stop);
    const { mock } = vi.mocked(process.stderr.write);
    await vi.waitFor(() => expect(mock.calls.join('')).toContain('cannot reach'), { timeout: 20_000 });
    stop.abort();
    const { code, said } = await ended;
    expect(said).toContain(advice);
    expect(code).toBe(0);
  });

  it('with the flag that bears more', () => {
    const chosen = { name: 'etcd', option: 'hosts' };
    const advice = "if that happens again, use timings: 'wan', or a longer ttlSeconds (now 5).";
    expect(inFlags(advice, chosen)).toBe('if that happens again, use --timings wan.');
    const authority = "write https:// in 'hosts', and give its authority as tls.ca";
    expect(inFlags(authority, chosen)).toBe('write https:// in --etcd, and give its authority as --tls-ca');
    const unanswered = 'etcd has not answered within 3000 ms (connectTimeoutMs); it goes on trying.';
    expect(inFlags(unanswered, chosen)).toBe('etcd has not answered within 3000 ms; it goes on trying.');
  });
});

describe('hustings ttl', () => {
  it('prints a lease for each elector that has one', async () => {
    const { code, printed } = await hustings('ttl --failover-ms 10000');
    expect(code).toBe(0);
    expect(printed).toMatch(/^etcd +ttlSeconds 9 +3000 ms +280 ms +5710 ms +9616 ms$/m);
    expect(printed).toMatch(/^consul +ttlMs 10000 .* 20222 ms \*$/m);
    expect(printed).toMatch(/^\* Longer than asked for\. /m);
    expect((await hustings('ttl --failover-ms 60000')).printed).not.toContain('*');
  });

  it('prints the same as JSON, of one elector where it is named', async () => {
    const { printed } = await hustings('ttl --failover-ms 10000 --elector etcd --json');
    expect(JSON.parse(printed)).toMatchObject([{ elector: 'etcd', value: 9, ttlMs: 9000, isEnough: true }]);
  });
});

const widestOf = (printed: string): number => Math.max(...printed.split('\n').map((line) => line.length));

describe('help', () => {
  it('lists the commands, and each its flags', async () => {
    expect((await hustings('--help')).printed).toMatch(/ run .*\n.* sidecar .*\n.* observe .*\n.* resign /);
    for (const name of ['run', 'sidecar', 'observe', 'resign', 'ttl']) {
      const { code, printed } = await hustings(`${name} --help`);
      expect(printed).toContain(`hustings ${name} `);
      expect(widestOf(printed)).toBeLessThanOrEqual(80);
      expect(code).toBe(0);
    }
  });

  it('is not given to the command that is to be run', async () => {
    const { said } = await hustings('run -- ls --help');
    expect(said).toContain('Say how to elect');
  });
});
