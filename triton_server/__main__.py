"""`python -m triton_server` is `tritonchat`."""

from .cli.tritonchat import main

main()
