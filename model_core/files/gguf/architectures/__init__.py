"""The architectures of llama.cpp: the family of each, its configuration, and the names of its tensors.

Nothing here reads weights. `table.py` lists them all.
"""
