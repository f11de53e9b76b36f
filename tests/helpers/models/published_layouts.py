"""Repositories of the hub as the makers of much downloaded small models lay them out, with tiny weights.

Names of files and fields of configurations are as published. Weights are those of tests/data. The vocabulary
of a model that answers is that of the embedded model, with the control tokens of the published one.
"""

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from gguf_models import write_model
from gguf_tokenizers import tokenizer_metadata
from paths import DATA
from published_configs import published
from published_templates import CHATML, GEMMA_TEMPLATE, LLAMA_TEMPLATE, PHI, QWEN_VL, ZEPHYR
from published_vision import qwen3_vl_config, qwen3_vl_processor
from torch_writer import pickle_weights

from model_core.checks.file_values import read_json
from model_core.families.config import write_json
from model_core.files.safetensors import SafetensorsFolder, write_safetensors
from model_core.hub import embedded_model

_PAGE = (".gitattributes", "README.md")
_BPE = ("vocab.json", "merges.txt", "tokenizer.json", "tokenizer_config.json", "generation_config.json")
_ONNX = ("onnx/model.onnx", "onnx/model_quantized.onnx")


@dataclass(frozen=True)
class Layout:
    """A repository.

    Attributes:
        name: on the hub.
        typed: what `--model` is given, as the page or a program's page tells people to name it.
        checkpoint: the folder of tests/data whose weights it has.
        fields_of: the key of published_configs.PUBLISHED that has the other fields of config.json.
        files: names of further files, of which none is read unless it is named so.
        template: the chat template; None: there is none.
        control: control tokens. The first one begins texts if `has_begin`.
        ends: names of those that end an answer.
        shards: of weights.
        prompt: what the model is given for the message "Hi.".
        is_pickled: the weights are in pytorch_model.bin, and not in safetensors.
        quantizations: of .gguf files, whose names begin with `stem`; (): a folder.
    """

    name: str
    typed: str
    checkpoint: str
    fields_of: str | None = None
    files: tuple[str, ...] = ()
    template: str | None = None
    control: tuple[str, ...] = ()
    has_begin: bool = False
    ends: tuple[str, ...] = ()
    shards: int = 1
    prompt: str = ""
    is_pickled: bool = False
    quantizations: tuple[str, ...] = ()
    stem: str = ""
    fields: dict[str, Any] = field(default_factory=dict)

    @property
    def sees(self) -> bool:
        """Whether it has a tower for images."""
        return self.checkpoint.startswith("vision")


_LLAMA_CONTROL = ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
_LLAMA_PROMPT = (
    "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi.<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\n"
)
_CHATML_PROMPT = "<|im_start|>user\nHi.<|im_end|>\n<|im_start|>assistant\n"
_QWEN_CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
LAYOUTS = (
    Layout(
        "Qwen/Qwen3-0.6B",
        "Qwen/Qwen3-0.6B",
        "checkpoints/qwen3",
        "Qwen3-0.6B",
        (*_BPE, "LICENSE"),
        CHATML,
        _QWEN_CONTROL,
        ends=("<|im_end|>", "<|endoftext|>"),
        prompt=_CHATML_PROMPT,
    ),
    Layout(
        "Qwen/Qwen2.5-1.5B-Instruct",
        "https://huggingface.co/Qwen/Qwen2.5-1.5B-Instruct",
        "checkpoints/qwen2-biases",
        "Qwen2.5-0.5B-Instruct",
        (*_BPE, "LICENSE"),
        CHATML,
        _QWEN_CONTROL,
        ends=("<|im_end|>", "<|endoftext|>"),
        prompt=_CHATML_PROMPT,
    ),
    Layout(
        "meta-llama/Llama-3.2-1B-Instruct",
        "meta-llama/Llama-3.2-1B-Instruct",
        "checkpoints/llama-rope-llama3",
        "Llama-3.2-1B-Instruct",
        (
            *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "generation_config.json"),
            *("LICENSE.txt", "USE_POLICY.md"),
            *("original/consolidated.00.pth", "original/params.json", "original/tokenizer.model"),
        ),
        LLAMA_TEMPLATE,
        _LLAMA_CONTROL,
        has_begin=True,
        ends=("<|eot_id|>",),
        prompt=_LLAMA_PROMPT,
        fields={"tie_word_embeddings": False},
    ),
    Layout(
        "google/gemma-3-1b-it",
        "google/gemma-3-1b-it",
        "checkpoints/gemma3",
        "gemma-3-1b-it",
        (
            *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"),
            *("generation_config.json", "tokenizer.model"),
        ),
        GEMMA_TEMPLATE,
        ("<bos>", "<start_of_turn>", "<end_of_turn>", "<eos>"),
        has_begin=True,
        ends=("<eos>", "<end_of_turn>"),
        prompt="<bos><start_of_turn>user\nHi.<end_of_turn>\n<start_of_turn>model\n",
    ),
    Layout(
        "HuggingFaceTB/SmolLM2-135M-Instruct",
        "HuggingFaceTB/SmolLM2-135M-Instruct",
        "checkpoints/llama-tied-gqa",
        "SmolLM2-360M-Instruct",
        (*_BPE, "special_tokens_map.json", "all_results.json", "training_args.bin", "runs/events.0", *_ONNX),
        CHATML,
        _QWEN_CONTROL,
        ends=("<|im_end|>",),
        prompt=_CHATML_PROMPT,
    ),
    Layout(
        "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
        "hf.co/TinyLlama/TinyLlama-1.1B-Chat-v1.0",
        "checkpoints/llama-untied-mha",
        None,
        (
            *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "generation_config.json"),
            *("tokenizer.model", "eval_results.json"),
        ),
        ZEPHYR,
        ("<s>", "</s>"),
        has_begin=True,
        ends=("</s>",),
        prompt="<|user|>\nHi.</s>\n<|assistant|>\n",
    ),
    Layout(
        "microsoft/Phi-4-mini-instruct",
        "microsoft/Phi-4-mini-instruct",
        "checkpoints/phi3-longrope",
        "Phi-4-mini-instruct",
        (
            *(*_BPE, "special_tokens_map.json", "added_tokens.json", "configuration_phi3.py"),
            *("modeling_phi3.py", "sample_finetune.py", "data_summary_card.md"),
        ),
        PHI,
        ("<|endoftext|>", "<|user|>", "<|assistant|>", "<|end|>"),
        ends=("<|end|>", "<|endoftext|>"),
        shards=2,
        prompt="<|user|>Hi.<|end|><|assistant|>",
        fields={"tie_word_embeddings": False, "partial_rotary_factor": 1.0, "rms_norm_eps": 1e-3},
    ),
    Layout(
        "openai-community/gpt2",
        "gpt2",
        "checkpoints/gpt2",
        None,
        (
            *(*_BPE, "pytorch_model.bin", "tf_model.h5", "rust_model.ot", "flax_model.msgpack"),
            *("64.tflite", "64-8bits.tflite", "onnx/decoder_model.onnx", "onnx/config.json"),
        ),
        None,
        ("<|endoftext|>",),
        ends=("<|endoftext|>",),
        fields={
            "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
            "tie_word_embeddings": True,
        },
    ),
    Layout(
        "sentence-transformers/all-MiniLM-L6-v2",
        "all-MiniLM-L6-v2",
        "embedders/bert",
        None,
        (
            *("data_config.json", "train_script.py", "vocab.txt", "special_tokens_map.json"),
            *("pytorch_model.bin", "tf_model.h5", "rust_model.ot", "openvino/openvino_model.xml", *_ONNX),
        ),
    ),
    Layout(
        "Qwen/Qwen3-VL-2B-Instruct",
        "Qwen/Qwen3-VL-2B-Instruct",
        "vision/qwen3-vl",
        None,
        (*_BPE, "chat_template.json", "preprocessor_config.json", "video_preprocessor_config.json"),
        QWEN_VL,
        (*_QWEN_CONTROL, "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"),
        ends=("<|im_end|>", "<|endoftext|>"),
        prompt=_CHATML_PROMPT,
    ),
    Layout(
        "facebook/opt-125m",
        "facebook/opt-125m",
        "checkpoints/opt",
        "opt-125m",
        (
            *("vocab.json", "merges.txt", "tokenizer_config.json", "generation_config.json", "LICENSE.md"),
            *("special_tokens_map.json", "tf_model.h5", "flax_model.msgpack"),
        ),
        None,
        ("</s>", "<pad>"),
        has_begin=True,
        ends=("</s>",),
        is_pickled=True,
        fields={"tie_word_embeddings": True},
    ),
    Layout(
        "BAAI/bge-m3",
        "BAAI/bge-m3",
        "embedders/xlm-roberta",
        None,
        (
            *("colbert_linear.pt", "sparse_linear.pt", "sentencepiece.bpe.model", "special_tokens_map.json"),
            *("onnx/model.onnx", "onnx/model.onnx_data", "onnx/tokenizer.json", "imgs/bm25.jpg", "long.jpg"),
        ),
        is_pickled=True,
    ),
    Layout(
        "bartowski/Llama-3.2-1B-Instruct-GGUF",
        "hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M",
        "checkpoints/llama-rope-llama3",
        None,
        ("Llama-3.2-1B-Instruct.imatrix",),
        LLAMA_TEMPLATE,
        _LLAMA_CONTROL,
        has_begin=True,
        ends=("<|eot_id|>",),
        prompt=_LLAMA_PROMPT,
        quantizations=("IQ3_M", "Q4_0", "Q4_K_M", "Q6_K_L", "Q8_0", "f16"),
        stem="Llama-3.2-1B-Instruct-",
    ),
    Layout(
        "Qwen/Qwen2.5-0.5B-Instruct-GGUF",
        "Qwen/Qwen2.5-0.5B-Instruct-GGUF:q4_k_m",
        "checkpoints/qwen2-biases",
        None,
        ("LICENSE",),
        CHATML,
        _QWEN_CONTROL,
        ends=("<|im_end|>",),
        prompt=_CHATML_PROMPT,
        quantizations=("fp16", "q2_k", "q4_0", "q4_k_m", "q8_0"),
        stem="qwen2.5-0.5b-instruct-",
    ),
)


def write_layout(layout: Layout, folder: Path) -> Path:
    """Write a repository to a folder that is not there. Returns it."""
    source = DATA / layout.checkpoint
    if layout.checkpoint.startswith("embedders"):
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("expected.npz"))
        if layout.is_pickled:
            pickle_weights(folder)
    else:
        folder.mkdir(parents=True)
        _write_model(layout, folder, source)
    for name in (*_PAGE, *layout.files):
        if not (folder / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(b"{}" if name.endswith(".json") else b"not read\n")
    return folder


def _write_model(layout: Layout, folder: Path, source: Path) -> None:
    tokenizer = read_json(embedded_model() / "tokenizer.json")
    ids = _set_control(tokenizer, layout)
    size = max(*tokenizer["model"]["vocab"].values(), *ids.values()) + 1
    tensors = _widen(source, size)
    if layout.sees:
        config = qwen3_vl_config(read_json(source / "config.json"), ids, size)
        del tensors["lm_head.weight"]
        write_json(folder / "preprocessor_config.json", qwen3_vl_processor(source))
    else:
        config = _write_config(layout, source, tensors, ids)
    write_json(folder / "tokenizer.json", tokenizer)
    chat = {} if layout.template is None else {"chat_template": layout.template}
    if layout.sees:
        write_json(folder / "chat_template.json", chat)
    begin = {"bos_token": layout.control[0], "add_bos_token": True} if layout.has_begin else {}
    ends = {"eos_token": layout.ends[0], "tokenizer_class": "PreTrainedTokenizerFast"}
    write_json(folder / "tokenizer_config.json", {**chat, **begin, **ends})
    write_json(folder / "config.json", config)
    if layout.quantizations:
        _write_files(layout, folder, tensors)
        return
    write_json(folder / "generation_config.json", {"eos_token_id": [ids[end] for end in layout.ends]})
    if "vocab.json" in layout.files:
        write_json(folder / "vocab.json", tokenizer["model"]["vocab"])
        merges = (m if isinstance(m, str) else " ".join(m) for m in tokenizer["model"]["merges"])
        (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges) + "\n")
    _write_weights(layout.shards, folder, tensors)
    if layout.is_pickled:  # OPT, which has no tokenizer.json
        pickle_weights(folder, lambda name: name.removeprefix("model."))
        (folder / "tokenizer.json").unlink()
        fields = {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True, "bos_token": "</s>"}
        write_json(folder / "tokenizer_config.json", ends | fields)


def _set_control(tokenizer: dict[str, Any], layout: Layout) -> dict[str, int]:
    """Give a tokenizer the control tokens of a layout. Returns their ids."""
    old, vocabulary = tokenizer["added_tokens"], tokenizer["model"]["vocab"]
    for token in old:
        vocabulary.pop(token["content"], None)
    free = [token["id"] for token in old] + [max(vocabulary.values()) + 1 + i for i in range(10)]
    ids = dict(zip(layout.control, free, strict=False))
    tokenizer["added_tokens"] = [{**old[0], "content": name, "id": i} for name, i in ids.items()]
    if layout.has_begin:
        name = layout.control[0]
        one = [{"SpecialToken": {"id": name, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
        pair = [*one, {"Sequence": {"id": "B", "type_id": 1}}]
        special = {name: {"id": name, "ids": [ids[name]], "tokens": [name]}}
        processor = {"type": "TemplateProcessing", "single": one, "pair": pair, "special_tokens": special}
        tokenizer["post_processor"] = processor
    return ids


def _widen(source: Path, size: int) -> dict[str, np.ndarray]:
    """The tensors of a checkpoint, with random embeddings for a larger vocabulary."""
    folder, random = SafetensorsFolder(source, rename=str), np.random.default_rng(0)
    tensors = {name: np.array(folder[name]) for name in folder.unread()}
    if source.name == "gpt2":  # published without prefix and head, and with causal masks
        del tensors["lm_head.weight"]
        tensors = {name.removeprefix("transformer."): array for name, array in tensors.items()}
        tensors |= {f"h.{i}.attn.bias": np.ones((1, 1, 128, 128), np.float32) for i in range(2)}
    for name, array in tensors.items():
        if name.endswith(("embed_tokens.weight", "lm_head.weight", "wte.weight")):
            tensors[name] = random.normal(0, 0.3, (size, array.shape[1])).astype(np.float32)
    return tensors


def _write_config(
    layout: Layout, source: Path, tensors: dict[str, np.ndarray], ids: dict[str, int]
) -> dict[str, Any]:
    """config.json with the sizes of the checkpoint, and the other fields as published."""
    own = read_json(source / "config.json")
    rows = next(a for n, a in tensors.items() if n.endswith(("embed_tokens.weight", "wte.weight")))
    known = {"vocab_size": len(rows), "eos_token_id": ids[layout.ends[0]]}
    if layout.fields_of is None:
        return own | known | layout.fields
    other = published(layout.fields_of)
    sizes = {name: own[name] for name in own if name in other and isinstance(own[name], int | list)}
    for name in ("head_dim", "hidden_size", "intermediate_size", "num_hidden_layers", "layer_types"):
        if name in own:
            sizes[name] = own[name]
    rope = {name: value for name, value in (("rope_parameters", own.get("rope_parameters")),) if value}
    if other.get("rope_scaling"):
        factors = 4 if own.get("head_dim") is None else own["head_dim"] // 2
        scaling = {k: v[:factors] if isinstance(v, list) else v for k, v in other["rope_scaling"].items()}
        other, rope = other | {"rope_scaling": scaling}, {}
    return other | sizes | rope | known | layout.fields


def _write_weights(shards: int, folder: Path, tensors: dict[str, np.ndarray]) -> None:
    names = [f"model-{i + 1:05}-of-{shards:05}.safetensors" for i in range(shards)]
    if shards == 1:
        names = ["model.safetensors"]
    places = {name: names[i * shards // len(tensors)] for i, name in enumerate(sorted(tensors))}
    for file in names:
        write_safetensors(folder / file, {name: tensors[name] for name, at in places.items() if at == file})
    if shards > 1:
        index = {"metadata": {"total_size": 0}, "weight_map": places}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def _write_files(layout: Layout, folder: Path, tensors: dict[str, np.ndarray]) -> None:
    """One .gguf file for each quantization, and nothing else of the folder that it is made of."""
    made = folder / Path(layout.checkpoint).name
    made.mkdir()
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.move(folder / name, made / name)
    write_safetensors(made / "model.safetensors", tensors)
    metadata = tokenizer_metadata(made)
    for quantization in layout.quantizations:
        write_model(made, folder / f"{layout.stem}{quantization}.gguf", metadata, quantize=True)
    shutil.rmtree(made)
