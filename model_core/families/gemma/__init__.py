"""The Gemma families. Nothing here knows files or kernels."""
