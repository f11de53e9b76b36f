"""Collections of files that are searched by meaning: their texts in chunks, with vectors, kept and found.

Nothing here knows HTTP, or what computes the vectors.
"""
