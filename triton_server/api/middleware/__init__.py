"""What every HTTP request goes through: connections, keys, limits, logs, metrics.

Nothing here knows dialects.
"""
