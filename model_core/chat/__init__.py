"""Conversations to prompts, by the chat template of a model.

Nothing here runs a model.
"""
