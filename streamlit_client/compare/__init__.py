"""Two answers next to each other, and the votes for them.

Nothing here knows which model is better.
"""
