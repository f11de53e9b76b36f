"""API keys that are kept in the database, and what they have used.

Nothing here knows what a request is.
"""
