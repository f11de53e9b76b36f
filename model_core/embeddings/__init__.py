"""Texts to vectors and scores.

Nothing here makes text.
"""
