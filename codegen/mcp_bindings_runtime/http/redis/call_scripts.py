"""Lua scripts for calls between processes, each of which is one atomic step in Redis.

Keys below the prefix, all of which expire: ``alive:PROCESS``, the time until which a process counts as alive; ``began``, the
time of the first heartbeat since Redis has these data; ``calls:PROCESS``, a list of requests for a process;
``batch:PROCESS``, the number and the requests of the last batch that it has asked for. The answer of a request is a log
(``scripts``) of the session ``call``, to which the process appends, and which the sender reads.
"""

from __future__ import annotations

from typing import Final

from .scripts import CLOCK, LOG

CALLS: Final = "call calls 0"
"""The wakeup of a process that has requests."""
SESSION: Final = "call"
"""The session of the logs of answers."""

# Arguments: prefix, process, time for which the process counts as alive, lifetime of both keys.
HEARTBEAT: Final = CLOCK + """
redis.call('SET', ARGV[1] .. 'alive:' .. ARGV[2], string.format('%.0f', now() + ARGV[3]), 'PX', ARGV[4])
redis.call('SET', ARGV[1] .. 'began', string.format('%.0f', now()), 'NX', 'PX', ARGV[4])
redis.call('PEXPIRE', ARGV[1] .. 'began', ARGV[4])
return 1
"""

# More arguments: process, source, lifetime of the log, limit on the requests that wait, lifetime of the heartbeat, request.
# Without a stream there is no answer. Returns 1 for sent; 0 for a process that has ended, -1 for too many requests, -2 if
# Redis has lost its data, and the process may not have sent a heartbeat since.
SEND: Final = LOG + """
local process, source, queue = ARGV[4], ARGV[5], prefix .. 'calls:' .. ARGV[4]
if not is_alive(process) then
  local began = redis.call('GET', prefix .. 'began')
  return began and now() - tonumber(began) >= tonumber(ARGV[8]) and 0 or -2
end
if redis.call('LLEN', queue) >= tonumber(ARGV[7]) then return -1 end
if stream ~= '' then
  redis.call('HSET', meta, 'keep', 0, 'last', 0, 'delivered', 0, 'waiting', 0, 'pending', 0, 'required', 0,
    'required_size', 0, 'size', 0, 'readers', 0, 'reader', '', 'ended', 0, 'token', '', 'source', source, 'writer', process)
  expire(ARGV[6])
end
redis.call('RPUSH', queue, ARGV[9])
redis.call('PEXPIRE', queue, 60000)
wake(process .. ' 0', 'calls')
return 1
"""

# Arguments: prefix, process, limit on requests, number of the batch. Removes requests from the list, and returns them; again
# those of the last batch if it has the same number, because the process has not received it.
RECEIVE: Final = """
local queue, batch = ARGV[1] .. 'calls:' .. ARGV[2], ARGV[1] .. 'batch:' .. ARGV[2]
if redis.call('LINDEX', batch, 0) ~= ARGV[4] then
  redis.call('DEL', batch)
  if redis.call('EXISTS', queue) == 0 then return {} end
  redis.call('RPUSH', batch, ARGV[4])
  while redis.call('LLEN', batch) <= tonumber(ARGV[3]) do
    local request = redis.call('LPOP', queue)
    if not request then break end
    redis.call('RPUSH', batch, request)
  end
  redis.call('PEXPIRE', batch, 60000)
end
return redis.call('LRANGE', batch, 1, -1)
"""
