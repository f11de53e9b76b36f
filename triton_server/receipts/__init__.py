"""Receipts: signed records of which model has answered which request with which tokens, and their log.

Nothing here computes or serves.
"""
