"""Families that are Llama with other fields, norms or biases. Nothing here knows files or kernels."""
