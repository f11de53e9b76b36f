"""OpenAI's chats, completions and embeddings.

Nothing here knows the other dialects.
"""
