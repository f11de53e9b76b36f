"""Several servers on the nodes of a Ray cluster, which Ray Serve places, watches, replaces and scales.

Nothing here knows what a server answers.
"""
