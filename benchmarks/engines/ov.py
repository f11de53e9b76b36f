"""OpenVINO GenAI: continuous batching over paged attention, with the default settings of the CPU plug-in."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import openvino
import openvino_genai
from making.checkpoints import read_config

from . import SAMPLING, Generate, Prompts

GROUP = 128  # consecutive weights of a row that share a scale in int4, if rows can be divided so


def convert(checkpoint: Path, variant: str, folder: Path) -> None:
    """Export by optimum-intel; NNCF compresses the weights with the defaults of the command line."""
    from optimum.intel import OVModelForCausalLM, OVWeightQuantizationConfig

    config = read_config(checkpoint)
    if variant == "int8":
        compression = OVWeightQuantizationConfig(bits=8)
    else:
        rows = (config["hidden_size"], config["intermediate_size"])
        group = GROUP if all(size % GROUP == 0 for size in rows) else -1
        compression = OVWeightQuantizationConfig(bits=4, sym=False, group_size=group, ratio=1.0)
    model = OVModelForCausalLM.from_pretrained(
        checkpoint, export=True, compile=False, quantization_config=compression
    )
    model.save_pretrained(folder)


@contextmanager
def load(folder: Path, variant: str, threads: int) -> Iterator[Generate]:
    """Load a pipeline that computes all prompts in one step and caches nothing between calls."""
    scheduler = openvino_genai.SchedulerConfig()
    scheduler.cache_size = 2  # GB of KV memory
    scheduler.max_num_batched_tokens = 2048
    scheduler.enable_prefix_caching = False
    pipeline = openvino_genai.ContinuousBatchingPipeline(
        folder, scheduler, "CPU", {"INFERENCE_NUM_THREADS": threads}
    )

    def generate(prompts: Prompts, new_tokens: int, samples: bool) -> list[list[int]]:
        config = openvino_genai.GenerationConfig()
        config.max_new_tokens, config.ignore_eos, config.do_sample = new_tokens, True, samples
        if samples:
            config.temperature, config.top_p = SAMPLING["temperature"], SAMPLING["top_p"]
        tensors = [openvino.Tensor(np.array([prompt], np.int64)) for prompt in prompts]
        results = pipeline.generate(tensors, [config] * len(prompts))
        return [list(result.m_generation_ids[0]) for result in results]

    yield generate
