"""The texts whose embeddings are compared: of many lengths, and with names of special tokens."""

_STORY = (
    "The old keeper of the lighthouse counted the ships that passed, and wrote their names in a book. "
    "One night a storm came from the west, and no ship passed at all. He lit the lamp, and waited. "
)
TEXTS = [
    "A cat.",
    "The capital of France is Paris, which lies on the Seine.",
    " Two spaces  inside, and one in front ",
    "Grüße aus Köln, naïve café, 東京 is far away",
    "[SEP] and </s> and <|im_end|> are names of tokens",
    "yes or no",
    "3.14159 * 2 = 6.28318; x != y",
    _STORY,
    (_STORY + "In the morning the sea was calm. ") * 2,
]
QUERY = "Which city is the capital?"
