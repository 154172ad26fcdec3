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

/** Lua's numbers are doubles, so digits are compared: the shorter is the smaller. */
const isLess = `
local function isLess(a, b) return #a < #b or (#a == #b and a < b) end`;

/**
 * max(last + 1, time in microseconds): it grows by the counter where the clock is set back, and by the clock where Redis
 * has forgotten the counter. A proposal, ARGV[3], is given in its place if it is greater, but not if it is further ahead
 * of the clock than ARGV[4] microseconds: after such a loss the clock must soon have passed every token.
 */
const nextToken = `${isLess}
redis.call('INCR', KEYS[2])
local time = redis.call('TIME')
token = redis.call('GET', KEYS[2])
local now = time[1] .. string.format('%06d', time[2])
local proposal = ARGV[3]
if isLess(token, now) then token = now end
if proposal and isLess(token, proposal) and proposal - now <= tonumber(ARGV[4]) then token = proposal end
redis.call('SET', KEYS[2], token)`;

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
export const raise = `${lease}${isLess}
if holder ~= ARGV[1] or isLess(ARGV[2], token) then return 0 end
redis.call('SET', KEYS[1], ARGV[2] .. ' ' .. ARGV[1], 'KEEPTTL')
redis.call('SET', KEYS[2], ARGV[2])
return 1`;

export const forsake = `${lease}
if holder ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], '')
return 1`;
