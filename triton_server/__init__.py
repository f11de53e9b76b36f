"""The deployment: model_core on NVIDIA Triton, the contract, the Python client, the command line."""
