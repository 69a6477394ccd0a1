"""A job that takes a while: clients may call it as a task, and fetch the result later.

``python slow_job.py serve`` is the server, ``python slow_job.py`` a client that starts it.
"""

from __future__ import annotations

import sys

from mcp_bindings import v2025_11_25 as mcp

STEPS = 5

server = mcp.Server("reports", "1.0", tasks=mcp.MemoryTasks(tools={"report": "optional"}, poll=0.1))


@server.tool
def report(context: mcp.Context, year: int) -> str:
    """Write the report of a year."""
    for step in range(1, STEPS + 1):
        if context.cancelled:
            break
        if context.task is None:
            context.progress(step, total=STEPS)
        else:
            # A task sends no progress; its status has a message for people instead.
            context.task.tell(f"step {step} of {STEPS}")
            context.task.wait(0.1)
    return f"The report of {year}."


def main() -> None:
    """Start two tasks, cancel one, and wait for the other."""
    with mcp.Client.stdio([sys.executable, __file__, "serve"], timeout=30) as client:
        wanted = client.call_tool_as_task("report", {"year": 2026}, ttl=60)
        unwanted = client.call_tool_as_task("report", {"year": 1066}, ttl=60)
        unwanted.cancel()
        print(unwanted.status().status)
        print(wanted.result(timeout=30).text)
        print(client.call_tool("report", {"year": 2027}, on_progress=lambda each: print(each.progress)).text)


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        server.run_stdio()
    else:
        main()
