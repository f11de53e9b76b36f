"""Decoders with mixtures of experts. Nothing here knows files or kernels."""
