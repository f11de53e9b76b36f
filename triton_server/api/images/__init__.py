"""Images in requests: parts of messages that have them, and the files that they name.

Nothing here decodes an image: the engine does.
"""
