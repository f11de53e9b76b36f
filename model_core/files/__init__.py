"""Reads models from files: folders, GGUF, quantized formats.

Nothing here knows how a model is computed.
"""
