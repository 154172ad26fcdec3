/**
 * What runs within Redis, each in one step. KEYS[1] is the lease, as 'token holder', which ends by itself; KEYS[2] is the
 * last token, which stays.
 */

const lease = `
local held = redis.call('GET', KEYS[1])
local token, holder
if held then
  local space = string.find(held, ' ', 1, true)
  token, holder = string.sub(held, 1, space - 1), string.sub(held, space + 1)
end`;

/**
 * max(last + 1, time in microseconds): it grows by the counter where the clock is set back, and by the clock where Redis
 * has forgotten the counter. Lua's numbers are doubles, so digits are compared: the shorter is the smaller.
 */
const nextToken = `
redis.call('INCR', KEYS[2])
local time = redis.call('TIME')
token = redis.call('GET', KEYS[2])
local now = time[1] .. string.format('%06d', time[2])
if #token < #now or (#token == #now and token < now) then
  token = now
  redis.call('SET', KEYS[2], token)
end`;

export const acquire = `${lease}
if held and holder ~= ARGV[1] then
  return { 'held', token, holder, redis.call('PTTL', KEYS[1]) }
end
if held then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return { 'mine', token }
end
${nextToken}
redis.call('SET', KEYS[1], token .. ' ' .. ARGV[1], 'PX', ARGV[2])
return { 'mine', token }`;

export const renew = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

export const release = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], '')
return 1`;

export const read = `${lease}
if not held then return { 'free' } end
return { 'held', token, holder, redis.call('PTTL', KEYS[1]) }`;

// ---- Redlock -------------------------------------------------------------------------------------------

/** One that comes late, when the same holder has a greater token, must not lower that: tokens would come back. */
export const raise = `${lease}
if holder ~= ARGV[1] then return 0 end
if #token > #ARGV[2] or (#token == #ARGV[2] and token > ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2] .. ' ' .. ARGV[1], 'KEEPTTL')
redis.call('SET', KEYS[2], ARGV[2])
return 1`;

export const forsake = `${lease}
if holder ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], '')
return 1`;
