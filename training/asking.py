"""Ways to ask for an answer, for something to be done, or a whole question: frames as templates."""

from random import Random

from training.phrasing import lines, mannered

# `@` stands for what is wanted: "the sum of 3 and 4". The plain question is as likely as all others together.
WANTING = lines("""
    (can|could|would) you (please |)(tell|give) me @?
    (do|would) you (happen to |)know @?
    (give|tell) me @(, please|.|)
    (I need|I want|I'd like|I would like) (to know |to hear |)@(.|)
    (I was wondering|I am wondering|I wonder|I'd like to know|I forgot|I don't know) what @ (is|might be)(.|)
    (any idea|do you know|can you tell me|could you tell me|please tell me|tell me|say) what @ (is|might be)?
    (what would|what might|what could) @ be?
    (what do you think|what would you say) is @?
    (now|so|and|then|but|ok,) (what is|what's) @?
    (what is|what's) @( again| now| then| exactly| in your opinion|)?
    (what's|whats|what is|wat is|waht is) @
    @(, please|, pls| please|, what is it?|, do you know it?| = ?|...)
    (I have to find|I must know|I am looking for|help me find|find|find out|show me|name|state) @(.|)
    (my (son|daughter|teacher|friend|boss|kid) (asks|asked|wants to know)|we need to know)(:|) (what is|
        ) @(.|)
    (let me test you|a test|quiz|quiz time|easy one|here is one|homework)(:|.) what is @?
""")
# `@` stands for something to do: "count to ten".
ORDERING = lines("""
    (can|could|would|will) you (please |maybe |kindly |)@( for me|)?
    (can|could|would) you @, please?
    please(,|) @(.|!|)
    @(,|) (please|pls|plz|for me|now|if you can|will you)(.|)
    (I want|I need|I'd like|I would like) you to @(.|)
    (try to|go ahead and|now|then|ok, now|so|just|quickly) @(.|!|)
    (are you able to|do you know how to|are you any good at this:) @?
    (I wonder|let's see|let me see|I'd like to see|show me) (if|whether) you can @(.|)
    (help me|help me to|help us) @(.|)
    (my (son|daughter|teacher|friend|boss|kid) (wants|asks) you to|I dare you to|
        it would help me if you could) @(.|)
    (would you be so kind as to|would you be able to|is it possible for you to) @?
    (I bet you can't|I bet you cannot|you can't|surely you can|you can) @(.|!|?|)
    (next|ok|right|exercise|task|question|another one|test)(:|,) @(.|)
""")
# `@` stands for a whole question without its mark.
QUESTION = lines("""
    (tell me|please tell me|can you tell me|do you know|say|guess)(,|:) @?
    @(, please|, pls| please|, do you know|, any idea|, what do you think)?
    (ok|so|now|and|well|right|then|but)(,|) @?
    (can I ask you something?|may I ask?|riddle me this:|let me test you:|an easy one:|another one:|quiz:) @?
    (my (son|daughter|teacher|friend|boss|kid) (asks|asked|wants to know)|I need to know|we wonder)(:|,) @?
""")


def want(rng: Random, thing: str) -> str:
    """A question for a thing that a noun names."""
    plain = "(what is|what is|what is|what's|what's|whats|) @?"
    return framed(rng, thing, plain, WANTING)


def order(rng: Random, task: str) -> str:
    """A request to do something."""
    return framed(rng, task, "@.", ORDERING)


def question(rng: Random, text: str) -> str:
    """A whole question, given without its mark."""
    return framed(rng, text, "@?", QUESTION)


def framed(rng: Random, words: str, plain: str, frames: tuple[str, ...]) -> str:
    """The words in a plain frame or one of the others, with whatever manners people have."""
    frame = plain if rng.random() < 0.5 else rng.choice(frames)
    return mannered(rng, frame.replace("@", words))
