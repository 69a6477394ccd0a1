"""Import one revision, and print what came with it: ``python light_import.py PREFIX PACKAGE``."""

import json
import sys
from importlib import import_module

before = set(sys.modules)
prefix, package = sys.argv[1:]
mcp = import_module(f"{prefix}.{package}")
mcp.encode(mcp.decode('{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}'))
print(json.dumps(sorted(set(sys.modules) - before)))
