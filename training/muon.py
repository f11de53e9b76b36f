"""Muon: momentum whose every step is made orthogonal.

From Jordan et al., 2024 (kellerjordan.github.io/posts/muon). PyTorch's own computes in bfloat16, which takes
many times longer than float32 on a processor without instructions for it, and matrix by matrix; this one
takes the number format that is fast, and matrices of one shape together.
"""

from collections import defaultdict
from collections.abc import Iterable

import torch

ROUNDS = 5
COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # of the post: steepest at zero, and near one afterwards


class Muon(torch.optim.Optimizer):
    """For matrices; its updates are of the size of AdamW's (Liu et al., 2025, arXiv:2502.16982)."""

    def __init__(
        self, matrices: Iterable[torch.Tensor], lr: float, weight_decay: float, dtype: torch.dtype
    ) -> None:
        super().__init__(matrices, {"lr": lr, "weight_decay": weight_decay, "momentum": 0.95})
        self.dtype = dtype

    @torch.no_grad()
    def step(self) -> None:
        """One step along the gradients."""
        for group in self.param_groups:
            shapes: dict[torch.Size, list[torch.Tensor]] = defaultdict(list)
            for matrix in group["params"]:
                shapes[matrix.shape].append(matrix)
            for shape, matrices in shapes.items():
                directions = [self.direction(matrix, group["momentum"]) for matrix in matrices]
                updates = orthogonal(torch.stack(directions).to(self.dtype)).float()
                rate = group["lr"] * 0.2 * max(shape) ** 0.5
                for matrix, update in zip(matrices, updates, strict=True):
                    matrix.mul_(1 - group["lr"] * group["weight_decay"]).sub_(update, alpha=rate)

    def direction(self, matrix: torch.Tensor, momentum: float) -> torch.Tensor:
        """The gradient, averaged over the steps and with a look ahead (Nesterov)."""
        state = self.state[matrix]
        if not state:
            state["average"] = torch.zeros_like(matrix)
        state["average"].lerp_(matrix.grad, 1 - momentum)
        return matrix.grad.lerp(state["average"], momentum)


def orthogonal(matrices: torch.Tensor) -> torch.Tensor:
    """Nearly U V^T of each matrix U S V^T [count, rows, columns], by a quintic Newton-Schulz iteration."""
    a, b, c = COEFFICIENTS
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.mT if tall else matrices
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(ROUNDS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x
