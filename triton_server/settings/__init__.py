"""What a person can set: each setting with its name, type, default, bounds and help, once.

Nothing here knows the command line.
"""
