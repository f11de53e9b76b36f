"""`LLM`: a model with its tokenizer and engine, as one object.

Nothing here knows servers.
"""
