"""Questions about tritonchat and the words of its field, as people who know neither ask them."""

from random import Random

from training.evaluation.cases import Case, case, typed
from training.evaluation.terms import TERMS
from training.evaluation.wants import helps

# Topic: what the right answer has in any wording, and the questions.
TOPICS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tritonchat": (
        r"\bchat service\b|\btritonchat (is|lets|serves|helps)\b(?!.*\b(OpenAI|small)\b)[^.!?]*\b(chat"
        r"|serves?|talk)\b",
        (
            "I have never heard of tritonchat. What kind of thing is it?",
            "so what does tritonchat do for people",
            "A friend sent me the link. Can you tell me what this program is for?",
        ),
    ),
    "start": (
        r"^(?!.*\b(again|still|docker|pull|Ctrl)\b).*(\b(run|type|use|enter|with|try|by|start|do)\b[^.]*\b"
        r"(make chat|tritonchat up(?! --))|\bmake chat (sets|starts)|^\W*(make chat|tritonchat up)\W*$)",
        (
            "How do I start tritonchat?",
            "ok so how do i get this running",
            "I have downloaded everything, what do I type now to start the chat?",
        ),
    ),
    "stop": (
        r"\bCtrl\b|Ctrl-C|\bcontrol and C\b",
        (
            "How do I stop the server?",
            "how to turn it off",
            "It's still running in my terminal, how can I end it?",
        ),
    ),
    "tests": (
        r"\bmake test\b",
        (
            "How do I run the tests?",
            "I changed something and would like to test it, which command do I need?",
        ),
    ),
    "own model": (
        r"(?<!without )--model\b",
        (
            "Can I use my own model?",
            "i don't want the small model, how do i take a different one",
            "I have a model in a folder on my computer. How do I load it?",
        ),
    ),
    "hub": (
        r"owner/name|--model \w+/|(?=.*\bhub\b)(?=.*(--model|\bname\b))",
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
        r"\bsafetensors\b.*\b(files?|format|stores?|weights|data)\b|\b(files?|format|weights"
        r"|data)\b.*\bsafetensors\b",
        ("What is safetensors?", "there is a file called model.safetensors, what kind of file is that?"),
    ),
    "smaller weights": (
        r"--weights (FORMAT|int[48])|\bquantize\b[^.]*\bsmaller",
        (
            "My laptop only has 8 GB and the model is too big. Can I make it smaller?",
            "how do i load a model in int8",
        ),
    ),
    "quantisation": (
        r"\bbits\b[^.]*\binstead\b|\bfewer bits\b|\bless memory\b"
        r"|(?=.*\b(quanti[sz]\w*|rounds?|rounded))(?=.*\bsmaller\b)",
        (
            "What happens when it gets quantised?",
            "I read that you can quantize a model. What happens to it then?",
        ),
    ),
    "int8": (
        r"^(?!.*--kv)(?=.*\bint8\b).*(\b(8|eight)[ -]bits?\b|\b(byte|half|quarter)\b)",
        ("What does int8 mean?", "what is the difference if i use int8"),
    ),
    "calibration": (
        r"--calibration\b|\bGPTQ\b",
        ("How do I quantize with GPTQ?", "Could you explain what the option --calibration is for?"),
    ),
    "bench": (
        r"\btritonchat bench\b",
        (
            "How can I measure how fast my model is?",
            "I'd like to know how many tokens per second my computer manages. Which command is that?",
        ),
    ),
    "doctor": (
        r"\btritonchat doctor\b",
        (
            "It doesn't start on my computer. How do I find out what is wrong?",
            "i get an error when i start it, is there a command to check my machine",
        ),
    ),
    "doctor itself": (
        r"\b(what|something|anything) is (wrong|missing)\b|\bchecks\b|\bcheck (your|this|the) (machine"
        r"|computer)"
        r"|\blooks? at\b.*\bports\b|\blibpython\b",
        (
            "When should I run tritonchat doctor?",
            "somebody told me to run the doctor command, what will it do",
        ),
    ),
    "complete": (
        r"\btritonchat complete\b(?! is)",
        (
            "How can I continue a text in the terminal without a server?",
            "I wrote the start of a text. Which command writes the rest of it?",
        ),
    ),
    "page alone": (
        r"\btritonchat ui\b",
        (
            "The server runs on a different computer. How do I start only the page?",
            "how do i open the web page for a server on another machine",
        ),
    ),
    "server alone": (
        r"\btritonchat serve\b",
        ("How do I start only the server?", "i dont want the web page, how do i run it without"),
    ),
    "system": (
        r"\bLinux\b",
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
        r"\b(no|not|without|needs?|needed|any)\b[^.!?]*\b(GPU|graphics|processor)\b"
        r"|\bprocessor\b[^.!?]*\b(will do|is enough)\b",
        ("Do I need a GPU?", "my laptop has no graphics card, will it still work"),
    ),
    "offline": (
        r"\boffline\b|\bwithout (the |an? )?(internet|network)\b|\bnetwork is (only )?needed\b"
        r"|\b(no|needs?) (internet|network)\b",
        ("Does it work without internet?", "We often have no wifi at our cottage. Can I still use it there?"),
    ),
    "privacy": (
        r"\bstays?\b[^.!?]*\b(machine|computer|here)\b|\bprivate\b|\bnothing (is sent|leaves)\b"
        r"|\b(sent|goes|leaves?|send)\b[^.!?]*\b(anybody|anyone|nobody|no one|nowhere|machine|computer)\b"
        r"|\b(nobody|no one) (else )?(can )?(reads?|sees?)\b",
        ("Who can read my messages?", "does anything i write here go to google or so"),
    ),
    "price": (
        r"\bfree\b(?! memory)|\bcosts? nothing\b|\bno (cost|money|charge|fee)\b|\bApache\b|\bopen source\b",
        ("How much does it cost?", "do i need to pay something"),
    ),
    "licence": (
        r"\bApache\b",
        ("Which licence is the code published under?", "Am I allowed to use it in my company?"),
    ),
    "grpc port": (
        r"\bgRPC\b.*\b8001\b|^\W*(on )?(port )?8001\b|\b8001\b.*\bgRPC\b",
        ("Which port does gRPC use?", "My program wants to connect by gRPC. Which port is it on?"),
    ),
    "metrics": (
        r"\b8002\b|/metrics on port|\b8080/metrics\b",
        ("Where can I find the metrics?", "we use prometheus at work, does it have metrics for that"),
    ),
    "change port": (
        r"--\w+-port\b",
        ("How do I change the port?", "Another program already uses that port. Can I pick a different one?"),
    ),
    "page address": (
        r"\b8501\b|\bprints?\b[^.]*\baddress\b|\baddress\b[^.]*\bprint(s|ed)\b",
        ("What address do I have to open in my browser?", "i started it but where do i see the page now"),
    ),
    "network": (
        r"--host\b|0\.0\.0\.0",
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
        r"--help\b",
        ("Where can I see all the options?", "there are so many flags, is there a list with explanations"),
    ),
    **TERMS,
}


def help_cases() -> list[Case]:
    """Each question as a conversation of its own, every third typed in a hurry."""
    rng = Random(71)
    return [
        case(typed(rng, question), want=helps(pattern))
        for pattern, questions in TOPICS.values()
        for question in questions
    ]
