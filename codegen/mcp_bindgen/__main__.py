"""``python -m mcp_bindgen``, the same as ``mcp-codegen``."""

from mcp_bindgen.cli import main

if __name__ == "__main__":
    main()
