"""Starts the parts of a server, and starts them again.

Nothing here knows what they do.
"""
