"""PDF files for tests, written by hand: whole ones, and hostile ones."""

import zlib
from collections.abc import Sequence


def write_pdf(texts: Sequence[str], compressed: bytes | None = None) -> bytes:
    """A PDF file with a page for each text. `compressed`: the content of every page instead, deflated."""
    pages = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(texts)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{pages}] /Count {len(texts)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(texts):
        resources = "/Resources << /Font << /F1 3 0 R >> >>"
        contents = f"/MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R"
        objects.append(f"<< /Type /Page /Parent 2 0 R {resources} {contents} >>".encode())
        data = compressed or zlib.compress(f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode())
        head = f"<< /Length {len(data)} /Filter /FlateDecode >>\nstream\n".encode()
        objects.append(head + data + b"\nendstream")
    file = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    start = len(file)
    file += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    file += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    file += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(file)


def write_bomb() -> bytes:
    """A PDF file of 2 MB whose page unpacks to 2 GB."""
    mebibytes = 2**11
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    mebibyte = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)  # it can be repeated
    # zlib's format is a header, deflated data, and Adler's sum of what it unpacks to, here zeros.
    adler = (mebibytes * 2**20 % 65521) << 16 | 1
    return write_pdf([""], b"\x78\xda" + mebibyte * mebibytes + packer.flush() + adler.to_bytes(4, "big"))


def write_loop() -> bytes:
    """A PDF file whose tree of pages contains itself."""
    return write_pdf(["once"]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]")
