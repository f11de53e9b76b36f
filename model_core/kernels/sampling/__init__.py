"""Chooses tokens for many rows at once.

Nothing here knows the model that made the logits.
"""
