"""What is said of a recommended model."""

from .catalogue import CatalogueModel
from .speed import Speed


def describe(model: CatalogueModel, speed: Speed, program: str) -> str:
    """A model in two lines: the command, and what to expect. `program`: how it is called here."""
    download, memory = (size / 2**30 for size in (model.download_bytes, model.memory_bytes))
    return (
        f"{program} up --model {model.arguments}\n"
        f"  {model.licence}, {model.form} of {download:.1f} GiB, {memory:.1f} GiB of memory; "
        f"prompt {speed.prompt:.0f}, answer {speed.answer:.0f} tokens a second"
    )
