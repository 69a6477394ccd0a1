"""The tools of the official suite's scenarios of tasks, over stdin and stdout."""

from conformance.task_tools import tasks
from support.task_server import serving

serving(store=tasks(poll=0.001)).run_stdio()
