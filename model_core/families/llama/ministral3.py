"""Ministral 3 (Mistral AI, 2025): Mistral with YaRN, and queries that grow with their position.

Queries are multiplied by 1 + beta ln(1 + floor(position / original context)), as in Llama 4, so that scores
stay sharp in long contexts (arXiv:2501.19399). rope.py reads it as `query_growth`.
"""

from .mistral import read_config, write_tape

__all__ = ["read_config", "write_tape"]
