"""Refuses models before they are downloaded: those that could not be run, or that need too much memory."""

from collections.abc import Callable

from ..errors import ModelError
from ..files.gguf.selection import list_models
from ..files.model_files import ModelFiles, open_model_files
from ..model.estimate import ModelTooLarge, gibibytes
from .choice import is_weights, locate
from .preview import preview
from .remote import RemoteModel

# Raises ModelError for a model that should not be downloaded, and ModelTooLarge for one that does not fit.
Check = Callable[[ModelFiles], None]


def check_before_download(remote: RemoteModel, check: Check) -> None:
    """Call `check` with a preview of a model, and let its errors name the model, and files that would fit.

    Nothing is checked if the hub does not say how large the weights are, as some mirrors do.
    """
    if any(file.sha256 is None for file in remote.files if is_weights(file.path)):
        return
    with preview(remote) as folder:
        try:
            check(open_model_files(locate(folder, [file.path for file in remote.files])))
        except ModelTooLarge as error:
            raise ModelTooLarge(error.needed, error.free, error.facts, _advise(remote, error)) from error
        except ModelError as error:
            message = str(error).replace(str(folder), str(remote.name))
            raise ModelError(
                f"{remote.name} is not downloaded, because it cannot be run: {message}"
            ) from error


def _advise(remote: RemoteModel, error: ModelTooLarge) -> str:
    """The largest quantization of the repository that would fit; if there is none, the advice so far."""
    sizes = {file.path: file.size for file in remote.repository_files}
    others = error.needed.total - error.needed.weights
    needed_by = {
        name: others + sum(sizes[path] for path in files) for name, files in list_models(sizes).items()
    }
    fitting = {needed: name for name, needed in needed_by.items() if needed <= error.free}
    if not fitting:
        return error.advice
    needed = max(fitting)
    return f"{remote.name.repository}:{fitting[needed]} needs {gibibytes(needed)}"
