"""Anthropic's Messages and models.

Nothing here knows the other dialects.
"""
