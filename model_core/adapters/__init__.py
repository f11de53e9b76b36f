"""Adapters: changes of a model that a request may choose, many of them in one batch.

peft.py reads a folder into an `Adapter` (adapter.py), packing.py brings it into the form of the kernels, and
table.py has those that are loaded. kernels/adapters.py computes with them.
"""
