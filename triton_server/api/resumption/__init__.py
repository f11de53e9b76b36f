"""Streams that are taken up again after a broken connection, by what the ids of their events say.

The same request gives the same bytes, so nothing is kept here: an id says which stream it is of, and how far
its client has come. Nothing here knows a dialect.
"""
