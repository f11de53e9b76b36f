"""The server: model_core on NVIDIA Triton, the HTTP service, the Python clients, the command line.

Nothing here computes a model, or draws a page.
"""
