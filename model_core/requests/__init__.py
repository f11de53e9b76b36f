"""What a request says and what it gets: messages, parameters, events, results.

Nothing here computes.
"""
