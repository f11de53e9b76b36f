"""OpenAI's chats, completions, embeddings and models.

Nothing here knows the other dialects.
"""
