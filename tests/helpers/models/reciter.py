"""A checkpoint that recites: a real model with tokenizer and template, whose answers a test knows.

Each token of a recital has an embedding of its own, one layer adds nothing, and the head gives the next token
of the recital the largest logit. So tests see a model that reasons and calls tools, without training one. The
chat template chooses the recital.
"""

import itertools
import json
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from model_core.files.safetensors import write_safetensors
from model_core.hub import embedded_model

GREETING, REASONING = "Good day!", "The person *greets* me."
DOUBT, CONCLUSION = "Is it or not or", "Enough said!"
STORY_REASONING, STORY = "A story about a fox.", "Once upon a time there was a fox"
ARGUMENTS, REPORT = '{"city": "Paris"}', "It rains in Paris."
_REPORT = ("It rains", " in", " Paris.")
_CALL = f'\n{{"name": "get_weather", "arguments": {ARGUMENTS}}}\n'


def _cut(call: str) -> list[str]:
    return [call[:8], call[8:-8], call[-8:]]


# After the first token, which ends the prompt. A token stands in one place of one recital, or at its end
# again: then the recital goes round from there, until it is stopped.
_RECITALS = [
    ["<|hello|>", "Hello", " from", " the reciter", "."],
    ["<|thought|>", "<think>", REASONING[:10], REASONING[10:], "</think>", "\n\nGood", " day", "!"],
    ["<|story|>", "<think>\n", STORY_REASONING[:7], STORY_REASONING[7:], "</think>\n", STORY, " and", " and"],
    ["<|doubt|>", "<think>\n\n", "Is it", " or", " not", " or"],
    ["<|call|>", "<tool_call>", *_cut(_CALL), "</tool_call>"],
    ["</think>\n\n", "Enough", " said!"],  # after the end that a budget puts to reasoning
    ["<|report|>", *_REPORT],
]
_TEMPLATE = """
{%- if tools %}{{ '<|im_start|>system\\n' ~ tools | tojson ~ '<|im_end|>\\n' }}{% endif %}
{%- for message in messages %}
    {{- '<|im_start|>' ~ message.role ~ '\\n' }}
    {%- if message.reasoning_content %}{{ '<think>' ~ message.reasoning_content ~ '</think>' }}{% endif %}
    {{- message.content }}
    {%- for call in message.tool_calls or [] %}
        {{- '<tool_call>' ~ call.function | tojson ~ '</tool_call>' }}
    {%- endfor %}
    {{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- set question = messages[-1].content %}
    {%- if messages[-1].role == 'tool' and not (tools and question == 'again') %}<|report|>
    {%- elif tools %}<|call|>
    {%- elif enable_thinking is defined and not enable_thinking %}<|hello|>
    {%- elif 'story' in question %}<|story|>
    {%- elif 'sure' in question %}<|doubt|>
    {%- else %}<|thought|>
    {%- endif %}
{%- endif %}"""
_WIDTH = 64
_LOGIT = 10.0


def write_reciter(
    folder: Path, context: int = 50_000, call: str = _CALL, report: tuple[str, ...] = _REPORT
) -> Path:
    """Write the checkpoint to a new folder. `context`: tokens of prompt and answer.

    `call`: what it calls instead of `get_weather`; `report`: the tokens that it reports.

    A question about a story has an endless answer. One that asks whether something is sure has endless
    reasoning, unless a budget ends it. With tools, the model calls `get_weather`, and reports its result;
    if the result is "again", it calls again.
    """
    folder.mkdir()
    own = {"<|call|>": ["<|call|>", "<tool_call>", *_cut(call), "</tool_call>"]}
    own["<|report|>"] = ["<|report|>", *report]
    recitals = [own.get(recital[0], recital) for recital in _RECITALS]
    tokenizer = Tokenizer.from_file(str(embedded_model() / "tokenizer.json"))
    tokens = list(dict.fromkeys(itertools.chain.from_iterable(recitals)))
    tokenizer.add_special_tokens([token for token in tokens if token.startswith("<|")])
    tokenizer.add_tokens(tokens)
    tokenizer.save(str(folder / "tokenizer.json"))
    ids, vocabulary = tokenizer.get_vocab(), tokenizer.get_vocab_size()
    settings = {"chat_template": _TEMPLATE, "eos_token": "<|im_end|>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    successors: dict[str, str] = {}
    for recital in recitals:
        for token, successor in itertools.pairwise([*recital, "<|im_end|>"]):
            successors.setdefault(token, successor)
    embeddings, head = np.zeros((2, vocabulary, _WIDTH), np.float32)
    for position, (token, successor) in enumerate(successors.items()):
        embeddings[ids[token], position] = 1
        head[ids[successor], position] = _LOGIT
    config = {
        "model_type": "llama",
        "vocab_size": vocabulary,
        "hidden_size": _WIDTH,
        "intermediate_size": _WIDTH,
        "num_hidden_layers": 1,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "max_position_embeddings": context,
        "rms_norm_eps": 1e-5,
        "tie_word_embeddings": False,
        "eos_token_id": ids["<|im_end|>"],
    }
    (folder / "config.json").write_text(json.dumps(config))
    layer, square = "model.layers.0", np.zeros((_WIDTH, _WIDTH), np.float32)
    names = [f"self_attn.{name}_proj" for name in "qkvo"] + [
        f"mlp.{name}_proj" for name in ("gate", "up", "down")
    ]
    norms = ["model.norm", f"{layer}.input_layernorm", f"{layer}.post_attention_layernorm"]
    write_safetensors(
        folder / "model.safetensors",
        {
            "model.embed_tokens.weight": embeddings,
            "lm_head.weight": head,
            **{f"{layer}.{name}.weight": square for name in names},
            **{f"{norm}.weight": np.ones(_WIDTH, np.float32) for norm in norms},
        },
    )
    return folder
