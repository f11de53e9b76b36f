"""What looks back: attention, the KV cache, recurrent states.

Nothing here knows weights.
"""
