"""The store of conversations, below all interfaces: trees of turns, responses, documents, votes."""
