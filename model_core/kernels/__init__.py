"""The arithmetic of a step in Python that numba compiles to vector instructions, and how memory lies for it.

Nothing here knows models, tokens or requests.
"""
