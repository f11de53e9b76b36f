"""What all pages show and use: the visitor, the server, settings, Markdown made safe.

Nothing here knows one page from another.
"""
