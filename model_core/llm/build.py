"""Builds a model that is ready to answer, from its files to the threads of its engine."""

import logging
from collections.abc import Callable
from pathlib import Path

from ..cache.reserve import Limits, create_kv_cache, create_states
from ..chat.chat_tokenizer import ChatTokenizer
from ..chat.images import ImageReader
from ..checks.flags import choose_kv_cache_dtype
from ..embeddings.conversations import VisionInput
from ..embeddings.embedder import Embedder
from ..embeddings.settings import read_embedding_settings
from ..engine.drafter import Drafter
from ..engine.engine import Engine
from ..engine.head_drafts import HeadDrafts
from ..errors import InvalidRequest, ModelError, NotFinite
from ..families.eagle3 import is_eagle3
from ..families.vision.parts import VisionConfig
from ..files.model_files import ModelFiles, open_model_files
from ..files.vision import find_vision
from ..hub import embedded_model, fetch_model, model_name
from ..images.limits import ImageLimits
from ..kernels.compiler import show_compilation
from ..kernels.emit import TILES_CHOICE
from ..machine.memory import name_refused_memory
from ..machine.resources import available_memory, default_threads
from ..model.adapter_loading import load_adapter
from ..model.estimate import MemoryFlags, check_memory
from ..model.generation_defaults import read_generation_defaults
from ..model.loader import load_model
from ..model.transformer import Transformer
from ..model.whole_texts import TextInput, compute_texts
from ..prompts.prompts import Prompts
from ..requests.sampling import GenerationDefaults, SamplingParams
from ..sampling.batch_sampler import compile_sampling
from ..vision.encoder import ImageEncoder
from ..vision.loading import load_tower
from .answer_fingerprint import make_origin
from .draft_loading import DraftSettings, load_draft_model, open_draft_files
from .loaded import LoadedModel
from .settings import LLMSettings

LOGGER = logging.getLogger(__name__)


def build_model(
    path: str | Path | None, settings: LLMSettings, on_progress: Callable[[float], None] | None = None
) -> LoadedModel:
    """Load a model, and start its engine.

    `path`: a folder, a name on the hub, or None for the embedded model. `on_progress` is called with the part
    of the weights that is loaded, from 0 to 1. Raises ModelError if the folder or a file in it is wrong,
    NoMemory if the machine does not have the memory.
    """
    name = model_name(path)
    with name_refused_memory(name):
        files, needed_memory = _open_files(name, path, settings)
    with name_refused_memory(name, needed_memory):
        return _build(name, files, settings, on_progress)


def _build(
    name: str, files: ModelFiles, settings: LLMSettings, on_progress: Callable[[float], None] | None
) -> LoadedModel:
    vision = find_vision(files)
    origin = make_origin(files, settings, vision is not None)
    kv_cache_dtype = choose_kv_cache_dtype(settings.kv_cache_dtype, settings.arithmetic)
    small_files, head_files = None, None  # of what drafts: a small model, or a head
    if settings.draft_model is not None:
        flags = MemoryFlags(settings.weights, None, 0, kv_cache_dtype, mtp=False)
        small_files = open_draft_files(settings.draft_model, flags)
        if is_eagle3(small_files.config):
            small_files, head_files = None, small_files
    model = load_model(
        files,
        settings.weights,
        on_progress,
        settings.arithmetic,
        settings.portable,
        draft_head=head_files or settings.uses_mtp,
        max_context=settings.max_context,
        given_layers=0 if vision is None else vision.parts - 1,
    )
    model.set_threads(settings.threads or default_threads(model.weights.nbytes))
    LOGGER.info(
        "%s: %s weights, arithmetic %s, %d threads; tiles (AMX) %s",
        *(name, model.weights.types, model.arithmetic, model.threads, TILES_CHOICE),
    )
    own_limit = model.config.max_context
    max_context = find_max_context(settings, own_limit)
    if settings.max_context is not None and settings.max_context > own_limit:
        LOGGER.warning(
            "%s has a context of %d tokens; --max-context %d is lowered to it.",
            *(name, own_limit, settings.max_context),
        )
    chat_tokenizer = files.open_tokenizer(max_context, settings.chat_template)
    if chat_tokenizer is None and model.has_head:
        LOGGER.warning(
            "%s has no tokenizer (tokenizer.json, tekken.json, tokenizer.model, or vocab.json and "
            "merges.txt), so requests must send token ids.",
            files.path,
        )
    tokenizer = None if chat_tokenizer is None else chat_tokenizer.tokenizer
    defaults = read_defaults(files)
    embedding = read_embedding_settings(files, tokenizer, model.is_causal, model.hidden.width)
    if not model.has_head:  # then embeddings are all there is, and have a limit of their own
        max_context = min(max_context, embedding.max_tokens or max_context)
    limits = Limits(
        max_context=max_context,
        max_concurrency=settings.max_concurrency,
        max_queue=settings.max_queue,
        kv_cache_memory=settings.kv_cache_memory or available_memory() // 4,
        step_time_s=settings.step_time_s,
    )
    has_model = small_files is not None or model.draft_head is not None
    has_drafts = bool(settings.speculate) or has_model
    limits, states = create_states(model.tape.states, limits, has_drafts)
    draft_model = None
    if small_files is not None:
        draft = DraftSettings(
            model_name(settings.draft_model),
            small_files,
            settings.weights,
            settings.arithmetic,
            kv_cache_dtype,
        )
        draft_model, limits = load_draft_model(draft, model, tokenizer, limits)
    cache = create_kv_cache(model.kv_groups, limits.kv_cache_memory, kv_cache_dtype, states)
    for adapter, folder in (settings.adapters or {}).items():
        load_adapter(model, adapter, folder)
    try:
        _compile_kernels(model, limits)
    except NotFinite as error:
        raise ModelError(f"{files.path}: {error}") from error
    drafter = None
    if has_drafts:
        head = None if model.draft_head is None else HeadDrafts(model, cache)
        drafter = Drafter(settings.speculate, draft_model or head)
    encoder = None if vision is None else _make_encoder(files, vision, model, settings)
    ends = _end_tokens(defaults, chat_tokenizer)
    image_limits = ImageLimits(settings.max_image_pixels, settings.max_image_bytes)
    reader = None if vision is None else ImageReader(vision, image_limits, limits.max_context)
    vision_input = None if reader is None or encoder is None else VisionInput(reader, encoder)
    engine = Engine(model, tokenizer, ends, cache, limits, drafter, encoder)
    return LoadedModel(
        name=name,
        model=model,
        chat_tokenizer=chat_tokenizer,
        defaults=defaults,
        embedder=Embedder(
            model, chat_tokenizer, embedding, max_context, limits.kv_cache_memory, vision_input
        ),
        engine=engine,
        prompts=Prompts(engine, model, cache, tokenizer, defaults),
        draft_model=draft_model,
        kv_cache_dtype=kv_cache_dtype,
        file_format="gguf" if files.path.suffix == ".gguf" else "safetensors",
        takes_templates=settings.allow_request_templates,
        origin=origin,
        vision=reader,
    )


def _make_encoder(
    files: ModelFiles, vision: VisionConfig, model: Transformer, settings: LLMSettings
) -> ImageEncoder:
    """What encodes images, in turns with the model, with as many threads."""
    tower = load_tower(files, vision, settings.weights, settings.arithmetic, settings.portable)
    tower.share(model.turns, model.threads)
    return ImageEncoder(tower, settings.step_time_s)


def _open_files(name: str, path: str | Path | None, settings: LLMSettings) -> tuple[ModelFiles, int]:
    """The files of a model, which is downloaded if it must be, and how many bytes of memory it needs."""
    flags = MemoryFlags(
        settings.weights,
        settings.max_context,
        settings.kv_cache_memory,
        choose_kv_cache_dtype(settings.kv_cache_dtype, settings.arithmetic),
        settings.uses_mtp,
    )

    def find_needed_memory(files: ModelFiles) -> int:
        return check_memory(name, files, flags, available_memory()).total

    def check(files: ModelFiles) -> None:
        find_needed_memory(files)

    folder = fetch_model(embedded_model() if path is None else path, settings.revision, check)
    files = open_model_files(folder, settings.mmproj)
    return files, find_needed_memory(files)


def find_max_context(settings: LLMSettings, own_limit: int) -> int:
    """The positions that a request may have. own_limit: of the model."""
    return min(settings.max_context or own_limit, own_limit)


def read_defaults(files: ModelFiles) -> GenerationDefaults:
    """The defaults of sampling parameters. Raises ModelError if they are not possible."""
    defaults = read_generation_defaults(files)
    try:
        SamplingParams().with_defaults(defaults)
    except InvalidRequest as error:
        raise ModelError(
            f"{files.named('generation_config.json')} recommends what is not possible: {error}"
        ) from error
    return defaults


def _end_tokens(defaults: GenerationDefaults, chat_tokenizer: ChatTokenizer | None) -> frozenset[int]:
    """The tokens that end an answer."""
    own = None if chat_tokenizer is None else chat_tokenizer.tokenizer.eos_token_id
    return frozenset(defaults.eos_token_ids) | ({own} if own is not None else set())


def _compile_kernels(model: Transformer, limits: Limits) -> None:
    """Compute a step, so that no request waits for a compiler."""
    with show_compilation():
        step = model.forward if model.has_head else model.hidden_states
        list(compute_texts(model, [TextInput([0], range(1))], step, limits.kv_cache_memory))
        compile_sampling()
