"""Decoders of GPT's kind: layer norms, biases, an MLP without gate. Nothing here knows files or kernels."""
