"""The models of a server: when they are loaded, and how they answer.

Nothing here knows Triton.
"""
