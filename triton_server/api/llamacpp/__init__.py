"""The API of llama.cpp's server: completions, infilling of code, embeddings, properties and slots.

Nothing here knows the other dialects.
"""
