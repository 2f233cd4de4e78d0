"""The MCP server: the tools of agents over stdio or HTTP, each a table row that calls the Service or the daemon."""
