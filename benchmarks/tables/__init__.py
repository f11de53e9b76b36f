"""The tables of the pages: which there are, what makes them, and whether they are older than the code."""
