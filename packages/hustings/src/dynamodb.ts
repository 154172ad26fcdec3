/**
 * Leader election on Amazon DynamoDB, by a lease in an item.
 *
 * ```ts
 * import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
 * import { dynamodbElector, lead } from 'hustings/dynamodb';
 *
 * const client = new DynamoDBClient({ region: 'eu-central-1' });
 * const elector = dynamodbElector({ id: 'node-1', election: 'billing', client, table: 'leases' });
 * await lead(elector, async ({ token, signal }) => serve({ token, signal }));
 * ```
 *
 * @packageDocumentation
 */

import { type DynamoStoreOptions, dynamoStore } from '@hustings/dynamodb';
import { required, text } from '@hustings/elector/options';
import type { CommonOptions, HustingsElector } from './front.js';
import { client, type LeaseOptions, leaseRules } from './lease.js';
import { linkedLeaseElector, readLinkedOptions } from './linked-lease.js';
import type { LinkedOptions } from './shared-options.js';

export * from './index.js';

export interface DynamodbElectorOptions extends CommonOptions, LeaseOptions, LinkedOptions {
  /** A `DynamoDBClient` of `@aws-sdk/client-dynamodb`. It stays yours. */
  readonly client: DynamoStoreOptions['client'];
  readonly table: string;
  /** The table's partition key, a string. Default `election`. */
  readonly key?: string | undefined;
}

const rules = {
  ...leaseRules,
  client: required(client, "a DynamoDBClient of '@aws-sdk/client-dynamodb'"),
  table: required(text, 'the name of a table with a string as its partition key'),
  key: text,
};

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function dynamodbElector(given: DynamodbElectorOptions): HustingsElector {
  const options = readLinkedOptions('dynamodbElector', given, rules);
  const { client: dynamo, table, key } = options;
  return linkedLeaseElector(
    options,
    dynamoStore({ client: dynamo, table, ...(key === undefined ? {} : { key }) }),
    'DynamoDB',
  );
}
