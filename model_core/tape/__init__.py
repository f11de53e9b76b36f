"""The language in which a model is written, as a list of operations.

Nothing here computes one.
"""
