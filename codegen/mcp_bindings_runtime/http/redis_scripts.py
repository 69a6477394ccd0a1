"""What is done in Redis in one step each, in Lua: a stream's log, the sessions, and what processes tell each other.

Below a prefix there are: ``session:ID``, a hash, and ``sessions``, their ids by when they end. ``log:ID:STREAM``, a
hash, ``events:ID:STREAM``, its messages from the oldest that is kept, and ``logs:ID``, the streams by age. ``told:ID``,
which announcements a session has been told. ``alive:PROCESS``, as long as one lives; ``inbox:PROCESS``, which of its
readers have something to read; ``bus``, what concerns all processes, and ``bus:size``, its bytes. All of them expire.
"""

from __future__ import annotations

from typing import Final

_CLOCK: Final = """
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
"""

_LOG: Final = """
local prefix, session, stream = ARGV[1], ARGV[2], ARGV[3]
local meta = prefix .. 'log:' .. session .. ':' .. stream
local events = prefix .. 'events:' .. session .. ':' .. stream
local function lives(process)
  return redis.call('EXISTS', prefix .. 'alive:' .. process) == 1
end
local function process_of(reader)
  return reader and string.match(reader, '^%S+')
end
local function attached(reader)
  local process = process_of(reader)
  return process and lives(process)
end
local function wake(reader, name)
  local process = process_of(reader)
  if process then
    local inbox = prefix .. 'inbox:' .. process
    local number = string.match(reader, '%S+$')
    redis.call('XADD', inbox, 'MAXLEN', '~', 10000, '*', 'wake', session .. ' ' .. name .. ' ' .. number)
    redis.call('PEXPIRE', inbox, 60000)
  end
end
local function stay(milliseconds)
  redis.call('PEXPIRE', meta, milliseconds)
  redis.call('PEXPIRE', events, milliseconds)
end
"""

# Further arguments: process, keep, milliseconds to stay, how many streams a session has, its milliseconds.
OPEN: Final = _CLOCK + _LOG + """
if redis.call('EXISTS', prefix .. 'session:' .. session) == 0 then return 0 end
if redis.call('EXISTS', meta) == 0 then
  local index = prefix .. 'logs:' .. session
  local names = redis.call('ZRANGE', index, 0, -1)
  local left = #names
  for _, name in ipairs(names) do
    local other = prefix .. 'log:' .. session .. ':' .. name
    local state = redis.call('HMGET', other, 'ended', 'reader')
    local idle = state[1] == '1' and not attached(state[2])
    if state[1] == false or (left >= tonumber(ARGV[7]) and idle) then
      redis.call('DEL', other, prefix .. 'events:' .. session .. ':' .. name)
      redis.call('ZREM', index, name)
      left = left - 1
    end
  end
  redis.call('HSET', meta, 'keep', ARGV[5], 'last', 0, 'delivered', 0, 'waiting', 0, 'size', 0, 'readers', 0,
    'reader', '', 'ended', 0, 'token', '', 'writer', stream == '0' and '' or ARGV[4])
  redis.call('ZADD', index, now(), stream)
  redis.call('PEXPIRE', index, ARGV[8])
end
stay(ARGV[6])
return 1
"""

# Further arguments: line, retry, token, mark, capacity, count, milliseconds. Gives 1 done, 0 no room, -1 ended.
APPEND: Final = _CLOCK + _LOG + """
local line, retry, token, mark = ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local capacity, count = tonumber(ARGV[8]), tonumber(ARGV[9])
local state = redis.call('HMGET', meta, 'last', 'delivered', 'waiting', 'size', 'reader', 'ended', 'token')
if not state[1] or state[6] == '1' then return -1 end
if state[7] == token then return 1 end
local last, delivered, waiting, size = tonumber(state[1]), tonumber(state[2]), tonumber(state[3]), tonumber(state[4])
local reads = attached(state[5])
if retry == '0' and reads and waiting > 0 and waiting + #line > capacity then return 0 end
local newest = redis.call('LINDEX', events, -1)
if retry ~= '0' then
  if newest and string.sub(newest, 1, 2) ~= '0:' then return 1 end
elseif not reads and last > delivered and newest == '0:' .. line then
  return 1
end
if mark ~= '' then
  local told = prefix .. 'told:' .. session
  if redis.call('ZADD', told, 'NX', now(), mark) == 0 then return 1 end
  redis.call('ZREMRANGEBYSCORE', told, '-inf', now() - 120000)
  redis.call('PEXPIRE', told, 120000)
end
local length = redis.call('RPUSH', events, retry .. ':' .. line)
last, size, waiting = last + 1, size + #line, waiting + #line
local first = last - length + 1
while length > 1 and (size > capacity or length > count) do
  if reads and first > delivered and size <= 2 * capacity then break end
  local gone = redis.call('LPOP', events)
  local bytes = #gone - string.find(gone, ':', 1, true)
  size = size - bytes
  if first > delivered then waiting = waiting - bytes end
  first, length = first + 1, length - 1
end
redis.call('HSET', meta, 'last', last, 'size', size, 'waiting', waiting, 'token', token)
stay(ARGV[10])
wake(state[5], stream)
return 1
"""

# Further arguments: process, milliseconds. Gives the number of the reader, 0 where there is no such log.
ATTACH: Final = _LOG + """
if redis.call('EXISTS', meta) == 0 then return 0 end
wake(redis.call('HGET', meta, 'reader'), stream)
local number = redis.call('HINCRBY', meta, 'readers', 1)
redis.call('HSET', meta, 'reader', ARGV[4] .. ' ' .. number)
stay(ARGV[5])
return number
"""

# Further arguments: reader, milliseconds.
DETACH: Final = _LOG + """
if redis.call('HGET', meta, 'reader') == ARGV[4] then
  redis.call('HSET', meta, 'reader', '')
  stay(ARGV[5])
end
return 1
"""

# Further arguments: reader, after, milliseconds. Gives whether it is over, the number of the first event, and events.
READ: Final = _LOG + """
local state = redis.call('HMGET', meta, 'last', 'delivered', 'reader', 'ended', 'writer', 'keep')
if not state[1] or state[3] ~= ARGV[4] then return {1, 0} end
stay(ARGV[6])
local last, after = tonumber(state[1]), tonumber(ARGV[5])
local over = (state[4] == '1' or (state[5] ~= '' and not lives(state[5]))) and 1 or 0
if last <= after then return {over, 0} end
local first = last - redis.call('LLEN', events) + 1
local start = math.max(0, after + 1 - first)
local found = redis.call('LRANGE', events, start, -1)
redis.call('HSET', meta, 'delivered', last, 'waiting', 0)
if state[6] == '0' then
  redis.call('DEL', events)
  redis.call('HSET', meta, 'size', 0)
end
return {over, first + start, unpack(found)}
"""

END: Final = _LOG + """
if redis.call('EXISTS', meta) == 1 then
  redis.call('HSET', meta, 'ended', 1)
  wake(redis.call('HGET', meta, 'reader'), stream)
end
return 1
"""

# Ends all streams of a session; ``stream`` is empty.
FORGET: Final = _LOG + """
local index = prefix .. 'logs:' .. session
local names = redis.call('ZRANGE', index, 0, -1)
table.insert(names, '0')
for _, name in ipairs(names) do
  local other = prefix .. 'log:' .. session .. ':' .. name
  local reader = redis.call('HGET', other, 'reader')
  redis.call('DEL', other, prefix .. 'events:' .. session .. ':' .. name)
  if reader then wake(reader, name) end
end
redis.call('DEL', index, prefix .. 'told:' .. session)
return 1
"""

# Arguments: prefix, id, milliseconds, how many there are at most, names and values.
CREATE: Final = _CLOCK + """
local key, all = ARGV[1] .. 'session:' .. ARGV[2], ARGV[1] .. 'sessions'
redis.call('ZREMRANGEBYSCORE', all, '-inf', now())
if redis.call('ZCARD', all) >= tonumber(ARGV[4]) then return 0 end
redis.call('HSET', key, unpack(ARGV, 5))
redis.call('PEXPIRE', key, ARGV[3])
redis.call('ZADD', all, now() + ARGV[3], ARGV[2])
redis.call('PEXPIRE', all, ARGV[3])
return 1
"""

# Arguments: prefix, id, milliseconds.
LOAD: Final = _CLOCK + """
local key, all = ARGV[1] .. 'session:' .. ARGV[2], ARGV[1] .. 'sessions'
local found = redis.call('HGETALL', key)
if #found > 0 then
  redis.call('PEXPIRE', key, ARGV[3])
  redis.call('ZADD', all, 'XX', now() + ARGV[3], ARGV[2])
  redis.call('PEXPIRE', all, ARGV[3])
  redis.call('PEXPIRE', ARGV[1] .. 'log:' .. ARGV[2] .. ':0', ARGV[3])
  redis.call('PEXPIRE', ARGV[1] .. 'events:' .. ARGV[2] .. ':0', ARGV[3])
end
return found
"""

# Arguments: prefix, id, how many names go, these, names and values. Gives the new version, 0 where it has ended.
SAVE: Final = """
local key = ARGV[1] .. 'session:' .. ARGV[2]
if redis.call('EXISTS', key) == 0 then return 0 end
local gone = tonumber(ARGV[3])
if gone > 0 then redis.call('HDEL', key, unpack(ARGV, 4, 3 + gone)) end
if #ARGV > 3 + gone then redis.call('HSET', key, unpack(ARGV, 4 + gone)) end
return redis.call('HINCRBY', key, 'version', 1)
"""

# Arguments: prefix, id. Gives whether there was one.
DELETE: Final = """
redis.call('ZREM', ARGV[1] .. 'sessions', ARGV[2])
return redis.call('DEL', ARGV[1] .. 'session:' .. ARGV[2])
"""

# Arguments: prefix, bytes that the bus holds, messages, milliseconds, names and values.
POST: Final = """
local bus, counted = ARGV[1] .. 'bus', ARGV[1] .. 'bus:size'
local function bytes(fields)
  local sum = 0
  for _, each in ipairs(fields) do sum = sum + #each end
  return sum
end
local fields = {unpack(ARGV, 5)}
local size = redis.call('INCRBY', counted, bytes(fields))
local id = redis.call('XADD', bus, '*', unpack(fields))
while redis.call('XLEN', bus) > 1 and (size > tonumber(ARGV[2]) or redis.call('XLEN', bus) > tonumber(ARGV[3])) do
  local oldest = redis.call('XRANGE', bus, '-', '+', 'COUNT', 1)[1]
  size = redis.call('DECRBY', counted, bytes(oldest[2]))
  redis.call('XDEL', bus, oldest[1])
end
redis.call('PEXPIRE', bus, ARGV[4])
redis.call('PEXPIRE', counted, ARGV[4])
return id
"""
