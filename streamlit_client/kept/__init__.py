"""What a person keeps beside conversations: folders of them, one file of everything, and what was used.

Nothing here knows how a conversation is shown.
"""
