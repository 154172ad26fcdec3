import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  findConsul,
  loopbackProxy,
  type SupervisedProcess,
  startConsul,
  startDynamoEmulator,
  startKubernetes,
  startPostgres,
  startRedis,
  supervise,
} from '@hustings/servers';
import { dynamoOf, leaseTable } from './makes.js';
import { type MakeName, type ProgramName, stores } from './settings.js';

/** Real servers for these makes, with their data on disk before they answer. */
export interface Servers {
  /** Where this make keeps its leases. */
  storeOf(make: MakeName): readonly string[];
  /** What its leaders write to. */
  resourceOf(make: MakeName): string;
  /** Somebody else's program, which competes for a lease, says `leads` when it has it, and ends by a signal. */
  startProgram(name: ProgramName, election: string, id: string): Promise<SupervisedProcess>;
  stop(): Promise<void>;
}

/** A server of one kind. */
interface Started {
  readonly addresses: readonly string[];
  startProgram?(election: string, id: string): Promise<SupervisedProcess>;
  stop(): Promise<void>;
}

type Kind = (typeof stores)[MakeName | ProgramName];

const starters: Readonly<Record<Kind, () => Promise<Started>>> = {
  async postgres() {
    const postgres = await startPostgres({ settings: { fsync: 'on' } });
    return { addresses: [postgres.url], stop: () => postgres.stop() };
  },
  async redis() {
    const redis = await startRedis({ members: 5 });
    return { addresses: redis.urls, stop: () => redis.stop() };
  },
  async kubernetes() {
    const kubernetes = await startKubernetes();
    return {
      addresses: [await kubernetes.kubeconfig()],
      startProgram: (election, id) => kubernetes.startCandidate(election, id),
      stop: () => kubernetes.stop(),
    };
  },
  async dynamodb() {
    const emulator = await startDynamoEmulator();
    await createTable(emulator.url);
    return { addresses: [emulator.url], stop: () => emulator.stop() };
  },
  async consul() {
    const consul = await startConsul();
    const program = (await findConsul()) ?? 'consul';
    return {
      addresses: [consul.url],
      startProgram: (election) =>
        supervise(program, ['lock', '-verbose', `-http-addr=${consul.url}`, election, work]),
      stop: () => consul.stop(),
    };
  },
  async local() {
    const directory = await mkdtemp(join(tmpdir(), 'hustings-local-'));
    return {
      addresses: [directory],
      startProgram: (election) => supervise('sh', ['-c', flock, join(directory, election), work]),
      stop: () => rm(directory, { recursive: true }),
    };
  },
};

/** What these programs run once they have the lock. It ends with the program, which may be killed. */
const work =
  'echo leads; while read -r _ _ _ parent _ </proc/$$/stat && [ "$parent" = "$PPID" ]; do sleep 0.1; done';
/** Without `-o` the work would keep the lock. */
const flock = 'echo waits; exec flock -o "$0" sh -c "$1"';

export async function startServers(
  makes: readonly (MakeName | ProgramName)[] = ['hustings row', 'hustings redlock'],
): Promise<Servers> {
  const kinds = [...new Set(makes.map((make) => stores[make]))];
  const started = new Map(
    await Promise.all(kinds.map(async (kind) => [kind, await starters[kind]()] as const)),
  );
  const of = (make: MakeName | ProgramName): Started => started.get(stores[make])!;
  const isRedlock = (make: MakeName) => make === 'hustings redlock' || make === 'redlock package';
  return {
    storeOf: (make) => of(make).addresses.slice(0, isRedlock(make) ? 5 : 1),
    resourceOf: (make) => of(make).addresses[0]!,
    startProgram: (name, election, id) => of(name).startProgram!(election, id),
    async stop() {
      await Promise.all([...started.values()].map((each) => each.stop()));
    },
  };
}

async function createTable(url: string): Promise<void> {
  const client = dynamoOf(url);
  await client.send(
    new CreateTableCommand({
      TableName: leaseTable,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'election', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'election', KeyType: 'HASH' }],
    }),
  );
  client.destroy();
}

/** Proxies before several servers, which are cut together. */
export async function proxiesBefore(targets: readonly string[]) {
  const proxies = await Promise.all(targets.map((target) => loopbackProxy({ target, framing: 'none' })));
  return {
    urls: proxies.map(({ url }) => url),
    cut: () => {
      for (const proxy of proxies) proxy.cut();
    },
    holdToServer: () => {
      for (const proxy of proxies) proxy.hold('to-server');
    },
    heal: () => {
      for (const proxy of proxies) proxy.heal();
    },
    close: () => Promise.all(proxies.map((proxy) => proxy.close())),
  };
}
