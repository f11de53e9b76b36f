"""Ways to ask: frames that make a hundred questions of one noun or task, and the manners around them."""

from dataclasses import dataclass
from random import Random

# `@` stands for a noun: "the KV cache".
WHAT = """
    (what is|what's|whats|what are|wat is) @?
    (what is|what's|what exactly is|what really is|what on earth is|now what is) @( exactly| then| anyway|)?
    (explain|define|describe|clarify) @( please| to me| for me| simply|)(.|)
    (can|could|would|will) you (please |)(explain|describe|define) @( to me| for me|)?
    (tell me|teach me|talk to me|say something|let me know) about @(.|)
    (tell me|can you tell me|please tell me|do you know|explain) what @ (is|are|means|does)(.|?|)
    (can|could) you tell me (something |a little |a bit |more |)about @?
    what does @ (mean|do|stand for)?
    what is meant by @?
    what do you mean by @?
    (what is|what's) the (meaning|definition|idea|purpose|point|use|sense) of @?
    (what is|what's) @ (for|good for|used for|about|all about)?
    how (does|do) @ work( exactly| here|)?
    (explain|tell me|show me|please explain) how @ (works|work)(.|)
    @?
    @( please|)
    @(,|:| -|) (what is it|what's that|what is that|what|how does it work)?
    @(,|:| -|) (meaning|definition|explained|explain|explanation)
    (meaning|definition|explanation|purpose) of @
    (I don't|I do not|I still don't|I don't really) (understand|get|know) @(.|)
    I (don't|do not) (know|understand|get) what @ (is|are|means)(.|)
    I have never heard of @(.|. What is it?|, what is it?)
    I (keep reading|keep hearing|heard|read|just read) about @(.|. What is it?|, what is that?)
    (someone|a friend|my colleague|the readme) (mentioned|mentions|spoke of) @(.|. What is that?|
        , what is it?)
    (I was wondering|I am wondering|I wonder|I'd like to know) what @ (is|are|means|does)(.|)
    I (would like to know|want to know|need to know) what @ (is|are|means|does)(.|)
    I('d like to| would like to| want to| need to|'m trying to) (learn about|understand|hear about) @(.|)
    help me (to |)understand @(.|)
    (any idea|got any idea|do you know|do you understand|do you happen to know) what @ (is|means)?
    (and |so |now |)what about @?
    (have you heard|do you know|what do you know|what can you tell me) (of|about) @?
    (give me|I need|I'd like) (a definition|an explanation|a simple explanation|a description) of @(.|)
    (why do (we|you|people|I) (need|use|want)|why use|why is there|why have) @?
    who needs @?
    is @ (important|useful|something I need|good)?
    @ for (beginners|dummies|a beginner|someone new)(.|?|)
    (I'm|I am) (confused|curious|asking) about @(.|)
    (question|my question is|something) about @(.|:|) what (is it|does it do|does it mean)?
    in (simple|plain|other|easy) words(,|) what (is|are) @?
    what (is|are) @ in (simple|plain|easy) (words|terms|English)?
"""

# `@` stands for a task: "load my own model".
HOW = """
    how (do|can|would|could|should|must) (I|you|we|one) @?
    (how to|howto|how 2) @(?|)
    how (does one|do people|is it possible to|would I go about it to) @?
    (can|could|may) (I|we|you) @( somehow| here| too|)?
    (is it possible|am I able|is there a way|is there any way|is there some way) to @?
    I (want|need|would like|wish|have|am trying|tried|am going) to @(.|)
    (I'd like|I'm trying|I want) to @(.|, how?|. How?|, what do I do?|. What should I do?|. Any hints?)
    (I don't know|I do not know|I can't figure out|not sure|no idea|I wonder|I forgot) how to @(.|)
    (tell me|show me|explain|teach me|please explain|please tell me|describe) how to @(.|)
    (tell me|show me|explain|please explain) how (I can|I could|to|you) @(.|)
    (can|could|would|will) you (tell|show|teach|explain to) me how (to|I can) @?
    (what is|what's) the (command|way|best way|easiest way|right way|trick|flag|option) to @?
    (which|what) (command|flag|option|commands) (do I need|should I use|do I use|can I use|lets me use) to @?
    (which|what) (command|flag|option) to @?
    what (do I|should I|must I|can I) (do|type|run|enter|write|change) to @?
    what (do I|should I) do (if I want to|in order to|to) @?
    @
    @( please|, please|, how|, how?| how|)
    (help me|help me to|I need help to|please help me) @(.|)
    (any idea|any hints|any tips|do you know|got an idea) how to @?
    (the |)(command|steps|instructions|way|flag) to @(?|)
    (I was wondering|I wonder|I am wondering|I'd like to know) how (to|I can|I could|one can) @(.|)
    I (want to know|would like to know|need to know) how (to|I can) @(.|)
    where (do|can|should) I @?
    is there a (command|flag|option|setting|switch) to @?
    (suppose|say|let's say|imagine) I want to @(.|. What then?|. How?)
    what if I want to @?
    (do you know|would you know) how (I can|I could|to|one can) @?
    (trying|want|need|wanting|going) to @(.|)
    (does|will|would) tritonchat (let me|allow me to|help me) @?
    what is needed to @?
"""

# What people put before and after a question without changing what they ask.
BEFORE = """
    (hi|hello|hey|hi there|hello there|good morning|good evening|hi Tiny|hey Tiny)(!|,|.)
    (I'm|I am) (new here|a beginner|new to this|just starting|not an expert)(.|,|:)
    (quick question|question|one question|next question|another question|one more question)(:|.|,)
    (I have|I've got) (a|another|one more|a quick|a little|one) question(.|:)
    (sorry|excuse me|pardon me|sorry to ask|forgive me)(,|.|, but)
    (maybe|perhaps) a (silly|stupid|simple|strange) question(:|, but)
    (thanks|thank you|great|nice|cool|ok|okay|good|perfect|fine|I see|interesting)(.|!|,)
    (one more thing|something else|by the way|btw|also|next|now|then|just curious|out of curiosity)(:|,)
    (listen|look|say|tell me|right|oh|oh wait|hmm|hm|er|well then|alright)(,|:)
    (can you help me?|can I ask something?|help!|help me:|I need help.|I need some help.)
    (my friend wants to know|my boss asks|someone asked me|I was asked)(:|,)
"""
AFTER = """
    (, please| please| pls| plz|, pls)
    (, Tiny|, my friend|, buddy|, dear|, mate)
    (, do you know|, can you tell me|, any idea|, could you explain)
    ( again| now| exactly| then)
"""
# The same where a question has ended with its mark.
ADDED = """
    (I am new here.|I'm a beginner.|I really want to know.|I have no idea.|Just curious.)
    (Thanks!|Thank you!|thanks|thanks in advance|thank you)
    (Can you help?|Please help.|Any help is welcome.|Please tell me.)
"""


def lines(text: str) -> tuple[str, ...]:
    """The templates of a table that holds one a line; an open bracket goes on in the next line."""
    found, depth = [], 0
    for line in map(str.strip, text.splitlines()):
        if depth:
            found[-1] += line
        elif line:
            found.append(line)
        depth += line.count("(") - line.count(")")
    return tuple(found)


FRAMES = {"things": lines(WHAT), "tasks": lines(HOW)}
LEADS, TAILS, ADDITIONS = lines(BEFORE), lines(AFTER), lines(ADDED)


@dataclass(frozen=True)
class Topic:
    """What is asked about, in words that fill the frames or in whole questions, and the one answer to it."""

    answer: str
    things: str = ""  # nouns for WHAT, one a line
    tasks: str = ""  # what people want to do, for HOW
    asks: str = ""  # whole questions
    more: str | None = None  # where the person wants to hear more
    brief: str | None = None

    def ask(self, rng: Random) -> str:
        """One of its questions, each form as likely as the others it has."""
        form = rng.choice([form for form in ("things", "tasks", "asks") if getattr(self, form)])
        words = rng.choice(lines(getattr(self, form)))
        return rng.choice(FRAMES[form]).replace("@", words) if form in FRAMES else words


def mannered(rng: Random, ask: str) -> str:
    """The same question, now and then with something before it or after it."""
    if rng.random() < 0.15:
        ask = f"{rng.choice(LEADS)} {ask}"
    kind = rng.random()
    if kind < 0.06 and not ask.endswith((")", "!")):
        return ask.rstrip("?.") + rng.choice(TAILS) + "(?|)"
    return f"{ask} {rng.choice(ADDITIONS)}" if kind < 0.09 else ask
