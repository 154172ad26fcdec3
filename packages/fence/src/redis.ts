/**
 * Guards keys of one Redis (or Valkey): the token is compared in the script that writes.
 *
 * @packageDocumentation
 */

import { type Credentials, checkCredentials, InvalidOptionError, StaleTokenError } from '@hustings/elector';
import { type Redis, type RedisClient, redisOf } from './clients/redis.js';
import type { Guard } from './index.js';

export type { RedisClient } from './clients/redis.js';

export interface RedisFenceOptions {
  /** A client of `ioredis`, `@redis/client` or `redis`. */
  readonly client: RedisClient;
  /** What is guarded, by a name of your own: the keys that one leader writes to. */
  readonly resource: string;
  /** Under which key the highest token is kept. Default `hustings:fence:{resource}`. */
  readonly key?: string;
}

/**
 * Collects the commands of one write. They are carried out together, after `work` has ended, or not at all where the
 * token is stale. Redis undoes nothing: if one of them is wrong, those before it stay.
 */
export interface RedisBatch {
  /** Any command that takes one key: `call('SET', 'price', '7')`. */
  call(command: string, key: string, ...parameters: readonly string[]): void;
}

export interface RedisFence extends Guard<RedisBatch> {
  /** Resolves with what each command was answered. */
  write(credentials: Credentials, ...commands: readonly RedisCommand[]): Promise<unknown[]>;
}

export type RedisCommand = readonly [command: string, key: string, ...parameters: readonly string[]];

export function redisFence(options: RedisFenceOptions): RedisFence {
  return new Fence(options);
}

class Fence implements RedisFence {
  readonly #redis: Redis;
  readonly #key: string;

  constructor({ client, resource, key = `hustings:fence:{${resource}}` }: RedisFenceOptions) {
    if (resource === '') throw new InvalidOptionError('The resource of a fence needs a name; give it one.');
    this.#redis = redisOf(client);
    this.#key = key;
  }

  async run<Result>(credentials: Credentials, work: (batch: RedisBatch) => Promise<Result>): Promise<Result> {
    // A stale leader is told so before its work begins; what counts is the comparison in the write itself.
    await this.write(credentials);
    const commands: RedisCommand[] = [];
    const result = await work({ call: (...command) => void commands.push(command) });
    if (commands.length > 0) await this.write(credentials, ...commands);
    return result;
  }

  async write(credentials: Credentials, ...commands: readonly RedisCommand[]): Promise<unknown[]> {
    checkCredentials(credentials);
    const { token, holder } = credentials;
    const keys = commands.map(([, key]) => key);
    // Each behind its length.
    const flat = commands.flatMap((command) => [`${command.length}`, ...command]);
    const reply = await this.#redis.evaluate(script, [this.#key, ...keys], [`${token}`, holder, ...flat]);
    const [verdict, ...replies] = reply as [string, ...unknown[]];
    if (verdict !== 'admitted') throw new StaleTokenError(verdict);
    return replies;
  }
}

/**
 * The rule of `admit` in `@hustings/elector`, once more, where the writes are. Numbers in Lua are doubles, which take
 * 2^53 and 2^53 + 1 for equal: tokens are compared as digits, the shorter before the longer.
 */
const script = `
local token, holder = ARGV[1], ARGV[2]
local seen = redis.call('HMGET', KEYS[1], 'token', 'holder')
local highest, leader = seen[1], seen[2]
if highest and (#token < #highest or (#token == #highest and token < highest)) then
  return { holder .. ' wrote with token ' .. token .. ', but token ' .. highest .. ' of ' .. leader
    .. ' has been seen; it no longer leads.' }
end
if highest == token and leader ~= holder then
  return { holder .. ' wrote with token ' .. token .. ', which ' .. leader
    .. ' holds; two leaders were elected with one token.' }
end
if highest ~= token then redis.call('HSET', KEYS[1], 'token', token, 'holder', holder) end
local replies, at = { 'admitted' }, 3
while at <= #ARGV do
  local length = tonumber(ARGV[at])
  replies[#replies + 1] = redis.call(unpack(ARGV, at + 1, at + length))
  at = at + length + 1
end
return replies`;
