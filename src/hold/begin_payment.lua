-- Marks a hold as paying, so that nothing else touches it while the provider is asked; grants its one grace.
--
-- KEYS  1 held set · 2 the hold · 3 buyer key
-- ARGV  1 tag, `{event:ID}` · 2 hold id · 3 buyer id · 4 payment id · 5 grace_ms: at the hold's first Pay, at least so
--       much time is left
-- Also touches same-tag keys built from the hold, which it reads first: its seats' locks.
-- Returns {'marked', seat id…} · {'paying', payment id, hold id}: another payment · {'gone'} · {'former'}
local tag, hold_id, buyer_id, payment_id = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local fields = redis.call('HMGET', KEYS[2], 'buyer', 'seats', 'state', 'payment', 'deadline_ms', 'graced')
if fields[1] ~= buyer_id then
  local current = redis.call('GET', KEYS[3])
  if current and current ~= hold_id then return { 'former' } end
  return { 'gone' }
end
local marked, locks = { 'marked' }, {}
for seat in string.gmatch(fields[2], '%d+') do
  local lock = 'lock:' .. tag .. ':seat:' .. seat
  if redis.call('GET', lock) ~= hold_id then return { 'gone' } end
  locks[#locks + 1] = lock
  marked[#marked + 1] = seat
end
if fields[3] == 'paying' and fields[4] ~= payment_id then return { 'paying', fields[4], hold_id } end

redis.call('HSET', KEYS[2], 'state', 'paying', 'payment', payment_id)
local deadline = now + tonumber(ARGV[5])
if fields[6] ~= '1' then
  redis.call('HSET', KEYS[2], 'graced', 1)
  if deadline > tonumber(fields[5]) then
    for i, lock in ipairs(locks) do
      redis.call('PEXPIREAT', lock, deadline)
      redis.call('ZADD', KEYS[1], deadline, marked[i + 1])
    end
    redis.call('HSET', KEYS[2], 'deadline_ms', deadline)
    redis.call('PEXPIREAT', KEYS[2], deadline)
    redis.call('PEXPIREAT', KEYS[3], deadline)
    local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
    redis.call('PEXPIREAT', KEYS[1], last[2])
  end
end
return marked
