"""Files and batches in OpenAI's form: many requests in a file, answered beside those of people.

Nothing here knows how a request is answered: each goes through the service's own routes.
"""
