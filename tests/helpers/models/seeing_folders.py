"""Folders of tiny models that see, with a tokenizer and a chat template. No code of the project is needed."""

import json
import shutil
from pathlib import Path

import tokenizers
from paths import ROOT

SEEING = ROOT / "tests" / "data" / "vision"
# Contents of messages of a user to embed: texts, and None for an image.
CONVERSATIONS: tuple[tuple[str | None, ...], ...] = (
    (None, "what is it"),
    ("find", None, "or", None),
    ("only words",),
    (None,),
)
SYSTEM = "represent the input."  # what an embedder is told, if a request says nothing else

# A template as Qwen's, in short.
_TEMPLATE = """{% for m in messages %}<|im_start|>{{ m.role }}
{% if m.content is string %}{{ m.content }}{% else %}{% for part in m.content %}{% if part.type == 'image' %}\
<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part.text }}{% endif %}{% endfor %}{% endif %}
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
_SPECIAL = ("<|image_pad|>", "<|vision_start|>", "<|vision_end|>", "<|im_start|>")  # ids 60 to 63


def add_chat(name: str, folder: Path) -> Path:
    """A copy of a model of tests/data/vision in `folder`, with a tokenizer of letters and a chat template."""
    target = Path(shutil.copytree(SEEING / name, folder / name))
    letters = [chr(i) for i in range(ord("a"), ord("z") + 1)] + [*"\n .,?!<>|_-:0123456789/()[]{}'\"+="]
    letters = letters[:60] + [f"unused{i}" for i in range(60 - len(letters))]
    vocabulary = {letter: i for i, letter in enumerate(letters)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="."))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split("", "isolated")
    tokenizer.decoder = tokenizers.decoders.Fuse()
    tokenizer.add_special_tokens([tokenizers.AddedToken(token, normalized=False) for token in _SPECIAL])
    tokenizer.save(str(target / "tokenizer.json"))
    (target / "tokenizer_config.json").write_text("{}")
    (target / "chat_template.jinja").write_text(_TEMPLATE)
    return target


def add_embedder(folder: Path) -> Path:
    """A copy of qwen3-vl of tests/data/vision with what sentence-transformers reads of an embedder that sees.

    It is as Qwen3-VL-Embedding's: the last token of a conversation that ends where an answer begins, with a
    token that the tokenizer adds behind.
    """
    target = add_chat("qwen3-vl", folder)
    path = target / "tokenizer.json"
    tokenizer = json.loads(path.read_text())
    end = {"id": "<|im_start|>", "ids": [63], "tokens": ["<|im_start|>"]}
    tokenizer["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [
            {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": end["id"], "type_id": 0}},
        ],
        "pair": [
            {"Sequence": {"id": "A", "type_id": 0}},
            {"Sequence": {"id": "B", "type_id": 1}},
            {"SpecialToken": {"id": end["id"], "type_id": 1}},
        ],
        "special_tokens": {end["id"]: end},
    }
    path.write_text(json.dumps(tokenizer))
    kinds = {
        name: {"method": "forward", "method_output_name": "last_hidden_state"} for name in ("text", "image")
    }
    files = {
        "modules.json": [
            {"idx": i, "name": str(i), "path": where, "type": f"sentence_transformers.{kind}"}
            for i, (where, kind) in enumerate(
                [
                    ("", "base.modules.transformer.Transformer"),
                    ("1_Pooling", "sentence_transformer.modules.pooling.Pooling"),
                    ("2_Normalize", "base.modules.normalize.Normalize"),
                ]
            )
        ],
        "sentence_bert_config.json": {
            "transformer_task": "feature-extraction",
            "modality_config": {**kinds, "message": {**kinds["text"], "format": "structured"}},
            "module_output_name": "token_embeddings",
            "processing_kwargs": {"chat_template": {"add_generation_prompt": True}},
        },
        "config_sentence_transformers.json": {
            "prompts": {"own": SYSTEM, "query": "find it."},
            "default_prompt_name": "own",
        },
        "1_Pooling/config.json": {"embedding_dimension": 32, "pooling_mode": "lasttoken"},
    }
    for name, content in files.items():
        (target / name).parent.mkdir(exist_ok=True)
        (target / name).write_text(json.dumps(content, indent=2))
    return target
