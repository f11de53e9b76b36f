"""Models that other programs have downloaded: `ollama:`, `lmstudio:` and `llama.cpp:` begin their names.

Their files are read where they lie. Nothing is written there, and nothing removed.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import ModelError
from .named_files import choose_llama_cpp, choose_lm_studio, list_llama_cpp, list_lm_studio
from .ollama import complete_name, list_ollama
from .stored_model import LLAMA_CPP, LM_STUDIO, OLLAMA, StoredModel

_SHOWN = 20  # names in an error


@dataclass(frozen=True)
class Store:
    """The store of a program.

    Attributes:
        program: what it is called.
        list: its models.
        choose: the model of a name without the prefix; None if there is none. Raises ModelError.
    """

    program: str
    list: Callable[[], list[StoredModel]]
    choose: Callable[[str], StoredModel | None]


def _choose_ollama(text: str) -> StoredModel | None:
    wanted = (OLLAMA + complete_name(text)).casefold()
    return next((model for model in list_ollama() if model.name.casefold() == wanted), None)


# prefix of names -> the store
STORES = {
    OLLAMA: Store("Ollama", list_ollama, _choose_ollama),
    LM_STUDIO: Store("LM Studio", list_lm_studio, choose_lm_studio),
    LLAMA_CPP: Store("llama.cpp", list_llama_cpp, choose_llama_cpp),
}


def find_store(name: str) -> Store | None:
    """The store that a name begins with; None for other names."""
    return next((store for prefix, store in STORES.items() if name.startswith(prefix)), None)


def find_stored(name: str) -> StoredModel:
    """The model of a name with the prefix of a store. Raises ModelError, which names those that there are."""
    prefix = next(prefix for prefix in STORES if name.startswith(prefix))
    store = STORES[prefix]
    model = store.choose(name.removeprefix(prefix))
    if model is not None and model.problem is not None:
        raise ModelError(model.problem)
    if model is not None:
        return model
    names = [model.name for model in store.list()]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    there = f"there are {', '.join(names[:_SHOWN])}{more}" if names else "it has none on this machine"
    raise ModelError(f"{store.program} has no model called {name}; {there}.")
