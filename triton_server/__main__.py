"""`python -m triton_server` is `tritonchat`."""

from .cli import main

main()
