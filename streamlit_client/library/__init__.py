"""What a person keeps for questions: collections of files that are searched, and prompts.

Nothing here knows how a conversation is shown.
"""
