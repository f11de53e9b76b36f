"""`python -m triton_server.api`: run the HTTP service with the settings in the environment."""

import gc

if __name__ == "__main__":
    # Modules stay. Looking for garbage among them takes a fifth of the time in which they are loaded.
    gc.disable()
    from .program import main

    gc.enable()
    main()
