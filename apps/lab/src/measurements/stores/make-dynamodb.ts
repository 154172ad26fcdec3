/** A candidate on DynamoDB. */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoStore } from '@hustings/dynamodb';
import { first, onStore, type Start } from './make.js';

export const dynamodb: Start = (settings) =>
  onStore(settings, dynamoStore({ client: dynamoOf(first(settings)), table: leaseTable }));

export const leaseTable = 'leases';

/** Of the emulator, which takes anybody for its owner. */
export const dynamoOf = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({
    endpoint,
    region: 'local',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  });
