"""Cache salts: requests of different ones share nothing that is kept of them."""


def is_of_salt(salt: str, owner: str) -> bool:
    """Whether a cache salt is this one, or goes on after it with a slash."""
    return owner == salt or owner.startswith(f"{salt}/")
