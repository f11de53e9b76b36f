"""What the help desk knows about the words of the trade: what the engine is made of, and how it chooses."""

from training.phrasing import Topic
from training.skills.topics.batching import BATCHING
from training.skills.topics.caches import CACHES
from training.skills.topics.networks import NETWORKS

ENGINE = {
    "triton": Topic(
        "Triton is NVIDIA's inference server: it takes requests over the network, batches them and "
        "runs the model.",
        more="tritonchat is served through it: the models chat and chat_stream answer over gRPC on port "
        "8001.",
        things="""
            (Triton|NVIDIA Triton|the Triton server|Triton Inference Server|triton inference server|
                NVIDIA's Triton)
            an inference server
            (the server from NVIDIA|NVIDIA's inference server|the inference server|Nvidia's serving software|
                the Triton part of this)
        """,
        asks="""
            (who|which company) (makes|made|wrote|built|develops) Triton?
            why (do you use|use|is there|does it use|does it need|do I need) Triton( here|)?
            (does it|do you|is it) (use|run on|based on|built on) Triton?
            (triton|nvidia triton|inference server)( server| meaning| what|)
            (is|does) Triton (free|open source|hard to use|fast|from NVIDIA|a product of NVIDIA|
                the thing from NVIDIA)?
            (what would I do|could I live|can it work|does it work) without Triton?
            (is there|does this have) (an NVIDIA server|an inference server|a real model server) (underneath|
                inside|behind it|in it)?
            I (only know|know|have used|come from) (TorchServe|TensorFlow Serving|KServe|Ray Serve|BentoML)(.|
                , what is Triton?|. Is Triton like that?)
            (which|what) (server|serving software|inference server|model server) (is underneath|does it use|
                is behind it|do you build on|takes the requests)?
            what (happens in|is the job of|is the role of|does one need|would I need) (the Triton server|
                Triton)( for|)?
            (the part that|the thing that|the program that) takes (the|my) requests (and runs the model|
                from the network)(, what is it called?|?|: what is that?)
            is Triton (the same as|like|something like) (a web server|vLLM|TorchServe|a database|tritonchat)?
            (I thought|isn't) Triton (was a compiler|is a GPU language|the GPU language|
                a language for kernels)(.|?|, which one is it here?)
            do I (have to|need to) (know|learn|understand) (Triton|anything about Triton)?
            (so,|ok,|and) Triton (is what?|does what?|is good for what?)
            triton (for what|who makes it|why|docs|explained|in one sentence)
        """,
    ),
    "pytriton": Topic(
        "PyTriton is NVIDIA's library for serving a Python function through Triton.",
        things="""
            (PyTriton|py triton|pytriton|the PyTriton library|NVIDIA's PyTriton|nvidia-pytriton)
            (nvidia pytriton|the pytriton package|pytriton here|the PyTriton part|PyTriton by NVIDIA)
            the Python (wrapper|binding|library) (for|around) Triton
        """,
        asks="""
            why (do you use|use|does it use) PyTriton?
            (what is the difference|the difference|difference) between (PyTriton and Triton|
                Triton and PyTriton)(?|)
            (who|which company) (makes|made|wrote) PyTriton?
            (pytriton|py triton)( library| meaning| what| docs|)
            (does it|do you) use PyTriton?
            (is|are) (PyTriton and Triton|Triton and PyTriton) the same( thing|)?
            (do I|must I) (install|know|write|learn) PyTriton( myself|)?
            (which|what) library (connects|joins|binds|brings together) (Python and Triton|Triton and Python|
                the Python code to Triton)?
            how (does|can) (a Python function|Python code|your Python code) (get into|run in|be served by|
                be called by) Triton?
            how (is|does) (the engine|your Python) (connected|connect|talk|hooked up) to Triton?
            (is there|do you use) a (Python wrapper|Python binding|Python library) (for|around) Triton?
            I (saw|see|found) (pytriton|nvidia-pytriton) in the (requirements|dependencies|imports|log)(.|
                . What is it?|, why?)
            (what would be|is there) (missing|a problem) without PyTriton?
            the thing that (binds|connects) (Python|a Python function) to Triton(, what is it?|?|)
            pytriton (vs triton|or triton|versus triton|and triton|for what|why|explained|who made it)(?|)
            (so,|ok,|and) PyTriton (is what?|does what?|is for what?)
        """,
    ),
    "grpc": Topic(
        "gRPC is a fast way for programs to call each other over a network. Triton's clients use "
        "it, on port 8001.",
        tasks="""
            (use|call it over|talk to it over|connect over|send requests over) gRPC
            (send|make) (a gRPC request|a gRPC call|gRPC calls|gRPC requests)
            (reach|query|ask) (the models|Triton|the server) (over|by|with|through) gRPC
        """,
        things="""
            (gRPC|grpc|the gRPC interface|the gRPC endpoint|the gRPC protocol|a gRPC call)
            (gRPC in Triton|the gRPC side|remote procedure calls|the binary protocol of Triton)
        """,
        asks="""
            why (do you use|use|does it use|is there) gRPC?
            (gRPC or HTTP|HTTP or gRPC|grpc vs http)(?|)
            (does it|do you|can it) (use|speak|support) gRPC?
            grpc( interface| endpoint| protocol| what| meaning|)
            what does gRPC (stand for|do better than HTTP|have to do with Triton|give me)?
            (is|why is) gRPC (faster|better|quicker) than (HTTP|REST|JSON)?
            (should|do) I (use|take|prefer|need) gRPC( or HTTP| or REST| at all|)?
            (can|do|must) (I|my program|clients|the clients) (talk|speak|use) gRPC( too| to it|)?
            (how|in what way|by what|with which protocol) do (the clients|Triton's clients|
                Triton and its clients|the page and the server) (talk|speak|communicate)( to each other|)?
            (the|a) (protocol|way|thing) that (Triton's clients|the clients) (speak|use)(, what is it?|
                ?| is what?)
            (is|are) (there a proto file|protobufs|protocol buffers) (used|needed|behind it)?
            I (only know|am used to|come from) (REST|plain HTTP|JSON APIs)(.|, what is gRPC?|. Why gRPC?)
            (difference|what is the difference) between gRPC and (HTTP|REST|a web request)(?|)
            what (speaks|uses|runs over) gRPC( here|)?
            is gRPC (secure|hard|complicated|a Google thing|from Google)?
            (how do I|where do I) (reach|find) (the gRPC interface|gRPC)?
            grpc (or rest|vs rest|why|clients|explained|for what)(?|)
        """,
    ),
    "kernels": Topic(
        "The engine's kernels are written in Python and compiled by numba for your processor. "
        "PyTorch is not used.",
        brief="The kernels are written in Python and compiled by numba, without PyTorch.",
        things="""
            (the kernels|numba|the engine|your kernels|the compute kernels|the transformer engine|kernels)
            (the numba kernels|compiled kernels|the inner loops|the code that does the arithmetic|
                the numba part)
            the part that (does the maths|does the math|multiplies the matrices|computes the answer)
        """,
        asks="""
            (does it|do you|does tritonchat) (use|need|depend on|run on) (PyTorch|TensorFlow|torch|ONNX|C++|
                numba)?
            (what|which language) is (it|tritonchat|the engine) (written|programmed|made) in?
            (how can|why is) Python (be |)(so |)fast( enough| here|)?
            (is PyTorch|is torch|is a compiler|is C++) (needed|used|necessary)( to run it| here|)?
            (pytorch|tensorflow|numba|kernels|engine)( needed| used| what|)
            (who|what) (computes|does the arithmetic|calculates the answers)( here|)?
            (is|was) the engine (written|made|coded) (in|with) (C|C++|Rust|Python|CUDA|pure Python)?
            (isn't|is not) Python (too slow|much too slow|slow) (for this|for a language model|for that)?
            (how can|how does) (plain Python|Python code|a Python engine) (compute|be so quick|run a model|
                compete with C++)?
            (where is|why no|I see no|I miss|there is no) (PyTorch|torch|TensorFlow|C++)(.|
                ?| in the requirements.| in the list of packages.)
            (does it|do you|will it) (call|contain|ship|come with) (C code|C++ code|assembly|CUDA code|cuBLAS|
                OpenBLAS|MKL|torch)?
            (who|what) (turns|compiles) (the Python code|Python|the kernels) (to|into) (machine code|
                vector instructions|fast code)?
            what (multiplies|computes) the (matrices|numbers|weights)( here| in the engine|)?
            (under the hood|inside|at the bottom)(,|) (what|which library) (does|do) the (maths|arithmetic|
                number crunching|computing)?
            (which|what) (framework|deep learning framework|machine learning library|backend) (does it use|
                is it built on|is behind the engine|is used)?
            is (the engine|it) (built|based|made) on (llama.cpp|PyTorch|Transformers|ggml|ONNX Runtime|vLLM)?
            (I have no|do I need a|must I install a) (C compiler|gcc|
                toolchain)( to build the kernels| for the kernels|)?
            (why|what for|for what) (numba|is numba there|do you use numba)?
            what (if|happens if) I (uninstall|do not have|don't have) (PyTorch|torch|numba)?
            can (it|the engine) (do without|get along without|run without) (PyTorch|torch|TensorFlow|
                a compiler)?
            (numba or pytorch|pytorch or numba|python or c++|is it c++|language of the engine|backend|
                framework)(?|)
        """,
    ),
    "first start": Topic(
        "The first start compiles the kernels for your processor, which takes some ten seconds. "
        "They are kept, so the next start is quick.",
        brief="The kernels are compiled once, which takes some ten seconds.",
        things="""
            (the first start|the slow first start|the warm-up|the compilation at the start|kernel compilation|
                compiling the kernels|the long first start)
            (the compiled kernels in the cache folder|the kernel cache|the numba cache|the cold start)
        """,
        asks="""
            why does the first (start|run|launch) take (so |)(long|some time|a while|ages)?
            (the first|my first|the very first) (start|run|launch) (is|was|takes|took) (so slow|very slow|
                ages|too long|a long time|half a minute)(.|!| Why?|, is that normal?)
            (is|will) the (second|next) (start|run|launch) (be |)(faster|quicker|as slow|as long|
                just as slow)?
            (does it|must it|will it) compile (every time|at each start|again|each time|anew)( I start it|)?
            (it|the server|tritonchat|the first start) (hangs|sits there|waits|does nothing|seems stuck) (
                at the start|when I start it the first time|the first time|for ten seconds)(.|!|)
            how long does (the first start|compiling|it take the first time|the compilation|
                it compile)( take|)?
            what (is it doing|does it do|is it compiling) (the first time|at the first start|
                when it first starts)?
            (where|in which folder) are the (compiled kernels|kernels) (kept|stored|saved|cached)?
            (it says|the log says|I see) (compiling|compiling kernels|that it compiles)(.|. How long?|
                , is that normal?)
            (the second time|later|now|today) it (started|starts) (at once|much faster|quickly)(.|. Why?|
                , how come?)
            (first start|first run|cold start|warm-up|startup time|start-up)( slow| takes long| time|)
            why (do I have to|must I) wait (so long |)(the first time|at the first start|before it starts)?
            (must I|do I have to) (wait|compile) (again|that long again) (next time|tomorrow|after a reboot)?
        """,
    ),
    "processor": Topic(
        "Any processor of a PC or server will do. The kernels use AVX-512, VNNI or AVX2 where the "
        "processor has them.",
        things="""
            (AVX-512|AVX2|VNNI|AVX512|SIMD|vector instructions|SIMD instructions|avx|NUMBA_CPU_NAME)
            the (supported processors|supported CPUs|CPU requirements|processor requirements)
        """,
        asks="""
            (which|what|what kind of|what sort of) (processor|CPU|processors|CPUs|chip) (do I need|
                does it need|is needed|is best|should I have|works|is supported)?
            (does it|can it|will it|do you) (use|need|require|support|have) (AVX-512|AVX2|AVX|VNNI|AVX512|
                SIMD|vector instructions|AMX)?
            (is|will) (an old|an Intel|an AMD|a Xeon|an EPYC|a cheap|my old|a ten year old|a Ryzen) (CPU|
                processor|chip) (be |)(enough|ok|fast enough|supported|good enough)?
            (I have|my machine has|I've got|there is only) (an old Intel CPU|an AMD Ryzen|a Xeon|an EPYC|
                a CPU without AVX-512|no AVX-512|no AVX2|an i5|an i7)(.|. Is that enough?|, is that ok?|
                . Does it work?)
            (Intel or AMD|AMD or Intel|which is better: Intel or AMD)(?|)
            (is|are) (AVX-512|AVX2|VNNI|vector instructions) (needed|required|used|necessary|a must)?
            what (if|happens if) my (CPU|processor) (has no|lacks|does not have) (AVX-512|AVX2|AVX|VNNI)?
            (avx-512|avx2|avx512|vnni|intel|amd|xeon|epyc|ryzen)( support| needed| required| ok| cpu|)
            (does|will) a (newer|better|more modern) (CPU|processor) (help|be faster|make it faster)?
        """,
    ),
    "same answer": Topic(
        "The same request always gives the same answer, byte for byte. For another answer give another seed.",
        brief="The same request gives the same answer, and another seed gives another.",
        more="It does not matter what else the server does, or how many threads compute: sums are taken "
        "in one order.",
        tasks="""
            (get|have|receive) (the same answer|the same answer again|the same text twice|
                a reproducible answer)
            (reproduce|repeat) (an answer|a result|an output)
            (get|have) (another|a different|a new) (answer|reply|text) to the same (question|prompt)
            (set|choose|change|give|use) (a|the|another) seed
            (get|see|hear|have) (something else|another version|a second version|a different story|
                another try)( for the same question| to the same prompt|)
            (make|have) (answers|the answers|my tests|results|an answer) (reproducible|deterministic|
                repeatable|different each time|stable)
            (regenerate|roll again|re-roll) (an answer|the answer|a reply)
        """,
        things="""
            (the seed|a seed|determinism|reproducibility|the seed parameter|reproducible answers|
                deterministic output)
            (bitwise reproducibility|the random seed|batch invariance|deterministic sampling|seed 0|
                reproducible results)
            (getting|always getting) the same (answer|text|result) (again|twice|every time)
        """,
        asks="""
            why (do I|does it|do you) (always |)(get|give|say|answer) (the same answer|the same thing|
                the same)( always|)?
            (is it|are answers|is the answer|are the answers|are you) (deterministic|reproducible|random|
                always the same)?
            (does|will) the same (question|request|prompt|seed) (always |)give the same (answer|text|bytes)?
            (seed|random seed|determinism|reproducible|same answer|same output)( every time| parameter|)
            the answer is always the same(.|. Why?|, why?)
            (it|the model|this thing) (always|again and again|every time) (says|gives|writes|tells) (the same|
                the very same answer|exactly the same|the same story|the same text)( to the same question|)(.|
                !|)
            (I asked|I ask|I typed) (twice|it twice|the same thing twice|ten times) and (got|it gave|
                always get) (the same|the same answer|the same text)(.|. Is that normal?|, why?)
            (will|does|do) (my friend|a colleague|another user|two users|
                everybody) get the same answer( to the same question| for the same request|)?
            (does|will|can) (load|the batch|other users|batching|the number of threads|what others ask) (
                change|affect|alter|influence) (my answer|answers|the answer|the result)?
            (is|are) (the answer|answers|it|results) (the same|identical|different|stable) (
                on one thread and on many|under load|alone and in a batch|with more threads|after a restart|
                when others ask too)?
            (is|isn't) (there |)(any |some |)(randomness|chance|luck) in (it|the answers|an answer|sampling)?
            (why|how) (is|are) (it|answers|the answers) so (reproducible|deterministic|predictable)?
            (which|what) seed (is used|does it use|is the default|do I get|
                should I take)( when I give none| if I give none| by default|)?
            (what does (the|a) seed do|what is a seed good for)( here| in a request|)?
            (can|could) (I|we|one) (rely on|count on|trust in) (the same answer|equal answers|
                reproducible answers)?
            (give|show|tell) me (another|a different) (version|variant) of the (answer|same answer)(.|)
            (every|each) (answer|time|run) is (the same|different|identical)(?|, why?|. Why is that?)
            (seed|seeds|bit for bit|byte for byte|batch invariant|temperature and seed|random or not)(
                ?| meaning| default| why|)
        """,
    ),
    "sampling": Topic(
        "Sampling draws the next token by its probability. temperature, top_p, top_k and min_p say "
        "how freely.",
        things="""
            (sampling|token sampling|the sampling parameters|sampling parameters|the sampler|
                sampling settings|generation parameters|generation settings)
            the (choice|choosing|drawing|picking) of the next (token|word)
        """,
        asks="""
            (which|what) (sampling parameters|sampling settings|parameters for sampling|samplers|
                generation parameters) (are there|do you have|can I set|does it know|exist)?
            (who|what) (decides|says|determines) which (token|word) (is next|comes next|is taken)?
            (does it|does a model) (take|pick|draw) (always |)the (best|likeliest|most likely|most probable) (
                token|word)?
            (is|does) the next (token|word) (chosen|drawn) (at random|by chance|by probability)?
            (which|what) (knobs|settings|parameters|controls) (change|influence|shape) (the style|
                how it writes|the randomness|what it writes|how free it is)?
            (what|which) (parameters|settings) can I (send|give|pass) (with|
                in) a request( to change how it writes|)?
            (sampling|sampler|samplers)( settings| parameters| how| meaning| explained| list|)(?|)
            out of all (possible |)(words|tokens), how (does it|does a model) (choose|pick) one?
            (difference|what is the difference) between greedy (decoding |)and sampling(?|)
            how (does it choose|does a model choose|does it pick|does a model find) the next (token|word)?
            how is the next (token|word) (chosen|drawn|picked|found|selected)?
        """,
    ),
    "min_p": Topic(
        "min_p drops tokens that are too unlikely: those below that share of the likeliest one's "
        "probability.",
        tasks="""
            (set|change|use|choose|lower|raise) (min_p|min p|min-p|min-p sampling)
            (drop|leave out|cut off|exclude) (unlikely|very unlikely|improbable) (tokens|words)
        """,
        things="""
            (min_p|min p|min-p|the min_p parameter|min-p sampling|minp|the min_p setting)
        """,
        asks="""
            (which|what) (min_p|min p|min-p) (should I|do I|shall I) (use|take|set|choose)?
            (min_p|min p|min-p)( parameter| setting| value| meaning| 0.05| 0.1| explained| supported|)
            (what is|what's) a good (min_p|min p|min-p)( value|)?
            what does (a min_p|min p|a min-p) of (0.05|0.1|0.02|0.2) (do|mean|change)?
            does (a min_p|min p|a min-p) of (0.05|0.1|0.02|0.2) (change much|help)?
            (does it|do you|can it) (have|support|know) (min_p|min p|min-p)?
            (min_p or top_p|top_p or min_p|min-p vs top-p|min p or top p)(?|)
            is (min_p|min-p) (better than|like|the same as) (top_p|top-p|top_k)?
        """,
    ),
    **BATCHING,
    **CACHES,
    **NETWORKS,
}
