"""How matrices lie in memory, and how they are rounded.

Nothing here knows which layer a matrix is of.
"""
