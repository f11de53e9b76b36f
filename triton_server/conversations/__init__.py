"""The store of conversations, below all interfaces: trees of turns, responses, documents, votes.

Nothing here knows how a turn is answered.
"""
