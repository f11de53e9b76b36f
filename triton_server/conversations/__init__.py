"""The stores below all interfaces: trees of turns, responses, documents, votes, files, batches, API keys.

Nothing here knows how a turn is answered.
"""
