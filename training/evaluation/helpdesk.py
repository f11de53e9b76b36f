"""Questions about tritonchat and the words of its field, as people who know neither ask them."""

from random import Random

from training.evaluation.cases import Case, case, typed
from training.evaluation.wants import helps

# Topic: what the right answer has in any wording, and the questions.
TOPICS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tritonchat": (
        r"chat service|\bserves?\b|chat with|talk (to|with)",
        ("what exactly is this tritonchat thing", "Somebody sent me here. What's tritonchat for?"),
    ),
    "start": (
        r"make chat|tritonchat up(?! --model)",
        (
            "I just cloned the repo. Now what do I type to get it going?",
            "how to fire this up",
            "command to launch?",
        ),
    ),
    "stop": (
        r"\bCtrl",
        (
            "how do I kill the server again",
            "I want to shut everything down. Which keys?",
            "terminate server how",
        ),
    ),
    "tests": (
        r"make test",
        ("How can I check that the whole thing works, is there a test suite?", "run all tests pls how"),
    ),
    "own model": (
        r"--model",
        (
            "I have a checkpoint on my disk, how would I chat with that one?",
            "can i swap the little model for mine",
            "which flag picks another model?",
        ),
    ),
    "hub": (
        r"--model|owner/name",
        (
            "Can it fetch models from Hugging Face by itself?",
            "load something straight off the hub, possible?",
        ),
    ),
    "families": (
        r"(?=.*Llama)(?=.*(Mistral|Qwen))",
        (
            "Would a Qwen2 checkpoint work here?",
            "what architectures are supported",
            "Which kinds of models can it run?",
        ),
    ),
    "file format": (
        r"safetensors",
        ("In what format do the weights have to be?", "my weights are a .bin file, does that work"),
    ),
    "safetensors": (
        r"\b(file|format|store|data only)",
        ("safetensors - never heard of it. What's that?", "why safetensors and not something else"),
    ),
    "smaller weights": (
        r"--weights|quantize|int[48]",
        ("The model doesn't fit in my memory. Can I shrink it?", "how can i run it in 4 bit"),
    ),
    "quantisation": (
        r"\bbits\b|int[48]|\bround|less memory|smaller|fewer",
        ("people say 'quantized', what do they mean?", "I don't get quantisation, could you explain?"),
    ),
    "int8": (
        r"(8|eight)[ -]bit|\bbyte|int8.*(bits|smaller|memory|round|half|quarter)",
        ("what does int8 stand for", "So int8 weights, what's that about?"),
    ),
    "calibration": (
        r"--calibration|GPTQ",
        ("How do I use GPTQ with it?", "what's that --calibration option doing"),
    ),
    "bench": (
        r"bench",
        ("how fast is it on my laptop, can i measure that", "Is there a tool to time the model here?"),
    ),
    "doctor": (
        r"doctor",
        (
            "Something is broken on my computer and it won't start. Help!",
            "command that tells me whats wrong w my setup",
        ),
    ),
    "doctor itself": (
        r"wrong|check|problem|look|libpython|ports",
        ("tritonchat doctor, what does that do?", "When would I run the doctor?"),
    ),
    "complete": (
        r"complete",
        (
            "Can I just continue a text in the terminal, no server?",
            "how to let it finish my sentence on the command line",
        ),
    ),
    "page alone": (
        r"tritonchat ui|--server",
        (
            "My server is on another box. How do I open only the page here?",
            "start just the UI without a server",
        ),
    ),
    "server alone": (
        r"tritonchat serve|\bserve\b",
        ("I don't need the web page, only the server. How?", "run headless without the page"),
    ),
    "system": (
        r"Linux",
        (
            "will this run on my windows laptop",
            "Which operating system do I need?",
            "I only own a MacBook, will it run there?",
        ),
    ),
    "python version": (
        r"3\.1[0-2]",
        ("I've got Python 3.9, is that enough?", "what python do i need"),
    ),
    "gpu": (
        r"\bGPU|graphics|\bCPU|processor",
        ("do i have to own an nvidia card", "Would my graphics card make it faster?"),
    ),
    "offline": (
        r"offline|internet|\bnetwork|download|online|\b(runs?|all) on (this|your|my)",
        ("Can I use it on a plane with no wifi?", "does it need to be online all the time?"),
    ),
    "privacy": (
        r"\bstay|\bleave|nobody|no one|privat|\b(sent|send|sends|stored?)\b|only on (this|your)",
        ("Do you send what I write to some company?", "is my chat stored in a cloud somewhere"),
    ),
    "price": (
        r"\bfree\b|nothing|no (cost|money|charge|fee)|Apache|open source",
        ("How much do I have to pay for this?", "is it free of charge or what"),
    ),
    "licence": (
        r"Apache",
        ("May I use this in a commercial product?", "under which licence is the code?"),
    ),
    "grpc port": (
        r"8001",
        ("To which port do clients connect?", "gRPC listens where?"),
    ),
    "metrics": (
        r"8002|prometheus|metrics",
        ("I run Grafana. Where do I find counters?", "does it export any metrics"),
    ),
    "change port": (
        r"-port",
        ("8001 is taken on my machine, what now?", "can i move it to different ports"),
    ),
    "page address": (
        r"8501|address|print",
        ("Which address do I type into the browser?", "where's the page, what port"),
    ),
    "network": (
        r"--host|0\.0\.0\.0",
        ("My colleague on the same wifi can't reach my server.", "let other computers connect, how"),
    ),
    "environment": (
        r"TRITONCHAT_",
        (
            "I'd rather set options in environment variables. Does that go?",
            "docker setup: env vars instead of flags?",
        ),
    ),
    "flags": (
        r"--help",
        ("Where can I see every option there is?", "list of all command line switches?"),
    ),
    "triton": (
        r"inference server|NVIDIA|serv(es|ing|er for) ",
        ("Who or what is Triton?", "triton?? isnt that a greek god", "What does Triton do in all this?"),
    ),
    "pytriton": (
        r"(?=.*\bPython\b)(?=.*Triton\b)",
        ("And PyTriton is what?", "is PyTriton just another word for Triton?"),
    ),
    "grpc": (
        r"protocol|remote|programs?\b|\bcalls?\b|over (a|the) network|8001",
        ("gRPC, could you explain that in one sentence?", "i keep seeing grpc, what is it even"),
    ),
    "dynamic batching": (
        r"(?=.*(request|question|message|people))(?=.*(together|join|group|at once|one batch|collect))",
        ("What's the trick with dynamic batching?", "how does batching requests dynamically help"),
    ),
    "streaming": (
        r"piece|token by token|word by word|as soon|as they|while|bit by bit|as it",
        ("Why do the words show up one after the other?", "whats streaming in this context"),
    ),
    "kv cache": (
        r"\bkeys\b|(earlier|past|already|previous|seen).*(comput|calculat|again|token)",
        ("that kv cache everyone mentions, what's inside?", "Why would a model need a KV cache?"),
    ),
    "kv cache memory": (
        r"--kv-cache|quarter",
        ("How do I give it more memory for conversations?", "limit the ram that the kv cache takes"),
    ),
    "prefix cache": (
        r"beginning|\bstart(s|ing)? (of|with)|\breus|\bshare|already|what is new|not.*again",
        ("Does it compute the old messages again every turn?", "what is meant by prefix caching"),
    ),
    "context": (
        r"context|(many|number of|\d+) tokens|prompt and answer",
        (
            "At what length does a chat become too long?",
            "context window, what's that",
            "i saw --max-context in the docs, what's its purpose",
        ),
    ),
    "threads": (
        r"--threads|core",
        ("can it use more of my cores", "How many CPU threads does it take, and how do I change that?"),
    ),
    "concurrency": (
        r"\b64\b|--max-concurrency|\bmany\b|together",
        (
            "How many people may chat at the same moment?",
            "ten people typing to it together, will that go well?",
        ),
    ),
    "queue": (
        r"queue|refus|\bfull\b|wait",
        ("What happens when there are too many requests?", "it says the queue is full, what can i do"),
    ),
    "speculation": (
        r"\bguess|ahead",
        ("What would --speculate 8 change?", "speculative decoding - what is the idea?"),
    ),
    "temperature": (
        r"random|wild|likel|varied|variety|creativ|surpris|bold|daring",
        ("which knob makes answers more creative", "Temperature: higher or lower, what's the effect?"),
    ),
    "top p": (
        r"likel|probab",
        ("And what does top_p do then?", "top p explained simply pls"),
    ),
    "seed": (
        r"\bsame\b|random|another",
        ("What good is setting a seed?", "how do i get a different answer to the same prompt"),
    ),
    "determinism": (
        r"\bsame\b",
        ("If I send a request twice, will the replies differ?", "are the outputs reproducible?"),
    ),
    "max tokens": (
        r"max_tokens|max-tokens|longest|at most|limit|how (long|many)",
        ("My answers get cut off in the middle, why?", "which setting caps the length of an answer"),
    ),
    "repetition": (
        r"repetition|penalt|repeat",
        (
            "The model says the same line over and over. Any setting against that?",
            "the repetition penalty, do i turn it up or down?",
        ),
    ),
    "stop a reply": (
        r"cancel|stop",
        ("It's writing way too much, can I interrupt it?", "abort a running request, how"),
    ),
    "python client": (
        r"ChatClient|triton_server|client",
        ("I'd like to call the server from my own script.", "code for a python client?"),
    ),
    "without server": (
        r"model_core|\bLLM\b",
        ("Can I import the model into my program and skip the server?", "use it as a library, which class"),
    ),
    "training": (
        r"generat|made up|written|scratch|from nothing|training|no download|no person",
        ("Which texts did they feed you while you were learning?", "did you read the whole internet"),
    ),
    "size": (
        r"million",
        ("how big are you, in weights?", "And the number of parameters inside you would be?"),
    ),
    "parameter": (
        r"numbers?\b|learn(s|t|ed)\b",
        ("When they say a model has billions of parameters, what are those?", "parameter, meaning?"),
    ),
    "system prompt": (
        r"instruct|behav|\broles?\b|\brules\b|tells? (the|a|me|it|how)|how (the|a|I) ",
        ("What can I put into the system prompt?", "system prompt whats that good for"),
    ),
    "token": (
        r"pieces?\b|parts?\b|chunks?\b",
        ("Tokens tokens tokens... what is one?", "one word one token, or how does that go?"),
    ),
    "transformer": (
        r"attention|neural|\bnetworks?\b|layers?\b",
        ("Could you explain what a transformer is?", "transformer = robot or what lol"),
    ),
    "attention": (
        r"\blook|\bweigh(s|ing)?\b|earlier|relevan|focus|matter",
        ("what does attention mean for a model", "Attention is all you need, they say. What is it?"),
    ),
    "kernels": (
        r"numba|compil",
        ("How is the arithmetic so fast without PyTorch?", "do I need a C compiler for the kernels"),
    ),
    "first start": (
        r"compil|kernels?\b",
        ("It hung for ten seconds when I ran it the first time. Normal?", "why's the first launch so slow"),
    ),
    "streamlit": (
        r"Streamlit",
        ("With which framework did they build the page?", "is the frontend made in react"),
    ),
    "chat template": (
        r"template|\broles?\b|\bmark",
        ("chat template, what is that?", "how does the model see who said what?"),
    ),
    "safety": (
        r"pickle|\bcode\b|trust|sandbox|safetensors",
        (
            "Could a model file from a stranger infect my computer?",
            "is it dangerous to load random checkpoints",
        ),
    ),
    "new chat": (
        r"New chat",
        ("How do I start over with an empty conversation on the page?", "clear the chat, where's the button"),
    ),
}


def help_cases() -> list[Case]:
    """Each question as a conversation of its own, every third typed in a hurry."""
    rng = Random(71)
    return [
        case(typed(rng, question), want=helps(pattern))
        for pattern, questions in TOPICS.values()
        for question in questions
    ]
