"""`tritonchat chat`: a conversation in a terminal. The HTTP service stores it as a session.

Nothing here knows gRPC.
"""
