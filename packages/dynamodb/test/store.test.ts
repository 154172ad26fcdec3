import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { dynamoStore } from '@hustings/dynamodb';
import { type DynamoEmulator, startDynamoEmulator } from '@hustings/servers';
import { describeLeaseStore } from '@hustings/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const table = 'leases';
let emulator: DynamoEmulator;
let client: DynamoDBClient;

beforeAll(async () => {
  emulator = await startDynamoEmulator();
  client = new DynamoDBClient({
    endpoint: emulator.url,
    region: 'local',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  });
  await createTable(table, [{ AttributeName: 'election', KeyType: 'HASH' }]);
  await createTable('sorted', [
    { AttributeName: 'election', KeyType: 'HASH' },
    { AttributeName: 'shard', KeyType: 'RANGE' },
  ]);
});

afterAll(async () => {
  client.destroy();
  await emulator.stop();
});

async function createTable(
  TableName: string,
  KeySchema: { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[],
) {
  const AttributeDefinitions = KeySchema.map(({ AttributeName }) => ({
    AttributeName,
    AttributeType: 'S' as const,
  }));
  await client.send(
    new CreateTableCommand({ TableName, KeySchema, AttributeDefinitions, BillingMode: 'PAY_PER_REQUEST' }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName });
}

let elections = 0;
/** A fresh election, with a request of each of two candidates. */
function election() {
  elections += 1;
  const name = `election-${elections}`;
  return {
    name,
    store: dynamoStore({ client, table }),
    asA: { name, holder: 'a#1', ttlMs: 3000 },
    asB: { name, holder: 'b#1', ttlMs: 5000 },
  };
}

describeLeaseStore({
  name: 'dynamodb (emulated by dynalite)',
  connect: () => dynamoStore({ client, table }),
  server: {
    restart: () => emulator.restart(),
    pause: async () => {
      emulator.pause();
      return async () => emulator.resume();
    },
  },
});

describe('a lease in DynamoDB (emulated by dynalite)', () => {
  it('goes to one of many that want it at the same moment', async () => {
    const { store, asA } = election();
    const candidates = Array.from({ length: 20 }, (_, index) => ({ ...asA, holder: `n${index}#1` }));
    const answers = await Promise.all(candidates.map((request) => store.acquire(request)));
    expect(answers.filter(({ type }) => type === 'acquired')).toHaveLength(1);
    expect(answers.filter(({ type }) => type === 'held')).toHaveLength(19);
  });

  it('tells others who has it and for how long it was published', async () => {
    const { store, asA, asB, name } = election();
    await store.acquire(asA);
    const held = { type: 'held', holder: 'a#1', token: 1n, expiresInMs: 3000, version: expect.any(String) };
    expect(await store.acquire(asB)).toEqual(held);
    expect(await store.read(name)).toEqual(held);
  });

  it('is taken over from a version that stands still, and not from another', async () => {
    const { store, asA, asB, name } = election();
    await store.acquire(asA);
    const before = await versionOf(store, name);
    await store.renew({ ...asA, token: 1n });
    expect(await store.acquire({ ...asB, over: before })).toMatchObject({ type: 'held', holder: 'a#1' });
    const over = await versionOf(store, name);
    expect(await store.acquire({ ...asB, over })).toMatchObject({ type: 'acquired', token: 2n });
    expect(await store.renew({ ...asA, token: 1n })).toEqual({ type: 'lost' });
  });

  it('keeps its token when the same holder asks again, and gets a new version', async () => {
    const { store, asA, name } = election();
    await store.acquire(asA);
    const before = await versionOf(store, name);
    expect(await store.acquire(asA)).toMatchObject({ type: 'acquired', token: 1n });
    expect(await versionOf(store, name)).not.toBe(before);
  });

  it('is released by its holder, and by nobody else; its token outlives it', async () => {
    const { store, asA, asB, name } = election();
    await store.acquire(asA);
    await store.release({ ...asB, token: 1n });
    await store.release({ ...asA, token: 2n });
    expect(await store.read(name)).toMatchObject({ holder: 'a#1' });
    await store.release({ ...asA, token: 1n });
    expect(await store.read(name)).toEqual({ type: 'free' });
    expect(await store.acquire(asB)).toMatchObject({ type: 'acquired', token: 2n });
  });

  it('has exact tokens beyond what a double can hold', async () => {
    const { store, asA, name } = election();
    await store.acquire(asA);
    await store.release({ ...asA, token: 1n });
    const Key = { election: { S: name } };
    const { Item } = await client.send(new GetItemCommand({ TableName: table, Key }));
    const token = 2n ** 64n + 1n;
    await client.send(new PutItemCommand({ TableName: table, Item: { ...Item, token: { N: `${token}` } } }));
    expect(await store.acquire(asA)).toMatchObject({ token: token + 1n });
    expect(await store.renew({ ...asA, token: token + 1n })).toMatchObject({ type: 'renewed' });
    expect(await store.renew({ ...asA, token })).toEqual({ type: 'lost' });
  });

  it('is had once by a request that the client sends twice because an answer was lost', async () => {
    const { asA, name } = election();
    let lost = 0;
    const forgetful = {
      async send(command: object) {
        const answer = await client.send(command as GetItemCommand);
        if (!(command instanceof PutItemCommand) || lost > 0) return answer;
        lost += 1;
        return client.send(command);
      },
    } as Pick<DynamoDBClient, 'send'>;
    const store = dynamoStore({ client: forgetful, table });
    expect(await store.acquire(asA)).toMatchObject({ type: 'acquired', token: 1n });
    expect(await store.read(name)).toMatchObject({ holder: 'a#1', token: 1n });
  });
});

describe('what DynamoDB refuses', () => {
  it.each([
    ['a table that is not there', 'absent', 'there is no table absent in this region. Create it'],
    ['a table with another key', 'sorted', 'the table sorted has another key. It needs'],
  ])('is told: %s', async (_case, wrongTable, message) => {
    const store = dynamoStore({ client, table: wrongTable });
    await expect(store.acquire(election().asA)).rejects.toMatchObject({
      code: 'HUSTINGS_STORE_REFUSED',
      message: expect.stringContaining(message),
    });
  });

  it("is told: an item that is somebody else's", async () => {
    const { store, asA, name } = election();
    await client.send(new PutItemCommand({ TableName: table, Item: { election: { S: name } } }));
    await expect(store.acquire(asA)).rejects.toThrow('is no lease');
  });
});

describe('the options', () => {
  it.each([
    [{ table }, 'client must be a DynamoDBClient'],
    [{ client: {}, table }, 'client must be a DynamoDBClient'],
    [{ client: { send() {} } }, 'table must be the name of a table'],
    [{ client: { send() {} }, table, key: 'holder' }, 'none of holder, token, version, ttlMs'],
    [{ client: { send() {} }, table, key: '' }, "key must be the name of the table's partition key"],
  ])('of %j are refused', (options, message) => {
    // @ts-expect-error: in JavaScript nothing keeps a user from it.
    expect(() => dynamoStore(options)).toThrow(message);
  });
});

async function versionOf(store: ReturnType<typeof dynamoStore>, name: string): Promise<string> {
  const answer = await store.read(name);
  if (answer.type === 'free') throw new Error('it is free');
  return answer.version!;
}
