"""KServe's Open Inference Protocol (v2) over HTTP, with Triton's extensions, as Triton's own port speaks it.

Nothing here knows the other dialects.
"""
