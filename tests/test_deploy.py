"""The Helm chart renders valid objects, whose commands, probes and metrics are this project's."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from conftest import Server
from http_service import samples

from triton_server.cli.tritonchat import cli
from triton_server.proxy.command import ProxySettings
from triton_server.settings.base import list_settings
from triton_server.settings.server import ServerSettings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
CHART = ROOT / "deploy" / "helm" / "tritonchat"
HELM = shutil.which("helm", path=str(Path(sys.executable).parent))

kubernetes_validate = pytest.importorskip("kubernetes_validate")
pytestmark = pytest.mark.skipif(HELM is None, reason="there is no helm for this processor")


def helm(command: str, **values: Any) -> subprocess.CompletedProcess[str]:
    """Run helm with the chart."""
    flags = [f"--set-json={name.replace('__', '.')}={json.dumps(value)}" for name, value in values.items()]
    name = ["chat"] if command == "template" else []
    return subprocess.run([str(HELM), command, *name, str(CHART), *flags], capture_output=True, text=True)


def render(**values: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """The objects by kind and name."""
    result = helm("template", **values)
    assert result.returncode == 0, result.stderr
    objects = [one for one in yaml.safe_load_all(result.stdout) if one]
    return {(one["kind"], one["metadata"]["name"]): one for one in objects}


def container(workload: dict[str, Any]) -> dict[str, Any]:
    """The only container of a workload."""
    (found,) = workload["spec"]["template"]["spec"]["containers"]
    return found


FULL = {
    "database__secret": "db",
    "hub__secret": "hub",
    "apiKeys__secret": "keys",
    "args": ["--model", "owner/name", "--weights", "int8"],
    "autoscaling__enabled": True,
    "podMonitor__enabled": True,
    "storage__className": "fast",
    "nodeSelector": {"disk": "ssd"},
}


@pytest.mark.parametrize("values", [{"replicas": 1}, {"database__secret": "db"}, FULL], ids=["1", "2", "all"])
def test_objects_are_valid(values: dict[str, Any]) -> None:
    assert helm("lint", **values).returncode == 0
    for (kind, _), one in render(**values).items():
        if kind != "PodMonitor":  # of the Prometheus operator
            for version in ("1.28", "1.34"):
                kubernetes_validate.validate(one, version, strict=True)


def test_several_servers_need_a_database() -> None:
    result = helm("template")
    assert result.returncode != 0 and "need one database for sessions" in result.stderr


def test_commands_are_of_this_program() -> None:
    """Their flags exist, and the proxy knows every server that autoscaling may start."""
    objects = render(**FULL)
    for kind, name in (("StatefulSet", "chat-server"), ("Deployment", "chat-proxy")):
        command, *flags = container(objects[kind, name])["args"]
        given = cli.commands[command].make_context(command, flags).params
        assert given["host"] == "0.0.0.0"
        if command == "proxy":
            expected = [f"http://chat-server-{number}.chat-server:8080" for number in range(8)]
            assert list(given["replica"]) == expected
    (key,) = container(objects["Deployment", "chat-proxy"])["env"]  # for its own /metrics
    assert key["name"] in {setting.variable for setting in list_settings(ProxySettings).values()}
    variables = {setting.variable for setting in list_settings(ServerSettings).values()} | {"HF_TOKEN"}
    names = {one["name"] for one in container(objects["StatefulSet", "chat-server"])["env"]}
    assert names == {"TRITONCHAT_API_KEY", "TRITONCHAT_DATABASE", "HF_TOKEN"} <= variables


def test_probes_and_metrics_are_of_this_service(server: Server) -> None:
    objects = render(**FULL)
    for workload in (objects["StatefulSet", "chat-server"], objects["Deployment", "chat-proxy"]):
        probes = [value for name, value in container(workload).items() if name.endswith("Probe")]
        assert len(probes) >= 2
        for probe in probes:
            assert httpx.get(server.api_url + probe["httpGet"]["path"]).status_code == 200
    known = {name.partition("{")[0] for name in samples(httpx.get(f"{server.api_url}/metrics").text)}
    scaling = objects["HorizontalPodAutoscaler", "chat-server"]["spec"]
    wanted = [one["pods"]["metric"]["name"] for one in scaling["metrics"]]
    assert len(wanted) == 2 and set(wanted) <= known


def test_image_has_all_packages() -> None:
    """What pip needs for the wheel is copied, and not left out by .dockerignore."""
    text = (ROOT / "Dockerfile").read_text()
    copied = set(re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE))
    copied = {name for line in copied for name in line.split()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {name.rstrip("*") for name in project["tool"]["setuptools"]["packages"]["find"]["include"]}
    assert packages <= copied
    assert all((ROOT / name).exists() for name in copied)
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert copied == allowed
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["version"] == chart["appVersion"] == project["project"]["version"]
