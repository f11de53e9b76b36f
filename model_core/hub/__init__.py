"""Finds a model: the embedded one, a file or folder on this machine, or a name on the Hugging Face hub.

Nothing here loads one. Models of the hub are kept in the hub's own cache, which other programs share.
"""

from .fetch import embedded_model, fetch_model, is_on_this_machine, model_name

__all__ = ["embedded_model", "fetch_model", "is_on_this_machine", "model_name"]
