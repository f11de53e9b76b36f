"""Images from the web: of allowed hosts, from public addresses, within limits."""

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from model_core.errors import InvalidRequest, TritonchatError
from triton_server.api.images import fetch as module
from triton_server.api.images.fetch import Address, ImageFetcher, Network, is_public

HOST = "chat.example"
Handler = Callable[[str], bytes]


def answer(body: bytes = b"image", status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


@contextmanager
def tls_context(folder: Path) -> Iterator[tuple[ssl.SSLContext, ssl.SSLContext]]:
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    yield served, ssl.create_default_context(cafile=str(folder / "ca.pem"))


def fetch(
    certificate: Path,
    handler: Handler,
    path: str = "/a.png",
    *,
    hosts: list[str] | None = None,
    max_bytes: int = 100,
    addresses: list[str] | None = None,
    host: str = HOST,
    **network: Any,
) -> tuple[bytes | str, list[str], list[str]]:
    """What a server with TLS on this machine gave, or why not; the paths it was asked for; resolved names."""
    asked: list[str] = []
    resolved: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        asked.append(head.split(" ")[1])
        port = str(writer.get_extra_info("sockname")[1]).encode()
        writer.write(handler(asked[-1]).replace(b"PORT", port))
        with suppress(ConnectionError):
            await writer.drain()
        writer.close()

    async def resolve(name: str, port: int) -> list[Address]:
        resolved.append(name)
        return [ipaddress.ip_address(address) for address in addresses or ["127.0.0.1"]]

    async def run() -> bytes | str:
        with tls_context(certificate) as (served, context):
            async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=served) as server:
                port = server.sockets[0].getsockname()[1]
                allowed = [f"{name}:{port}" for name in hosts or [HOST]]
                places = {"resolve": resolve, "is_allowed": lambda address: True, **network}
                fetcher = ImageFetcher(allowed, max_bytes, Network(context=context, **places))
                url = path if "://" in path else f"https://{host}:{port}{path}"
                try:
                    return await fetcher.fetch(url.replace("PORT", str(port)), "messages[0]")
                except TritonchatError as error:
                    assert error.param == "messages[0]"
                    assert error.status == (503 if str(error).endswith("; try again.") else 400)
                    return str(error)

    return asyncio.run(run()), asked, resolved


def test_image_of_an_allowed_host_is_got(certificate: Path) -> None:
    got, asked, resolved = fetch(certificate, lambda _: answer(), "/a.png?b=1#c")

    assert (got, asked, resolved) == (b"image", ["/a.png?b=1"], [HOST])


def test_redirects_are_followed_and_each_name_is_resolved_anew(certificate: Path) -> None:
    def move(path: str) -> bytes:
        steps = {"/a.png": "/b", "/b": "https://www.chat.example:PORT/c"}
        return answer(b"", "302 Found", f"Location: {steps[path]}") if path in steps else answer()

    got, asked, resolved = fetch(certificate, move, hosts=[HOST, "*.chat.example"])
    assert (got, asked, resolved) == (b"image", ["/a.png", "/b", "/c"], [HOST, HOST, "www.chat.example"])
    got, asked, _ = fetch(certificate, move)
    assert "is at www.chat.example, which is none of the hosts" in str(got) and asked == ["/a.png", "/b"]


def test_redirects_end(certificate: Path) -> None:
    got, asked, _ = fetch(certificate, lambda path: answer(b"", "307 Again", f"Location: {path}x"))

    assert got == "messages[0] is behind more than 3 redirects."
    assert len(asked) == 4


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("http://chat.example/a", "is no https address"),
        ("https://other.example/a", "is at other.example, which is none of the hosts"),
        ("https://chat.example/a", "none of the hosts"),  # of another port
        ("file:///etc/passwd", "is no https address"),
        ("https://127.0.0.1/", "none of the hosts"),
        ("https://user:pass@chat.example:PORT/", "is no"),
        ("//[::1]/", "none of the hosts"),
        ("https://[/", "none of the hosts"),
        ("https://a:b/", "is no address"),
    ],
)
def test_redirects_to_what_is_not_allowed_are_refused(certificate: Path, location: str, reason: str) -> None:
    got, asked, _ = fetch(certificate, lambda _: answer(b"", "302 Found", f"Location: {location}"))

    assert reason in str(got) and len(asked) == 1


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://chat.example/a.png", "is no https address"),
        ("https://chat.example:1/a.png", "none of the hosts"),
        ("https://other.example:PORT/a.png", "is at other.example, which is none of the hosts"),
        ("https://notchat.example:PORT/a.png", "none of the hosts"),
        ("https://chat.example.evil.example:PORT/", "none of the hosts"),
        ("https://me:secret@chat.example:PORT/", "is no https address without a name and a password"),
        ("https://" + "a" * 5000, "is no"),
        ("https://\x00/", "is no address"),
    ],
)
def test_addresses_that_are_not_allowed_are_never_asked(certificate: Path, url: str, reason: str) -> None:
    got, asked, resolved = fetch(certificate, lambda _: answer(), url)

    assert reason in str(got) and str(got).endswith(".")
    assert not asked and not resolved


def test_hosts_below_a_name_and_all_hosts_can_be_allowed(certificate: Path) -> None:
    for hosts, host, is_allowed in (
        (["*.chat.example"], "www.chat.example", True),
        (["*.chat.example"], "chat.example", False),
        (["*"], "chat.example", True),
        (["CHAT.example"], "chat.EXAMPLE", True),
    ):
        got, _, _ = fetch(certificate, lambda _: answer(), hosts=hosts, host=host)
        assert (got == b"image") is is_allowed, (hosts, host, got)


def test_names_of_private_networks_are_refused(certificate: Path) -> None:
    """One private address among others is enough: the name server may choose the order."""
    for addresses in (["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::ffff:127.0.0.1"]):
        got, asked, _ = fetch(certificate, lambda _: answer(), addresses=addresses, is_allowed=is_public)
        assert "has an address of a private network" in str(got) and not asked


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.1.2.3", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
        *("100.64.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1"),
        *("::1", "::", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "::ffff:10.0.0.1", "::ffff:8.8.8.8"),
        *("64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2001:0:4136:e378:8000:63bf:3fff:fdd2"),
        *("2001:db8::1", "fec0::1", "feff::1"),
    ],
)
def test_private_addresses_are_known(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.215.14", "2606:4700::1111"])
def test_public_addresses_are_known(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


def test_large_images_are_cut_off(certificate: Path) -> None:
    endless = answer(b"x" * 10**6)
    got, _, _ = fetch(certificate, lambda _: endless)
    assert got == "messages[0] has more than 100 bytes, which are the limit (--max-image-bytes)."
    lying = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"40\r\n" + b"x" * 64 + b"\r\n"
    got, _, _ = fetch(certificate, lambda _: lying * 1 + b"40\r\n" + b"x" * 64 + b"\r\n0\r\n\r\n")
    assert "has more than 100 bytes" in str(got)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (answer(b"", "404 Not Found"), "the host answered with status 404."),
        (answer(b"", "429 Too Many"), "the host answered with status 429; try again."),
        (answer(b"", "502 Bad"), "the host answered with status 502; try again."),
        (answer(b"", "302 Found"), "status 302"),
        (answer(b"x", "200 OK", "Content-Encoding: gzip"), "came compressed"),
        (b"nonsense\r\n\r\n", "could not be got"),
        (b"", "could not be got (RemoteProtocolError); try again."),
        (answer(b"image")[:-2], "could not be got"),
    ],
)
def test_broken_answers_are_refused(certificate: Path, response: bytes, reason: str) -> None:
    got, _, _ = fetch(certificate, lambda _: response)

    assert reason in str(got) and str(got).startswith("messages[0] ")


def test_certificates_are_checked(certificate: Path) -> None:
    got, asked, _ = fetch(certificate, lambda _: answer(), hosts=["*"], host="wrong.example")

    assert str(got).endswith("its certificate is not valid.") and not asked


def test_unknown_names_are_refused(certificate: Path) -> None:
    async def fail(name: str, port: int) -> list[Address]:
        raise OSError

    got, _, _ = fetch(certificate, lambda _: answer(), resolve=fail)

    assert got == f"messages[0] is at a host that is not known: {HOST}."

    async def wait(name: str, port: int) -> list[Address]:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure")

    got, _, _ = fetch(certificate, lambda _: answer(), resolve=wait)
    assert got == f"messages[0] is at {HOST}, of which no name server tells the address now; try again."


def test_without_hosts_nothing_is_got() -> None:
    with pytest.raises(InvalidRequest, match="--allow-image-urls"):
        asyncio.run(ImageFetcher([], 100).fetch("https://chat.example/", "x"))


def test_names_of_other_scripts_are_allowed_as_people_write_them() -> None:
    async def fail(name: str, port: int) -> list[Address]:
        raise OSError(name)

    async def ask(hosts: list[str], url: str) -> str:
        with pytest.raises(InvalidRequest) as caught:
            await ImageFetcher(hosts, 100, Network(resolve=fail)).fetch(url, "x")
        return str(caught.value)

    for hosts, url, is_allowed in (
        (["b\u00fccher.example"], "https://b\u00fccher.example/", True),
        (["B\u00dcCHER.example"], "https://xn--bcher-kva.example/", True),
        (["xn--bcher-kva.example"], "https://b\u00fccher.example/", True),
        (["*.b\u00fccher.example:444"], "https://a.b\u00fccher.example:444/", True),
        (["bucher.example"], "https://b\u00fccher.example/", False),
    ):
        reason = (
            "is at a host that is not known" if is_allowed else "is at xn--bcher-kva.example, which is none"
        )
        assert reason in asyncio.run(ask(hosts, url)), (hosts, url)


@pytest.mark.parametrize("host", ["", "[", "a b", "https://example.com", "x" * 300 + "\u00fc"])
def test_what_names_no_host_is_refused(host: str) -> None:
    with pytest.raises(TritonchatError, match=r"--allow-image-urls .* names no host"):
        ImageFetcher([host], 100)


def test_clients_have_a_share_each_and_wait_without_a_limit_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """One client's slow images neither take all places, nor the time of another client's."""
    monkeypatch.setattr(module, "_TOTAL_S", 3600.0)
    asking: list[str] = []

    async def run() -> None:
        go_on = asyncio.Event()

        async def resolve(name: str, port: int) -> list[Address]:
            asking.append(name)
            await go_on.wait()
            return []

        fetcher = ImageFetcher(["*"], 100, Network(resolve=resolve))
        names = [
            (f"{client}{number}.example", client) for client in ("ada", "bo", "cy") for number in range(9)
        ]
        calls = [fetcher.fetch(f"https://{name}/", name, client) for name, client in names]
        tasks = [asyncio.create_task(call) for call in calls]
        for _ in range(20):
            await asyncio.sleep(0)
        assert sorted(name[:2] for name in asking) == ["ad"] * 4 + ["bo"] * 4
        go_on.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all("private network" in str(result) for result in results) and len(asking) == 27

    asyncio.run(run())


def test_a_context_is_made_once(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[ssl.SSLContext] = []
    make = ssl.create_default_context

    def count() -> ssl.SSLContext:
        made.append(make())
        return made[-1]

    async def fail(name: str, port: int) -> list[Address]:
        raise OSError

    async def run() -> None:
        ImageFetcher([], 100)
        assert not made
        fetcher = ImageFetcher(["*"], 100, Network(resolve=fail))
        for _ in range(3):
            with pytest.raises(InvalidRequest, match="not known"):
                await fetcher.fetch("https://a.example/", "x")

    monkeypatch.setattr(ssl, "create_default_context", count)
    asyncio.run(run())
    assert len(made) == 1
