"""A model in memory: loads it, and computes a step.

Nothing here knows requests or text.
"""
