"""Adapters: changes of a model that a request may choose, many of them in one batch.

Nothing here knows requests.
peft.py reads a folder into an `Adapter` (low_rank.py), packing.py brings it into the form of the kernels, and
table.py has those that are loaded. kernels/products/adapters.py computes with them.
"""
