-- Returns a paying hold to `held`, if it still names this payment: the payment was declined, voided or never came to be.
--
-- KEYS  1 the hold
-- ARGV  1 payment id
-- Returns {'ended'} · {'other'}: the hold is gone or names another payment
local fields = redis.call('HMGET', KEYS[1], 'state', 'payment')
if fields[1] ~= 'paying' or fields[2] ~= ARGV[1] then return { 'other' } end
redis.call('HSET', KEYS[1], 'state', 'held', 'payment', '')
return { 'ended' }
