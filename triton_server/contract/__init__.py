"""What servers and clients agree on: tensors, fields of requests, commands, the bytes of answers.

Nothing here opens a connection.
"""
