-- Ends the hold of a booking that PostgreSQL has confirmed.
--
-- The seats' locks live on for a moment, longer than any request does, so that nobody who read a seat as open just before
-- the sale can lock it just after. Once a seat was cancelled, they go at once: linger_ms is 0.
--
-- KEYS  1 held set · 2 the hold · 3 buyer key · 4… the lock of each seat sold
-- ARGV  1 hold id · 2 linger_ms · 3… the id of each seat, in the order of the locks
-- Returns {'finished'}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local linger = tonumber(ARGV[2])
for i = 4, #KEYS do
  if redis.call('GET', KEYS[i]) == ARGV[1] and redis.call('PTTL', KEYS[i]) > linger then
    redis.call('PEXPIREAT', KEYS[i], now + linger)
    redis.call('ZADD', KEYS[1], 'XX', now + linger, ARGV[i - 1])
  end
end
redis.call('DEL', KEYS[2])
if redis.call('GET', KEYS[3]) == ARGV[1] then redis.call('DEL', KEYS[3]) end
return { 'finished' }
