"""Reads the configuration of a model on the hub, and the headers of its weights, before it is downloaded."""

import mmap
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from huggingface_hub import hf_hub_url, snapshot_download
from huggingface_hub.file_download import http_get
from huggingface_hub.utils import build_hf_headers

from ..errors import ModelError
from ..files.torch_file import END_SIZE, head_size, list_range
from ..machine.progress import ProgressBar
from .bars import SilentBar
from .choice import is_gguf, is_pickled, is_weights
from .places import blob_path, locked, part_path
from .remote import RemoteFile, RemoteModel, explained_errors

_CONFIGURATION = (
    *("config.json", "generation_config.json", "model.safetensors.index.json"),
    "hf_quant_config.json",
    "pytorch_model.bin.index.json",
    *("params.json", "consolidated.safetensors.index.json"),  # of Mistral's own layout
)
_SAFETENSORS_BEGINNING = 256 * 2**10  # holds most headers; the first 8 bytes say how long a header is
_MAX_HEADER = 100 * 2**20  # a longer one is refused
_GGUF_BEGINNING = 32 * 2**20  # metadata with a vocabulary of 256 thousand tokens takes 12 MiB


@contextmanager
def preview(remote: RemoteModel) -> Iterator[Path]:
    """A folder with a model's configuration and the headers of its weights. All other bytes are 0.

    If the block ends without an error, the beginnings of files become the beginnings of their downloads.
    Raises ModelError if a file cannot be read from the hub.
    """
    with tempfile.TemporaryDirectory(prefix="tritonchat-") as temporary:
        folder, large = Path(temporary), [file for file in remote.files if is_weights(file.path)]
        small = [file.path for file in remote.files if file.path in _CONFIGURATION]
        beginnings: dict[RemoteFile, int] = {}
        with explained_errors(remote.name):
            if small:
                snapshot_download(
                    remote.name.repository,
                    revision=remote.commit,
                    allow_patterns=small,
                    local_dir=folder,
                    tqdm_class=SilentBar,
                )
            for file in ProgressBar(large, f"Looking at {remote.name}", unit="file", delay=2):
                beginnings[file] = _read_beginning(remote, file, folder / file.path)
        yield folder
        with explained_errors(remote.name):
            for file, size in beginnings.items():
                _keep(remote, file, folder / file.path, size)


def _read_beginning(remote: RemoteModel, file: RemoteFile, target: Path) -> int:
    """Write the beginning of a file, and let it look as large as the file. Returns the beginning's size."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if is_pickled(file.path) and file.size:
        return _read_ends(remote, file, target)
    size = _GGUF_BEGINNING if is_gguf(file.path) else _SAFETENSORS_BEGINNING
    _extend(remote, file, target, size)
    if not is_gguf(file.path):
        with target.open("rb") as beginning:
            header = 8 + int.from_bytes(beginning.read(8), "little")
        if size < header <= min(file.size, _MAX_HEADER):
            _extend(remote, file, target, header)
    size = target.stat().st_size
    with target.open("ab") as beginning:
        beginning.truncate(file.size)
    return size


def _read_ends(remote: RemoteModel, file: RemoteFile, target: Path) -> int:
    """The same for a file of torch.save, whose end lists what is where, and belongs to the preview, too."""
    start, size = max(0, file.size - END_SIZE), 0
    _read_range(remote, file, target, start, file.size)
    with suppress(ModelError):  # which is said when the preview is opened
        with _mapped(target) as file_map:
            listed, _ = list_range(target, file_map)
        if listed < start:
            _read_range(remote, file, target, listed, start)
            start = listed
        with _mapped(target) as file_map:
            size = min(head_size(target, file_map), _MAX_HEADER)
    with target.open("rb") as part:
        part.seek(start)
        end = part.read()
    target.unlink()
    _extend(remote, file, target, max(size, _SAFETENSORS_BEGINNING))
    size = target.stat().st_size
    with target.open("r+b") as preview:
        preview.truncate(file.size)
        preview.seek(start)
        preview.write(end)
    return size


@contextmanager
def _mapped(path: Path) -> Iterator[mmap.mmap]:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as file_map:
        yield file_map


def _read_range(remote: RemoteModel, file: RemoteFile, target: Path, start: int, end: int) -> None:
    """Write the bytes `start` to `end` of a file to `target`, which looks as large as the file."""
    with target.open("r+b" if target.exists() else "w+b") as part:
        part.truncate(file.size)
        part.seek(start)
        http_get(
            hf_hub_url(remote.name.repository, file.path, revision=remote.commit),
            part,
            headers=build_hf_headers() | {"Range": f"bytes={start}-{end - 1}"},
            expected_size=end - start,
            tqdm_class=SilentBar,
        )


def _extend(remote: RemoteModel, file: RemoteFile, target: Path, size: int) -> None:
    """Let the file `target` have the first `size` bytes of a file, from this machine if they are here."""
    size = min(size, file.size)
    with target.open("ab") as beginning:
        for source in (blob_path(remote.name, file.sha256), part_path(remote.name, file.sha256)):
            if source.exists() and beginning.tell() < size:
                with source.open("rb") as present:
                    present.seek(beginning.tell())
                    beginning.write(present.read(size - beginning.tell()))
        http_get(
            hf_hub_url(remote.name.repository, file.path, revision=remote.commit),
            beginning,
            resume_size=beginning.tell(),
            headers=build_hf_headers() | {"Range": f"bytes=0-{size - 1}"},
            expected_size=size,
            tqdm_class=SilentBar,
        )


def _keep(remote: RemoteModel, file: RemoteFile, beginning: Path, size: int) -> None:
    """Begin the download of a file with the beginning that is here."""
    blob, part = blob_path(remote.name, file.sha256), part_path(remote.name, file.sha256)
    with locked(remote.name, file.sha256):
        if not blob.exists() and not part.exists():
            with beginning.open("r+b") as present:
                present.truncate(size)
            part.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(beginning, part)
