"""Computes tapes in NumPy: the specification of the kernels.

Nothing here is fast.
"""
