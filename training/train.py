"""Training: batches of generated text, a small Llama, Muon for its matrices, a learning rate that falls."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer
from torch.nn.functional import cross_entropy
from tqdm import tqdm
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from training import drills
from training.dialogues import dialogues, stories
from training.muon import Muon
from training.tokenizer import END, END_OF_TEXT, Sample, encode_dialogue

CONTEXT = 1024
IGNORED = -100
LAYERS = 6
CHUNK = 1536  # dialogues, generated with drills, sorted by length and cut into batches at a time
# A head is wide enough for keys to tell thousands of tokens apart, as copying must.
WIDTHS = {"hidden_size": 256, "intermediate_size": 704, "head_dim": 48}
HEADS = {"num_attention_heads": 8, "num_key_value_heads": 2}
SAVE_EVERY = 100  # steps
STRETCH = 128  # queries
# How many of each drill there are to a dialogue.
DRILLS = {drills.questions: 12, drills.facts: 3, drills.tales: 1 / 4, drills.copying: 1 / 3}
DRILLS |= {drills.sums: 1 / 6, drills.spellings: 1 / 12}
FIRST = 8  # tokens of an answer, about as many as the shortest have, weigh nearly the same


@dataclass(frozen=True)
class Recipe:
    """What may differ between trainings; with the text and the start, the model depends on nothing else."""

    steps: int = 13000
    drills: int = 8  # chunks of copying before anything else
    batch_tokens: int = 4096
    learning_rate: float = 3e-3
    warmup: int = 60
    weight_decay: float = 0.05
    vocabulary: int = 3072
    seed: int = 1
    kept: float = 0.0  # how much of the model to start from is in the result


# For a model that is trained already: it can copy, and shall not forget in the first steps what it knows.
FURTHER = Recipe(steps=3600, drills=0, learning_rate=1.2e-3, warmup=100, seed=13, kept=0.3)


@dataclass
class Progress:
    """How far a training is: all that a checkpoint holds beside the weights."""

    step: int = 0
    chunk: int = 0  # of the text, and how many of its batches are behind
    batch: int = 0
    losses: list[float] = field(default_factory=list)


Batch = tuple[torch.Tensor, torch.Tensor]


def attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None,
    scaling: float,
    **_: object,
) -> tuple[torch.Tensor, None]:
    """Causal attention, a stretch of queries at a time; on a processor twice as fast as PyTorch's own.

    query [batch, heads, length, width], key and value [batch, groups, length, width]; returns [batch, length,
    heads, width]. Padding is at the end, where nothing is learnt, so `mask` is not needed.
    """
    batch, heads, length, width = query.shape
    rows = heads // key.shape[1]  # of each group
    query = (query * scaling).reshape(-1, rows, length, width)
    key, value = key.reshape(-1, length, width).transpose(1, 2), value.reshape(-1, length, width)
    results = []
    for begin in range(0, length, STRETCH):
        end = min(begin + STRETCH, length)
        own = query[:, :, begin:end].reshape(-1, rows * (end - begin), width)
        scores = torch.matmul(own, key[:, :, :end]).view(-1, rows, end - begin, end)
        later = torch.full_like(scores[0, 0], -torch.inf).triu(begin + 1)
        shares = torch.softmax(scores + later, -1).view(-1, rows * (end - begin), end)
        results.append(torch.matmul(shares, value[:, :end]).view(-1, rows, end - begin, width))
    return torch.cat(results, 2).view(batch, heads, length, width).transpose(1, 2).contiguous(), None


ALL_ATTENTION_FUNCTIONS.register("stretches", attention)


def build_model(vocabulary: int, end_ids: list[int], pad_id: int) -> LlamaForCausalLM:
    """An untrained Llama of five and a half million parameters."""
    ends = {"bos_token_id": None, "eos_token_id": end_ids, "pad_token_id": pad_id}
    sizes = {**WIDTHS, **HEADS, "num_hidden_layers": LAYERS, "max_position_embeddings": CONTEXT}
    form = {"vocab_size": vocabulary, "rms_norm_eps": 1e-5, "tie_word_embeddings": True}
    return LlamaForCausalLM(LlamaConfig(**form, **sizes, **ends))


def load_model(folder: Path) -> LlamaForCausalLM:
    """A model trained before, in float32; one of fewer layers than are built now gets more.

    A new layer is a copy of the one in the middle that adds nothing to the stream as yet, so the model says
    what it said before (block expansion of LLaMA Pro: Wu et al., 2024, arXiv:2401.02415).
    """
    model = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)
    layers = model.model.layers
    while len(layers) < LAYERS:
        middle = len(layers) // 2
        layer = deepcopy(layers[middle])
        torch.nn.init.zeros_(layer.self_attn.o_proj.weight)
        torch.nn.init.zeros_(layer.mlp.down_proj.weight)
        layers.insert(middle + 1, layer)
    for index, layer in enumerate(layers):
        layer.self_attn.layer_idx = index
    model.config.num_hidden_layers = len(layers)
    return model


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


def samples(tokenizer: Tokenizer, seed: int, drills_only: bool) -> Iterator[Sample]:
    """A chunk of text: dialogues for a third of it, drills and some plain stories; or drills in copying."""
    if drills_only:
        yield from drills.copying(tokenizer, seed, 2 * CHUNK)
        return
    for messages in dialogues(seed, CHUNK):
        yield encode_dialogue(tokenizer, messages)
    yield from drills.plain(tokenizer, stories(seed, CHUNK // 32))
    for drill, share in DRILLS.items():
        yield from drill(tokenizer, seed, int(CHUNK * share))


def batches(tokenizer: Tokenizer, recipe: Recipe, progress: Progress) -> Iterator[Batch]:
    """Batches from where `progress` stands, which it keeps up to date; without end.

    Each has about `batch_tokens`, of samples of like length, so that little of them is padding.
    """
    pad = tokenizer.token_to_id(END_OF_TEXT)
    while True:
        rng = Random(recipe.seed * 1_000_003 + progress.chunk)
        chunk = list(samples(tokenizer, rng.getrandbits(32), progress.chunk < recipe.drills))
        chunk = sorted((s for s in chunk if len(s[0]) <= CONTEXT), key=lambda sample: len(sample[0]))
        groups: list[list[Sample]] = [[]]
        for sample in chunk:
            if len(sample[0]) * (len(groups[-1]) + 1) > recipe.batch_tokens:
                groups.append([])
            groups[-1].append(sample)
        rng.shuffle(groups)
        for group in groups[progress.batch :]:
            progress.batch += 1
            yield to_tensors(group, pad)
        progress.chunk, progress.batch = progress.chunk + 1, 0


def to_tensors(group: list[Sample], pad: int) -> Batch:
    """Inputs and targets int64 [samples, length]; what is not to be learnt is IGNORED."""
    length = max(len(tokens) for tokens, _ in group)
    inputs = [tokens + [pad] * (length - len(tokens)) for tokens, _ in group]
    targets = []
    for tokens, produced in group:
        wanted = [token if own else IGNORED for token, own in zip(tokens, produced, strict=True)]
        targets.append(wanted[1:] + [IGNORED] * (length - len(tokens) + 1))
    return torch.tensor(inputs), torch.tensor(targets)


def loss_of(model: LlamaForCausalLM, batch: Batch) -> torch.Tensor:
    """Weighted mean cross entropy of the tokens to produce; only their logits are computed.

    Later tokens of an answer weigh less: most of a story cannot be foretold, and by its length it would drown
    the few tokens of a name remembered. What weighs is the place in the answer, not the answer's length,
    which would make short answers likelier than they are.
    """
    inputs, targets = (part.to(model.device) for part in batch)
    hidden = model.model(input_ids=inputs, use_cache=False).last_hidden_state
    wanted = targets != IGNORED
    # How many wanted tokens there are up to here in the row, less those before this answer.
    count = wanted.cumsum(1)
    place = count - torch.where(wanted, 0, count).cummax(1).values
    weights = (place[wanted] + FIRST).rsqrt()
    losses = cross_entropy(model.lm_head(hidden[wanted]).float(), targets[wanted], reduction="none")
    return (losses * weights).sum() / weights.sum()


def learning_rate(step: int, recipe: Recipe) -> float:
    """A linear warm-up, then a straight line down to nothing (Bergsma et al., 2025, arXiv:2502.15938)."""
    if step < recipe.warmup:
        return recipe.learning_rate * (step + 1) / recipe.warmup
    return recipe.learning_rate * (recipe.steps - step) / max(1, recipe.steps - recipe.warmup)


def train(
    tokenizer: Tokenizer, recipe: Recipe, checkpoint: Path, start: Path | None = None
) -> tuple[LlamaForCausalLM, list[float]]:
    """Train a model, from nothing or from the one in `start`; returns it with the loss of each step.

    Writes a checkpoint now and then, and goes on from one where it exists: interrupted and resumed, the
    training sees the same text as in one go. ValueError: the checkpoint is of another training.
    """
    torch.manual_seed(recipe.seed)
    begun = {**asdict(recipe), "start": str(start)}
    if start:
        model = load_model(start)
    else:
        end_ids = [tokenizer.token_to_id(END), tokenizer.token_to_id(END_OF_TEXT)]
        model = build_model(tokenizer.get_vocab_size(), end_ids, end_ids[1])
        look_back(model)
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    if model.device.type == "cpu":
        model.set_attn_implementation("stretches")
    optimizers = build_optimizers(model, recipe)
    progress, partial = Progress(), checkpoint.with_suffix(".partial")
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True, map_location=model.device)
        if state.get("begun") != begun:
            was = state.get("begun")
            raise ValueError(f"{checkpoint} was begun as {was}; choose another folder, or remove it.")
        model.load_state_dict(state["model"])
        for optimizer, saved in zip(optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        progress = Progress(**state["progress"])

    remaining = islice(batches(tokenizer, recipe, progress), recipe.steps - progress.step)
    bar = tqdm(remaining, "training", recipe.steps, initial=progress.step)
    for batch in bar:
        with torch.autocast(model.device.type, torch.bfloat16, enabled=multiplies_bfloat16(model.device)):
            loss = loss_of(model, batch)
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(progress.step, recipe)
            optimizer.step()
        progress.step += 1
        progress.losses.append(loss.item())
        bar.set_postfix(loss=f"{sum(progress.losses[-20:]) / len(progress.losses[-20:]):.3f}")
        if progress.step % SAVE_EVERY == 0:
            states = [optimizer.state_dict() for optimizer in optimizers]
            state = {"begun": begun, "model": model.state_dict(), "optimizers": states}
            # Whole or not at all.
            torch.save({**state, "progress": vars(progress)}, partial)
            partial.replace(checkpoint)
    model.to("cpu")
    if start:
        mix(model, load_model(start), recipe.kept)
    return model, progress.losses


def mix(model: LlamaForCausalLM, other: LlamaForCausalLM, share: float) -> None:
    """Move a model by a share of the way to another that it began as, or that began as the same.

    Of the two together more is right than of either: less is forgotten, and little of what is new gets lost
    (Wortsman et al., 2022, arXiv:2109.01903 and arXiv:2203.05482).
    """
    with torch.no_grad():
        for one, two in zip(model.parameters(), other.parameters(), strict=True):
            one.lerp_(two, share)


def multiplies_bfloat16(device: torch.device) -> bool:
    """Whether bfloat16 halves the time; a processor that has to imitate it takes many times longer."""
    found = torch.cpu.get_capabilities()
    return device.type != "cpu" or found.get("avx512_bf16", False) or found.get("amx_bf16", False)


def build_optimizers(model: LlamaForCausalLM, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Muon for the matrices inside the layers, AdamW for embeddings and norms."""
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and "embed" not in name]
    others = [p for name, p in model.named_parameters() if p.ndim < 2 or "embed" in name]
    dtype = torch.bfloat16 if multiplies_bfloat16(model.device) else torch.float32
    muon = Muon(matrices, recipe.learning_rate, recipe.weight_decay, dtype)
    return [muon, torch.optim.AdamW(others, betas=(0.9, 0.95), weight_decay=0.0, fused=True)]
