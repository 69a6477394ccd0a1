"""MCP over HTTP. Each part is a module, loaded by whoever uses it; ``wire`` needs the extra ``http``."""
