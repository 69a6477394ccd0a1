"""Lua scripts, each of which is one atomic step in Redis: event logs, sessions, and messages between processes.

Keys below the prefix, all of which expire: ``session:ID``, a hash, and the ids of sessions by expiry: ``sessions`` and
``unopened``, ``sessions:SOURCE`` and ``unopened:SOURCE``. ``log:ID:STREAM``, the state of a log, ``events:ID:STREAM``, a
list of its messages (``CODE:NUMBER:LINE``; the code is 0 for a required message, n for a notification, or the milliseconds
until a reconnection), and ``logs:ID``, the streams of a session by age. ``told:ID``, the marks of the announcements that a
session has received. ``held:SOURCE``, the bytes in the logs of a source, and in all of them, and ``streams:SOURCE``, these
logs by age. ``alive:PROCESS``, the time until which a process counts as alive; ``inbox:PROCESS``, a Redis stream of readers
to wake; ``bus``, a Redis stream of messages to all processes, and ``bus:size``, its bytes.

An append counts undelivered bytes, drops the oldest notification and compares with the last message, all in one step. With
XADD instead of RPUSH the same steps stay in Lua: XTRIM bounds numbers but not bytes, and drops no entry in the middle.
"""

from __future__ import annotations

from typing import Final

CLOCK: Final = """
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
"""

IS_ALIVE: Final = CLOCK + """
local function is_alive(process)
  local ends = process and redis.call('GET', prefix .. 'alive:' .. process)
  return ends and tonumber(ends) > now()
end
"""

LOG: Final = (
    """
local prefix, session, stream = ARGV[1], ARGV[2], ARGV[3]
local meta = prefix .. 'log:' .. session .. ':' .. stream
local events = prefix .. 'events:' .. session .. ':' .. stream
"""
    + IS_ALIVE
    + """
local function process_of(reader)
  return reader and string.match(reader, '^%S+')
end
local function attached(reader)
  return is_alive(process_of(reader))
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
local function split(entry)
  local code, number, text = string.match(entry, '^([^:]*):(%d+):(.*)$')
  return code, tonumber(number), text
end
local function expire(milliseconds)
  redis.call('PEXPIRE', meta, milliseconds)
  redis.call('PEXPIRE', events, milliseconds)
end
local function charge(source, log, bytes)
  local held, logs = prefix .. 'held:' .. source, prefix .. 'streams:' .. source
  redis.call('HINCRBY', held, log, bytes)
  redis.call('HINCRBY', held, '', bytes)
  redis.call('ZADD', logs, 'NX', redis.call('TIME')[1], log)
end
local function release(source, log)
  local held = prefix .. 'held:' .. source
  -- Lua would write -0 for a negated zero.
  redis.call('HINCRBY', held, '', 0 - (redis.call('HGET', held, log) or 0))
  redis.call('HDEL', held, log)
  redis.call('ZREM', prefix .. 'streams:' .. source, log)
  if redis.call('EXISTS', prefix .. 'streams:' .. source) == 0 then redis.call('DEL', held) end
end
local function drop(session, stream)
  local log = session .. ':' .. stream
  release(redis.call('HGET', prefix .. 'log:' .. log, 'source') or '', log)
  redis.call('DEL', prefix .. 'log:' .. log, prefix .. 'events:' .. log)
end
"""
)

# More arguments: process, keep, lifetime of the log, limit on streams, lifetime of the index. Times are in milliseconds.
OPEN: Final = LOG + """
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
      drop(session, name)
      redis.call('ZREM', index, name)
      left = left - 1
    end
  end
  redis.call('HSET', meta, 'keep', ARGV[5], 'last', 0, 'delivered', 0, 'waiting', 0, 'pending', 0, 'required', 0,
    'required_size', 0, 'size', 0, 'readers', 0, 'reader', '', 'ended', 0, 'token', '',
    'source', redis.call('HGET', prefix .. 'session:' .. session, 'source') or '', 'writer', stream == '0' and '' or ARGV[4])
  redis.call('ZADD', index, now(), stream)
  redis.call('PEXPIRE', index, ARGV[8])
end
expire(ARGV[6])
return 1
"""

# More arguments: line, retry, token, mark, capacity, count, lifetime, priority, limit of the source.
# Beyond this limit, logs of the source lose messages: first those that were delivered, then, where there is no reader,
# notifications, and whole logs that have ended.
# Returns 1 for appended, 0 for no room, -1 for ended; and the number of dropped notifications.
APPEND: Final = LOG + """
local line, retry, token, mark = ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local capacity, count, priority = tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[11]
local log = session .. ':' .. stream
local source = redis.call('HGET', meta, 'source') or ''
local function excess()
  return (redis.call('HGET', prefix .. 'held:' .. source, '') or 0) + #line - ARGV[12]
end
local function drop_delivered(other)
  local state = redis.call('HMGET', prefix .. 'log:' .. other, 'delivered', 'size')
  local dropped = 0
  while true do
    local oldest = redis.call('LINDEX', prefix .. 'events:' .. other, 0)
    if not oldest then break end
    local _, number, text = split(oldest)
    if number > tonumber(state[1]) then break end
    redis.call('LPOP', prefix .. 'events:' .. other)
    dropped = dropped + #text
  end
  redis.call('HINCRBY', prefix .. 'log:' .. other, 'size', 0 - dropped)
  charge(source, other, 0 - dropped)
end
local function drop_notifications(other)
  local bytes, number = 0, 0
  for _, entry in ipairs(redis.call('LRANGE', prefix .. 'events:' .. other, 0, -1)) do
    local code, _, text = split(entry)
    if code == 'n' then
      redis.call('LREM', prefix .. 'events:' .. other, 1, entry)
      bytes, number = bytes + #text, number + 1
    end
  end
  redis.call('HINCRBY', prefix .. 'log:' .. other, 'pending', 0 - number)
  for _, name in ipairs({'size', 'waiting'}) do redis.call('HINCRBY', prefix .. 'log:' .. other, name, 0 - bytes) end
  charge(source, other, 0 - bytes)
end
if excess() > 0 then
  for _, other in ipairs(redis.call('ZRANGE', prefix .. 'streams:' .. source, 0, -1)) do
    if redis.call('EXISTS', prefix .. 'log:' .. other) == 0 then
      release(source, other)
    elseif excess() > 0 then
      drop_delivered(other)
    end
  end
  for _, other in ipairs(redis.call('ZRANGE', prefix .. 'streams:' .. source, 0, -1)) do
    if excess() <= 0 then break end
    local found = redis.call('HMGET', prefix .. 'log:' .. other, 'reader', 'ended')
    if not attached(found[1]) and found[2] == '1' then
      drop(string.match(other, '^(.*):([^:]*)$'))
    elseif not attached(found[1]) then
      drop_notifications(other)
    end
  end
end
local names = {'last', 'delivered', 'waiting', 'size', 'reader', 'ended', 'token', 'pending', 'readers',
  'required', 'required_size'}
local state = redis.call('HMGET', meta, unpack(names))
if not state[1] or state[6] == '1' then return {-1, 0} end
if state[7] == token then return {1, 0} end
local last, delivered, waiting, size = tonumber(state[1]), tonumber(state[2]), tonumber(state[3]), tonumber(state[4])
local pending, required, required_size = tonumber(state[8]), tonumber(state[10]), tonumber(state[11])
local has_reader = attached(state[5])
local expected = stream ~= '0' and state[9] == '0'
local newest = redis.call('LINDEX', events, -1)
if newest then
  local code, _, text = split(newest)
  if retry ~= '0' and code ~= '0' and code ~= 'n' then return {1, 0} end
  if priority == 'c' and not has_reader and pending > 0 and code == 'n' and text == line then return {1, 0} end
end
local marks = prefix .. 'told:' .. session
if mark ~= '' and redis.call('ZSCORE', marks, mark) then return {1, 0} end
local function fits(messages, bytes)
  if retry ~= '0' or messages == 0 then return true end
  return bytes + #line <= capacity and (has_reader or expected or messages < count)
end
local dropped = 0
local function drop_notification()
  local at = -pending
  while at < 0 do
    local entry = redis.call('LINDEX', events, at)
    if not entry then break end
    local code, _, text = split(entry)
    if code == 'n' then
      redis.call('LREM', events, 1, entry)
      size, waiting, pending, dropped = size - #text, waiting - #text, pending - 1, dropped + 1
      return true
    end
    at = at + 1
  end
  return false
end
local added = fits(pending, waiting)
if retry == '0' and excess() > 0 then
  if priority == '0' then return {0, 0} end
  added, dropped = false, 1
elseif not added then
  if has_reader or expected then return {0, 0} end
  added = fits(required, required_size)
  if added then
    while not fits(pending, waiting) and drop_notification() do end
  elseif priority == '0' then
    return {0, 0}
  else
    dropped = 1
  end
end
if mark ~= '' then
  redis.call('ZADD', marks, now(), mark)
  redis.call('ZREMRANGEBYSCORE', marks, '-inf', now() - 120000)
  redis.call('PEXPIRE', marks, 120000)
end
if added then
  local before = tonumber(state[4])
  local code = retry ~= '0' and retry or priority == '0' and '0' or 'n'
  last, size, waiting, pending = last + 1, size + #line, waiting + #line, pending + 1
  if code ~= 'n' then required, required_size = required + 1, required_size + #line end
  local length = redis.call('RPUSH', events, code .. ':' .. last .. ':' .. line)
  while length > 1 and (size > capacity or length > count) do
    local _, number, text = split(redis.call('LINDEX', events, 0))
    if number > delivered then break end
    redis.call('LPOP', events)
    size, length = size - #text, length - 1
  end
  charge(source, log, size - before)
  for _, key in ipairs({'held:', 'streams:'}) do redis.call('PEXPIRE', prefix .. key .. source, ARGV[10]) end
  redis.call('HSET', meta, 'last', last, 'size', size, 'waiting', waiting, 'pending', pending, 'required', required,
    'required_size', required_size)
end
redis.call('HSET', meta, 'token', token)
expire(ARGV[10])
wake(state[5], stream)
return {1, dropped}
"""

# More arguments: process, lifetime. Returns the number of the reader, 0 if there is no such log.
ATTACH: Final = LOG + """
if redis.call('EXISTS', meta) == 0 then return 0 end
wake(redis.call('HGET', meta, 'reader'), stream)
local number = redis.call('HINCRBY', meta, 'readers', 1)
redis.call('HSET', meta, 'reader', ARGV[4] .. ' ' .. number)
expire(ARGV[5])
return number
"""

# More arguments: reader, lifetime.
DETACH: Final = LOG + """
if redis.call('HGET', meta, 'reader') == ARGV[4] then
  redis.call('HSET', meta, 'reader', '')
  expire(ARGV[5])
end
return 1
"""

# More arguments: reader, after, lifetime. Returns whether the reader has to stop, and the events.
READ: Final = LOG + """
local state = redis.call('HMGET', meta, 'last', 'delivered', 'reader', 'ended', 'writer', 'keep', 'source')
if not state[1] or state[3] ~= ARGV[4] then return {1, {}} end
expire(ARGV[6])
local last, after = tonumber(state[1]), tonumber(ARGV[5])
local over = (state[4] == '1' or (state[5] ~= '' and not is_alive(state[5]))) and 1 or 0
if last <= after then return {over, {}} end
local found = {}
for _, entry in ipairs(redis.call('LRANGE', events, after - last, -1)) do
  local _, number = split(entry)
  if number > after then table.insert(found, entry) end
end
redis.call('HSET', meta, 'delivered', last, 'waiting', 0, 'pending', 0, 'required', 0, 'required_size', 0)
if state[6] == '0' then
  release(state[7], session .. ':' .. stream)
  redis.call('DEL', events)
  redis.call('HSET', meta, 'size', 0)
end
return {over, found}
"""

END: Final = LOG + """
if redis.call('EXISTS', meta) == 1 then
  redis.call('HSET', meta, 'ended', 1)
  wake(redis.call('HGET', meta, 'reader'), stream)
end
return 1
"""

# The argument ``stream`` is empty.
END_STREAMS: Final = LOG + """
local index = prefix .. 'logs:' .. session
local names = redis.call('ZRANGE', index, 0, -1)
table.insert(names, '0')
for _, name in ipairs(names) do
  local other = prefix .. 'log:' .. session .. ':' .. name
  local reader = redis.call('HGET', other, 'reader')
  drop(session, name)
  if reader then wake(reader, name) end
end
redis.call('DEL', index, prefix .. 'told:' .. session)
return 1
"""

# ``sessions`` and ``unopened`` have the ids of all sessions by expiry, so the least recently used first; a key that goes on
# with ``:SOURCE`` has those of one source, and the ``unopened`` have sent no ``notifications/initialized``.
_SESSION: Final = """
local prefix, id = ARGV[1], ARGV[2]
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + time[2] / 1000
end
local function orders_of(source)
  local own = ':' .. source
  return {prefix .. 'sessions', prefix .. 'sessions' .. own, prefix .. 'unopened', prefix .. 'unopened' .. own}
end
local function use(id, source, milliseconds)
  redis.call('PEXPIRE', prefix .. 'session:' .. id, milliseconds)
  for _, order in ipairs(orders_of(source)) do
    redis.call('ZADD', order, 'XX', now() + milliseconds, id)
    redis.call('PEXPIRE', order, milliseconds)
  end
end
local function remove(id)
  for _, order in ipairs(orders_of(redis.call('HGET', prefix .. 'session:' .. id, 'source') or '')) do
    redis.call('ZREM', order, id)
  end
  return redis.call('DEL', prefix .. 'session:' .. id)
end
"""

# More arguments: lifetime, limit on sessions, limit on those of the source, sessions to look at, source, whether the
# session is unopened, names and values. Returns whether it was created, and the ids of the sessions that ended for it.
CREATE: Final = _SESSION + IS_ALIVE + """
local milliseconds, source, unopened = ARGV[3], ARGV[7], ARGV[8]
local orders = orders_of(source)
local function is_used(id)
  local names = redis.call('ZRANGE', prefix .. 'logs:' .. id, 0, -1)
  table.insert(names, '0')
  for _, name in ipairs(names) do
    local state = redis.call('HMGET', prefix .. 'log:' .. id .. ':' .. name, 'reader', 'writer', 'ended')
    if is_alive(string.match(state[1] or '', '^%S+')) then return true end
    if state[3] == '0' and state[2] ~= '' and is_alive(state[2]) then return true end
  end
  return false
end
local left = tonumber(ARGV[6])
local function victim(order)
  while left > 0 do
    local found = redis.call('ZRANGE', order, 0, 0)[1]
    if not found then return nil end
    if not is_used(found) then return found end
    left = left - 1
    -- The next search begins behind it.
    use(found, redis.call('HGET', prefix .. 'session:' .. found, 'source') or '', milliseconds)
  end
end
for _, order in ipairs(orders) do redis.call('ZREMRANGEBYSCORE', order, '-inf', now()) end
local ended = {}
local function make_room(limit, all, new)
  while redis.call('ZCARD', all) >= tonumber(limit) do
    local found = victim(new) or victim(all)
    if not found then return false end
    remove(found)
    table.insert(ended, found)
  end
  return true
end
if not (make_room(ARGV[5], orders[2], orders[4]) and make_room(ARGV[4], orders[1], orders[3])) then return {0, ended} end
redis.call('HSET', prefix .. 'session:' .. id, unpack(ARGV, 9))
for index, order in ipairs(orders) do
  if index < 3 or unopened == '1' then redis.call('ZADD', order, now() + milliseconds, id) end
end
use(id, source, milliseconds)
return {1, ended}
"""

# More arguments: lifetime. Returns names and values.
LOAD: Final = _SESSION + """
local found = redis.call('HGETALL', prefix .. 'session:' .. id)
if #found > 0 then
  for index = 1, #found, 2 do
    if found[index] == 'source' then use(id, found[index + 1], ARGV[3]) end
  end
  redis.call('PEXPIRE', prefix .. 'log:' .. id .. ':0', ARGV[3])
  redis.call('PEXPIRE', prefix .. 'events:' .. id .. ':0', ARGV[3])
end
return found
"""

# More arguments: number of names to remove, these, names and values. Returns the new version, 0 for an ended session.
SAVE: Final = _SESSION + """
local key = prefix .. 'session:' .. id
if redis.call('EXISTS', key) == 0 then return 0 end
local removed = tonumber(ARGV[3])
if removed > 0 then redis.call('HDEL', key, unpack(ARGV, 4, 3 + removed)) end
if #ARGV > 3 + removed then redis.call('HSET', key, unpack(ARGV, 4 + removed)) end
local values = redis.call('HMGET', key, 'state', 'source')
if values[1] == '"open"' then
  local orders = orders_of(values[2] or '')
  redis.call('ZREM', orders[3], id)
  redis.call('ZREM', orders[4], id)
end
return redis.call('HINCRBY', key, 'version', 1)
"""

# Returns whether there was one.
DELETE: Final = _SESSION + """
return remove(id)
"""

# Arguments: prefix, limit on the bytes of the bus, limit on its messages, lifetime, names and values.
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
