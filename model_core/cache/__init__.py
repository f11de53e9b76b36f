"""Keys, values and states of computed positions, and who has which pages.

Nothing here knows requests.
"""
