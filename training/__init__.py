"""How the embedded model is made: text is generated, a tokenizer and a small Llama are trained on it.

`python -m training` runs the whole recipe. Nothing here is needed to chat.
"""
