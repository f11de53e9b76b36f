"""Answers that are computed again, here or by a server, and compared: receipts, their logs, and two models.

Nothing here serves.
"""
