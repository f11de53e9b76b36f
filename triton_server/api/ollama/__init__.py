"""Ollama's API: chats, and what its clients ask before them.

Nothing here knows the other dialects.
"""
