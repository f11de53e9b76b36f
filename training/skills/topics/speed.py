"""What the help desk knows about speed, memory and bits: what to do, and what the words mean."""

from training.phrasing import Topic

ROUNDING = "(quantization|quantisation|quantizing|quantising|weight quantization|rounding the weights)"

SPEED = {
    "quantisation": Topic(
        "Quantising stores the weights in 8 or 4 bits instead of 16 or 32. The model becomes smaller and "
        "faster, and a little less exact.",
        more="Try --weights int8 while loading, or write a smaller model once with tritonchat quantize.",
        things=f"""
            {ROUNDING}
            a quantized model
            {ROUNDING}
        """,
        asks="""
            why (would I|should I|do people|do you) (quantize|quantise) (a model|models|weights|the weights)?
            (what happens|what changes) (when|if) (a model|my model) is (quantized|quantised)?
            (is|are) (quantized|quantised) models (worse|less exact|faster|smaller|as good)?
            what does (it mean to quantize|quantise mean|quantize mean|quantising mean)( a model|)?
            (does|will) (quantization|quantisation) (hurt|make it worse|cost quality|make it faster|
                lose quality)?
        """,
    ),
    "quantize": Topic(
        "Run tritonchat quantize MODEL OUT --weights int4: it writes a smaller model to the folder OUT and "
        "says what that cost.",
        more="For example: tritonchat quantize ./my-model ./my-model-int4 --weights int4",
        tasks="""
            (quantize|quantise|compress|shrink) (a|my|the|my own) (model|checkpoint|LLM)
            (make|write|save|store|create|produce) (a|the|my) (quantized|quantised|smaller|4 bit|8 bit|
                compressed) (model|copy of a model|version of my model)
            (convert|round) (a|my|the) (model|checkpoint|weights) to (int8|int4|4 bits|8 bits)( once|)
            (make|have) (a|my|the) model smaller( on disk|)
        """,
        things="(tritonchat quantize|the quantize command|the command quantize)",
        asks="""
            (which|what) command (quantizes|quantises|shrinks|compresses|makes) (a|my|the) (model|
                smaller model)?
            (quantize|quantise) (command|model|a model|my model|how)( please|)
            can (tritonchat|it|you) (quantize|quantise|compress|shrink) (models|a model|my model)?
            (must I|do I have to) (quantize|quantise) (every time|at each start|again and again)?
        """,
    ),
    "int8": Topic(
        "int8 keeps each weight in 8 bits: half the memory of 16 bits, and nearly the same answers. Use "
        "--weights int8.",
        more="For example: tritonchat up --model ./my-model --weights int8",
        things="""
            (int8|8 bit weights|8-bit weights|int8 weights|--weights int8|8 bit quantization|INT8|
                eight bit weights)
        """,
        tasks="(use|get|take|turn on|load with|switch to|round to) (int8|8 bits|8 bit weights|8-bit "
        "quantization|INT8)",
        asks="""
            (how good|how fast|how exact|how small) is (int8|8 bit)?
            (does|will) int8 (work|help|be faster|hurt|make it faster|lose much)?
            (int8|8 bit|8bit|8-bit)( weights| model| mode| flag|)
        """,
    ),
    "int4": Topic(
        "int4 keeps each weight in 4 bits: the smallest and often the fastest, but less exact. Use "
        "--weights int4.",
        more="For example: tritonchat up --model ./my-model --weights int4",
        things="""
            (int4|4 bit weights|4-bit weights|int4 weights|--weights int4|4 bit quantization|INT4|
                four bit weights)
        """,
        tasks="(use|get|take|turn on|load with|switch to|round to) (int4|4 bits|4 bit weights|4-bit "
        "quantization|INT4)",
        asks="""
            (how good|how fast|how exact|how small) is (int4|4 bit)?
            (does|will) int4 (work|help|be faster|hurt|make it faster|lose much)?
            (int4|4 bit|4bit|4-bit)( weights| model| mode| flag|)
        """,
    ),
    "int8 or int4": Topic(
        "int8 is nearly exact. int4 takes half the memory of int8 and loses a little more. If in doubt, "
        "take int8.",
        tasks="""
            (choose|decide|pick) between (int8 and int4|int4 and int8|8 and 4 bits|4 and 8 bits)
        """,
        things="""
            the (difference|differences|choice) between (int8 and int4|int4 and int8|8 and 4 bits|
                4 bit and 8 bit)
        """,
        asks="""
            (int8 or int4|int4 or int8|8 or 4 bits|4 bit or 8 bit|int8 vs int4|int4 vs int8|
                int8 versus int4)(?|)
            (should I|do I|shall I|would you) (take|use|choose|pick) (int8 or int4|int4 or int8|4 or 8 bits)?
            (which|what) is (better|faster|best|more exact|smaller)(,|:) (int8 or int4|int4 or int8|
                8 or 4 bits)?
            is (int8|int4|8 bit|4 bit) (better|faster|worse|smaller|more exact|slower) than (int4|int8)?
            (compare|contrast) (int8 and int4|int4 and int8|int8 with int4|8 bit with 4 bit)(.|)
            how (many|few) bits (should I|do I|shall I) (take|use|choose)?
        """,
    ),
    "gptq": Topic(
        "GPTQ chooses 4-bit weights with the help of a text, which loses less than rounding. Use tritonchat "
        "quantize with --weights int4 and --calibration TEXT.",
        brief="GPTQ chooses 4-bit weights with the help of a text.",
        tasks="""
            (use|apply|run|do) (GPTQ|calibration|calibrated quantization|a calibration text)
            (quantize|quantise) (with|by|using) (GPTQ|calibration|a text)
        """,
        things="(GPTQ|gptq quantization|--calibration|the --calibration flag|calibration|GPTQ here|a "
        "calibration text)",
        asks="""
            (is there|do you have|does it support|do you support|can you do) (GPTQ|calibration)?
            why is GPTQ (better|more exact|good)( than rounding|)?
            (gptq|calibration)( flag| command| int4| how|)
            what (text|calibration text) (do I need|is needed|should I take) for (calibration|GPTQ)?
        """,
    ),
    "weights": Topic(
        "Weights are kept as the model stores them. --weights float32, bfloat16, float16, int8 or int4 "
        "changes that.",
        tasks="""
            (use|run in|compute in|load in|choose) (bfloat16|float16|float32|bf16|fp16|half precision|
                full precision)
            (set|change|choose) the (precision|data type|dtype|type of the weights|number format)
        """,
        things="(--weights|the --weights flag|bfloat16|float16|float32|bf16|fp16|the precision|the "
        "dtype|--weights auto)",
        asks="""
            (in which|which|what) (precision|data type|dtype|number format) (does it use|are the weights|
                is used)?
            (does it|do you) (support|use|run in) (bfloat16|float16|bf16|fp16|float32|half precision)?
            (bf16|fp16|bfloat16|float16|precision|dtype)( flag| support| weights|)
            are the weights (changed|converted|rounded|kept as they are)?
        """,
    ),
    "gpu": Topic(
        "No GPU is needed: tritonchat computes on the processor and does not use a GPU.",
        tasks="""
            (use|run on|run it on|turn on|enable|take advantage of) (a|the|my|an NVIDIA) (GPU|graphics card|
                video card)
            (run|use) (it|tritonchat|the model|this) without a (GPU|graphics card)
            (make it use|move it to) (the|my) (GPU|graphics card)
        """,
        things="(GPU support|the GPU|a GPU here|CUDA|CUDA support|GPU acceleration)",
        asks="""
            (do I|does it|does tritonchat|do you) (need|require|want) (a|an NVIDIA) (GPU|graphics card|
                video card)?
            (does it|does tritonchat|can it|will it) (use|run on|support|work with) (a|the|my) (GPU|
                graphics card)?
            (is a|must I have a|do I have to buy a) (GPU|graphics card) (needed|necessary|required)?
            why (no|does it not use a|don't you use the) GPU?
            (gpu|cpu|cuda|graphics card|rtx|nvidia card)( needed| support| only|)
            (does it|can it|will it) run on (a CPU|the CPU|a processor|a laptop|a normal computer|CPU only)?
            (CPU or GPU|GPU or CPU)(?|)
            I have (no GPU|no graphics card|a big GPU|an RTX card|an NVIDIA GPU)(.|. Is that ok?|
                . Does it help?)
        """,
    ),
    "slow": Topic(
        "Try --weights int8 or int4, a smaller model, or --speculate 8. tritonchat bench shows what your "
        "machine can do.",
        brief="Try --weights int8, or a smaller model.",
        more="For example: tritonchat up --model ./my-model --weights int8 --speculate 8",
        tasks="""
            (make|get) (it|tritonchat|the model|answers|the answers|the server|generation) (faster|quicker|
                go faster)
            (speed up|accelerate|optimise|tune) (it|tritonchat|the model|the server|the answers|generation|
                inference)
            (get|have) (faster answers|more speed|more tokens per second|better performance|quicker replies)
            (improve|increase|raise) (the speed|the performance|performance|tokens per second)
        """,
        asks="""
            (it|the model|tritonchat|the server|my model|this) (is|runs|seems|gets) (so |too |very |really |
                )slow(.|!|)
            why (is it|is tritonchat|is the server|is my model|are the answers) (so |)slow?
            (it|the answer|each answer|my model) takes (too long|forever|ages|minutes|so long|a long time)(.|
                !|)
            (slow|too slow|faster|more speed|speed up|slow answers|slow model|performance|low speed)
            I (wait|have to wait|am waiting) (so |too |)long( for an answer| for answers|)(.|)
            (can|could) (it|the model|this|tritonchat) (be|go|run|work) (faster|quicker)?
            (any|some) (tips|tricks|hints) (for|to get|for more) (speed|more speed|performance)?
        """,
    ),
    "bench": Topic(
        "Run tritonchat bench: it measures the time to the first token, tokens per second and memory.",
        tasks="""
            (measure|test|time|benchmark|find out) (the speed|the performance|how fast it is|the throughput|
                speed)
            (benchmark|time|measure) (it|tritonchat|the model|my model|a model|my machine)
            (see|know|check) how (fast|quick) (it|my machine|the model|my model) is
        """,
        things="(tritonchat bench|the bench command|bench|the benchmark|the benchmark command)",
        asks="""
            how (fast|quick) is (it|tritonchat|the engine|this|the model|my machine)?
            how many tokens (per|a) second (does it make|do I get|can it do|are possible|does it do)?
            (is there|do you have) a (benchmark|speed test|performance test|bench command)?
            (benchmark|benchmarks|bench|speed test|tokens per second|throughput|latency)
            (what is|what's) (the|its) (speed|throughput|latency|time to first token)?
        """,
    ),
    "threads": Topic(
        "The flag --threads sets how many processor threads compute. Without it, one thread per core is "
        "used.",
        more="For example: tritonchat up --threads 4",
        tasks="""
            (set|change|limit|choose|reduce|increase) (the threads|the number of threads|
                how many threads it uses)
            (use|take|have it use) (more|fewer|all|less|only two|four|some) (cores|threads|CPU cores|CPUs)
            (leave|keep) (a core|some cores|a CPU) (free|for other programs)
        """,
        things="(--threads|the --threads flag|threads|the threads|the number of threads|multithreading)",
        asks="""
            how many (threads|cores|CPUs|processors) (does it use|are used|do I need|should I use|
                does it take)?
            (does it|can it|will it) use (all|several|many|more than one|multiple) (cores|threads|CPUs|
                processors)?
            (it|the server|tritonchat) uses (all my|too many|all the) (cores|CPUs|threads)(.|)
            (threads|cores|cpu cores|thread count|number of cores|multi threading)
            is it (multithreaded|multi-threaded|parallel|single threaded)?
        """,
    ),
    "kv memory": Topic(
        "The flag --kv-cache-memory sets the memory for running conversations, such as 4GiB. Without it, a "
        "quarter of the free memory is taken.",
        brief="--kv-cache-memory sets it, such as 4GiB.",
        more="For example: tritonchat up --kv-cache-memory 4GiB --kv-cache-dtype int8",
        tasks="""
            (set|limit|change|choose|reduce|raise) the (KV cache memory|memory for the KV cache|KV memory|
                size of the KV cache)
            (give|allow) (the KV cache|conversations|running chats) (more|less) memory
            (limit|set) the memory for (conversations|running conversations|keys and values)
        """,
        things="(--kv-cache-memory|the --kv-cache-memory flag|--kv-cache-dtype|the KV cache size|the size "
        "of the KV cache)",
        asks="""
            how (much|many) memory (does|will) the (KV cache|KV memory) (take|use|need|get)?
            how (big|large) is the KV cache?
            (which|what) flag (sets|limits|is for) the (KV cache memory|memory of conversations|KV memory)?
            (kv cache|kv) (memory|size|memory flag|memory limit)
            (do|will) (long|many) (conversations|chats) (need|take|use) (more|much) memory?
        """,
    ),
    "model memory": Topic(
        "About two bytes for each parameter, one with int8 and half with int4, plus memory for "
        "conversations.",
        tasks="""
            (find out|calculate|estimate|know) how much (memory|RAM) (a model|my model|it|a 7B model) (needs|
                takes)
            (plan|buy|estimate) (the memory|enough memory|enough RAM) for (a model|my model|a 7B model)
        """,
        asks="""
            how much (memory|RAM) (do I need|does it need|is needed|do you need|is required|should I have)?
            how much (memory|RAM) (does|will|would) (a model|my model|a 7B model|a 1B model|the model) (need|
                take|use)?
            (is|are) (4|8|16|32|64) (GB|GiB|gigabytes)( of RAM| of memory|) enough?
            (will|does|would) (a 7B model|a 1B model|my model|a big model|Llama 7B) fit (in|into) (4|8|16|
                32) (GB|GiB)?
            (how big|how large) (may|can) (a|my|the) model be( for my memory|)?
            (memory|ram) (needed|requirements|requirement|needs|use|usage|per model)
            what are the memory (requirements|needs)?
            how many (gigabytes|GB) (does|will) (it|a model|the model) (need|take)?
        """,
    ),
}
