"""KServe's Open Inference Protocol over gRPC with Triton's extensions, spoken by the engine's process itself.

This is for machines without Triton. Nothing here knows Triton's processes, PyTriton or HTTP.
"""
