"""The engine's process: the models, and what brings requests to them: Triton, or gRPC without it.

Nothing here knows HTTP.
"""
