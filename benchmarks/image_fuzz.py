"""Send damaged images and requests to a running service, which must refuse each clearly or answer it.

`python benchmarks/image_fuzz.py --url http://localhost:8080 --count 5000`, for a service whose model sees. It
ends with an error if a status is another than 200, 400, 404 (an unknown model) and 413, or if an error is no
sentence.
"""

import argparse
import base64
import io
import json
import random
import struct
import time
import zlib
from collections import Counter
from typing import Any

import httpx
import psutil
from PIL import Image
from tqdm import tqdm

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
MODES = ("RGB", "RGBA", "L", "LA", "P", "1", "CMYK", "I;16")
KINDS = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml", "text/html", "")


def make_image(rng: random.Random) -> bytes:
    """A file of a small image, of any format and mode that fit."""
    while True:
        form, mode = rng.choice(FORMATS), rng.choice(MODES)
        size = rng.choice(((1, 1), (40, 30), (64, 64), (300, 2), (17, 90)))
        noise = rng.randbytes(3 * size[0] * size[1])
        image, file = Image.frombytes("RGB", size, noise), io.BytesIO()
        try:
            image = Image.new(mode, size, 7) if mode == "I;16" else image.convert(mode)
            exif = Image.Exif()
            exif[0x0112] = rng.randrange(12)
            image.save(file, form, **({"exif": exif} if form != "GIF" else {}))
        except (OSError, ValueError):  # a format that does not have the mode
            continue
        return file.getvalue()


def damage(rng: random.Random, data: bytes) -> bytes:
    """A file with a few changes, or none."""
    changed = bytearray(data)
    for _ in range(rng.choice((0, 1, 1, 2, 8))):
        at = rng.randrange(len(changed)) if changed else 0
        match rng.randrange(7):
            case 0 if changed:
                changed[at] ^= 1 << rng.randrange(8)
            case 1:
                del changed[at:]
            case 2:
                del changed[at : at + rng.randrange(64)]
            case 3:
                changed[at:at] = rng.randbytes(rng.randrange(64))
            case 4:
                changed[at : at + 4] = rng.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff"))
            case 5:
                changed += rng.randbytes(rng.randrange(1000))
            case 6:
                changed = bytearray(_fix_checksums(bytes(changed)))
    return bytes(changed)


def _fix_checksums(data: bytes) -> bytes:
    """A PNG file whose checksums fit its damage, so that decoders believe it."""
    if not data.startswith(b"\x89PNG\r\n\x1a\n"):
        return data
    out, at = bytearray(data[:8]), 8
    while at + 12 <= len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        body = data[at + 4 : at + 8 + size]
        out += data[at : at + 4] + body + struct.pack(">I", zlib.crc32(body))
        at += 12 + size
    return bytes(out)


def make_request(rng: random.Random) -> tuple[str, Any]:
    """A route, and the body of a request with images."""
    data = damage(rng, make_image(rng))
    text = base64.b64encode(data).decode()
    if rng.random() < 0.1:
        text = text[: rng.randrange(len(text) + 1)] + rng.choice(("", "=", "\n", "é", "%2B", "\\"))
    kind = rng.choice(KINDS) if rng.random() < 0.1 else "image/png"
    url = rng.choice(
        (f"data:{kind};base64,{text}",) * 12 + (text, f"data:{kind},{text}", "https://a/b.png", "")
    )
    detail = rng.choice((None, "auto", "low", "high", "original", "none", 3))
    limits: dict[str, Any] = {"model": "default", "max_tokens": 1, "temperature": 0}
    match rng.randrange(5):
        case 0 | 1:
            part: Any = {"type": "image_url", "image_url": {"url": url, "detail": detail}}
            path = "/v1/chat/completions"
        case 2:
            part = {"type": "input_image", "image_url": url, "detail": detail}
            body = {
                "model": "default",
                "input": [{"role": "user", "content": [part]}],
                "max_output_tokens": 1,
            }
            return "/v1/responses", _shake(rng, {**body, "temperature": 0, "store": False})
        case 3:
            part = {"type": "image", "source": {"type": "base64", "media_type": kind, "data": text}}
            path = "/v1/messages"
        case _:
            message = {"role": "user", "content": "a", "images": [text]}
            body = {"model": "default", "messages": [message], "stream": False, "options": {"num_predict": 1}}
            return "/api/chat", _shake(rng, body)
    content = [part] * rng.choice((1, 1, 2)) + [{"type": "text", "text": "a"}] * rng.randrange(2)
    return path, _shake(rng, {**limits, "messages": [{"role": "user", "content": content}]})


def _shake(rng: random.Random, value: Any) -> Any:
    """A body of which now and then a member is of another type, or missing."""
    if isinstance(value, list):
        return [_shake(rng, each) for each in value]
    if not isinstance(value, dict):
        return value if rng.random() > 0.005 else rng.choice((None, 1, "", [], {}, [None], {"url": 1}))
    return {name: _shake(rng, each) for name, each in value.items() if rng.random() > 0.003}


def check(path: str, body: Any, response: httpx.Response) -> None:
    """Raises AssertionError for an answer that is neither one nor a clear refusal."""
    told = f"{path} {json.dumps(body)[:400]} -> {response.status_code} {response.text[:300]}"
    assert response.status_code in (200, 400, 404, 413), told
    if response.status_code != 200:
        error = response.json()["error"]
        message = error if isinstance(error, str) else error["message"]
        assert message.strip() and "\n" not in message and len(message) < 600, told
        assert "Traceback" not in message and "base64,/" not in message, told


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://localhost:8080", help="of the service")
    parser.add_argument("--count", type=int, default=5000, help="of requests")
    parser.add_argument("--seed", type=int, default=0, help="of what is sent")
    parser.add_argument("--pid", type=int, help="of the server, whose memory is watched with its children's")
    arguments = parser.parse_args()
    rng, statuses, slowest = random.Random(arguments.seed), Counter[int](), 0.0
    headers = {"Content-Type": "application/json"}
    before = largest = memory(arguments.pid)
    with httpx.Client(base_url=arguments.url, timeout=120) as client:
        for number in tqdm(range(arguments.count)):
            path, body = make_request(rng)
            start = time.monotonic()
            response = client.post(path, content=json.dumps(body), headers=headers)
            slowest = max(slowest, time.monotonic() - start)
            check(path, body, response)
            statuses[response.status_code] += 1
            if number % 50 == 0:
                largest = max(largest, memory(arguments.pid))
        assert client.get("/readyz").status_code == 200
    print(f"{dict(statuses)}, slowest {slowest:.2f} s, memory {before:.0f} MiB, at most {largest:.0f} MiB")


def memory(pid: int | None) -> float:
    """MiB that a process has with its children."""
    if pid is None:
        return 0.0
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return sum(process.memory_info().rss for process in family if process.is_running()) / 2**20


if __name__ == "__main__":
    main()
