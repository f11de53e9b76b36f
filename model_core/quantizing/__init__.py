"""Rounds a model and writes it as a folder.

Nothing here serves.
"""
