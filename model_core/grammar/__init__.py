"""Forms of answers as grammars, and which tokens they allow next.

Nothing here knows conversations or models.
"""
