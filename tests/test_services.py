"""The unit of systemd and the file of compose start what this program has."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from paths import ROOT

from triton_server.cli.tritonchat import cli
from triton_server.launch.serve import ENGINE_GRACE_S, VLLM_GRACE_S
from triton_server.settings.base import list_settings
from triton_server.settings.server import ServerSettings

UNIT = ROOT / "deploy" / "systemd" / "tritonchat.service"
COMPOSE = ROOT / "deploy" / "compose" / "compose.yaml"
VARIABLES = {setting.variable for setting in list_settings(ServerSettings).values()} | {"HF_TOKEN"}


def test_unit_starts_the_server_and_lets_it_end() -> None:
    text = UNIT.read_text()
    (command,) = re.findall(r"^ExecStart=\S+/tritonchat (\w+)(.*)$", text, re.MULTILINE)
    cli.commands[command[0]].make_context(command[0], command[1].split())
    (stop_s,) = re.findall(r"^TimeoutStopSec=(\d+)$", text, re.MULTILINE)
    assert int(stop_s) > ENGINE_GRACE_S + VLLM_GRACE_S
    assert set(re.findall(r"TRITONCHAT_\w+", text)) <= VARIABLES
    # What it writes is in the folders that systemd makes.
    for folder in re.findall(r"(?:XDG_\w+|HF_HOME|HOME)=(\S+)", text):
        assert folder.startswith(("/var/lib/tritonchat", "/var/cache/tritonchat"))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_unit_is_known_to_systemd(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/tritonchat/bin/tritonchat", "/bin/true"))
    checked = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert UNIT.name not in checked.stderr, checked.stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_unit_may_do_little() -> None:
    """systemd 250 and later says how exposed a unit is, from 0 to 10 (100 as a threshold)."""
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", UNIT]
    checked = subprocess.run(command, capture_output=True, text=True)
    if "unrecognized option" in checked.stderr:
        pytest.skip("this systemd-analyze is older")
    assert checked.returncode == 0, checked.stdout


def test_compose_starts_the_image() -> None:
    (server,) = yaml.safe_load(COMPOSE.read_text())["services"].values()
    assert (COMPOSE.parent / server["build"] / "Dockerfile").exists()
    assert server["command"][0] in cli.commands
    assert server["environment"].keys() <= VARIABLES
    port = list_settings(ServerSettings)["api_port"].default
    assert server["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert int(server["stop_grace_period"].rstrip("s")) > ENGINE_GRACE_S + VLLM_GRACE_S
    (volume,) = server["volumes"]
    folder = volume.partition(":")[2]
    assert f"VOLUME {folder}\n" in (ROOT / "Dockerfile").read_text()
