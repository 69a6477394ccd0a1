"""``python -m mcp_bindgen.cli``, the same as ``mcp-codegen``."""

from mcp_bindgen.cli import main

if __name__ == "__main__":
    main()
