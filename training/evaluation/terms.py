"""Questions about the words of the field, the settings of a chat and the model itself."""

# Topic: what the right answer has in any wording, and the questions.
TERMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "triton": (
        r"inference server|(?=.*\bTriton\b)(?=.*\bNVIDIA)(?=.*\bserv(es|er|ing)\b)",
        (
            "I keep reading Triton here. Is that a program?",
            "everybody here talks about triton, whats that",
            "Why does this use Triton, what is it?",
        ),
    ),
    "pytriton": (
        r"(?=.*\bPython (function|code|library)|.*\blibrary\b)(?=.*Triton\b)",
        ("What is PyTriton?", "Sorry, but what is PyTriton and what is it good for?"),
    ),
    "grpc": (
        r"\bprotocol\b|\bremote\b|\bprograms?\b[^.]*\b(call|talk to|speak to) each other\b"
        r"|\bcalls?\b[^.]*\bover (a|the) network\b",
        ("What is gRPC?", "it says grpc in the readme, what does that mean"),
    ),
    "dynamic batching": (
        r"(?=.*\b(requests?|questions?|messages?|people)\b)(?=.*\b(join|group|collect|batch|handle|put)(s"
        r"|es|ed)?\b)"
        r"(?=.*\b(at (nearly |about |almost )?the same time|same moment|at once|arrive together"
        r"|one batch)\b)",
        ("What is dynamic batching?", "Can you explain to a beginner how dynamic batching works?"),
    ),
    "streaming": (
        r"\bpiece by piece|\bin pieces\b|\beach piece\b|\b(token by token|word by word|bit by bit)\b"
        r"|\bas (soon as )?(it|they) (is|are)\b|\bwhile (it|they|the answer) (is"
        r"|are) (still )?(being )?(written|computed)",
        ("What is streaming?", "What does it mean that answers are streamed?"),
    ),
    "kv cache": (
        r"\bkeys and values\b|\b(earlier|past|previous) tokens\b[^.]*\b(comput|calculat|again)"
        r"|\bkeeps\b[^.]*\bearlier tokens\b",
        ("What is a KV cache?", "I'm new to this. What does the KV cache do?"),
    ),
    "kv cache memory": (
        r"--kv-cache-memory\b",
        (
            "How do I change the size of the KV cache?",
            "The KV cache uses a lot of memory, can I set how much it takes?",
        ),
    ),
    "prefix cache": (
        r"(?=.*\b(beginning|prefix|start of|begins?|begin alike)\b)"
        r"(?=.*\b(reus\w*|shar\w*|keeps?|kept|again|only what is new|once)\b)",
        (
            "There is something called a prefix cache. What is that for?",
            "Could you explain prefix caching to me in simple words?",
        ),
    ),
    "context": (
        r"--max-context\b(?!, for)|\bat once, prompt\b|\b(many|number of|\d+) tokens fit"
        r"|\bprompt and answer together",
        (
            "How long can a conversation be?",
            "what happens if my chat gets too long",
            "What does --max-context do?",
        ),
    ),
    "threads": (
        r"--threads\b",
        (
            "How do I set the number of threads?",
            "I want it to use only two of my CPU cores, how do I do that?",
        ),
    ),
    "concurrency": (
        r"\b64\b|--max-concurrency\b",
        (
            "How many people can use it at the same time?",
            "My whole class wants to use it together, can it do that?",
        ),
    ),
    "queue": (
        r"--max-queue\b|\bqueue\b|\b(requests?|server|it)( is| are)? refuse[sd]?\b|\b(as many"
        r"|too many) requests"
        r"|\btry again (later|in a moment)",
        ("What happens when the queue is full?", "what does it do if too many people ask something"),
    ),
    "speculation": (
        r"\bguess(es)?\b[^.]*\bahead\b|\btokens ahead\b",
        ("What does --speculate do?", "my colleague mentioned speculative decoding, what is it?"),
    ),
    "temperature": (
        r"\brandom\b|\bwild(er)?\b|\banswers vary\b|\blikeliest token is\b|\bvaried\b|\bvariety\b"
        r"|\bcreative\b"
        r"|\bsurprising\b|\bbold(er)?\b|\bdaring\b",
        ("What would I set the temperature for?", "what happens to the answers if i turn up the temperature"),
    ),
    "top p": (
        r"\b(likeliest|likely|probable)\b[^.]*\bprobability\b|\bprobability\b[^.]*\b(likeliest|likely"
        r"|adds? up)\b",
        ("What is top_p?", "theres a slider for top p, what does it change"),
    ),
    "seed": (
        r"\b(another|same|other|different) seed\b|\bseed\b[^.]*\b(same|random\w*|another|gives?|draws?)\b"
        r"|\bsame answers? again\b",
        ("What is the seed for?", "I see a field called seed. What should I use it for?"),
    ),
    "determinism": (
        r"\bsame answer\b(?!.*\bllama\b)",
        (
            "Do I get the same answer if I ask the same thing twice?",
            "yesterday i asked it something, will i get the same answer today",
        ),
    ),
    "max tokens": (
        r"\bmax_tokens\b|--max-tokens\b|(?=.*\bmax tokens\b)(?=.*\b(limits?|length|longest|maximum"
        r"|at most)\b)",
        (
            "How can I limit the length of the answers?",
            "The answers are too long for me. Can I set a maximum?",
        ),
    ),
    "repetition": (
        r"\brepetition[_ -]penalty\b(?!.*\bseed\b)|\bpenalt(y|ies) above\b",
        ("The model keeps repeating itself, what can I do?", "what is the repetition penalty good for"),
    ),
    "stop a reply": (
        r"\bpress Stop\b|\bStop (button )?on the page\b|\bcancel\b",
        (
            "How do I stop an answer while it is being written?",
            "it keeps writing and writing, how can i stop the answer",
        ),
    ),
    "python client": (
        r"\bChatClient\b|\btriton_server\.client\b",
        (
            "How can I use the server from Python?",
            "how do i send a message to the server from my own python program",
        ),
    ),
    "without server": (
        r"\bmodel_core\b.*\bLLM\b|\bLLM\b.*\bmodel_core\b|\bLLM\(",
        (
            "Can I use the model in Python without a server?",
            "I'm writing a script and don't want to start a server. Which Python class runs the model?",
        ),
    ),
    "training": (
        r"\b(trained|texts?|conversations|stories)\b[^.!?]*\bgenerat|\bgenerat\w+\b[^.!?]*\b(texts?"
        r"|conversations|stories)"
        r"|\bmade[ -]up\b|\bfrom (nothing|scratch)\b",
        ("What were you trained on?", "who wrote the texts that you learned from"),
    ),
    "size": (
        r"\bmillion\b",
        ("How many parameters do you have?", "how many million parameters does the little model have"),
    ),
    "parameter": (
        r"\bnumbers\b[^.]*\b(learnt|learned|learns|training|model)\b|\bweights?\b[^.]*\blearn(t|ed)\b",
        (
            "What is a parameter of a model?",
            "They always say how many parameters a model has. What is a parameter?",
        ),
    ),
    "system prompt": (
        r"\b(how to behave|how it should|instructions?|instructs|behaves?|its role|role system|rules for)\b",
        ("What is a system prompt?", "where it says system prompt, what should i write there"),
    ),
    "token": (
        r"\b(small |little )?(piece|part|bit|chunk)s? of (a )?(text|words?)\b|\bpart of one\b",
        ("What is a token?", "i thought it counts words but it says tokens, what are those"),
    ),
    "transformer": (
        r"\b(neural|network)\b[^.]*\b(layers?|attention)|\blayers\b[^.]*\battention",
        ("What is a transformer?", "My teacher said you are a transformer. What does that mean?"),
    ),
    "attention": (
        r"\battention\b.*\b(looks? back|look|weighs?|relevant|focus(es)?|matters?)\b"
        r"|\blooks? back at (the )?earlier\b",
        ("What is attention in a language model?", "can you explain attention, not too complicated please"),
    ),
    "kernels": (
        r"\bnumba\b|\bkernels\b[^.]*\bcompiled\b",
        ("How are the kernels made?", "The kernels are written in Python, so what makes them fast?"),
    ),
    "first start": (
        r"\b(compile[sd]?|compiling|compilation)\b",
        (
            "Why did it take so long when I started it for the first time?",
            "it was really slow when i started it for the first time, why",
        ),
    ),
    "streamlit": (
        r"\bStreamlit\b",
        ("What is the page made with?", "I like the page. What did you use to build it?"),
    ),
    "chat template": (
        r"\bchat template\b|\bmessages\b[^.]*\bone text\b|\btemplate\b",
        ("What is a chat template?", "it says my model has no chat template, what is that"),
    ),
    "safety": (
        r"\bpickle\b|\bno code (from|in|of|is)\b|\bcode\b[^.]*\b(is not|is never|isn't) run\b|\bsandbox",
        ("Is it safe to load a model that I found on the internet?", "can a model file contain a virus"),
    ),
    "new chat": (
        r"\bNew chat\b",
        (
            "How do I start a new conversation on the page?",
            "i want to begin again with an empty chat, what do i click",
        ),
    ),
}
