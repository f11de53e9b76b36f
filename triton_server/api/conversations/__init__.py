"""OpenAI's Conversations: lists of items that Responses continue.

Nothing here knows how a response is made.
"""
