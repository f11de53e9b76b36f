"""One address in front of several servers, which goes on with an answer whose server has died.

Nothing here knows models.
"""
