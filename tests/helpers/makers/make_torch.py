"""Make the files of `tests/data/torch` with torch.save: some that are read, and others that are refused.

    python tests/helpers/makers/make_torch.py

expected.npz has the tensors of those that are read, as FILE:NAME; bfloat16 as float32. Needs PyTorch.
"""

import numpy as np
import torch
from paths import DATA

OUT = DATA / "torch"


class Module(torch.nn.Module):
    """Tied parameters, and buffers of several types."""

    def __init__(self) -> None:
        super().__init__()
        self.a = torch.nn.Linear(3, 5)
        self.embed = torch.nn.Embedding(4, 3)
        self.head = torch.nn.Linear(3, 4, bias=False)
        self.head.weight = self.embed.weight
        self.bn = torch.nn.BatchNorm1d(3)
        self.register_buffer("position_ids", torch.arange(7)[None])
        self.register_buffer("mask", torch.ones(2, 2, dtype=torch.bool))
        self.register_buffer("empty", torch.zeros(0, 3))
        self.register_buffer("scale", torch.tensor(1.5))


def main() -> None:
    torch.manual_seed(0)
    module, rows = Module(), torch.randn(12, 4)
    views = {"q": rows[:4], "k": rows[4:8], "v": rows[8:], "one": rows[:1], "half": rows.half()}
    views |= {"bfloat16": rows.bfloat16(), "double": rows.double(), "short": rows.short(), "int": rows.int()}
    views |= {"char": rows.char(), "byte": rows.byte(), "parameter": torch.nn.Parameter(rows[:2])}
    OUT.mkdir(exist_ok=True)
    torch.save(module.state_dict(), OUT / "module.bin")
    torch.save(module.state_dict(), OUT / "module-5.bin", pickle_protocol=5)
    torch.save(views, OUT / "views.bin")
    torch.save(module.state_dict(), OUT / "old.bin", _use_new_zipfile_serialization=False)
    torch.save({"t": rows.t()}, OUT / "transposed.bin")
    torch.save({"t": rows[:, 1]}, OUT / "column.bin")
    torch.save({"t": rows[:1].expand(3, 4)}, OUT / "expanded.bin")
    torch.save({"state_dict": module.state_dict(), "epoch": 3}, OUT / "training.bin")
    torch.save(module, OUT / "whole.bin")
    torch.save(rows, OUT / "tensor.bin")
    torch.save({"t": torch.eye(2).to_sparse()}, OUT / "sparse.bin")
    torch.save({"t": rows.to(torch.complex64)}, OUT / "complex.bin")
    torch.jit.script(torch.nn.Linear(2, 2)).save(OUT / "script.bin")
    expected = {}
    for file, tensors in (
        ("module", module.state_dict()),
        ("module-5", module.state_dict()),
        ("views", views),
    ):
        for name, tensor in tensors.items():
            tensor = tensor.detach().float() if tensor.dtype == torch.bfloat16 else tensor.detach()
            expected[f"{file}:{name}"] = tensor.numpy()
    np.savez_compressed(OUT / "expected.npz", **expected)


if __name__ == "__main__":
    main()
