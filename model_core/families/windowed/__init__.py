"""Decoders with experts, in which some layers attend to a window. Nothing here knows files or kernels."""
