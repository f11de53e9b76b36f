"""Prompts whose keys and values are kept on the disk.

Nothing here knows who asks for them.
"""
