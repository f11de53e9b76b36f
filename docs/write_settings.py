"""Write the page of all settings of a server.

python docs/write_settings.py > docs/settings.md
"""

from triton_server.contract.parameters import describe_type
from triton_server.options.flags import value_schema
from triton_server.settings.base import Setting, list_settings
from triton_server.settings.server import ServerSettings

INTRODUCTION = """# Settings of a server

`tritonchat serve` and `up` take each setting in three ways. The first that is given counts:

1. a flag, `--max-context 4096`;
2. a variable, `TRITONCHAT_MAX_CONTEXT=4096`: the name of the flag in capitals, with underscores;
3. a line of the file that `--config FILE` (or `TRITONCHAT_CONFIG`) names.

`serve` has the settings of the page only in a file. `ui`, `doctor` and `health` read the same file, and take
what concerns them. Paths in it mean what they mean
on the command line. It is in TOML, or in YAML if its name ends with `.yaml` or `.yml`:

```toml
model = ["./small", "big=owner/name"]
weights = "int8"
kv-cache-memory = "8GiB"
host = "0.0.0.0"
api-key-file = "/etc/tritonchat/keys"
session-expiry = "30d"
```

A name that is not in these tables is refused. Where the tables say "several", a flag is repeated, and a file
has a list. A flag without a value is `true` or `false` in a variable or in a file. Keys of the API and the
URL of a database belong in variables, or in a file that others cannot read.

`python docs/write_settings.py > docs/settings.md` has written this page, from
`triton_server/settings/server.py`.
"""


def render_page() -> str:
    """The page."""
    settings = list_settings(ServerSettings).values()
    parts = [INTRODUCTION]
    for section in dict.fromkeys(setting.section for setting in settings):
        rows = "\n".join(_row(setting) for setting in settings if setting.section == section)
        head = "| flag | value | default | meaning |\n| --- | --- | --- | --- |"
        parts.append(f"## {section}\n\n{head}\n{rows}\n")
    return "\n".join(parts)


def _row(setting: Setting) -> str:
    kind = value_schema(setting.schema)
    one, several = (kind["items"], "several: ") if kind["type"] == "array" else (kind, "")
    value = several + (one.get("metavar") or describe_type(one)).replace("|", "\\|")
    if "minimum" in one and "maximum" not in one:
        value += f", at least {one['minimum']}"
    return f"| `{setting.flag}` | {value} | {setting.default} | {setting.help} |"


if __name__ == "__main__":
    print(render_page(), end="")
