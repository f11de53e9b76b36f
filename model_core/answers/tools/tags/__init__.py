"""Ways of writing calls whose arguments stand between tags, one file each; tagged.py writes and reads them.

Nothing here runs a tool, or knows tokens.
"""
