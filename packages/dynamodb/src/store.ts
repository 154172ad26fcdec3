/**
 * One item for each election, never deleted, and put only under a condition:
 *
 * | attribute | |
 * |---|---|
 * | the table's key | the election |
 * | `holder` | who has the lease; empty once it was released |
 * | `token` | grows by one with each holder |
 * | `version` | a new random word with each put |
 * | `ttlMs` | what the holder has published, for those who wait |
 *
 * DynamoDB gives no time to compare with, so whoever waits measures by its own clock for how long the version stands
 * still. The table's own TTL would delete an item within days, and its token with it: it must be off.
 */

import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { InvalidOptionError } from '@hustings/elector';
import {
  type Acquired,
  type AcquireRequest,
  type Free,
  type Held,
  type LeaseStore,
  type Lost,
  type ReleaseRequest,
  type Renewed,
  type RenewRequest,
  StoreRefusedError,
  type StoreTraits,
} from '@hustings/lease';

export interface DynamoStoreOptions {
  /** With your region and credentials. It stays yours: close it when the elector has stopped. */
  readonly client: Pick<DynamoDBClient, 'send'>;
  readonly table: string;
  /** The table's partition key, a string; the table has no sort key. Default: `election`. */
  readonly key?: string;
}

const traits: StoreTraits = {
  name: 'dynamodb',
  clock: 'observer',
  expiryFactor: 1,
  minTtlMs: 1,
  granularityMs: 0,
  survives: 'majority',
  releasedBy: 'anybody',
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: [
    'All candidates use the same table in the same region; a global table has no conditional writes across regions.',
    'Nobody else writes or deletes the items, and the table has no TTL.',
  ],
};

/** A lease store in a table of DynamoDB. */
export function dynamoStore({ client, table, key = 'election' }: DynamoStoreOptions): LeaseStore {
  if (typeof client?.send !== 'function') {
    throw new InvalidOptionError('client must be a DynamoDBClient of @aws-sdk/client-dynamodb.');
  }
  if (typeof table !== 'string' || table === '') {
    throw new InvalidOptionError('table must be the name of a table of DynamoDB.');
  }
  if (typeof key !== 'string' || key === '' || attributes.includes(key)) {
    throw new InvalidOptionError(
      `key must be the name of the table's partition key, and none of ${attributes.join(', ')}, which a lease has itself.`,
    );
  }
  return new DynamoStore(client, table, key);
}

/** Were one of them the key, each candidate would put an item of its own. */
const attributes: readonly string[] = ['holder', 'token', 'version', 'ttlMs'];

/** What an item says. */
interface Item {
  readonly holder: string;
  readonly token: bigint;
  readonly version: string;
  readonly ttlMs: number;
}

/** What must be true of the item that a put replaces. */
interface Condition {
  readonly expression: string;
  readonly values?: Record<string, AttributeValue>;
}

class DynamoStore implements LeaseStore {
  readonly traits = traits;
  readonly #client: Pick<DynamoDBClient, 'send'>;
  readonly #table: string;
  readonly #key: string;

  constructor(client: Pick<DynamoDBClient, 'send'>, table: string, key: string) {
    this.#client = client;
    this.#table = table;
    this.#key = key;
  }

  async acquire({ name, holder, ttlMs, over }: AcquireRequest): Promise<Acquired | Held> {
    const item = await this.#get(name);
    if (item !== null && item.holder !== holder && item.holder !== '' && item.version !== over) {
      return held(item);
    }
    const token = item?.holder === holder ? item.token : (item?.token ?? 0n) + 1n;
    if (await this.#put(name, { holder, token, ttlMs }, unchangedSince(item))) {
      return { type: 'acquired', token, validForMs: ttlMs };
    }
    // Somebody has been faster; or this very put, which the client has sent again.
    return this.acquire({ name, holder, ttlMs });
  }

  async renew({ name, holder, token, ttlMs }: RenewRequest): Promise<Renewed | Lost> {
    const isHeld = await this.#put(name, { holder, token, ttlMs }, heldBy(holder, token));
    return isHeld ? { type: 'renewed', validForMs: ttlMs } : { type: 'lost' };
  }

  async release({ name, holder, token }: ReleaseRequest): Promise<void> {
    await this.#put(name, { holder: '', token, ttlMs: 0 }, heldBy(holder, token));
  }

  async read(name: string): Promise<Held | Free> {
    const item = await this.#get(name);
    return item === null || item.holder === '' ? { type: 'free' } : held(item);
  }

  async #get(name: string): Promise<Item | null> {
    const command = new GetItemCommand({
      TableName: this.#table,
      Key: { [this.#key]: { S: name } },
      ConsistentRead: true,
    });
    const { Item } = await this.#client.send(command, inTime()).catch((error) => this.#refuse(error));
    return Item === undefined ? null : itemOf(Item, name);
  }

  /** False if the condition does not hold; nothing is changed then. */
  async #put(name: string, item: Omit<Item, 'version'>, condition: Condition): Promise<boolean> {
    const command = new PutItemCommand({
      TableName: this.#table,
      Item: { [this.#key]: { S: name }, ...attributesOf({ ...item, version: randomUUID() }) },
      ConditionExpression: condition.expression,
      ExpressionAttributeNames: attributeNames(condition.expression),
      ExpressionAttributeValues: condition.values,
    });
    try {
      await this.#client.send(command, inTime());
      return true;
    } catch (error) {
      if (isNamed(error, 'ConditionalCheckFailedException')) return false;
      return this.#refuse(error);
    }
  }

  /** What no repetition mends is told as such; anything else may have been carried out. */
  #refuse(cause: unknown): never {
    const refused = Object.entries(refusals).find(([name]) => isNamed(cause, name));
    if (refused === undefined) throw cause;
    throw new StoreRefusedError(`DynamoDB refuses: ${refused[1](this.#table, this.#key)}`, { cause });
  }
}

/** No answer after this time is none: whoever asks has to know that it may ask again. */
const answerWithinMs = 2000;

const inTime = () => ({ abortSignal: AbortSignal.timeout(answerWithinMs) });

const refusals: Record<string, (table: string, key: string) => string> = {
  ResourceNotFoundException: (table, key) =>
    `there is no table ${table} in this region. Create it with the string ${key} as its partition key.`,
  ValidationException: (table, key) =>
    `the table ${table} has another key. It needs the string ${key} as its partition key, and no sort key.`,
  AccessDeniedException: (table) =>
    `these credentials lack dynamodb:GetItem or dynamodb:PutItem on the table ${table}.`,
  UnrecognizedClientException: () => 'it does not know these credentials.',
};

// ---- Items and conditions -------------------------------------------------------------------------------

function held({ holder, token, version, ttlMs }: Item): Held {
  return { type: 'held', holder, token, expiresInMs: ttlMs, version };
}

function unchangedSince(item: Item | null): Condition {
  if (item === null) return { expression: 'attribute_not_exists(#version)' };
  return { expression: '#version = :version', values: { ':version': { S: item.version } } };
}

function heldBy(holder: string, token: bigint): Condition {
  return {
    expression: '#holder = :holder AND #token = :token',
    values: { ':holder': { S: holder }, ':token': { N: `${token}` } },
  };
}

/** Attributes are named apart from conditions, in which some words, `token` among them, are DynamoDB's own. */
function attributeNames(expression: string): Record<string, string> {
  return Object.fromEntries([...expression.matchAll(/#(\w+)/g)].map(([alias, name]) => [alias, name!]));
}

function attributesOf({ holder, token, version, ttlMs }: Item): Record<string, AttributeValue> {
  return {
    holder: { S: holder },
    token: { N: `${token}` },
    version: { S: version },
    ttlMs: { N: `${ttlMs}` },
  };
}

function itemOf({ holder, token, version, ttlMs }: Record<string, AttributeValue>, name: string): Item {
  if (holder?.S === undefined || !token?.N || !version?.S || !ttlMs?.N) {
    throw new StoreRefusedError(
      `The item ${name} is no lease: it lacks holder, token, version or ttlMs. Use another table, or another election.`,
    );
  }
  return { holder: holder.S, token: BigInt(token.N), version: version.S, ttlMs: Number(ttlMs.N) };
}

/** By its name: a client of the user's may come from another copy of the library. */
function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}
