"""Routes that are in no dialect of others.

Nothing here is needed to answer a chat.
"""
