"""Loads the tower of a model that sees."""

from dataclasses import replace

import numpy as np

from ..families.config import ModelConfig
from ..families.vision.parts import VisionConfig
from ..families.vision.registry import write_tower
from ..files.model_files import ModelFiles
from ..files.source import read_tensor
from ..files.vision import PatchSource
from ..model.loader import choose_parts, fit_tape, read_weights
from ..model.packer import Packer
from ..tape.references import WeightRef
from .tower import LoadedTower
from .tower_model import TowerModel

_MAX_PATCHES = 2**16  # positions of a tower


def load_tower(
    files: ModelFiles, config: VisionConfig, weights: str, arithmetic: str, portable: bool
) -> LoadedTower:
    """Load the tower of a model, with matrices of the type `weights`. The arguments are those of load_model.

    Raises ModelError if a tensor is missing or damaged.
    """
    assert files.vision is not None
    tower = write_tower(config)
    source = PatchSource(files.vision.open_tensors(), tower.orders)
    packer = Packer(files, source, weights)
    models = []
    for stage in tower.stages:
        tape = fit_tape(stage.tape, source) if weights == "auto" else stage.tape
        loaded = read_weights(tape, source, packer, None)
        parts = choose_parts(arithmetic, portable, loaded.has_integers)
        models.append(TowerModel(_describe(config), replace(tape, embeddings={}), loaded, arithmetic, parts))
    packer.report_loss()
    tables = {
        name: read_tensor(source, WeightRef(name, shape)).astype(np.float32)
        for name, shape in tower.tables.items()
    }
    return LoadedTower(config, tower.stages, models, tables)


def _describe(c: VisionConfig) -> ModelConfig:
    """A tower in the terms of a text model, as far as computing it needs them."""
    return ModelConfig(
        family=c.family,
        vocab_size=1,
        hidden_size=c.hidden_size,
        intermediate_size=c.intermediate_size,
        layers=c.layers,
        heads=c.heads,
        kv_heads=c.heads,
        head_dim=c.head_dim,
        norm_eps=c.norm_eps,
        max_context=_MAX_PATCHES,
        activation=c.activation,
        ropes=(None,) * c.layers,
        tie_word_embeddings=False,
        qkv_bias=True,
        output_bias=True,
        mlp_bias=True,
        windows=(None,) * c.layers,
    )
