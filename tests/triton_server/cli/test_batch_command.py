"""`tritonchat batch` without a server: killed and run again, and with files that are not its own."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from support import wait_until

PROGRAM = (sys.executable, "-m", "triton_server", "batch")
COUNT = 60


def to_line(custom_id: str, url: str, **body: Any) -> str:
    return json.dumps({"custom_id": custom_id, "method": "POST", "url": url, "body": body}) + "\n"


def run(*arguments: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, timeout=120)


def test_killed_command_goes_on_and_answers_each_once(tmp_path: Path) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    text = [
        to_line(str(n), "/v1/completions", prompt="Once", max_tokens=40 + n, ignore_eos=True)
        for n in range(COUNT)
    ]
    more = [
        to_line(
            "chat", "/v1/chat/completions", messages=[{"role": "user", "content": "Hello"}], max_tokens=3
        ),
        to_line("vector", "/v1/embeddings", input="Hello"),
        to_line("response", "/v1/responses", input="Hello", max_output_tokens=3),
        to_line("wrong", "/v1/completions", prompt="Once", max_tokens="many"),
    ]
    file.write_text("".join([*more, *text]))
    killed = subprocess.Popen([*PROGRAM, file, out], stderr=subprocess.DEVNULL)
    wait_until(lambda: out.exists() and out.read_bytes().count(b"\n") >= 3)
    killed.send_signal(signal.SIGSTOP)  # it would be done before the second one asks
    second = run(file, out)
    assert second.returncode == 1 and "another process" in second.stderr
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    with out.open("ab") as cut:
        cut.write(b'{"id":"batch_req_12')
    finished = run(file, out)
    assert finished.returncode == 1 and f"answers: {COUNT + 3}, errors: 1." in finished.stderr
    assert finished.stdout == ""
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert sorted(line["custom_id"] for line in lines) == sorted(
        json.loads(line)["custom_id"] for line in [*more, *text]
    )
    assert {line["custom_id"] for line in lines if line["response"]["status_code"] == 400} == {"wrong"}
    before = out.read_bytes()
    run(file, out)
    assert out.read_bytes() == before


def test_wrong_files_are_named_and_left_alone(tmp_path: Path) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    file.write_text(to_line("a", "/v1/completions", prompt="x") * 2 + "{\n")
    refusal = run(file, out)
    assert refusal.returncode == 1 and "line 2" in refusal.stderr and "line 3" in refusal.stderr
    assert not out.exists()
    file.write_text(to_line("a", "/v1/completions", prompt="x"))
    refusal = run(file, file)
    assert refusal.returncode == 1 and "choose another file" in refusal.stderr
    assert json.loads(file.read_text())["custom_id"] == "a"
    out.write_text('{"id":"batch_req_1","custom_id":"z","response":null,"error":{}}\n')
    refusal = run(file, out)
    assert refusal.returncode == 1 and "'z'" in refusal.stderr


def test_lines_may_have_more_images_than_the_service_reads(tmp_path: Path) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    url = "data:image/png;base64," + "A" * (2**25 + 4000)
    part = {"type": "image_url", "image_url": {"url": url}}
    file.write_text(to_line("a", "/v1/chat/completions", messages=[{"role": "user", "content": [part]}]))
    run(file, out)
    response = json.loads(out.read_text())["response"]
    assert response["status_code"] == 400 and "image" in response["body"]["error"]["message"]
