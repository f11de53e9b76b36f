"""Which published models fit this machine, and how fast they will be.

Nothing here loads a model or asks a network: models.json has their sizes.
"""
