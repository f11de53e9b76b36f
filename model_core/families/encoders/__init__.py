"""Families that embed and score, and make no text. Nothing here pools or compares vectors."""
