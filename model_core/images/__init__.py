"""Images as pixels: decoded, and resized with the same bits everywhere.

Nothing here knows models.
"""
