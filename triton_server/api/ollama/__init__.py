"""Ollama's API: answers, embeddings, and what its clients ask of models.

Nothing here knows the other dialects.
"""
