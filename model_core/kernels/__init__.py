"""The arithmetic of a step in Python that numba compiles to vector instructions, and how memory lies for it.

Nothing here knows models, tokens or requests. tile_choice.py starts a program of the room model in a process
of its own, which computes with these kernels.
"""
