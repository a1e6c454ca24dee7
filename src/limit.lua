-- Counts a use against one limit, in a window that begins with the first use and ends by itself.
--
-- KEYS  1 the counter
-- ARGV  1 cost of this use · 2 most in a window · 3 window_ms
-- Returns 0 when it may go on, else the milliseconds until the window ends. What is refused is not counted.
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used + tonumber(ARGV[1]) > tonumber(ARGV[2]) then
  local left = redis.call('PTTL', KEYS[1])
  if left > 0 then return left end
  if used == 0 then return tonumber(ARGV[3]) end
end
if used == 0 then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
else
  redis.call('INCRBY', KEYS[1], ARGV[1])
end
return 0
