"""`tritonchat chat`: a conversation at a terminal, kept as a session by the HTTP service."""
