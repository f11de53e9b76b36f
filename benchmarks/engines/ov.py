"""OpenVINO GenAI: continuous batching over paged attention, with the default settings of the CPU plug-in."""

import shutil
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

    if (checkpoint / "model.gguf").exists():
        checkpoint = _write_floats(checkpoint, folder / "floats")
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
    shutil.rmtree(folder / "floats", ignore_errors=True)


def _write_floats(checkpoint: Path, folder: Path) -> Path:
    """Write the weights of a GGUF file in float32, as a folder that can be exported."""
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(checkpoint, gguf_file="model.gguf", dtype="float32")
    model.hf_quantizer = None  # the weights are floats by now, but it would not let them be saved
    vars(model.config).pop("quantization_config", None)
    model.save_pretrained(folder)
    return folder


def logits(folder: Path, threads: int, texts: Prompts) -> Iterator[np.ndarray]:
    """Float32 [tokens, vocabulary] of each text, by the model that the pipeline runs."""
    path = folder / "openvino_model.xml"
    compiled = openvino.Core().compile_model(path, "CPU", {"INFERENCE_NUM_THREADS": threads})
    request = compiled.create_infer_request()
    for text in texts:
        request.reset_state()
        shape = (1, len(text))
        inputs = {
            "input_ids": np.array([text], np.int64),
            "attention_mask": np.ones(shape, np.int64),
            "position_ids": np.arange(len(text), dtype=np.int64)[None],
            "beam_idx": np.zeros(1, np.int32),
        }
        names = {name for port in compiled.inputs for name in port.names}
        found = request.infer({name: value for name, value in inputs.items() if name in names})
        yield np.array(found["logits"][0], np.float32)


def weight_bytes(folder: Path) -> int:
    """Bytes of the file of weights."""
    return (folder / "openvino_model.bin").stat().st_size


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
