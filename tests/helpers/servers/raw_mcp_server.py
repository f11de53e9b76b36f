"""An MCP server on standard input and output, without any library, whose tools misbehave as they are called.

python raw_mcp_server.py [FOLDER [WHAT]]: FOLDER gets a file `pid-N` for each process, and get_weather does
WHAT another tool does; "silent": the server never answers.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = {
    "get_weather": "The weather in a city.",
    "again": "A tool whose result asks for another call.",
    "environment": "The environment of this process.",
    "hang": "Never answers.",
    "die": "Ends the process.",
    "huge": "Sends a result of a gigabyte, if it may.",
    "endless": "Sends a line that never ends.",
    "chatter": "Sends notifications for ever.",
    "requests": "Asks the client for ever.",
    "errors": "Writes to standard error for ever.",
    "junk": "Answers with what is no JSON, then as it should.",
    "only_junk": "Answers with what is no JSON.",
    "unknown_id": "Answers another request.",
    "no_result": "Answers with a result that is none.",
    "refuse": "Answers with an error.",
    "fail": "Answers that the tool has failed.",
    "change": "Removes itself from the list of tools.",
    "picture": "Answers with a picture and a text.",
}


def send(**fields: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **fields}) + "\n")
    sys.stdout.flush()


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], **more}


def flood(stream: Any, words: str) -> None:
    while True:
        stream.write(words)


def call(identity: Any, name: str, arguments: dict[str, Any]) -> None:
    if name == "get_weather" and sys.argv[2:]:
        name = sys.argv[2]
    match name:
        case "get_weather":
            send(id=identity, result=text(f"Rain in {arguments.get('city')}."))
        case "again":
            send(id=identity, result=text("again"))
        case "environment":
            send(id=identity, result=text(json.dumps(dict(os.environ))))
        case "hang":
            time.sleep(1000)
        case "die":
            print("out of luck", file=sys.stderr, flush=True)
            os._exit(3)
        case "huge":
            sys.stdout.write(f'{{"jsonrpc": "2.0", "id": {json.dumps(identity)}, "result": {{"content": [')
            sys.stdout.write('{"type": "text", "text": "')
            for _ in range(1024):
                sys.stdout.write("x" * 2**20)
            sys.stdout.write('"}]}}\n')
            sys.stdout.flush()
        case "endless":
            flood(sys.stdout, "x" * 4096)
        case "chatter":
            message = {"method": "notifications/message", "params": {"level": "info", "data": "x"}}
            flood(sys.stdout, json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        case "requests":
            flood(
                sys.stdout, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage"}) + "\n"
            )
        case "errors":
            send(id=identity, result=text("Done."))
            flood(sys.stderr, "x" * 4096)
        case "junk":
            print("This is a banner.\n{}\n" + "[" * 5000, flush=True)
            send(id=identity, result=text("Done."))
        case "only_junk":
            print('{"jsonrpc": "2.0", "id": 1, "result": {', flush=True)
        case "unknown_id":
            send(id=10**9, result=text("For somebody else."))
            send(id=f"{identity}-", error={"code": 1, "message": "no"})
        case "no_result":
            send(id=identity, result={"content": 5})
        case "refuse":
            send(id=identity, error={"code": -32602, "message": "There is no such city"})
        case "fail":
            send(id=identity, result=text("The sky is closed.", isError=True))
        case "change":
            del TOOLS["change"]
            send(method="notifications/tools/list_changed")
            send(id=identity, result=text("Changed."))
        case "picture":
            picture = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
            send(id=identity, result={"content": [picture, {"type": "text", "text": "A map."}]})


def main() -> None:
    if sys.argv[1:]:
        # A process of its own that outlives this one, unless somebody ends it.
        other = subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        for pid in (os.getpid(), other.pid):
            Path(sys.argv[1], f"pid-{pid}").touch()
    if sys.argv[2:] == ["silent"]:
        time.sleep(1000)
    for line in sys.stdin:
        message = json.loads(line)
        identity, params = message.get("id"), message.get("params", {})
        match message.get("method"):
            case "initialize":
                result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
                send(id=identity, result={**result, "serverInfo": {"name": "raw", "version": "1"}})
            case "tools/list":
                tools = [{"name": n, "description": d, "inputSchema": SCHEMA} for n, d in TOOLS.items()]
                send(id=identity, result={"tools": tools})
            case "tools/call":
                call(identity, params["name"], params.get("arguments") or {})
            case _ if identity is not None:
                send(id=identity, error={"code": -32601, "message": "Method not found"})


if __name__ == "__main__":
    main()
