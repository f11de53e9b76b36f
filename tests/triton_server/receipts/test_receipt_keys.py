"""The key of receipts: made once, for its owner alone, and published."""

import threading
from pathlib import Path

import pytest

from model_core.errors import TritonchatError
from triton_server.conversations.database import database_folder
from triton_server.receipts.keys import (
    KEY_FILE,
    decode_bytes,
    encode_bytes,
    load_key,
    read_jwks,
    to_jwks,
    verify_signature,
)
from triton_server.system.folders import data_folder


def test_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    first = load_key(tmp_path / "new")
    file = tmp_path / "new" / KEY_FILE
    assert file.stat().st_mode & 0o777 == 0o600
    assert load_key(tmp_path / "new").public == first.public
    assert [path.name for path in file.parent.iterdir()] == [KEY_FILE]


def test_all_who_make_it_at_once_get_the_same(tmp_path: Path) -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(load_key(tmp_path).public), daemon=True)
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 8 and len(set(found)) == 1


@pytest.mark.parametrize(
    "content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"]
)
def test_damaged_key_is_named_and_stays(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / KEY_FILE
    file.write_bytes(content)
    file.chmod(0o600)
    with pytest.raises(TritonchatError, match=r"receipts\.key should have an Ed25519 key"):
        load_key(tmp_path)
    assert file.read_bytes() == content


def test_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    load_key(tmp_path)
    (tmp_path / KEY_FILE).chmod(0o640)
    with pytest.raises(TritonchatError, match="others may read"):
        load_key(tmp_path)


def test_signature_is_of_this_content_by_this_key_in_this_form(tmp_path: Path) -> None:
    key, other = load_key(tmp_path / "a"), load_key(tmp_path / "b")
    signature = key.sign(b"content")
    assert verify_signature(key.public, b"content", signature)
    assert not verify_signature(key.public, b"contenT", signature)
    assert not verify_signature(other.public, b"content", signature)
    # The last letter of base64url has bits that say nothing.
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    accepted = [c for c in letters if verify_signature(key.public, b"content", signature[:-1] + c)]
    assert accepted == [signature[-1]]
    for wrong in ("", "é", signature + "=", signature + "\n", " " + signature, signature[:-4]):
        assert not verify_signature(key.public, b"content", wrong)
        assert not verify_signature(wrong, b"content", signature)


def test_published_key_is_read_again(tmp_path: Path) -> None:
    public = load_key(tmp_path).public
    assert read_jwks(to_jwks(public)) == [public]
    assert decode_bytes(public, 32) and encode_bytes(decode_bytes(public, 32)) == public
    for wrong in (None, [], {}, {"keys": []}, {"keys": [1]}, {"keys": [{"crv": "Ed25519", "x": 1}]}):
        with pytest.raises(ValueError, match="no Ed25519 key"):
            read_jwks(wrong)


def test_thumbprint_is_that_of_the_standard() -> None:
    """RFC 8037, appendix A.3."""
    (key,) = to_jwks("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")["keys"]
    assert key["kid"] == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


@pytest.mark.parametrize("url", ["sqlite:///file:x?mode=memory&uri=true", "postgresql://a@b/c"])
def test_key_of_a_database_without_a_folder_lies_in_that_of_the_user(url: str) -> None:
    """And not in the folder in which somebody has started the server."""
    assert database_folder(url) == data_folder()
    assert database_folder("sqlite:////var/lib/chat/x.db") == Path("/var/lib/chat")
