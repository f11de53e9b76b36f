"""The page of chats: conversations, answers and their tokens, files, sharing.

Nothing here talks to a model but through the server.
"""
