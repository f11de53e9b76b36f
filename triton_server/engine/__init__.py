"""The engine's process: the models, and Triton, which brings requests to them.

Nothing here knows HTTP.
"""
