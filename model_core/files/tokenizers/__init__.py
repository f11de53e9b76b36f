"""Tokenizers of model folders. What is not tokenizer.json is read into the form that GGUF files have.

Such a reader returns the fields "tokenizer.ggml.*" that llama.cpp's converter would write of the same file,
of which gguf/tokenizer.py makes a tokenizer. Nothing here knows weights.
"""
