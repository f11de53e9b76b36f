"""Where a text that arrives in parts may end with the beginning of a mark."""


def overlap_length(text: str, mark: str) -> int:
    """The number of characters at the end of `text` that could be the start of `mark`."""
    for size in range(min(len(text), len(mark) - 1), 0, -1):
        if text.endswith(mark[:size]):
            return size
    return 0
