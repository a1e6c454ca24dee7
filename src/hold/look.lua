-- What one buyer holds at an event, with the time left, and (for the map) every seat that is held by anybody.
--
-- KEYS  1 buyer key · 2 held set
-- ARGV  1 tag, `{event:ID}` · 2 `all` for the seats that anybody holds, or ''
-- Also reads same-tag keys built from the buyer's key: the hold and its seats' locks.
-- Returns {{hold id, seats, ttl_ms, extensions, acquired_ago_ms, state, payment} or {}, {held seat id…}}
local tag = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local mine = {}
local id = redis.call('GET', KEYS[1])
if id then
  local hold = 'hold:' .. tag .. ':' .. id
  local fields = redis.call('HMGET', hold, 'seats', 'extensions', 'acquired_ms', 'state', 'payment')
  if fields[1] then
    -- The countdown is the smallest time left over the hold's keys; a lock that is not ours ends it all.
    local left = math.min(redis.call('PTTL', hold), redis.call('PTTL', KEYS[1]))
    for seat in string.gmatch(fields[1], '%d+') do
      local lock = 'lock:' .. tag .. ':seat:' .. seat
      if redis.call('GET', lock) ~= id then left = 0; break end
      left = math.min(left, redis.call('PTTL', lock))
    end
    if left > 0 then
      mine = { id, fields[1], tostring(left), fields[2], tostring(now - tonumber(fields[3])), fields[4], fields[5] }
    end
  end
end
local held = {}
if ARGV[2] == 'all' then held = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. now, '+inf') end
return { mine, held }
