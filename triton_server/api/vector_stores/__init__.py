"""Collections of files in OpenAI's form, vector stores: their routes, what indexes files, and what searches.

Nothing here knows how an answer uses what was found.
"""
