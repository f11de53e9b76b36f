"""The prefix cache under attack: one key tries to find out the prompts of another key."""

import hashlib
from collections.abc import Callable
from typing import Any

import httpx
from http_service import Service

from triton_server.api.middleware.access import pseudonym
from triton_server.contract.request_fields import MAX_NAME_LENGTH

ADA, BO = "sk-of-ada", "sk-of-bo"
SECRET = "The number of my card, which I tell nobody else in the world, is 482913. " * 3


def cached(service: Service, key: str | None, prompt: str = SECRET, **fields: Any) -> int:
    """The number of tokens of a prompt that were in the cache."""
    body = {"model": "default", "messages": [{"role": "user", "content": prompt}], "max_tokens": 1, **fields}
    answer = service.ask(body, **({"X-Api-Key": key} if key else {}))
    assert answer.status_code == 200, answer.text
    return answer.json()["usage"]["prompt_tokens_details"]["cached_tokens"]


def test_prompts_of_another_key_are_not_in_the_cache(start: Callable[..., Service]) -> None:
    service = start(api_keys=(ADA, BO))
    cached(service, ADA)
    assert cached(service, ADA) > 16
    assert cached(service, BO) == 0
    assert cached(service, BO) > 16
    # A salt divides the cache of a key, and does not give access to that of another key.
    digest = hashlib.sha256(ADA.encode()).hexdigest()
    for own in ("team", pseudonym(digest), digest, "", ADA):
        first = cached(service, BO, SECRET + "Do tell.", cache_salt=own)
        assert first == 0 or own == "", own
    assert cached(service, BO, SECRET + "Do tell.", cache_salt="team") > 16
    assert cached(service, ADA, SECRET + "Do tell.", cache_salt="team") == 0


def test_sessions_use_the_cache_of_their_key(start: Callable[..., Service]) -> None:
    keys = ("sk-of-cy", "sk-of-di")
    service = start(api_keys=keys)
    prompt = "Sessions belong to a key, too, and so does what is kept of their prompts. " * 3
    for key in keys:
        with httpx.Client(base_url=service.url, headers={"X-Api-Key": key}, timeout=60) as http:
            assert http.post("/sessions", json={"id": "a"}).status_code == 201
            body = {"prompt": prompt, "parameters": {"max_tokens": 1}}
            answer = http.put("/sessions/a/generate", json=body).json()
            assert answer["usage"]["cached_tokens"] == 0
            assert cached(service, key, prompt) > 16


def test_without_keys_all_share_one_cache(start: Callable[..., Service]) -> None:
    service = start()
    prompt = "Without keys there is one cache. " * 4
    cached(service, None, prompt)
    assert cached(service, "any key", prompt) > 16
    assert cached(service, None, prompt, cache_salt="mine") == 0


def test_pseudonym_does_not_reveal_the_key() -> None:
    digest = hashlib.sha256(ADA.encode()).hexdigest()
    salt = pseudonym(digest)
    assert len(salt) == 64
    assert pseudonym("") == ""
    known = {
        hashlib.sha256(text).hexdigest() for text in (ADA.encode(), bytes.fromhex(digest), digest.encode())
    }
    assert salt not in known | {digest}
    salts = ("", "a", "\ud83e", digest)
    names = [pseudonym(client, own) for client in ("", digest) for own in salts]
    assert len(set(names)) == 8 and max(map(len, names)) <= MAX_NAME_LENGTH


def test_names_of_a_client_begin_with_its_own() -> None:
    """So that what belongs to it is found, and to nobody else, whatever salts it has chosen."""
    for client in ("", "ada", "ada/bo"):
        for salt in ("a", "/", "\0", "bo", "x" * 128):
            assert pseudonym(client, salt).startswith(f"{pseudonym(client)}/")
            assert not pseudonym(client, salt).startswith(f"{pseudonym('bo')}/")
    assert pseudonym("ada\0bo") != pseudonym("ada", "bo")
