-- Every hold of an event, for staff.
--
-- KEYS  1 held set
-- ARGV  1 tag, `{event:ID}`
-- Also reads same-tag keys built from the held set: the seats' locks and their holds.
-- Returns {{seat id, hold id, ttl_ms, state}…}
local tag = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local rows = {}
for _, seat in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')) do
  local lock = 'lock:' .. tag .. ':seat:' .. seat
  local id = redis.call('GET', lock)
  if id then
    local state = redis.call('HGET', 'hold:' .. tag .. ':' .. id, 'state')
    rows[#rows + 1] = { seat, id, tostring(redis.call('PTTL', lock)), state or 'ending' }
  end
end
return rows
