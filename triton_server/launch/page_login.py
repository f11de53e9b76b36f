"""The file that turns on the login of the page: Streamlit's secrets with a section `[auth]`."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from model_core.errors import TritonchatError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_CALLBACK = "/oauth2callback"  # of Streamlit
_MIN_SECRET = 32  # characters
_OF_PAGE = ("redirect_uri", "cookie_secret")
_OF_PROVIDER = ("client_id", "client_secret", "server_metadata_url")


def read_login(file: Path) -> str:
    """Check the file; return the address under which people open the page.

    Raises TritonchatError with what is wrong, and never with a secret.
    """
    try:
        auth = tomllib.loads(file.read_text()).get("auth")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TritonchatError(f"{file} cannot be read as TOML: {error}.") from error
    if not isinstance(auth, dict):
        raise TritonchatError(
            f"{file} has no section [auth]; it needs {', '.join(_OF_PAGE)} there, and of a provider "
            f"{', '.join(_OF_PROVIDER)}."
        )
    _check(file, "[auth]", auth, _OF_PAGE)
    sections = {name: value for name, value in auth.items() if isinstance(value, dict)}
    named = {name: section for name, section in sections.items() if name != "client_kwargs"}
    if not named or any(key in auth for key in _OF_PROVIDER):
        _check(file, "[auth]", auth, _OF_PROVIDER)
    for name, provider in named.items():
        _check(file, f"[auth.{name}]", provider, _OF_PROVIDER)
        if "_" in name:
            raise TritonchatError(f"{file}: [auth.{name}] needs a name without an underscore.")
    if len(auth["cookie_secret"]) < _MIN_SECRET:
        raise TritonchatError(f"{file}: cookie_secret needs at least {_MIN_SECRET} random characters.")
    address = urlsplit(auth["redirect_uri"])
    if address.scheme not in ("http", "https") or not address.netloc or not address.path.endswith(_CALLBACK):
        raise TritonchatError(
            f"{file}: redirect_uri must be the address of the page and {_CALLBACK}, "
            f"such as http://localhost:8501{_CALLBACK}."
        )
    return f"{address.scheme}://{address.netloc}{address.path.removesuffix(_CALLBACK)}"


def _check(file: Path, section: str, values: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    missing = ", ".join(key for key in keys if not isinstance(values.get(key), str) or not values[key])
    if missing:
        raise TritonchatError(f"{file}: {section} needs {missing}, each a text in quotes.")
