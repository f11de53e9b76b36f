"""The API of llama.cpp's server: completions, infilling of code, properties and slots.

Nothing here knows the other dialects.
"""
