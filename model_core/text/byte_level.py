"""The characters that stand for bytes in byte-level vocabularies, as GPT-2's."""


def _make_alphabet() -> list[str]:
    """Bytes that can be printed stand for themselves, the others for characters from 256 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printable]
    return [chr(byte if byte in printable else 256 + others.index(byte)) for byte in range(256)]


BYTE_CHARACTERS = _make_alphabet()  # by byte
CHARACTER_BYTES = {character: byte for byte, character in enumerate(BYTE_CHARACTERS)}
