"""An MCP server made with the package `mcp`, over streamable HTTP: python sdk_mcp_server.py PORT."""

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("sdk")


@server.tool()
def get_weather(city: str) -> str:
    """The weather in a city."""
    return "x" * 2**21 if city == "everywhere" else f"Sun in {city}."


if __name__ == "__main__":
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
