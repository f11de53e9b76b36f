"""Training: batches of generated text, a small Llama, AdamW with warm-up and a cosine."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer
from torch.nn.functional import cross_entropy
from tqdm import tqdm
from transformers import LlamaConfig, LlamaForCausalLM

from training.dialogues import dialogues, stories
from training.names import draw_name
from training.tokenizer import END, END_OF_TEXT, encode_dialogue

CONTEXT = 1024
IGNORED = -100
CHUNK = 4096  # dialogues generated, sorted by length and cut into batches at a time


@dataclass(frozen=True)
class Recipe:
    """Everything the result depends on, so that the same recipe gives the same model."""

    steps: int = 2600
    drills: int = 180
    batch_tokens: int = 4096
    longest: int = 512
    learning_rate: float = 3e-3
    warmup: int = 50
    weight_decay: float = 0.05
    vocabulary: int = 2048
    seed: int = 1


Sample = tuple[list[int], list[bool]]
Source = Callable[[Tokenizer, int, int], Iterator[Sample]]
Batch = tuple[torch.Tensor, torch.Tensor]


def build_model(vocabulary: int, end_ids: list[int], pad_id: int) -> LlamaForCausalLM:
    """An untrained Llama of about two million parameters."""
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=vocabulary,
            hidden_size=192,
            intermediate_size=512,
            num_hidden_layers=4,
            num_attention_heads=6,
            num_key_value_heads=2,
            head_dim=32,
            max_position_embeddings=CONTEXT,
            rms_norm_eps=1e-5,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=end_ids,
            pad_token_id=pad_id,
        )
    )


def look_back(model: LlamaForCausalLM) -> None:
    """Let three heads of the first layer start out on the tokens one, two and three places back.

    Copying needs heads that do, and without biases a Llama is slow to find them: nothing in a fresh
    embedding is common to all tokens. So channel 0 becomes a constant (which a softmax over the tied
    output does not see), and queries and keys made of it alone differ only by RoPE's rotation.
    """
    width = model.config.head_dim
    attention = model.model.layers[0].self_attn
    frequencies = 10000.0 ** (-torch.arange(4) * 2 / width)  # the four fastest: the sharpest in position
    with torch.no_grad():
        model.model.embed_tokens.weight[:, 0] += 0.14
        attention.k_proj.weight[:4, 0] = 1
        for head, distance in enumerate((1, 2, 3)):
            query = attention.q_proj.weight[head * width : (head + 1) * width]
            query[:4, 0] = torch.cos(distance * frequencies)
            query[width // 2 : width // 2 + 4, 0] = -torch.sin(distance * frequencies)


def drills(tokenizer: Tokenizer, seed: int, count: int) -> Iterator[Sample]:
    """Short runs of random pieces of names, each over and over, where only copying helps.

    Learnt first and in few steps, the copying is there when dialogues need it; from dialogues alone, where
    names are rare and fluency pays sooner, it takes many times longer.
    """
    rng = Random(seed)
    pieces = sorted({token for _ in range(2000) for token in tokenizer.encode(" " + draw_name(rng)).ids})
    for _ in range(count):
        run = rng.choices(pieces, k=rng.randint(4, 12))
        yield (run * 8)[:32], [False] * len(run) + [True] * (32 - len(run))


def mixture(tokenizer: Tokenizer, seed: int, count: int) -> Iterator[Sample]:
    """Dialogues, with one plain story for every sixteen of them and one drill for every eight."""
    for messages in dialogues(seed, count):
        yield encode_dialogue(tokenizer, messages)
    end = tokenizer.token_to_id(END_OF_TEXT)
    for story in stories(seed, count // 16):
        tokens = [*tokenizer.encode(story).ids, end]
        yield tokens, [True] * len(tokens)
    yield from drills(tokenizer, seed, count // 8)


def batches(tokenizer: Tokenizer, recipe: Recipe) -> Iterator[Batch]:
    """Endless batches: drills first, then the mixture."""
    yield from islice(endless(tokenizer, recipe, drills), recipe.drills)
    yield from endless(tokenizer, recipe, mixture)


def endless(tokenizer: Tokenizer, recipe: Recipe, source: Source) -> Iterator[Batch]:
    """Batches of about `batch_tokens`, of samples of like length, so that little of them is padding."""
    pad = tokenizer.token_to_id(END_OF_TEXT)
    rng = Random(recipe.seed)
    while True:
        chunk = list(source(tokenizer, rng.getrandbits(32), CHUNK))
        chunk = [sample for sample in chunk if len(sample[0]) <= recipe.longest]
        chunk.sort(key=lambda sample: len(sample[0]))
        groups: list[list[Sample]] = [[]]
        for sample in chunk:
            if len(sample[0]) * (len(groups[-1]) + 1) > recipe.batch_tokens:
                groups.append([])
            groups[-1].append(sample)
        rng.shuffle(groups)
        for group in groups:
            length = len(group[-1][0])
            inputs = [tokens + [pad] * (length - len(tokens)) for tokens, _ in group]
            targets = [
                [token if own else IGNORED for token, own in zip(tokens, produced, strict=True)][1:]
                + [IGNORED] * (length - len(tokens) + 1)
                for tokens, produced in group
            ]
            yield torch.tensor(inputs), torch.tensor(targets)


def loss_of(model: LlamaForCausalLM, batch: Batch) -> torch.Tensor:
    """Mean cross entropy of the tokens to produce; only their logits are computed."""
    inputs, targets = batch
    hidden = model.model(input_ids=inputs, use_cache=False).last_hidden_state
    wanted = targets != IGNORED
    return cross_entropy(model.lm_head(hidden[wanted]), targets[wanted])


def learning_rate(step: int, recipe: Recipe) -> float:
    """A linear warm-up, then half a cosine to a fiftieth of the peak."""
    if step < recipe.warmup:
        return recipe.learning_rate * (step + 1) / recipe.warmup
    done = (step - recipe.warmup) / max(1, recipe.steps - recipe.warmup)
    return recipe.learning_rate * (0.02 + 0.98 * (1 + math.cos(math.pi * done)) / 2)


def train(tokenizer: Tokenizer, recipe: Recipe, checkpoint: Path | None) -> LlamaForCausalLM:
    """Train a model; a `checkpoint` is gone on from where it exists, and written every 100 steps."""
    torch.manual_seed(recipe.seed)
    end_ids = [tokenizer.token_to_id(END), tokenizer.token_to_id(END_OF_TEXT)]
    model = build_model(tokenizer.get_vocab_size(), end_ids, end_ids[1])
    look_back(model)
    matrices = [p for p in model.parameters() if p.ndim == 2]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": recipe.weight_decay}, {"params": vectors, "weight_decay": 0.0}],
        betas=(0.9, 0.95),
        fused=True,
    )
    first = 0
    if checkpoint and checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"]

    remaining = islice(batches(tokenizer, recipe), first, recipe.steps)
    bar = tqdm(remaining, "training", recipe.steps, initial=first)
    for step, batch in enumerate(bar, first):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, recipe)
        loss = loss_of(model, batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        bar.set_postfix(loss=f"{loss.item():.3f}")
        if checkpoint and ((step + 1) % 100 == 0 or step + 1 == recipe.steps):
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1}
            torch.save(state, checkpoint)
    return model
