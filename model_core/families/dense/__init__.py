"""Decoders whose layers have attention and one feed-forward block, in another order or form than Llama's.

Nothing here knows files or kernels.
"""
