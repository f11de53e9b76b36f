"""Logits to tokens and log probabilities.

Nothing here knows text.
"""
