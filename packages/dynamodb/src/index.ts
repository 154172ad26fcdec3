/**
 * A lease store in a table of Amazon DynamoDB.
 *
 * @packageDocumentation
 */
export { type DynamoStoreOptions, dynamoStore } from './store.js';
