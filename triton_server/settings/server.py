"""The settings of `tritonchat serve` and `up`. Each class is a section of their --help, or a part of one."""

from dataclasses import fields
from typing import Annotated, ClassVar

from pydantic import SecretStr

from model_core.checks.flags import ARITHMETIC, KV_CACHE_DTYPES, WEIGHTS
from model_core.images.limits import MAX_PIXELS
from model_core.llm.settings import LLMSettings

from .base import CommandSettings, FileSettings, Settings, setting
from .values import (
    ApiKeyTexts,
    Collector,
    Duration,
    Engine,
    File,
    Host,
    KeepAlive,
    NamedAdapters,
    NamedModels,
    NewFolder,
    OneOf,
    Port,
    Size,
    SizeLimit,
    Template,
    Texts,
)

# All but the adapters are the same for each model of a server.
LLM_SETTINGS = {field.name for field in fields(LLMSettings)} - {"adapters"}


class LoadingSettings(Settings):
    """Of which type the values of a model are, and how much memory they have."""

    section: ClassVar[str] = "Model"
    revision: str | None = setting(LLMSettings.revision, shown="main")
    """Branch, tag or commit of a model on the hub."""
    weights: Annotated[str, OneOf(WEIGHTS)] = LLMSettings.weights
    """Type of the weights; auto: as stored. mixed: of 5 and 6 bits; int4: of 4 and 5."""
    max_context: int | None = setting(LLMSettings.max_context, shown="the model's", ge=2)
    """Tokens of prompt and answer together. Models with LongRoPE (Phi-3) can have more than the default."""
    kv_cache_dtype: Annotated[str, OneOf(("auto", *KV_CACHE_DTYPES))] = LLMSettings.kv_cache_dtype
    """Keys and values in memory: float16 or int8 take half or a quarter of float32, and int16 about as much
    as float16, with products of integers: as exact, and faster with AVX-512 VNNI. auto: int16, or float32
    with --arithmetic float32."""
    kv_cache_memory: Size | None = setting(LLMSettings.kv_cache_memory, shown="a quarter of free memory")
    """Memory for running conversations, such as 4GiB; several models get equal parts of it."""


class ComputingSettings(Settings):
    """How a model is computed."""

    section: ClassVar[str] = "Model"
    threads: int | None = setting(LLMSettings.threads, shown="by model size", ge=1)
    """Threads for the arithmetic."""
    arithmetic: Annotated[str, OneOf(ARITHMETIC)] = setting(LLMSettings.arithmetic, is_rare=True)
    """Activations: rounded to 8 bits where weights are integers (int8), also to bfloat16 where weights
    are (bfloat16, with AVX-512 BF16 or AMX), or as they are (float32: exact, slower). auto: bfloat16
    where the processor has it and no weights are integers, else int8."""
    portable: bool = setting(LLMSettings.portable, is_rare=True)
    """Compute with float weights as on every x86 processor with AVX2, to the bit. With integer weights
    that is always so."""
    speculate: int = setting(LLMSettings.speculate, is_rare=True, ge=0, le=64)
    """Draft up to this many tokens ahead from the text so far; changes the speed, never the answer."""
    draft_model: str | None = setting(LLMSettings.draft_model, is_rare=True)
    """A small model with the same vocabulary, or an EAGLE-3 head of this model, given as --model is: it
    drafts tokens that the large one then checks; changes the speed, never the answer."""
    no_mtp: bool = setting(LLMSettings.no_mtp, is_rare=True)
    """Do not draft with the model's own MTP head (multi-token prediction). Where its files have one, it
    drafts tokens that the model then checks, if that saves time; changes the speed, never the answer."""


class ModelsSettings(LoadingSettings, ComputingSettings):
    """Which models a server has, and when."""

    models: NamedModels = setting((), key="model", shown="embedded model")
    """Folder in Hugging Face layout, .gguf file, a name on the hub: owner/name, or owner/name:Q4_K_M for
    .gguf files of this quantization; or ollama:NAME, lmstudio:owner/name or llama.cpp:owner/name for what
    another program has downloaded; may be repeated. Requests name a model by its folder, or by NAME, such
    as mine or owner/mine; the first one answers those that name none. Several models compute in turns, a
    step each with all threads. In the environment, commas separate them."""
    keep_alive_s: KeepAlive = setting("-1", key="keep_alive")
    """Load each model when a request needs it, and unload it after this time without requests, such as
    10m; 0: at once. -1: load all at the start, and keep them."""
    chat_template: Template | None = setting(LLMSettings.chat_template, shown="the model's", is_rare=True)
    """A chat template (Jinja2) in the place of the model's, for all models; or the name of one of those that
    a model has, such as tool_use."""
    allow_request_templates: bool = setting(LLMSettings.allow_request_templates, is_rare=True)
    """Let requests bring chat templates of their own (chat_template). They are programs; each is rendered in
    a process with limits of time and memory."""
    adapters: NamedAdapters = setting((), key="adapter")
    """LoRA adapter of the (first) model: a folder in PEFT's layout. Requests name it as their model. It
    may be repeated. In the environment, commas separate them."""
    allow_adapter_loading: bool = setting(False, is_rare=True)
    """Let clients load adapters from folders of this machine, and drop them: /v1/load_lora_adapter and
    /v1/unload_lora_adapter."""


class LoadSettings(Settings):
    """How much is computed together, and what is kept on disk."""

    section: ClassVar[str] = "Load"
    max_concurrency: int = setting(LLMSettings.max_concurrency, ge=1)
    """Requests computed together."""
    max_queue: int = setting(LLMSettings.max_queue, ge=0)
    """Requests that may wait while others are computed."""
    step_time_s: float = setting(LLMSettings.step_time_s, key="step_time", is_rare=True, gt=0)
    """Seconds that a step aims at while answers run. New prompts are computed in chunks that fit, so that
    running answers go on smoothly; with more, prompts are faster."""
    prefix_cache_disk: Size | None = setting(None, shown="no")
    """Keep cached prefixes of each model on disk, up to this size, when memory fills and at the end. Then
    conversations go on after a restart without computing their beginning."""
    answer_cache: Size | None = setting(None, shown="no", is_rare=True)
    """Keep whole answers on disk, up to this size: the same request with the same seed is computed once. Each
    key or name has its own."""
    saved_prompts_disk: Size = setting("4GiB", is_rare=True)
    """Maximum of the saved prompts of each model on disk; those that were not used for the longest time
    are deleted first."""
    allow_saving_prompts: bool = setting(False, is_rare=True)
    """Let clients save prompts, which all share and which outlast a restart, and delete them:
    /v1/prompts."""


class ImageSettings(Settings):
    """How large images in conversations may be, for models that see."""

    section: ClassVar[str] = "Images"
    mmproj: File | None = setting(LLMSettings.mmproj, shown="the one beside the model", is_rare=True)
    """File of the tower of vision of the (first) model, if that is a .gguf file: llama.cpp's mmproj."""
    max_image_pixels: int = setting(LLMSettings.max_image_pixels, is_rare=True, ge=1, le=MAX_PIXELS)
    """Maximum of the pixels of an image, before it is resized for the model."""
    max_image_bytes: Size = setting("20MiB", is_rare=True)
    """Maximum size of the file of an image."""


class ImageUrlSettings(Settings):
    """Images that the HTTP service gets itself."""

    section: ClassVar[str] = "Images"
    allow_image_urls: Texts = ()
    """Get images from https addresses of this host, such as images.example.com, *.example.com with all
    below it, or * for any; may be repeated. Without it, images come within requests. Addresses of private
    networks are never asked. In the environment, spaces separate several."""


class EngineElsewhereSettings(Settings):
    """Another server that computes the answers."""

    section: ClassVar[str] = "Another engine"
    engine: Engine | None = None
    """Let another server with OpenAI's API compute the answers, such as http://gpu-box:8000/v1; its key
    comes from the variable TRITONCHAT_ENGINE_API_KEY. --model chooses among its models. vllm: start `vllm
    serve` for the --model, with the flags after --."""
    engine_python: File | None = None
    """Python of the virtual environment with vLLM, for --engine vllm."""


class AddressSettings(Settings):
    """Where all parts listen that other machines reach."""

    section: ClassVar[str] = "Network"
    host: Host = "127.0.0.1"
    """Address to listen on, such as ::1; 0.0.0.0: all IPv4 addresses, ::: all addresses."""
    open_to_all: bool = False
    """Put Triton's ports and the page, which check no key, on --host too, and let the HTTP service run
    there without one."""


class TlsSettings(Settings):
    """Encryption."""

    section: ClassVar[str] = "Network"
    tls_cert: File | None = None
    """Certificate for gRPC and the HTTP service, in PEM."""
    tls_key: File | None = None
    """The private key of --tls-cert, in PEM."""


class TritonSettings(Settings):
    """Triton's own ports."""

    section: ClassVar[str] = "Network"
    no_triton: bool = setting(False, is_rare=True)
    """Answer gRPC without Triton, in the engine's process. Where PyTriton is not installed, which exists for
    Linux on x86-64 alone, this is so by itself."""
    grpc_port: Port = 8001
    """Triton over gRPC."""
    triton_http: bool = setting(False, is_rare=True)
    """Let Triton answer over HTTP, too. Web pages in a browser can use this port."""
    http_port: Port = setting(8000, is_rare=True)
    """Triton over HTTP, with --triton-http."""
    metrics_port: Port = 8002
    """Triton's counters for Prometheus."""


class FrontSettings(Settings):
    """What the HTTP service and a proxy in front of it have in common."""

    section: ClassVar[str] = "HTTP service"
    api_keys: ApiKeyTexts = setting((), key="api_key")
    """A key that opens the HTTP service; may be repeated. Keys of one NAME own the same sessions. In the
    environment (several: spaces between them) it stays out of the process list."""
    max_body_bytes: Size = setting("4MiB", key="max_body")
    """Maximum size of a request over HTTP, without its images."""
    max_body_images_bytes: Size = setting("32MiB", key="max_body_images", is_rare=True)
    """Maximum size of the images in base64 that a request over HTTP may have beside that."""
    keep_alive_timeout_s: Duration = setting("75", key="keep_alive_timeout", is_rare=True)
    """Close connections over HTTP that have no request for this time; 0: after each answer. Pools of
    clients and load balancers should keep theirs for less."""


class HttpSettings(Settings):
    """The HTTP service, and who may use it."""

    section: ClassVar[str] = "HTTP service"
    api_port: Port = 8080
    """The HTTP service: OpenAI's API, /docs."""
    ollama_port: Port | None = setting(None, is_rare=True)
    """The HTTP service on another port, too, for programs that expect Ollama at its own: 11434."""
    allow_pull: bool = setting(False, is_rare=True)
    """Let clients of Ollama's API download models from the Hugging Face hub to this machine (/api/pull), and
    the page download and load one of those that `tritonchat recommend` names."""
    api_key_file: File | None = None
    """File with more keys, one per line."""
    stored_keys: bool = False
    """Let the keys of `tritonchat keys`, which are in the database, open the HTTP service, too. It then
    needs a key, also if there are none yet."""
    cors_origins: Texts = setting((), key="cors_origin")
    """Origin of web pages that may call the HTTP service."""
    log_content: bool = False
    """Write the contents of HTTP requests and answers to the log."""
    strict_fields: bool = setting(False, is_rare=True)
    """Refuse requests over HTTP with fields that the service does not know. Without it, they are ignored,
    and the response header X-Ignored-Fields names them."""


class LimitSettings(Settings):
    """What requests over HTTP may ask for."""

    section: ClassVar[str] = "Limits of the HTTP service"
    requests_per_minute: int = setting(0, ge=0)
    """Maximum of requests of one key or name, or of one address if there are no keys; 0: any number."""
    max_streams: int | None = setting(None, shown="--max-concurrency and --max-queue together", ge=0)
    """Maximum of answers over HTTP at the same time; 0: any number. If there are several keys, none may
    use more places than it leaves free for the others."""
    max_streams_per_key: int = setting(0, is_rare=True, ge=0)
    """The same for one key, or one address if there are no keys; 0: at most half of --max-streams."""
    max_answer_tokens: int = setting(0, ge=0)
    """Maximum of tokens in an answer over HTTP, whatever the request says; 0: any number."""
    max_messages: int = setting(1000, is_rare=True, ge=0)
    """Maximum of messages in a conversation over HTTP; 0: any number."""
    batch_share: int = setting(50, is_rare=True, ge=1, le=100)
    """Percent of --max-concurrency that the batches of /v1/batches use while people chat; nobody's answer
    waits for them beyond that. When nobody has chatted for ten seconds they use all of it."""
    client_timeout_s: float = setting(30.0, key="client_timeout", is_rare=True, ge=0)
    """Seconds after which a client that neither reads nor sends is disconnected; 0: never."""


class McpSettings(Settings):
    """MCP servers whose tools the HTTP service calls, and how much these may do."""

    section: ClassVar[str] = "Tools of MCP servers"
    mcp_config: File | None = None
    """MCP servers whose tools the HTTP service calls for requests that ask for it, and the page for
    conversations: a file in the form of Claude Desktop or VS Code."""
    mcp_max_rounds: int = setting(8, is_rare=True, ge=1)
    """How often the model may call such tools in an answer, and go on. Then it must answer without."""
    mcp_call_time_s: Duration = setting("60", key="mcp_call_time", is_rare=True, gt=0)
    """Maximum time of a call."""
    mcp_total_time_s: Duration = setting("5m", key="mcp_total_time", is_rare=True, gt=0)
    """Time after which an answer calls no more tools. On the page, that in which a person decides does not
    count."""
    mcp_max_result: Size = setting("1MiB", is_rare=True)
    """Maximum of what an MCP server may send at once, such as the result of a call. A server that sends more
    is started again, and the call has failed."""


class StorageSettings(Settings):
    """What is stored, and for how long."""

    section: ClassVar[str] = "Sessions and responses"
    database: SecretStr | None = setting(None, shown="SQLite in the user's data folder")
    """Database of sessions, responses and API keys: sqlite:////folder/file.db, or
    postgresql://user:password@host/name. The latter needs the extra postgresql."""
    max_sessions: int = setting(10_000, is_rare=True, ge=0)
    """Maximum of sessions of one key or name, or of all clients if there are no keys, and likewise of stored
    responses, and of /v1/conversations; 0: any number."""
    max_session_bytes: SizeLimit = setting("1GiB", is_rare=True)
    """Maximum size of these sessions together, and likewise of the others; 0: any size."""
    session_expiry_s: Duration = setting("0", key="session_expiry")
    """Delete sessions, and conversations of /v1/conversations, that have not changed for this time, such as
    30d or 12h; 0: never."""
    response_expiry_s: Duration = setting("30d", key="response_expiry", is_rare=True)
    """Delete stored conversations of /v1/responses to which nothing was added for this time; 0: never."""
    max_file_bytes: SizeLimit = setting("200MiB", key="max_file", is_rare=True)
    """Maximum size of a file of /v1/files; 0: any size. All files of one key or name have the limits of
    sessions."""
    file_expiry_s: Duration = setting("30d", key="file_expiry", is_rare=True)
    """Delete files of /v1/files, and batches that have ended, after this time; 0: never."""


class TraceSettings(Settings):
    """What is told to a collector."""

    section: ClassVar[str] = "Traces"
    otlp_endpoint: Collector | None = setting(None, shown="none", is_rare=True)
    """Send a trace of each request to this collector of OpenTelemetry, such as http://localhost:4318: where
    its time goes, and no contents. Needs the extra tracing."""


class ReceiptSettings(Settings):
    """Signed receipts of answers."""

    section: ClassVar[str] = "Receipts"
    receipts: bool = setting(False, is_rare=True)
    """Let each answer have a signed receipt, unless its request says otherwise."""
    receipt_log: NewFolder | None = setting(None, is_rare=True)
    """Keep the receipts of all answers in this folder, as lines to which lines are only added. One server
    writes there."""
    receipt_content: bool = setting(False, is_rare=True)
    """Let --receipt-log have whole requests and the token ids of answers, so that `tritonchat audit` can
    compute them again. Without it, there are only hashes."""


class PageSettings(Settings):
    """The page of `up` and `ui`."""

    section: ClassVar[str] = "Page"
    ui_port: Port = 8501
    """The page."""
    login: File | None = None
    """Let people log in to the page, which then listens on --host: a file of Streamlit's secrets whose
    section [auth] names an OpenID Connect provider."""


class ServerSettings(
    ModelsSettings,
    LoadSettings,
    ImageSettings,
    ImageUrlSettings,
    EngineElsewhereSettings,
    AddressSettings,
    TlsSettings,
    TritonSettings,
    FrontSettings,
    HttpSettings,
    LimitSettings,
    McpSettings,
    StorageSettings,
    TraceSettings,
    ReceiptSettings,
    PageSettings,
    FileSettings,
):
    """All settings of a server."""


class PullSettings(LoadingSettings, CommandSettings):
    """With which settings a model is to be run that is downloaded."""


class LocalSettings(LoadingSettings, ComputingSettings, CommandSettings):
    """The settings of a model without a server."""

    section: ClassVar[str] = "Model"
    model: str | None = setting(None, shown="embedded model")
    """Folder in Hugging Face layout, .gguf file, a name on the hub: owner/name, or owner/name:Q4_K_M for
    .gguf files of this quantization; or ollama:NAME, lmstudio:owner/name or llama.cpp:owner/name for what
    another program has downloaded."""
