"""What the help desk knows about speed and memory: what to do, and what the words mean."""

from training.phrasing import Topic
from training.skills.topics.rounding import ROUNDING

SPEED = {
    "gpu": Topic(
        "No GPU is needed: tritonchat computes on the processor and does not use a GPU.",
        tasks="""
            (use|run on|run it on|turn on|enable|take advantage of) (a|the|my|an NVIDIA) (GPU|graphics card|
                video card)
            (run|use) (it|tritonchat|the model|this) without a (GPU|graphics card)
            (make it use|move it to) (the|my) (GPU|graphics card)
            (compute|run|work|do it) (on|with) (my|the|a) (RTX|GeForce|Radeon|GPU|graphics card|video card|
                NVIDIA card)
            (put|offload|load) (layers|the model|some layers|the weights) (on|to|onto) (the|a|my) (GPU|
                graphics card)
            (get along|do|manage|live) without a (GPU|graphics card|video card)
        """,
        things="""
            (GPU support|the GPU|a GPU here|CUDA|CUDA support|GPU acceleration)
            (GPU offloading|-ngl|VRAM|video memory|the graphics card|ROCm|Metal support|CPU only|
                the CPU only mode)
            (running|running a model|inference) on (a CPU|the CPU|the processor|a GPU)
        """,
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
            (my|this|our) (computer|laptop|machine|server|PC) has no (GPU|graphics card|NVIDIA card|
                video card)(.|. Is that a problem?|, is that ok?|. Can I use it?)
            (is|would|will) (a|my) (GPU|graphics card|video card) (any |)(help|use|be used|be of use|sit idle|
                make it faster|be faster)?
            (does|would) it (go|run|be) faster (with|on) a (GPU|graphics card|video card|RTX)?
            (how come|why|how can it be that) (it works|it runs|a model runs|this runs) without a (GPU|
                graphics card)?
            (my|the) (GPU|graphics card|video card) (is not used|does nothing|stays cold|is idle|
                is at 0 percent)(.|. Why?|, is that right?)
            (NVIDIA Triton|Triton|NVIDIA)(,| -|:) (so I need a GPU|does it need a GPU|
                so does it need a GPU)( then|)?
            how much (VRAM|video memory|GPU memory) (do I need|does it need|is needed|does it take)?
            (must|should|do) I (buy|get|have|install) (a GPU|a graphics card|CUDA|an RTX|
                NVIDIA drivers)( for this| first|)?
            (is|are) (CUDA|a GPU driver|NVIDIA drivers|ROCm) (needed|required|used|necessary|supported)?
            (no gpu|without gpu|gpu or not|gpu yes or no|vram|rocm|metal)(?| ok?| possible?| here?)
            (can|could|will) (two|several|many|multiple) (GPUs|graphics cards) (be used|work|help)?
            (all|everything) on the (CPU|processor)(?|, really?|, no GPU?)
            (on what|where) does (it|tritonchat|the engine) (compute|calculate)(,|:) (GPU or CPU|CPU or GPU)?
        """,
    ),
    "slow": Topic(
        "Try --weights int8 or int4, a smaller model, or --speculate 8. tritonchat bench shows what"
        " your machine can do.",
        brief="Try --weights int8, or a smaller model.",
        more="For example: tritonchat up --model ./my-model --weights int8 --speculate 8",
        tasks="""
            (make|get) (it|tritonchat|the model|answers|the answers|the server|generation) (faster|quicker|
                go faster)
            (speed up|accelerate|optimise|tune) (it|tritonchat|the model|the server|the answers|generation|
                inference)
            (get|have) (faster answers|more speed|more tokens per second|better performance|quicker replies)
            (improve|increase|raise) (the speed|the performance|performance|tokens per second)
            (double|push|boost|squeeze out more|get the most) (speed|performance|tokens per second)
            (have|see) (the text|the answer|words|tokens) come (faster|quicker|more quickly)
            (get|bring) (a big model|my 7B model|a 7B model|my model) (to answer faster|up to speed|
                to run faster)
            (make|get) (this thing|the thing|the chat|my bot|it all) (faster|quicker|less slow|snappier)
            (wait less|spend less time waiting) for (an answer|answers|the answers)
        """,
        asks="""
            (it|the model|tritonchat|the server|my model|this) (is|runs|seems|gets) (so |too |very |
                really |)slow(.|!|)
            why (is it|is tritonchat|is the server|is my model|are the answers) (so |)slow?
            (it|the answer|each answer|my model) takes (too long|forever|ages|minutes|so long|a long time)(.|
                !|)
            (slow|too slow|faster|more speed|speed up|slow answers|slow model|performance|low speed)
            I (wait|have to wait|am waiting) (so |too |)long( for an answer| for answers|)(.|)
            (can|could) (it|the model|this|tritonchat) (be|go|run|work) (faster|quicker)?
            (any|some) (tips|tricks|hints) (for|to get|for more) (speed|more speed|performance)?
            (one|a) word (per|a|every) (second|two seconds|minute)(, why?|. Can that be faster?|
                . That is slow.|.)
            (only|just|I get only|I get) (two|three|five|ten|1|2) tokens (per|a) second(.|. Can I get more?|
                , how do I get more?|. Too slow!)
            (the answer|the text|it|everything) (crawls|drips|comes word by word like syrup|comes so slowly|
                is sluggish|is a snail)(.|!|)
            (my model|it|the model|the bot) (needs|takes|wants) (a minute|minutes|half an hour|twenty seconds|
                an eternity) (for|per|to give) (an answer|one answer|each answer)(.|!|)
            what (makes|would make|can make|could make) (it|the model|answers|generation) (faster|quicker|
                less slow)?
            what (can|could|should) I (do|change|try|turn) (to make it faster|for more speed|when it is slow|
                if it is too slow|against the slowness)?
            (which|what) (flags|settings|options|flag|option) (make|makes|bring|help) (it |)(faster|speed|
                more speed)?
            (is there|isn't there|have you got) (a way|a trick|a flag|a setting|something) (for|to get|
                to have) (more speed|faster answers|quicker answers)?
            (I am|I'm) (tired of waiting|not happy with the speed|waiting for ages|
                losing patience with the speed)(.|!|)
            (can|could) (you|it) (answer|write|reply|type) (faster|quicker|more quickly)?
            (speed|the speed) is (bad|poor|terrible|a problem|not good|disappointing)(.|!|)
            (why|how come) does (each|an|every) answer take (so long|ages|that long|minutes)?
            (hurry up|faster|speed it up|go faster|too slow for me|so slow)(!|.|, please!|)
            it (used to be|was) faster (before|yesterday|last week)(.|. Why is it slow now?|)
            (slow on|it is slow on) (my laptop|my old machine|two cores|my server)(.|. What helps?|)
        """,
    ),
    "bench": Topic(
        "Run tritonchat bench: it measures the time to the first token, tokens per second and memory.",
        tasks="""
            (measure|test|time|benchmark|find out) (the speed|the performance|how fast it is|the throughput|
                speed)
            (benchmark|time|measure) (it|tritonchat|the model|my model|a model|my machine)
            (see|know|check) how (fast|quick) (it|my machine|the model|my model) is
            (compare|find) (my machine|the speed of my machine|this machine|two machines) (with others|
                with another|)
            (get|have|see) (numbers|figures|measurements|a measurement) (for|of|about) (the speed|my machine|
                performance)
            (measure|test) (tokens per second|the time to the first token|latency and throughput|my own model|
                the speed of my model)
            (run|start|do) (a benchmark|the benchmark|a speed test|a performance test|some benchmarks)
        """,
        things="""
            (tritonchat bench|the bench command|bench|the benchmark|the benchmark command)
            (a speed test|the speed test|performance figures|measuring speed|a performance test|llama-bench)
            the (speed|performance) of (my machine|this machine|the engine|my model)
        """,
        asks="""
            how (fast|quick) is (it|tritonchat|the engine|this|the model|my machine)?
            how many tokens (per|a) second (does it make|do I get|can it do|are possible|does it do)?
            (is there|do you have) a (benchmark|speed test|performance test|bench command)?
            (benchmark|benchmarks|bench|speed test|tokens per second)
            (what is|what's) (the|its) speed?
            (how|where|with what) (do I|can I|could I) (measure|test|see|check) (the speed|how fast it is|
                its speed|performance)?
            (which|what) command (measures|tests|shows|prints|tells me) (the speed|performance|
                tokens per second|how fast it is)?
            (is|how good is) my (machine|computer|processor|laptop|server) (fast enough|quick enough|
                good enough for it|for this)?
            how (many|much) (answers|tokens|words|text) (does|can|will) (it|my machine|this machine) (make|do|
                give|write|manage) (a|per) (second|minute)?
            what does tritonchat bench (do|measure|print|show|need|say)?
            (what|which) (speed|performance|numbers) (can I|may I|
                should I) expect( from it| here| on my machine|)?
            (have you|do you have|are there) (any |)(speed numbers|benchmark results|figures on speed|
                measurements)?
            (I know|in llama.cpp I use) llama-bench(.|, what is it here?|. And here?)
            (is it|was it) (faster|slower) (now|after my change|with int8|than before)(
                , how do I measure that?|? How do I measure it?)
            how (fast|quick) (would|will|can) (it|my model|a 7B model|a 1B model) (be|run|
                get)( here| on my machine|)?
            (speed|performance) (figures|numbers|check|measurement|of my machine|results)(?| please|)
            (speed|tokens/s|tok/s|t/s|tps)(?| how much?| on my machine?| how many?)
        """,
    ),
    "latency": Topic(
        "Latency is how long one answer takes. Throughput is how many tokens all answers get in a "
        "second. tritonchat bench measures both.",
        brief="Latency is the time of one answer, throughput the tokens a second of all.",
        things="""
            (latency|throughput|latency and throughput|throughput and latency|the latency|the throughput)
            the (difference|differences) between (latency and throughput|throughput and latency|
                speed for one and speed for all)
        """,
        asks="""
            (latency or throughput|throughput or latency|latency vs throughput|throughput versus latency)(?|)
            (is|are) (latency and throughput|throughput and latency) (the same|the same thing|related|
                different)?
            why does (throughput|latency) (rise|grow|go up) (when|if) (more users come|many ask at once|
                requests are batched)?
            (does|will) (batching|a bigger batch|more concurrency) (raise|lower|hurt|help|improve) (latency|
                throughput)?
            how (high|low|good) is the (latency|throughput)( here| of it|)?
            how (is|are) (latency and throughput|throughput and latency) (different|measured|defined)?
            (compare|contrast) (latency and throughput|throughput and latency)(.|)
            (latency|throughput)( meaning| what| numbers| explained| per user| in total| measured|)(?|)
            (I mix up|I always confuse|remind me of) (latency and throughput|throughput and latency)(.|)
            which matters more(, latency or throughput|: throughput or latency)( for a chat| for many users|)?
        """,
    ),
    "first token": Topic(
        "It is the wait until an answer begins: the prompt is computed in that time. A shorter "
        "prompt, or one found in the prefix cache, begins sooner.",
        brief="It is the wait until an answer begins.",
        things="""
            (the time to first token|time to first token|TTFT|the time to the first token|first token latency|
                the wait before the first word|the first-token time)
            the (pause|delay|silence|wait) before (an answer begins|the answer begins|the first token|
                the first word)
        """,
        asks="""
            (why|how come) does (it|the model|the answer|my model) (pause|wait|think|take so long) before (
                the first word|it begins|the first token|it starts to write|the first letter)?
            (it|the model|the answer) (begins|starts) (so late|only after a while|after a long pause|
                with a delay)(.|, then it is fast.|. Why?)
            (nothing|no word|no text) comes for (some seconds|a while|ten seconds|a long time), (then|
                and then) (it is fast|it goes quickly|words come fast|the text flows)(.|. Why?)
            (why is|does a long prompt make) the (first token|first word|beginning of an answer) (late|slow|
                later|so late)?
            how (long|much time) (passes|is it|does it take) (until|till|to) the first (token|word)( comes|)?
            (ttft|time to first token|first token)( meaning| what| slow| too high| explained| long|)(?|)
            (reduce|lower|shorten|improve) the (time to first token|TTFT|pause before the answer|
                wait before the first word)(.|)
            (can|could) the (answer|text|reply) begin (sooner|earlier)?
        """,
    ),
    "threads": Topic(
        "The flag --threads sets how many processor threads compute. Without it, all cores do, "
        "or one for a tiny model.",
        more="For example: tritonchat up --threads 4",
        tasks="""
            (set|change|limit|choose|reduce|increase) (the threads|the number of threads|
                how many threads it uses)
            (use|take|have it use) (more|fewer|all|less|only two|four|some) (cores|threads|CPU cores|CPUs)
            (leave|keep) (a core|some cores|a CPU) (free|for other programs)
            (use|run on|compute with) (two|four|eight|all my|half of my|16) (cores|threads|CPUs)
            (stop|keep) (it|tritonchat) from (taking|using|eating) (all cores|all my cores|the whole CPU|
                every core)
            (keep|leave|have) (my computer|my machine|my laptop) (usable|responsive|
                free for other work)( while it runs|)
            (tell|make) it to use (fewer|more|four|two) (cores|threads)
            (lower|limit|cap|tame) the (CPU load|CPU use|CPU usage|processor load)
        """,
        things="""
            (--threads|the --threads flag|threads|the threads|the number of threads|multithreading)
            (OMP_NUM_THREADS|the thread count|CPU threads|the cores it uses|-t in llama.cpp|parallel threads)
            (CPU usage|the CPU load|the processor load) of (tritonchat|the server|it)
        """,
        asks="""
            how many (threads|cores|CPUs|processors) (does it use|are used|do I need|should I use|
                does it take)?
            (does it|can it|will it) use (all|several|many|more than one|multiple) (cores|threads|CPUs|
                processors)?
            (it|the server|tritonchat) uses (all my|too many|all the) (cores|CPUs|threads)(.|)
            (threads|cores|cpu cores|thread count|number of cores|multi threading)
            is it (multithreaded|multi-threaded|parallel|single threaded)?
            (my|the) (fan|fans) (is|are|gets|get) (loud|noisy|screaming)(.| when it answers.|
                , can it use less CPU?)
            (my|the) (computer|machine|laptop|PC) (gets slow|freezes|is unusable|gets hot|is blocked) (while|
                when) it (runs|answers|computes)(.|!|)
            (the CPU|the processor|my CPU) (is at|goes to|runs at|shows) (100 percent|100%|full load|
                400 percent)(.|. Is that normal?|, can I limit that?)
            (can|could|may) I (limit|restrict|choose|set) (the cores|the CPU use|how many cores it takes|
                the number of cores|its threads)?
            (which|what) flag (sets|limits|is for|changes) the (threads|cores|number of threads|CPU use)?
            (does|will|would) (more|fewer|two|16) (threads|cores) (help|make it faster|be faster|be slower|
                hurt)?
            (what|how many) (is|are) the (default|usual) (number of threads|threads)( it takes|)?
            (is|are) (one|two|four|two old) (core|cores|CPUs) (enough|ok|too few|used)?
            (does it|do you|can it) (compute|run|work) (in parallel|on many cores|on one core|
                with several threads|single threaded)?
            (all cores|one core|half the cores|fewer cores|more threads)(?|, please| please|: how?)
            I (have|have got|own) (64|32|8|16|4) cores(.|. Does it use them?|, are they used?)
            (threads|cores)( setting| flag| limit| per core| default| how many|)(?|)
            (I know|in llama.cpp I use) -t(.|, what is it here?|. And here?)
        """,
    ),
    "kv memory": Topic(
        "The flag --kv-cache-memory sets the memory for running conversations, such as 4GiB. "
        "Without it, a quarter of the free memory is taken.",
        brief="--kv-cache-memory sets it, such as 4GiB.",
        more="For example: tritonchat up --kv-cache-memory 4GiB --kv-cache-dtype int8",
        tasks="""
            (set|limit|change|choose|reduce|raise) the (KV cache memory|memory for the KV cache|KV memory|
                size of the KV cache)
            (give|allow) (the KV cache|conversations|running chats) (more|less) memory
            (limit|set) the memory for (conversations|running conversations|keys and values)
            (reserve|set aside|grant|assign) (memory|4 GiB|more memory|2 GB) for (conversations|the KV cache|
                chats|running chats)
            (make|have) the KV cache (bigger|smaller|larger|take less|use 4 GiB)
            (keep|hold) (more|many) (conversations|chats) in memory( at once|)
            (stop|keep) the KV cache from (taking a quarter of my memory|eating my memory|growing|
                taking so much)
        """,
        things="""
            (--kv-cache-memory|the --kv-cache-memory flag|the KV cache size|the size of the KV cache)
            (memory for conversations|the memory of running conversations|gpu_memory_utilization|
                KV cache memory|the KV memory limit|the memory limit of conversations)
        """,
        asks="""
            how (much|many) memory (does|will) the (KV cache|KV memory) (take|use|need|get)?
            how (big|large) is the KV cache?
            (which|what) flag (sets|limits|is for) the (KV cache memory|memory of conversations|KV memory)?
            (kv cache|kv) (memory|size|memory flag|memory limit)
            (do|will) (long|many) (conversations|chats) (need|take|use) (more|much) memory?
            (why|how come) does (it|the server|tritonchat) (take|reserve|use|grab) a quarter of (my|the free|
                the) memory?
            how (much|many GB of) memory (is|are|gets) (reserved|set aside|kept|taken) for (conversations|
                the KV cache|chats)?
            (what|how much) (should I|do I|can I) (give|set|write|put) (for|with|to|behind) --kv-cache-memory?
            (can|may|could) I (limit|set|choose|fix|raise) (the KV cache|the memory of conversations|
                the KV cache memory|the size of the KV cache)?
            (is|what is) the (default|usual) (size|memory) of the KV cache?
            (the KV cache|KV memory) is too (small|big|large)(.|. How do I change it?|, which flag?)
            (does|will) (the KV cache|KV memory) (grow|take all my memory|have a limit|shrink|fill my RAM)?
            how (many|long) (chats|conversations|tokens) (fit|go) (in|into) (the KV cache|KV memory|
                4GiB of KV memory)?
            (I know|in vLLM I set) gpu_memory_utilization(.|, what is it here?|. And here?)
            (kv cache|kv) (size flag|too small|too big|default size|memory default|gigabytes|reserve)(?|)
            (a quarter|one quarter|25 percent) of (the|my) free memory(?|, why?|: for what?)
        """,
    ),
    "kv dtype": Topic(
        "--kv-cache-dtype float16 or int8 keeps keys and values in half or a quarter of the memory,"
        " a little less exactly.",
        more="For example: tritonchat up --kv-cache-dtype int8",
        tasks="""
            (quantize|quantise|compress|shrink) (the KV cache|keys and values|the keys and values|KV memory)
            (keep|store|hold) (keys and values|the KV cache|the keys and values) in (int8|float16|8 bits|
                16 bits|fewer bits|less memory)
            (fit|get) (twice as many|more|four times as many) (conversations|tokens|chats) (
                into the same memory|in the same KV memory)
            (use|set|turn on) (an int8 KV cache|KV cache quantization|--kv-cache-dtype)
        """,
        things="""
            (--kv-cache-dtype|the --kv-cache-dtype flag|KV cache quantization|a quantized KV cache|
                an int8 KV cache|the dtype of the KV cache|--kv-cache-dtype int8|a float16 KV cache)
        """,
        asks="""
            (can|could|is) the KV cache (be |)(quantized|quantised|compressed|rounded|in 8 bits|
                in int8)( too|)?
            (in which|in what|which|what) (type|dtype|precision|data type) (is|
                has) the KV cache( kept in| stored in|)?
            (does it|do you) (support|have) (KV cache quantization|an int8 KV cache|a float16 KV cache|
                a quantized KV cache)?
            (does|will) (--kv-cache-dtype int8|an int8 KV cache|a quantized KV cache) (hurt|change answers|
                be exact|help|save memory)?
            how much (memory|exactness) does (--kv-cache-dtype int8|an int8 KV cache|a float16 KV cache) (
                save|cost)?
            (kv cache|kv) (dtype|int8|float16|precision|quantization|quantisation|type)(?| flag| supported|)
            (I know|in llama.cpp I use) (-ctk q8_0|cache-type-k)(.|, what is it here?|. And here?)
        """,
    ),
    "model memory": Topic(
        "About two bytes for each parameter, one with int8 and half with int4, plus memory for "
        "conversations.",
        tasks="""
            (find out|calculate|estimate|know) how much (memory|RAM) (a model|my model|it|a 7B model) (needs|
                takes)
            (plan|buy|estimate) (the memory|enough memory|enough RAM) for (a model|my model|a 7B model)
            (work out|guess|compute|predict) the (memory|RAM) (of|for) (a model|my model|a 7B model|
                a 3B model)
            (know|see|check) (if|whether) (a model|my model|a 7B model|Llama) (fits|will fit|
                is too big)( in my memory| in memory| for my machine|)
            (find|pick|choose) a model that fits( in my memory| my machine| in 8 GB|)
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
            (I have|my machine has|my laptop has|there are) (only |)(8|16|4|32|64) (GB|GiB|
                gigabytes)( of RAM| of memory|)(.|. Which size of model fits?|. Is it enough?|
                , what size can I run?)
            (is|will) my (memory|RAM) (enough|be enough|sufficient|big enough) for (a model|a 7B model|
                my model|a 3B model)?
            how (big|large|heavy) is a (7B|1B|3B|13B) model (in memory|in RAM|when it is loaded)?
            (how many|what number of) (bytes|gigabytes|GB) (per|for each|for one|has a) (parameter|weight|
                billion parameters)?
            (what|how much) does a (7B|3B|13B|1B) model (take|need|want|cost) (in memory|of RAM|of memory|
                in RAM)?
            (why|how come) does (a model|my model|the model|a 7B model) (take|need|want) so much (memory|RAM)?
            (does|will) (int8|int4) (halve|reduce|
                save) the memory( a model needs| of a model|)( by how much|)?
            (which|what) (size|size of model|biggest model) (fits|can I run|goes) (in|into|with|on) (8|16|32|
                4) (GB|GiB)?
            (rule of thumb|formula|a formula|rough numbers) for (the memory of a model|memory|RAM)(?|
                , please|)
            (how much|what) (memory|RAM) (should|must) (a|my|the) (server|machine|computer|laptop) have?
            (memory|ram)( for a 7b model| for 1b| per parameter| needed for a model)(?|)
            (memory|ram)( calculation| estimate| rule|)(?|)
            (7B|3B|13B|1B|70B) (in|on|with) (8|16|32|64) (GB|GiB)(?|, possible?|: does it fit?)
        """,
    ),
    **ROUNDING,
}
