"""What tests of the training share."""

import pytest
from tokenizers import Tokenizer

from model_core.llm import embedded_model


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """That of the embedded model."""
    return Tokenizer.from_file(str(embedded_model() / "tokenizer.json"))
