"""The options of the command line, which several commands share.

Nothing here starts anything.
"""
