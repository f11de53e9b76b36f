"""What the operating system gives and takes: processes, signals, ports, folders, TLS.

Nothing here knows chats or models.
"""
