"""The HTTP service: the dialects of others, and sessions, for a server that it reaches over gRPC.

Nothing here computes an answer.
"""
