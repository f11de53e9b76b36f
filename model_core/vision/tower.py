"""A tower with its weights: a prepared part of an image -> the rows that the text model is given for it."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

import numpy as np

from ..errors import NotFinite
from ..families.vision.parts import ImagePart, Stage, StageInput, VisionConfig
from ..machine.all_finite import all_finite
from ..model.batch import Batch
from .tower_model import PiecePace, TowerModel


class LoadedTower:
    """The stages of a tower with their weights. One thread at a time computes.

    Attributes:
        config: of the tower.
        nbytes: of its weights.
    """

    def __init__(
        self,
        config: VisionConfig,
        stages: Sequence[Stage],
        models: Sequence[TowerModel],
        tables: Mapping[str, np.ndarray],
    ) -> None:
        """`models`: of the stages. `tables`: tensors that their feeds read."""
        self.config = config
        self._stages, self._models, self._tables = stages, models, tables
        weights = sum(model.weights.nbytes for model in models)
        self.nbytes = weights + sum(table.nbytes for table in tables.values())

    def share(self, turns: AbstractContextManager, threads: int) -> None:
        """Take turns with a text model, and compute with so many threads."""
        for model in self._models:
            model.turns = turns
        self.set_threads(threads)

    def set_threads(self, threads: int) -> None:
        """Compute with so many threads. The previous helper threads end."""
        for model in self._models:
            model.set_threads(threads)

    @property
    def has_integers(self) -> tuple[bool, ...]:
        """Whether there are weights of integers, of each stage."""
        return tuple(model.weights.has_integers for model in self._models)

    def encode(self, part: ImagePart, pace: PiecePace) -> np.ndarray:
        """The rows of a part of an image: float32 [parts, rows, width].

        Raises EncodingStopped when they are no longer wanted, NotFinite, or OSError without memory.
        """
        outputs: list[np.ndarray] = []
        for stage, model in zip(self._stages, self._models, strict=True):
            given = stage.feed(part, self._tables, outputs)
            cache, tables = model.create_cache(1, given.rows, "float32")
            outputs = model.compute_rows(_make_batch(given, tables), cache, stage.outputs, pace)
        rows = np.stack(outputs)
        if not all_finite(rows):
            raise NotFinite()
        return rows


def _make_batch(given: StageInput, tables: np.ndarray) -> Batch:
    """The rows of a stage as one sequence."""
    positions = np.arange(given.rows, dtype=np.int32)
    return Batch(
        tokens=positions,
        positions=positions,
        starts=np.array([0, given.rows], np.int32),
        page_tables=tables,
        logit_rows=positions,
        slots=np.zeros(1, np.int32),
        inputs=given.inputs,
        axes=given.axes,
        bounds=given.bounds,
    )
