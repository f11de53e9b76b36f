"""The command line, `tritonchat`.

Nothing here computes or serves.
"""

from .tritonchat import main

__all__ = ["main"]
