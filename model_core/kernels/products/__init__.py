"""Products of rows with matrices, in all forms of weights.

Nothing here knows positions or sequences.
"""
