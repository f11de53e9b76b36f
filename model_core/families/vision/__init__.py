"""Towers of vision, a file for each family: how pixels become patches, and the tapes that compute these.

Nothing here reads weights or computes tapes.
"""
