"""What is open to the network: the addresses that listen, management calls, API keys, TLS."""

import json
import re
import signal
import ssl
from collections.abc import Callable
from pathlib import Path

import httpx
import psutil
import pytest
import tritonclient.grpc as triton
from click.testing import CliRunner
from conftest import Server, running_server
from http_service import services
from paths import ROOT
from tritonclient.utils import InferenceServerException

from model_core import TritonchatError
from model_core.errors import InvalidRequest
from triton_server.api.settings import ServiceSettings
from triton_server.cli.tritonchat import cli
from triton_server.client.chat_client import ChatClient, ServerUnavailable
from triton_server.contract.wire import parse_endpoint
from triton_server.launch.plan import read_keys
from triton_server.system.hosts import is_loopback
from triton_server.system.tls import TlsFiles

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
def test_management_over_grpc_is_refused(
    server: Server, client: ChatClient, call: Callable[[triton.InferenceServerClient], object]
) -> None:
    with (
        triton.InferenceServerClient(server.grpc_url) as foreign_client,
        pytest.raises(InferenceServerException, match="restricted"),
    ):
        call(foreign_client)
    assert client.is_ready()


def test_triton_http_is_closed_by_default(server: Server) -> None:
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{server.http_url}/v2/health/live", timeout=60)
    assert "nv_inference" in httpx.get(server.metrics_url, timeout=60).text
    assert {port for port, _ in triton_ports(server)} == {
        int(server.grpc_url.rpartition(":")[2]),
        httpx.URL(server.metrics_url).port,
    }


def triton_ports(server: Server) -> set[tuple[int, str]]:
    """Return the ports and addresses that Triton listens on."""
    return {
        (connection.laddr.port, connection.laddr.ip)
        for process in psutil.Process(server.process.pid).children(recursive=True)
        if process.name() == "tritonserver"
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }


def infer_over_http(url: str) -> httpx.Response:
    """Send a request that any web page may send: a body of plain text needs no CORS preflight."""
    data = list(json.dumps(HELLO).encode())
    tensor = {"name": "messages", "datatype": "UINT8", "shape": [1, len(data)], "data": [data]}
    headers = {"Content-Type": "text/plain", "Origin": "http://evil.example"}
    body = json.dumps({"inputs": [tensor]})
    return httpx.post(f"{url}/v2/models/chat/infer", content=body, headers=headers, timeout=60)


def call_management_over_http(url: str) -> dict[str, int]:
    """Return the status of each call of Triton's management API."""
    paths = (
        "repository/index",
        "repository/models/chat/unload",
        "repository/models/chat/load",
        "systemsharedmemory/region/x/register",
        "systemsharedmemory/unregister",
        "cudasharedmemory/region/x/register",
        "logging",
        "trace/setting",
    )
    return {path: httpx.post(f"{url}/v2/{path}", json={}, timeout=60).status_code for path in paths}


def test_public_host_needs_a_key_or_open_to_all() -> None:
    for flags in (["--host", "0.0.0.0"], ["--host", "192.0.2.1"]):
        result = CliRunner().invoke(cli, ["serve", *flags])
        assert isinstance(result.exception, TritonchatError)
        assert "--api-key" in str(result.exception) and "--open-to-all" in str(result.exception)
    result = CliRunner().invoke(cli, ["ui", "--host", "0.0.0.0"])
    assert "--open-to-all" in str(result.exception)
    with pytest.raises(TritonchatError, match="given together"):
        CliRunner().invoke(cli, ["serve", "--tls-cert", __file__], catch_exceptions=False)
    ServiceSettings(host="0.0.0.0", open_to_all=True)
    ServiceSettings(host="0.0.0.0", api_keys=("secret",))
    for key in ("", " ", "half a\n", "schlüssel"):
        with pytest.raises(TritonchatError, match="API key"):
            ServiceSettings(api_keys=(key,))
    assert [is_loopback(host) for host in ("localhost", "127.0.0.9", "::1", "0.0.0.0", "chat.example")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_api_key_file(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("# of the office\nfirst\n\n  second  \n")
    assert read_keys(file) == ("first", "second")
    file.write_text("# none\n")
    with pytest.raises(TritonchatError, match="no API key"):
        read_keys(file)


def test_with_api_keys_only_the_http_service_is_public(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text("from-the-file\n")
    flags = ("--host", "0.0.0.0", "--api-key", "from-the-flags", "--api-key-file", str(keys), "--triton-http")
    with running_server(*flags, log=tmp_path / "log") as server:
        root = psutil.Process(server.process.pid)
        open_ports = {
            connection.laddr.port
            for process in [root, *root.children(recursive=True)]
            for connection in process.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN and not is_loopback(connection.laddr.ip)
        }
        assert open_ports == {httpx.URL(server.api_url).port}
        with httpx.Client(base_url=f"{server.api_url}/v1", timeout=60) as web:
            assert web.get("/models").status_code == 401
            for key in ("from-the-flags", "from-the-file"):
                assert web.get("/models", headers={"Authorization": f"Bearer {key}"}).status_code == 200
        assert infer_over_http(server.http_url).json()["outputs"][0]["data"][0]
        assert set(call_management_over_http(server.http_url).values()) <= {403, 404}
        arguments = {part for process in psutil.process_iter() for part in _process_arguments(process)}
        assert not any("from-the-file" in part for part in arguments)
    assert "from-the-flags" not in (tmp_path / "log").read_text()


def _process_arguments(process: psutil.Process) -> list[str]:
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
        for wrong_url in (server.grpc_url, f"grpcs://{server.grpc_url}", url.replace("=chat.", "=other.")):
            with pytest.raises(ServerUnavailable), ChatClient(wrong_url) as client:
                client.chat(HELLO)
        ssl_context = ssl.create_default_context(cafile=certificate / "ca.pem")
        ssl_context.check_hostname = False
        https_url = server.api_url.replace("http:", "https:")
        with httpx.Client(verify=ssl_context, timeout=60) as web:
            answer = web.post(
                f"{https_url}/v1/chat/completions",
                json={"model": "default", "messages": HELLO, "max_tokens": 20},
            )
        assert answer.json()["choices"][0]["message"]["content"] == text
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{server.api_url}/healthz", timeout=60)
        # PyTriton needs Triton's HTTP port on this machine.
        public_ports = {int(server.grpc_url.rpartition(":")[2]), httpx.URL(server.metrics_url).port}
        ((port, address),) = {pair for pair in triton_ports(server) if pair[0] not in public_ports}
        assert address == "127.0.0.1"
        http_url = f"http://127.0.0.1:{port}"
        assert infer_over_http(http_url).status_code == 403
        assert httpx.get(f"{http_url}/v2/models/chat/config", timeout=60).status_code == 403
        assert set(call_management_over_http(http_url).values()) <= {403, 404}
        with ChatClient(url) as client:
            assert client.is_ready()
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(timeout=30) == 0


def test_health_check_of_the_image_follows_the_settings(
    endless: Server, certificate: Path, tmp_path: Path
) -> None:
    """The check that the Dockerfile names, with the variables with which the service was started."""
    image = (ROOT / "Dockerfile").read_text()
    program, *words = json.loads(re.findall(r"^HEALTHCHECK .* CMD (.+)$", image, re.MULTILINE)[0])
    assert program == "tritonchat"
    host = dict(re.findall(r"^ENV (TRITONCHAT_\w+)=(\S+)$", image, re.MULTILINE))
    files = {"tls_cert": f"{certificate}/cert.pem", "tls_key": f"{certificate}/key.pem"}
    with services(endless.grpc_url, tmp_path) as start:
        for tls in ({}, files):
            service = start(host=host["TRITONCHAT_HOST"], open_to_all=True, **tls)
            right = {**host, "TRITONCHAT_API_PORT": str(service.port)}
            wrong = dict(right)
            (right if tls else wrong)["TRITONCHAT_TLS_CERT"] = files["tls_cert"]
            result = CliRunner().invoke(cli, words, env=right)
            assert (result.exit_code, result.output) == (
                0,
                f"http{'s' if tls else ''}://localhost:{service.port} is ready.\n",
            )
            result = CliRunner().invoke(cli, words, env=wrong)
            assert result.exit_code == 1 and "does not answer" in str(result.exception)


def test_unusable_certificate_is_refused(certificate: Path) -> None:
    for cert, key in (("cert.pem", "ca.key"), ("cert.pem", "nothing"), ("key.pem", "cert.pem")):
        with pytest.raises(TritonchatError, match="cannot be used"):
            TlsFiles(certificate / cert, certificate / key).url("127.0.0.1:1")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000", "127.0.0.1:8001/v1", "grpcs://", "", "grpcs://x?roots=/no/such/file"]
)
def test_invalid_grpc_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_endpoint(url)
