"""Reads what a model writes: reasoning, calls of tools, text; and writes the grammar of an answer.

Nothing here knows prompts.
"""
