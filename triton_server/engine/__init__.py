"""The engine's process: the model, and Triton, which brings requests to it."""
