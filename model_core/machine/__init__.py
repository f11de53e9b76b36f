"""What the machine gives: memory, cores, child processes with limits, exact floats.

Nothing here knows models.
"""
