-- Gives back every seat of one hold; seats that are no longer this hold's stay as they are.
--
-- KEYS  1 held set · 2 the hold
-- ARGV  1 tag, `{event:ID}` · 2 hold id · 3 buyer id, or '' when staff release it
-- Also touches same-tag keys built from the hold, which it reads first: its seats' locks and its buyer's key.
-- Returns {'released', seat id…} · {'gone'} (also a success) · {'former'}: the buyer has another hold by now
--         · {'paying', payment id, hold id}
local tag, hold_id, buyer_id = ARGV[1], ARGV[2], ARGV[3]
local fields = redis.call('HMGET', KEYS[2], 'buyer', 'seats', 'state', 'payment')
if not fields[1] or (buyer_id ~= '' and fields[1] ~= buyer_id) then
  if buyer_id ~= '' and redis.call('EXISTS', 'buyer:' .. tag .. ':' .. buyer_id) == 1 then return { 'former' } end
  return { 'gone' }
end
if fields[3] == 'paying' then return { 'paying', fields[4], hold_id } end

local released = { 'released' }
for seat in string.gmatch(fields[2], '%d+') do
  local lock = 'lock:' .. tag .. ':seat:' .. seat
  if redis.call('GET', lock) == hold_id then
    redis.call('DEL', lock)
    redis.call('ZREM', KEYS[1], seat)
    released[#released + 1] = seat
  end
end
redis.call('DEL', KEYS[2])
local buyer = 'buyer:' .. tag .. ':' .. fields[1]
if redis.call('GET', buyer) == hold_id then redis.call('DEL', buyer) end
return released
