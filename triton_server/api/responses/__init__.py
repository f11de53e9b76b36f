"""OpenAI's Responses.

Nothing here knows how an answer is computed.
"""
