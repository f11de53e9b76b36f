"""Train an EAGLE-3 head for a model, on answers of that model itself (arXiv:2503.01840).

    PYTHONPATH=.:benchmarks python benchmarks/making/eagle3_head.py MODEL FOLDER --torch INTERPRETER

This project writes the answers, and computes the hidden states that the head reads. The interpreter has
torch, and trains the head there (eagle3_training.py). FOLDER gets config.json and model.safetensors, in the
layout of the head's authors.
"""

import argparse
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from model_core import LLM, SamplingParams
from model_core.chat.model import ChatOptions
from model_core.families.config import ModelConfig, write_json
from model_core.files.model_files import open_model_files
from model_core.files.safetensors import write_safetensors
from model_core.model.batch import BatchBuilder
from model_core.model.loader import load_model

THINGS = (
    *("rain", "bread", "the moon", "a bicycle", "glass", "a library", "salt", "a bridge", "bees", "clocks"),
    *("a river", "chess", "paper", "volcanoes", "tea", "a lighthouse", "music", "snow", "maps", "gardens"),
    *("whales", "money", "a train", "dreams", "stars", "wool", "a market", "mountains", "honey", "windows"),
    *("an island", "letters", "iron", "cats", "a harbour", "soap", "forests", "kites", "ovens", "coins"),
)
HELD_OUT = ("a castle", "coffee", "owls", "a desert", "pencils", "the sea", "a violin", "apples")
ASKS = (
    "Tell me about {}.",
    "Write a short story about {}.",
    "Why do people like {}?",
    "Give me five facts about {}.",
    "Explain {} to a child.",
    "Write a letter to a friend about {}.",
)
LENGTH = 256  # tokens of an answer
NORMS = ("hidden_norm", "input_layernorm", "post_attention_layernorm")
DRAFTED = 8192  # tokens that the head can draft: those that answers have most often


def write_prompts(llm: LLM, things: tuple[str, ...]) -> list[list[int]]:
    """Questions about things, as tokens."""
    asks = [ask.format(thing) for thing in things for ask in ASKS]
    messages = [[{"role": "user", "content": ask}] for ask in asks]
    filled = SamplingParams().with_defaults(llm.defaults)
    return [llm.prepare_chat(each, ChatOptions(), filled).prompt.token_ids for each in messages]


def make_head(config: ModelConfig, drafted: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The tensors and the fields of config.json of a head with random weights."""
    size, random = config.hidden_size, np.random.default_rng(0)
    queries, keys = config.heads * config.head_dim, config.kv_heads * config.head_dim
    shapes = {
        "fc": (size, 3 * size),
        "midlayer.self_attn.q_proj": (queries, 2 * size),
        "midlayer.self_attn.k_proj": (keys, 2 * size),
        "midlayer.self_attn.v_proj": (keys, 2 * size),
        "midlayer.self_attn.o_proj": (size, queries),
        "midlayer.mlp.gate_proj": (config.intermediate_size, size),
        "midlayer.mlp.up_proj": (config.intermediate_size, size),
        "midlayer.mlp.down_proj": (size, config.intermediate_size),
        "lm_head": (len(drafted), size),
    }
    tensors = {
        f"{name}.weight": 0.02 * random.standard_normal(shape, np.float32) for name, shape in shapes.items()
    }
    norms = ("norm", *(f"midlayer.{name}" for name in NORMS))
    tensors |= {f"{name}.weight": np.ones(size, np.float32) for name in norms}
    rope = config.ropes[0]
    assert rope is not None
    return tensors | {"d2t": drafted - np.arange(len(drafted))}, {
        "architectures": ["LlamaForCausalLMEagle3"],
        "model_type": "llama",
        "vocab_size": config.vocab_size,
        "draft_vocab_size": len(drafted),
        "hidden_size": size,
        "intermediate_size": config.intermediate_size,
        "num_hidden_layers": 1,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": config.head_dim,
        "rms_norm_eps": config.norm_eps,
        "rope_theta": rope.theta,
        "max_position_embeddings": config.max_context,
    }


def write_data(model: Path, head: Path, data: Path) -> None:
    """Write a head of random weights, and what it is trained with: texts, their hidden states, embeddings."""
    with LLM(model) as llm:
        prompts, config = write_prompts(llm, THINGS), llm.model.config
        params = [SamplingParams(max_tokens=LENGTH, temperature=0.7, seed=n) for n in range(len(prompts))]
        answers = [completion.token_ids for completion in llm.generate(prompts, params)]
    counts = Counter(token for answer in answers for token in answer)
    drafted = np.sort([token for token, _ in counts.most_common(DRAFTED)])
    tensors, fields = make_head(config, drafted)
    write_safetensors(head / "model.safetensors", tensors)
    write_json(head / "config.json", fields)
    loaded = load_model(open_model_files(model), draft_head=open_model_files(head))
    embedding = loaded.embed(np.arange(config.vocab_size))
    arrays: dict[str, np.ndarray] = {"embedding": embedding, "drafted": drafted}
    for number, (prompt, answer) in enumerate(zip(prompts, answers, strict=True)):
        tokens = [*prompt, *answer]
        cache, tables = loaded.create_cache(1, len(tokens), "float16")
        builder = BatchBuilder()
        builder.add(tokens, 0, range(0))
        _, features = loaded.forward_for_drafts(builder.build(tables), cache)
        arrays |= {f"tokens{number}": np.array(tokens), f"features{number}": features.astype(np.float16)}
        arrays[f"start{number}"] = np.array(len(prompt))
    np.savez(data, **arrays)


def main() -> None:
    """Make it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--torch", required=True, help="an interpreter that has torch and safetensors")
    parser.add_argument("--minutes", type=float, default=10, help="of training")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        data = Path(temporary) / "data.npz"
        write_data(options.model, options.folder, data)
        program = Path(__file__).with_name("eagle3_training.py")
        arguments = [str(data), str(options.folder), str(options.minutes)]
        subprocess.run([options.torch, str(program), *arguments], check=True)


if __name__ == "__main__":
    main()
