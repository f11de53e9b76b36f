"""Decoders of GPT's kind: layer norms, biases, and no gate in the MLP. Nothing here knows files or kernels."""
