"""What the help desk knows about the words of the trade: how the engine answers many at once, and fast."""

from training.phrasing import Topic

ENGINE = {
    "triton": Topic(
        "Triton is NVIDIA's inference server: it takes requests over the network, batches them and runs the "
        "model.",
        more="tritonchat is served through it: the models chat and chat_stream answer over gRPC on port "
        "8001.",
        things="""
            (Triton|NVIDIA Triton|the Triton server|Triton Inference Server|triton inference server|
                NVIDIA's Triton)
            an inference server
        """,
        asks="""
            (who|which company) (makes|made|wrote|built|develops) Triton?
            why (do you use|use|is there|does it use|does it need|do I need) Triton( here|)?
            (does it|do you|is it) (use|run on|based on|built on) Triton?
            (triton|nvidia triton|inference server)( server| meaning| what|)
        """,
    ),
    "pytriton": Topic(
        "PyTriton is NVIDIA's library for serving a Python function through Triton.",
        things="(PyTriton|py triton|pytriton|the PyTriton library|NVIDIA's PyTriton|nvidia-pytriton)",
        asks="""
            why (do you use|use|does it use) PyTriton?
            (what is the difference|the difference|difference) between (PyTriton and Triton|
                Triton and PyTriton)(?|)
            (who|which company) (makes|made|wrote) PyTriton?
            (pytriton|py triton)( library| meaning| what| docs|)
            (does it|do you) use PyTriton?
        """,
    ),
    "grpc": Topic(
        "gRPC is a fast way for programs to call each other over a network. Triton's clients use it, on "
        "port 8001.",
        things="(gRPC|grpc|the gRPC interface|the gRPC endpoint|the gRPC protocol|a gRPC call)",
        tasks="(use|call it over|talk to it over|connect over|send requests over) gRPC",
        asks="""
            why (do you use|use|does it use|is there) gRPC?
            (gRPC or HTTP|HTTP or gRPC|grpc vs http)(?|)
            (does it|do you|can it) (use|speak|support) gRPC?
            grpc( interface| endpoint| protocol| what| meaning|)
        """,
    ),
    "kernels": Topic(
        "The engine's kernels are written in Python and compiled by numba for your processor. PyTorch is "
        "not used.",
        things="(the kernels|numba|the engine|your kernels|the compute kernels|the transformer "
        "engine|kernels)",
        asks="""
            (does it|do you|does tritonchat) (use|need|depend on|run on) (PyTorch|TensorFlow|torch|ONNX|C++|
                numba)?
            (what|which language) is (it|tritonchat|the engine) (written|programmed|made) in?
            (how can|why is) Python (be |)(so |)fast( enough| here|)?
            why does the first (start|run) take (so |)(long|some time)?
            (is PyTorch|is torch|is a compiler|is CUDA|is C++) (needed|used|necessary)( to run it| here|)?
            (pytorch|tensorflow|numba|kernels|engine)( needed| used| what|)
            (who|what) (computes|does the arithmetic|calculates the answers)( here|)?
        """,
    ),
    "dynamic batching": Topic(
        "Dynamic batching joins requests that arrive at nearly the same time, so that the model handles "
        "them together.",
        more="Triton does it for the model chat. Requests of equal size are joined, so ChatClient pads them.",
        things="(dynamic batching|a dynamic batch|the dynamic batcher|Triton's batching|dynamic "
        "batches|Triton's batcher)",
        tasks="(use|turn on|switch on|enable|configure) (dynamic batching|the dynamic batcher)",
        asks="""
            (is there|do you have|does it do|does it support|do you do|does Triton do) dynamic batching?
            (which|what) requests (are joined|does Triton join|go together|does the dynamic batcher join)?
            dynamic (batching|batcher|batches)( what| how| meaning|)
            why is (it|the batching) called dynamic?
        """,
    ),
    "continuous batching": Topic(
        "Continuous batching lets requests join and leave a running batch at every token, so none waits for "
        "the longest.",
        more="The engine does it: each step takes one token of every answer, and fills up with new prompts.",
        things="""
            (continuous batching|in-flight batching|inflight batching|iteration level scheduling|
                rolling batches)
            (continuous batches|a continuous batch|iteration-level scheduling|the continuous batcher)
        """,
        tasks="(use|turn on|switch on|enable|configure) (continuous batching|in-flight batching)",
        asks="""
            (is there|do you have|does it do|does it support|do you do) (continuous|in-flight) batching?
            (can|do|may) requests (join|leave) (a running batch|the batch while it runs|at any time|a batch)?
            continuous (batching|batcher|batches)( what| how| meaning|)
            why is (it|the batching) called continuous?
            (does|must) a short (answer|request) wait for (a|the) (long one|longest|longest one)?
        """,
    ),
    "batching": Topic(
        "Batching computes several requests together. Dynamic batching joins those that arrive together; "
        "continuous batching lets them join and leave at every token.",
        brief="Batching computes several requests together.",
        things="""
            (batching|a batch|request batching|batched requests|batches|a batch of requests)
            the difference between (dynamic and continuous|continuous and dynamic) batching
        """,
        asks="""
            (dynamic or continuous batching|continuous vs dynamic batching|dynamic versus continuous)(?|)
            (which|what) is better(,|:) (dynamic or continuous|continuous or dynamic) batching?
            how (is|are) (dynamic and continuous|continuous and dynamic) batching different?
            is (dynamic|continuous) batching (the same as|better than|like) (continuous|dynamic) batching?
            (compare|contrast) (dynamic and continuous|continuous and dynamic) batching(.|)
            (which|what) (kinds|sorts|types) of batching (are there|do you have|does it do|exist)?
            why (do you|does a server|does it) (batch|use batches|batch requests|compute requests together)?
        """,
    ),
    "kv cache": Topic(
        "The KV cache keeps the attention keys and values of earlier tokens, so that they are not computed "
        "again for every new token.",
        more="It lies in pages of 16 tokens. The flag --kv-cache-memory says how much memory it may take.",
        things="(the|a|) (KV cache|KV-cache|kvcache|key value cache|key-value cache|cache of keys and "
        "values|kv)",
        asks="""
            what does KV (stand for|mean)( in KV cache|)?
            (what|which things) (does|is) (the|a) KV cache (keep|kept in|store|hold|remember|save)?
            why (do we need|do you need|is there|does a model need|use|have) a (KV cache|key value cache)?
            what (would happen|happens) without (a|the) KV cache?
            (what are|where are|why keep) (keys and values|the keys and values)( kept| of a token|)?
            (kv|key value) cache( what| how| meaning| purpose|)
        """,
    ),
    "paged memory": Topic(
        "KV memory lies in pages of 16 tokens. A request takes pages as it grows and gives them back, so "
        "none is wasted.",
        things="""
            (paged KV memory|paged attention|PagedAttention|a page of KV memory|the paged KV cache|KV pages|
                paging)
            (pages of keys and values|the page pool|paged memory|KV cache pages)
        """,
        asks="""
            why (is|does) (the KV cache|KV memory) (in pages|have pages|paged|lie in pages)?
            how (big|large) is a page( of KV memory| of the KV cache|)?
            (does it|do you) (have|use|do) (paged attention|paging|pages|a paged KV cache)?
            (paged|page) (attention|kv|memory|pool|cache|kv cache)( what| how|)
            what happens when (the pages run out|there are no free pages|KV memory is full)?
        """,
    ),
    "prefix cache": Topic(
        "The prefix cache keeps the work done on the beginning of a prompt, so that requests which share it "
        "start sooner.",
        more="A second turn of a chat, for example, computes only what is new. Least recently used pages go "
        "first.",
        things="""
            (the|a|) (prefix cache|prefix caching|prompt cache|prompt caching|cache of prefixes|prefix-cache)
            (shared prefixes|a shared prefix|cached_tokens|cached tokens)
        """,
        asks="""
            (is|are) (the|a|my) (system prompt|beginning of a prompt|same prompt|
                shared prompt) computed (again|twice|once)?
            why (does|is) (a|the) second (turn|question|request|message) (start sooner|faster|so fast|
                quicker)?
            (do|does) (requests|prompts|a request) (with the same beginning|that begin alike|
                that share a beginning) (share|reuse|save) (work|anything|time)?
            (does it|do you) (have|use|keep) a (prefix|prompt) cache?
            (prefix|prompt) (cache|caching|reuse)( what| how| meaning|)
            why do we need a prefix cache?
        """,
    ),
    "which cache": Topic(
        "The KV cache serves an answer while it is made. The prefix cache keeps that work for other "
        "requests which begin alike.",
        things="""
            the difference between (the |a |)(KV cache and the prefix cache|prefix cache and the KV cache)
            the difference between (KV and prefix caching|prefix and KV caching|the two caches)
        """,
        asks="""
            (KV cache or prefix cache|prefix cache vs KV cache|prefix cache or kv cache|
                kv cache vs prefix cache)(?|)
            is the (KV|prefix) cache (the same as|like|different from) the (prefix|KV) cache?
            how (is|are) the (KV and the prefix|prefix and the KV|two) (cache|caches) different?
            (compare|contrast) the (KV cache and the prefix cache|prefix cache and the KV cache|two caches)(.|
                )
            (which|what) caches (are there|do you have|does it have|exist)?
        """,
    ),
    "speculation": Topic(
        "With --speculate 8 it guesses up to 8 tokens ahead from the text so far. That changes the speed, "
        "never the answer.",
        more="It helps most where a text repeats itself, as in quoting, editing and code.",
        things="""
            (speculative decoding|speculation|prompt lookup|prompt lookup decoding|guessing ahead|
                n-gram speculation)
            (--speculate|the --speculate flag|the speculate option|lookahead)
        """,
        tasks="""
            (guess ahead|guess tokens ahead|predict several tokens at once)
            (use|turn on|enable|switch on|try|set) (speculative decoding|speculation|prompt lookup|
                --speculate)
        """,
        asks="""
            (does it|do you|can it) (have|use|do|support) (speculative decoding|speculation|prompt lookup|
                a draft model)?
            (does|will) (speculation|speculative decoding|--speculate|guessing ahead) (change|
                alter) (the answer|answers)?
            when does (speculation|speculative decoding|--speculate) help?
            (speculative decoding|speculate|speculation|prompt lookup|draft model)( flag| how|)
        """,
    ),
    "same answer": Topic(
        "The same request always gives the same answer, byte for byte. For another answer give another seed.",
        more="It does not matter what else the server does, or how many threads compute: sums are taken in "
        "one order.",
        tasks="""
            (get|have|receive) (the same answer|the same answer again|the same text twice|
                a reproducible answer)
            (reproduce|repeat) (an answer|a result|an output)
            (get|have) (another|a different|a new) (answer|reply|text) to the same (question|prompt)
            (set|choose|change|give|use) (a|the|another) seed
        """,
        things="(the seed|a seed|determinism|reproducibility|the seed parameter|reproducible "
        "answers|deterministic output)",
        asks="""
            why (do I|does it|do you) (always |)(get|give|say|answer) (the same answer|the same thing|
                the same)( always|)?
            (is it|are answers|is the answer|are the answers|are you) (deterministic|reproducible|random|
                always the same)?
            (does|will) the same (question|request|prompt|seed) (always |)give the same (answer|text|bytes)?
            (seed|random seed|determinism|reproducible|same answer|same output)( every time| parameter|)
            the answer is always the same(.|. Why?|, why?)
        """,
    ),
    "transformer": Topic(
        "A transformer is a network of layers that let every token look back at the earlier ones, to guess "
        "the next.",
        more="Tiny has some layers of it. Big models have dozens, and far wider ones.",
        things="(a|the|) (transformer|transformers|transformer model|transformer network|transformer "
        "architecture)",
        asks="""
            how do transformers (work|compute|guess|learn)?
            (are you|is Tiny|is your model) a transformer?
            what is (in|inside) a transformer?
            transformer( model| network| architecture| layers| meaning| what|)
            (what is a|what are the) (layer|layers)( of a model| in a transformer| of a transformer|)?
        """,
    ),
    "attention": Topic(
        "Attention lets a token look back at the earlier tokens and take from each what matters to it.",
        more="In this sentence, for example, it should look at sentence to know what it means.",
        things="""
            (attention|self-attention|self attention|the attention mechanism|attention heads|
                an attention head)
            (attention in a transformer|multi-head attention|grouped-query attention|the attention of a model)
        """,
        asks="""
            (what|which tokens) does attention (do|look at|compute)?
            why (do models|does a model|do transformers|does a transformer) (need|use|have) attention?
            attention( heads| mechanism| layer| meaning| what|)
            what are (queries, keys and values|attention weights|attention heads)?
        """,
    ),
    "language model": Topic(
        "A language model is a network that guesses the next token from the ones before it, again and again.",
        more="It learnt from many texts which token is likely to come next. That is all it does, and it "
        "goes far.",
        things="""
            (a |the |)(language model|LLM|large language model|llms|language models|model of language|
                chat model)
        """,
        asks="""
            how does (a language model|an LLM|a chat model) (write|answer|make text|know what to say|
                choose words)?
            (what does LLM|LLM, what does it|what does the word LLM) (mean|stand for)?
            (llm|llms|language model|language models)( meaning| basics| what| how|)
            how do (LLMs|language models|chat models|chatbots) (work|write|answer|make sentences)?
        """,
    ),
    "parameters": Topic(
        "Parameters, or weights, are the numbers that a model learnt in training. More of them can hold "
        "more knowledge.",
        things="""
            (a parameter of a model|the parameters of a model|model parameters|model weights|
                the weights of a model)
            (a weight|parameters in a model|the learnt numbers|a billion parameters|7B|parameter count)
        """,
        asks="""
            what does (7B|1.1B|13B|70B|a 7B model) mean?
            what (is|are) (in|inside) a (model file|checkpoint)?
            what is a checkpoint?
            why do (big|large|bigger|larger) models (know more|have more parameters|need more memory)?
        """,
    ),
}
