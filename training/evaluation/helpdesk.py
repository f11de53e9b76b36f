"""Questions about tritonchat and the words of its field, as people who know neither ask them."""

from random import Random

from training.evaluation.cases import Case, case, typed
from training.evaluation.wants import helps

# Topic: what the right answer has in any wording, and the questions.
TOPICS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tritonchat": (
        r"chat service|\bserves?\b|chat with|talk (to|with)",
        (
            "What is tritonchat?",
            "so what does tritonchat do for people",
            "A friend sent me the link. Can you tell me what this program is for?",
        ),
    ),
    "start": (
        r"make chat|tritonchat up(?! --model)",
        (
            "How do I start tritonchat?",
            "ok so how do i get this running",
            "I have downloaded everything, what do I type now to start the chat?",
        ),
    ),
    "stop": (
        r"\bCtrl",
        (
            "How do I stop the server?",
            "how to turn it off",
            "It's still running in my terminal, how can I end it?",
        ),
    ),
    "tests": (
        r"make test",
        (
            "How do I run the tests?",
            "I changed something and would like to test it, which command do I need?",
        ),
    ),
    "own model": (
        r"--model",
        (
            "Can I use my own model?",
            "i don't want the small model, how do i take a different one",
            "I have a model in a folder on my computer. How do I load it?",
        ),
    ),
    "hub": (
        r"--model|owner/name",
        (
            "Can I use a model from Hugging Face?",
            "can it get models from hugging face or do i have to download them first",
        ),
    ),
    "families": (
        r"(?=.*Llama)(?=.*(Mistral|Qwen))",
        (
            "Which models are supported?",
            "can i load any model or only some kinds",
            "Could you tell me which model families tritonchat can run?",
        ),
    ),
    "file format": (
        r"safetensors",
        ("What file format does a model need to have?", "I only have a .gguf file. What format do you need?"),
    ),
    "safetensors": (
        r"\b(file|format|store|data only)",
        ("What is safetensors?", "there is a file called model.safetensors, what kind of file is that?"),
    ),
    "smaller weights": (
        r"--weights|quantize|int[48]",
        (
            "My laptop only has 8 GB and the model is too big. Can I make it smaller?",
            "how do i load a model in int8",
        ),
    ),
    "quantisation": (
        r"\bbits\b|int[48]|\bround|less memory|smaller|fewer",
        (
            "What happens when it gets quantised?",
            "I read that you can quantize a model. What happens to it then?",
        ),
    ),
    "int8": (
        r"(8|eight)[ -]bit|\bbyte|int8.*(bits|smaller|memory|round|half|quarter)",
        ("What does int8 mean?", "what is the difference if i use int8"),
    ),
    "calibration": (
        r"--calibration|GPTQ",
        ("How do I quantize with GPTQ?", "Could you explain what the option --calibration is for?"),
    ),
    "bench": (
        r"bench",
        (
            "How can I measure how fast my model is?",
            "I'd like to know how many tokens per second my computer manages. Which command is that?",
        ),
    ),
    "doctor": (
        r"doctor",
        (
            "It doesn't start on my computer. How do I find out what is wrong?",
            "i get an error when i start it, is there a command to check my machine",
        ),
    ),
    "doctor itself": (
        r"wrong|check|problem|look|libpython|ports",
        (
            "When should I run tritonchat doctor?",
            "somebody told me to run the doctor command, what will it do",
        ),
    ),
    "complete": (
        r"complete",
        (
            "How can I continue a text in the terminal without a server?",
            "I wrote the start of a text. Which command writes the rest of it?",
        ),
    ),
    "page alone": (
        r"tritonchat ui|--server",
        (
            "The server runs on a different computer. How do I start only the page?",
            "how do i open the web page for a server on another machine",
        ),
    ),
    "server alone": (
        r"tritonchat serve|\bserve\b",
        ("How do I start only the server?", "i dont want the web page, how do i run it without"),
    ),
    "system": (
        r"Linux",
        (
            "Does it run on Windows?",
            "We have Linux and Windows computers at work, which ones can I take?",
            "Can I use it on a Mac?",
        ),
    ),
    "python version": (
        r"3\.1[0-2]",
        ("Which Python version do I need?", "does it work with python 3.8"),
    ),
    "gpu": (
        r"\bGPU|graphics|\bCPU|processor",
        ("Do I need a GPU?", "my laptop has no graphics card, will it still work"),
    ),
    "offline": (
        r"offline|internet|\bnetwork|download|online|\b(runs?|all) on (this|your|my)",
        ("Does it work without internet?", "We often have no wifi at our cottage. Can I still use it there?"),
    ),
    "privacy": (
        r"\bstay|\bleave|nobody|no one|privat|\b(sent|send|sends|stored?)\b|only on (this|your)",
        ("Who can read my messages?", "does anything i write here go to google or so"),
    ),
    "price": (
        r"\bfree\b|nothing|no (cost|money|charge|fee)|Apache|open source",
        ("How much does it cost?", "do i need to pay something"),
    ),
    "licence": (
        r"Apache",
        ("Which licence is the code published under?", "Am I allowed to use it in my company?"),
    ),
    "grpc port": (
        r"8001",
        ("Which port does gRPC use?", "My program wants to connect by gRPC. Which port is it on?"),
    ),
    "metrics": (
        r"8002|prometheus|metrics",
        ("Where can I find the metrics?", "we use prometheus at work, does it have metrics for that"),
    ),
    "change port": (
        r"-port",
        ("How do I change the port?", "Another program already uses that port. Can I pick a different one?"),
    ),
    "page address": (
        r"8501|address|print",
        ("What address do I have to open in my browser?", "i started it but where do i see the page now"),
    ),
    "network": (
        r"--host|0\.0\.0\.0",
        (
            "How can other people in my network use my server?",
            "I want to reach the server from another computer. What do I have to set?",
        ),
    ),
    "environment": (
        r"TRITONCHAT_",
        (
            "Can I set the options with environment variables?",
            "I run it in a container and would like to use environment variables. What are they called?",
        ),
    ),
    "flags": (
        r"--help",
        ("Where can I see all the options?", "there are so many flags, is there a list with explanations"),
    ),
    "triton": (
        r"inference server|NVIDIA|serv(es|ing|er for) ",
        (
            "What is Triton?",
            "everybody here talks about triton, whats that",
            "Why does this use Triton, what is it?",
        ),
    ),
    "pytriton": (
        r"(?=.*\bPython\b)(?=.*Triton\b)",
        ("What is PyTriton?", "Sorry, but what is PyTriton and what is it good for?"),
    ),
    "grpc": (
        r"protocol|remote|programs?\b|\bcalls?\b|over (a|the) network|8001",
        ("What is gRPC?", "it says grpc in the readme, what does that mean"),
    ),
    "dynamic batching": (
        r"(?=.*(request|question|message|people))(?=.*(together|join|group|at once|one batch|collect))",
        ("What is dynamic batching?", "Can you explain to a beginner how dynamic batching works?"),
    ),
    "streaming": (
        r"piece|token by token|word by word|as soon|as they|while|bit by bit|as it",
        ("What is streaming?", "What does it mean that answers are streamed?"),
    ),
    "kv cache": (
        r"\bkeys\b|(earlier|past|already|previous|seen).*(comput|calculat|again|token)",
        ("What is a KV cache?", "I'm new to this. What does the KV cache do?"),
    ),
    "kv cache memory": (
        r"--kv-cache|quarter",
        (
            "How do I change the size of the KV cache?",
            "The KV cache uses a lot of memory, can I set how much it takes?",
        ),
    ),
    "prefix cache": (
        r"beginning|\bstart(s|ing)? (of|with)|\breus|\bshare|already|what is new|not.*again",
        ("What is the prefix cache?", "Could you explain prefix caching to me in simple words?"),
    ),
    "context": (
        r"context|(many|number of|\d+) tokens|prompt and answer",
        (
            "How long can a conversation be?",
            "what happens if my chat gets too long",
            "What does --max-context do?",
        ),
    ),
    "threads": (
        r"--threads|core",
        (
            "How do I set the number of threads?",
            "I want it to use only two of my CPU cores, how do I do that?",
        ),
    ),
    "concurrency": (
        r"\b64\b|--max-concurrency|\bmany\b|together",
        (
            "How many people can use it at the same time?",
            "My whole class wants to use it together, can it do that?",
        ),
    ),
    "queue": (
        r"queue|refus|\bfull\b|wait",
        ("What happens when the queue is full?", "what does it do if too many people ask something"),
    ),
    "speculation": (
        r"\bguess|ahead",
        ("What does --speculate do?", "my colleague mentioned speculative decoding, what is it?"),
    ),
    "temperature": (
        r"random|wild|likel|varied|variety|creativ|surpris|bold|daring",
        ("What would I set the temperature for?", "what happens to the answers if i turn up the temperature"),
    ),
    "top p": (
        r"likel|probab",
        ("What is top_p?", "theres a slider for top p, what does it change"),
    ),
    "seed": (
        r"\bsame\b|random|another",
        ("What is the seed for?", "I see a field called seed. What should I use it for?"),
    ),
    "determinism": (
        r"\bsame\b",
        (
            "Do I get the same answer if I ask the same thing twice?",
            "yesterday i asked it something, will i get the same answer today",
        ),
    ),
    "max tokens": (
        r"max_tokens|max-tokens|longest|at most|limit|how (long|many)",
        (
            "How can I limit the length of the answers?",
            "The answers are too long for me. Can I set a maximum?",
        ),
    ),
    "repetition": (
        r"repetition|penalt|repeat",
        ("The model keeps repeating itself, what can I do?", "what is the repetition penalty good for"),
    ),
    "stop a reply": (
        r"cancel|stop",
        (
            "How do I stop an answer while it is being written?",
            "it keeps writing and writing, how can i stop the answer",
        ),
    ),
    "python client": (
        r"ChatClient|triton_server|client",
        (
            "How can I use the server from Python?",
            "how do i send a message to the server from my own python program",
        ),
    ),
    "without server": (
        r"model_core|\bLLM\b",
        (
            "Can I use the model in Python without a server?",
            "I'm writing a script and don't want to start a server. Which Python class runs the model?",
        ),
    ),
    "training": (
        r"generat|made up|written|scratch|from nothing|training|no download|no person",
        ("What were you trained on?", "who wrote the texts that you learned from"),
    ),
    "size": (
        r"million",
        ("How many parameters do you have?", "how many million parameters does the little model have"),
    ),
    "parameter": (
        r"numbers?\b|learn(s|t|ed)\b",
        (
            "What is a parameter of a model?",
            "They always say how many parameters a model has. What is a parameter?",
        ),
    ),
    "system prompt": (
        r"instruct|behav|\broles?\b|\brules\b|tells? (the|a|me|it|how)|how (the|a|I) ",
        ("What is a system prompt?", "where it says system prompt, what should i write there"),
    ),
    "token": (
        r"pieces?\b|parts?\b|chunks?\b",
        ("What is a token?", "i thought it counts words but it says tokens, what are those"),
    ),
    "transformer": (
        r"attention|neural|\bnetworks?\b|layers?\b",
        ("What is a transformer?", "My teacher said you are a transformer. What does that mean?"),
    ),
    "attention": (
        r"\blook|\bweigh(s|ing)?\b|earlier|relevan|focus|matter",
        ("What is attention in a language model?", "can you explain attention, not too complicated please"),
    ),
    "kernels": (
        r"numba|compil",
        ("How are the kernels made?", "The kernels are written in Python, so what makes them fast?"),
    ),
    "first start": (
        r"compil|kernels?\b",
        (
            "Why did it take so long when I started it for the first time?",
            "it was really slow when i started it for the first time, why",
        ),
    ),
    "streamlit": (
        r"Streamlit",
        ("What is the page made with?", "I like the page. What did you use to build it?"),
    ),
    "chat template": (
        r"template|\broles?\b|\bmark",
        ("What is a chat template?", "it says my model has no chat template, what is that"),
    ),
    "safety": (
        r"pickle|\bcode\b|trust|sandbox|safetensors",
        ("Is it safe to load a model that I found on the internet?", "can a model file contain a virus"),
    ),
    "new chat": (
        r"New chat",
        (
            "How do I start a new conversation on the page?",
            "i want to begin again with an empty chat, what do i click",
        ),
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
