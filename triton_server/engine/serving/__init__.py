"""The models of the contract (contract/tensors.py), whoever brings them requests: running answers, commands.

Nothing here knows Triton, gRPC or HTTP.
"""
