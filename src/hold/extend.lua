-- Moves every key of a hold to one later deadline, once for each numbered extension, never past the event's cap.
--
-- KEYS  1 held set · 2 the hold · 3 buyer key
-- ARGV  1 tag, `{event:ID}` · 2 hold id · 3 buyer id · 4 number of the wanted extension, 1 for the first
--       5 ttl_ms from now that an extension gives · 6 cap_ms, counted from the first acquire
-- Also touches same-tag keys built from the hold, which it reads first: its seats' locks.
-- Returns {'extended'} · {'capped'}: no later deadline is allowed · {'gone'} · {'former'} · {'paying', payment id, hold id}
local tag, hold_id, buyer_id, wanted = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local fields = redis.call('HMGET', KEYS[2], 'buyer', 'seats', 'state', 'payment', 'deadline_ms', 'acquired_ms', 'extensions')
if fields[1] ~= buyer_id then
  local current = redis.call('GET', KEYS[3])
  if current and current ~= hold_id then return { 'former' } end
  return { 'gone' }
end
local locks = {}
for seat in string.gmatch(fields[2], '%d+') do
  local lock = 'lock:' .. tag .. ':seat:' .. seat
  if redis.call('GET', lock) ~= hold_id then return { 'gone' } end
  locks[#locks + 1] = { key = lock, seat = seat }
end
if fields[3] == 'paying' then return { 'paying', fields[4], hold_id } end
-- A repeat of an extension that was already given changes nothing.
if tonumber(fields[7]) ~= wanted - 1 then return { 'extended' } end
local deadline = math.min(now + tonumber(ARGV[5]), tonumber(fields[6]) + tonumber(ARGV[6]))
if deadline <= tonumber(fields[5]) then return { 'capped' } end

for _, lock in ipairs(locks) do
  redis.call('PEXPIREAT', lock.key, deadline)
  redis.call('ZADD', KEYS[1], deadline, lock.seat)
end
redis.call('HSET', KEYS[2], 'deadline_ms', deadline, 'extensions', wanted)
redis.call('PEXPIREAT', KEYS[2], deadline)
redis.call('PEXPIREAT', KEYS[3], deadline)
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
redis.call('PEXPIREAT', KEYS[1], last[2])
return { 'extended' }
