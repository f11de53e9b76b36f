"""Models in GGUF files, the format of llama.cpp: one file with weights, configuration and tokenizer.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. reader.py reads files, blocks.py the
blocks of quantized weights. names.py, config.py and tokenizer.py translate the rest to the names that the
rooms of families/ know, and source.py gives the tensors by these names. Nothing here computes with them.
"""
