"""What of it the network reaches: where it listens, who gets in, and TLS."""

import ssl
from collections.abc import Callable
from pathlib import Path

import httpx
import psutil
import pytest
import tritonclient.grpc as triton
from click.testing import CliRunner
from conftest import Server, running_server
from tritonclient.utils import InferenceServerException

from model_core import TritonchatError
from model_core.errors import InvalidRequest
from triton_server.api.settings import Settings
from triton_server.cli import cli
from triton_server.client import ChatClient, ServerUnavailable
from triton_server.hosts import is_loopback
from triton_server.running import keys_in
from triton_server.tls import Tls
from triton_server.wire import endpoint

HELLO = [{"role": "user", "content": "Hello"}]


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.unload_model("chat"),
        lambda client: client.load_model("chat"),
        lambda client: client.get_model_repository_index(),
        lambda client: client.register_system_shared_memory("x", "/x", 64),
        lambda client: client.get_system_shared_memory_status(),
        lambda client: client.unregister_system_shared_memory(),
        lambda client: client.get_cuda_shared_memory_status(),
        lambda client: client.update_log_settings({"log_verbose_level": 3}),
        lambda client: client.update_trace_settings(settings={"trace_level": ["TIMESTAMPS"]}),
    ],
)
def test_triton_lets_nobody_change_it_over_grpc(
    server: Server, client: ChatClient, call: Callable[[triton.InferenceServerClient], object]
) -> None:
    with (
        triton.InferenceServerClient(server.grpc_url) as intruder,
        pytest.raises(InferenceServerException, match="restricted"),
    ):
        call(intruder)
    assert client.is_ready()


@pytest.mark.parametrize(
    "path",
    [
        "repository/index",
        "repository/models/chat/unload",
        "repository/models/chat/load",
        "systemsharedmemory/region/x/register",
        "systemsharedmemory/unregister",
        "cudasharedmemory/region/x/register",
        "logging",
        "trace/setting",
    ],
)
def test_triton_lets_nobody_change_it_over_http(server: Server, client: ChatClient, path: str) -> None:
    response = httpx.post(f"{server.http_url}/v2/{path}", json={})
    assert response.status_code in (403, 404), response.text
    assert client.is_ready()


def test_flags_that_would_open_it_to_the_network_unsaid() -> None:
    for flags in (["--host", "0.0.0.0"], ["--host", "192.0.2.1"]):
        result = CliRunner().invoke(cli, ["serve", *flags])
        assert isinstance(result.exception, TritonchatError)
        assert "--api-key" in str(result.exception) and "--open-to-all" in str(result.exception)
    result = CliRunner().invoke(cli, ["ui", "--host", "0.0.0.0"])
    assert "--open-to-all" in str(result.exception)
    with pytest.raises(TritonchatError, match="belong together"):
        CliRunner().invoke(cli, ["serve", "--tls-cert", __file__], catch_exceptions=False)
    Settings(host="0.0.0.0", open_to_all=True)
    Settings(host="0.0.0.0", api_keys=("secret",))
    for key in ("", " ", "half a\n", "schlüssel"):
        with pytest.raises(TritonchatError, match="API key"):
            Settings(api_keys=(key,))
    assert [is_loopback(host) for host in ("localhost", "127.0.0.9", "::1", "0.0.0.0", "chat.example")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_settings_travel_by_the_environment(tmp_path: Path) -> None:
    settings = Settings(api_keys=("a", "b"), cors=("https://x",), max_answer_tokens=5, log_content=True)
    assert Settings.from_environment(settings.to_environment()) == settings
    assert Settings.from_environment({}) == Settings()


def test_files_of_keys(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("# of the office\nfirst\n\n  second  \n")
    assert keys_in(file) == ("first", "second")
    file.write_text("# none\n")
    with pytest.raises(TritonchatError, match="no API key"):
        keys_in(file)


def test_with_keys_only_what_asks_for_one_leaves_this_machine(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text("from-the-file\n")
    flags = ("--host", "0.0.0.0", "--api-key", "from-the-flags", "--api-key-file", str(keys))
    with running_server(*flags, log=tmp_path / "log") as server:
        root = psutil.Process(server.process.pid)
        open_ports = {
            connection.laddr.port
            for process in [root, *root.children(recursive=True)]
            for connection in process.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN and not is_loopback(connection.laddr.ip)
        }
        assert open_ports == {httpx.URL(server.api_url).port}
        with httpx.Client(base_url=f"{server.api_url}/v1") as web:
            assert web.get("/models").status_code == 401
            for key in ("from-the-flags", "from-the-file"):
                assert web.get("/models", headers={"Authorization": f"Bearer {key}"}).status_code == 200
        arguments = {part for process in psutil.process_iter() for part in _arguments(process)}
        assert not any("from-the-file" in part for part in arguments)
    assert "from-the-flags" not in (tmp_path / "log").read_text()


def _arguments(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_tls(certificate: Path, tmp_path: Path) -> None:
    flags = ("--tls-cert", str(certificate / "cert.pem"), "--tls-key", str(certificate / "key.pem"))
    with running_server(*flags, log=tmp_path / "log") as server:
        url = f"grpcs://{server.grpc_url}?roots={certificate / 'ca.pem'}&name=chat.example"
        with ChatClient(url) as client:
            text = client.chat(HELLO, max_tokens=20).text
            with client.stream(HELLO, max_tokens=20) as stream:
                assert "".join(stream) == text
        for wrong in (server.grpc_url, f"grpcs://{server.grpc_url}", url.replace("=chat.", "=other.")):
            with pytest.raises(ServerUnavailable), ChatClient(wrong) as client:
                client.chat(HELLO)
        trusting = ssl.create_default_context(cafile=certificate / "ca.pem")
        trusting.check_hostname = False
        secure = server.api_url.replace("http:", "https:")
        with httpx.Client(verify=trusting) as web:
            answer = web.post(
                f"{secure}/v1/chat/completions",
                json={"model": "default", "messages": HELLO, "max_tokens": 20},
            )
        assert answer.json()["choices"][0]["message"]["content"] == text
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{server.api_url}/healthz")


def test_certificates_that_cannot_be_used(certificate: Path) -> None:
    for cert, key in (("cert.pem", "ca.key"), ("cert.pem", "nothing"), ("key.pem", "cert.pem")):
        with pytest.raises(TritonchatError, match="cannot be used"):
            Tls(certificate / cert, certificate / key).url("127.0.0.1:1")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000", "127.0.0.1:8001/v1", "grpcs://", "", "grpcs://x?roots=/no/such/file"]
)
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(InvalidRequest):
        endpoint(url)
