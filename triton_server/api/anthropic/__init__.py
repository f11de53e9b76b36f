"""Anthropic's Messages.

Nothing here knows the other dialects.
"""
