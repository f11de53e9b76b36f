"""Text to tokens and back.

Nothing here knows messages, chat templates or models.
"""
