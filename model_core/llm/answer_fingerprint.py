"""Fingerprints of all that answers depend on but the request."""

from importlib.metadata import version

from ..machine.digest import digest
from .loaded import LoadedModel

_PREFIX = "fp_"  # as OpenAI writes a `system_fingerprint`


# What makes prompts of messages and masks of forms.
_PACKAGES = ("tokenizers", "jinja2", "llguidance")


def answer_fingerprint(llm: LoadedModel) -> str:
    """What `LLM.fingerprint` returns."""
    facts = (
        llm.prompts.fingerprint,
        [version(package) for package in _PACKAGES],
        None if llm.chat_tokenizer is None else llm.chat_tokenizer.definition(),
        llm.engine.limits.max_context,  # answers end there
        None if llm.tokenizer is None else llm.tokenizer.eos_token_id,
        {**vars(llm.defaults), "eos_token_ids": sorted(llm.defaults.eos_token_ids)},
        llm.embedder.settings,
        llm.model.weights.classifier,
    )
    if llm.engine.encoder is not None:
        return _PREFIX + digest((facts, llm.engine.encoder.tower.digest))
    return _PREFIX + digest(facts)


def adapter_fingerprint(llm: LoadedModel, fingerprint: str, adapter: str) -> str:
    """What `LLM.fingerprint_of` returns for an adapter. `fingerprint`: that of answers without one."""
    return _PREFIX + digest((fingerprint, llm.model.adapters.packed(adapter).digest))
