"""Decoders with recurrent layers. Nothing here keeps their states."""
