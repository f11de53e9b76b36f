"""`python -m triton_server.engine`: serve models, with settings from the environment."""

import gc
import os

if __name__ == "__main__":
    # Modules stay. Looking for garbage among them takes a fifth of the time in which they are loaded.
    gc.disable()
    from .program import main

    gc.enable()
    main()
    os._exit(0)  # all work is done, and Python would need half a second to free its objects
