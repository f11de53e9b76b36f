"""Families with latent attention: of keys and values of all heads, a cache holds one short vector.

Nothing here knows files or kernels.
"""
