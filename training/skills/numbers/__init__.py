"""Sums, word problems, and questions about numbers."""
