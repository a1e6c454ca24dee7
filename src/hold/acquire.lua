-- Holds every wanted seat for one buyer, or none; a buyer who already holds seats amends that hold instead.
--
-- KEYS  1 buyer key · 2 held set · 3 key of the hold to be made
--       4 seats taken from this network lately · 5… the lock of each named seat
-- ARGV  1 tag, `{event:ID}` · 2 new hold id · 3 buyer id · 4 id of the hold that the form was drawn with, or ''
--       5 mode: `map` (same hold: the named seats replace the selection; another or none: they are added) or
--         `exact` (the named seats replace the selection of just that hold)
--       6 ttl_ms of a new hold · 7 most seats in a hold
--       8 most seats taken from one network, 0 for no limit · 9 window_ms of that limit · 10… the id of each named seat, in the order of the locks
-- Also touches same-tag keys built from the buyer's present hold, which it reads first: that hold and its seats' locks.
-- Returns {'held', hold id} · {'slow_down', ms until the network may take more} · {'taken', seat id…} · {'too_many'} · {'paying', payment id, hold id} · {'former'} · {'gone'}
local tag, new_id, buyer_id, form_id, mode = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local ttl_ms, max_seats = tonumber(ARGV[6]), tonumber(ARGV[7])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function lock_key(seat) return 'lock:' .. tag .. ':seat:' .. seat end
local function hold_key(id) return 'hold:' .. tag .. ':' .. id end

-- The present hold, if all of it still stands: its seats end together.
local current = redis.call('GET', KEYS[1])
local old_seats, old = {}, nil
if current then
  local fields = redis.call('HMGET', hold_key(current), 'seats', 'deadline_ms', 'acquired_ms', 'extensions', 'state', 'payment', 'graced')
  if fields[1] then
    old = { deadline = tonumber(fields[2]), acquired = fields[3], extensions = fields[4], graced = fields[7] }
    for seat in string.gmatch(fields[1], '%d+') do
      old_seats[#old_seats + 1] = seat
      if redis.call('GET', lock_key(seat)) ~= current then old = nil end
    end
  end
  if old and current == new_id then return { 'held', new_id } end
  if old and fields[5] == 'paying' then return { 'paying', fields[6], current } end
end
if mode == 'exact' and not (old and form_id == current) then
  if old then return { 'former' } end
  return { 'gone' }
end

local wanted, seen = {}, {}
local function want(seat)
  if not seen[seat] then seen[seat] = true; wanted[#wanted + 1] = seat end
end
if old and form_id ~= current then
  for _, seat in ipairs(old_seats) do want(seat) end
end
for i = 10, #ARGV do want(ARGV[i]) end
-- A limit that was lowered meanwhile never keeps a buyer from giving back.
if #wanted > max_seats and (not old or #wanted > #old_seats) then return { 'too_many' } end

local taken = { 'taken' }
for _, seat in ipairs(wanted) do
  local owner = redis.call('GET', lock_key(seat))
  if owner and owner ~= current then taken[#taken + 1] = seat end
end
if #taken > 1 then return taken end

-- Nothing changes: the hold keeps its id, so that another tab's checkout stays good.
local same = old and #wanted == #old_seats
if same then
  for _, seat in ipairs(old_seats) do same = same and seen[seat] end
  if same then return { 'held', current } end
end

-- Only seats that this buyer did not have count against the network, and count on when they are abandoned.
local most, window_ms, added = tonumber(ARGV[8]), tonumber(ARGV[9]), #wanted
if old then
  for _, seat in ipairs(old_seats) do
    if seen[seat] then added = added - 1 end
  end
end
if most > 0 and added > 0 then
  local used, left = tonumber(redis.call('GET', KEYS[4]) or '0'), redis.call('PTTL', KEYS[4])
  if used + added > most then return { 'slow_down', tostring(left > 0 and left or window_ms) } end
  if used > 0 and left > 0 then
    redis.call('INCRBY', KEYS[4], added)
  else
    redis.call('SET', KEYS[4], added, 'PX', window_ms)
  end
end

local deadline = old and old.deadline or now + ttl_ms
if current then
  -- Also of a hold that had lost a seat: what is left of it must not stand in its own buyer's way.
  for _, seat in ipairs(old_seats) do
    if not seen[seat] and redis.call('GET', lock_key(seat)) == current then
      redis.call('DEL', lock_key(seat))
      redis.call('ZREM', KEYS[2], seat)
    end
  end
  redis.call('DEL', hold_key(current))
end
for _, seat in ipairs(wanted) do
  redis.call('SET', lock_key(seat), new_id, 'PXAT', deadline)
  redis.call('ZADD', KEYS[2], deadline, seat)
end
redis.call('HSET', KEYS[3], 'buyer', buyer_id, 'seats', table.concat(wanted, ','), 'deadline_ms', deadline,
  'acquired_ms', old and old.acquired or now, 'extensions', old and old.extensions or 0, 'state', 'held', 'payment', '',
  'graced', old and old.graced or 0)
redis.call('PEXPIREAT', KEYS[3], deadline)
redis.call('SET', KEYS[1], new_id, 'PXAT', deadline)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
redis.call('PEXPIREAT', KEYS[2], last[2])
return { 'held', new_id }
