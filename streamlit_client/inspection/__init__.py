"""What the engine does, and how it computes an answer, in pictures.

Nothing here changes an answer.
"""
