-- Ends the hold of a booking that PostgreSQL has confirmed.
--
-- The seats' locks live on for a moment, longer than any request does, so that nobody who read a seat as open just before
-- the sale can lock it just after. Once a seat was cancelled, its lock goes at once: its linger_ms is 0.
--
-- KEYS  1 held set · 2 the hold · 3 buyer key · 4… the lock of each seat named
-- ARGV  1 tag, `{event:ID}` · 2 hold id · 3 linger_ms of the seats named · 4 linger_ms of the hold's other seats
--         · 5… the id of each seat named, in the order of the locks
-- Also touches same-tag keys built from the hold, which it reads first: its other seats' locks, which must not outlive it.
-- Returns {'finished'}
local tag, hold_id = ARGV[1], ARGV[2]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function cut(lock, seat, linger)
  if redis.call('GET', lock) == hold_id and redis.call('PTTL', lock) > linger then
    redis.call('PEXPIREAT', lock, now + linger)
    redis.call('ZADD', KEYS[1], 'XX', now + linger, seat)
  end
end
for i = 4, #KEYS do cut(KEYS[i], ARGV[i + 1], tonumber(ARGV[3])) end
for seat in string.gmatch(redis.call('HGET', KEYS[2], 'seats') or '', '%d+') do
  cut('lock:' .. tag .. ':seat:' .. seat, seat, tonumber(ARGV[4]))
end
redis.call('DEL', KEYS[2])
if redis.call('GET', KEYS[3]) == hold_id then redis.call('DEL', KEYS[3]) end
return { 'finished' }
