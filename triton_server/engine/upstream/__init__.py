"""Engines elsewhere: the models of another server with OpenAI's API, such as vLLM or a second tritonchat.

Nothing here knows Triton, or computes.
"""
