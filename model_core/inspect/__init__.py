"""Shows what a model does: explanations, profiles, benchmarks.

Nothing here is needed to answer.
"""
