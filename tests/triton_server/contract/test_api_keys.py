"""API keys with names: no key or name gives one person the conversations of another."""

import hashlib
import hmac

import pytest

from model_core.errors import TritonchatError
from triton_server.contract import api_keys
from triton_server.contract.api_keys import ApiKeys, short_owner, split_name


def sha256(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def test_an_owner_is_a_name_or_a_hash() -> None:
    keys = ApiKeys(["bare", "ada:one", "ada:two", "bo:three"])
    assert keys and not ApiKeys([])
    owners = {key: keys.owner_of(key.encode()) for key in ("bare", "one", "two", "three")}
    assert owners == {"bare": sha256("bare"), "one": "ada", "two": "ada", "three": "bo"}
    assert keys.owners == {sha256("bare"), "ada", "bo"}
    assert keys.names == {sha256("one"): "ada", sha256("two"): "ada", sha256("three"): "bo"}
    assert [short_owner(owner) for owner in ("ada", sha256("bare"))] == ["ada", sha256("bare")[:8]]


@pytest.mark.parametrize("sent", ["", "ada", "ada:", "ada:one", ":one", "one ", "ONE", "one\0", "öne"])
def test_a_name_opens_nothing(sent: str) -> None:
    assert ApiKeys(["ada:one"]).owner_of(sent.encode()) is None


def test_a_key_may_have_colons_and_a_name_may_not() -> None:
    keys = ApiKeys(["ada:blue:one", "bo:red:one"])
    assert keys.owner_of(b"blue:one") == "ada" and keys.owner_of(b"red:one") == "bo"
    assert keys.owner_of(b"one") is None
    assert split_name("ada:blue:one") == ("ada", "blue:one")
    assert split_name("one") == (None, "one")


@pytest.mark.parametrize(
    "given",
    [
        *("", " ", "schlüssel", "half a\n", "ada:", "ada: secret", "ada:schlüssel"),
        *(":", ":secret", "::secret", " ada:secret", "a b:secret", "ä:secret", "a/b:secret", "_:secret"),
        *("10.0.0.1:secret", "x" * 64 + ":secret", sha256("bare") + ":secret"),
    ],
)
def test_wrong_keys_and_names_are_refused_without_printing_them(given: str) -> None:
    with pytest.raises(TritonchatError, match="API key") as refused:
        ApiKeys(["bare", given])
    assert "secret" not in str(refused.value) and "schl" not in str(refused.value)


def test_no_name_is_the_hash_of_a_key() -> None:
    """Whoever had such a name would own what a key without a name owns. A name is shorter than a hash."""
    assert ApiKeys(["bare", "a" * 63 + ":one"])
    for name in (sha256("bare"), sha256("bare").upper(), "a" * 64):
        with pytest.raises(TritonchatError, match="63"):
            ApiKeys(["bare", f"{name}:one"])


def test_a_key_belongs_to_one_owner() -> None:
    for given in (["ada:one", "bo:one"], ["bo:two", "bo:one", "bo:one", "ada:one"]):
        with pytest.raises(TritonchatError, match=r"as (ada|bo)'s and as (ada|bo)'s") as refused:
            ApiKeys(given)
        assert "one:" not in str(refused.value)
    for given in (["one", "ada:one"], ["ada:one", "one"]):
        with pytest.raises(TritonchatError, match=r"as ada's and without a name|without a name and as ada's"):
            ApiKeys(given)
    assert ApiKeys(["one", "one", "ada:two", "ada:two"]).owners == {sha256("one"), "ada"}


def test_each_key_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []
    compare_digest = hmac.compare_digest

    def compare(one: bytes, other: bytes) -> bool:
        compared.append(other)
        return compare_digest(one, other)

    monkeypatch.setattr(api_keys.hmac, "compare_digest", compare)
    keys = ApiKeys(["first", "ada:second", "third"])
    for sent in (b"first", b"second", b"third", b"none"):
        compared.clear()
        keys.owner_of(sent)
        assert compared == [hashlib.sha256(key).digest() for key in (b"first", b"second", b"third")]
