"""All that meets PyTriton and Triton, with their private parts.

Nothing here knows HTTP.
"""
