"""Tools of MCP servers that the service itself calls: the servers, what a request gets of them, the rounds.

Nothing here knows the dialects, which render the calls each in its own form.
"""
