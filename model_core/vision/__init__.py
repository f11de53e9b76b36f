"""Towers of vision with their weights: images in, rows for the text model out.

Nothing here knows requests.
"""
