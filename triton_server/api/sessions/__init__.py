"""Conversations that the server keeps, over HTTP.

Nothing here knows the database.
"""
