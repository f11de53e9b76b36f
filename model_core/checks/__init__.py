"""Checks of values that come from outside: of requests, of files and of flags.

Nothing here knows what they are for.
"""
