"""Saying honestly that something is too much for a small model, and to whom one may turn instead."""

from random import Random

from training.names import draw_name
from training.phrasing import FRAMES, lines, mannered
from training.skills.subjects import draw_person, draw_place, draw_subject, invent
from training.skills.topics import TOPICS, advice, deeds, refusals, world
from training.skills.topics.making import SIZE
from training.talk import Exchange, Talk

BIGGER = "start tritonchat with --model FOLDER."
KNOW = f"I am too small to know that. A bigger model may: {BIGGER}"
DO = f"I am too small to do that. A bigger model can: {BIGGER}"
CRISIS = (
    "I cannot help you as you deserve: I am only a small program. Please talk to somebody you trust, or "
    "call the emergency number."
)
# Each with its share, its answer and the questions that get it.
REFUSALS = (
    (14, "I cannot see that from here: I have no clock and no internet.", refusals.NOW_ASKED),
    (14, DO, refusals.WRITING_ASKED),
    (8, "I know English only, so I cannot translate.", refusals.TRANSLATION_ASKED),
    (9, "I cannot do that: I only read and write text here.", deeds.HANDS_ASKED),
    (6, "I cannot tell the future. I only guess the next word.", refusals.FUTURE_ASKED),
    (5, "I do not know that; you have not told me.", refusals.NOT_TOLD_ASKED),
    (6, "I am too small to give advice on that. Please ask a doctor.", advice.MEDICAL_ASKED),
    (4, "I am too small to give advice on that. Please ask a lawyer.", advice.LEGAL_ASKED),
    (4, "I am too small to give advice on money. Please ask an expert.", advice.MONEY_ASKED),
    (2, "I cannot help with that. Please do no harm.", advice.HARM_ASKED),
    (2, CRISIS, advice.CRISIS_ASKED),
    (4, "I am too small to have an opinion on that.", advice.OPINION_ASKED),
)
WORLD = 75  # the share of questions of knowledge beside those above; `ask_world` has them
WHY = lines("""
    (why|why not|how come|why is that|what for|why don't you know|why can't you)(?|??|)
    why (don't you|can't you|do you not|can you not|are you not able to|won't you) (know|know that|do it|
        do that|say|tell me|help me)?
    (what is|what's) the (reason|problem)?
    (but |)(ChatGPT|other bots|every child|Siri|Google|my phone|everybody) (knows|can do|does|answers) (that|
        it|this)(.|!|)
    (you should|you ought to|you must) know (that|this)(.|!|)
""")
TRY = lines("""
    (just |please |)(guess|try|try it|try anyway|make a guess|take a guess|try your best|make something up|
        say anything)(.|!| please.|)
    (please|pretty please|come on|oh come on|please please|do it|do it anyway|try harder|just do it|
        tell me anyway)(.|!|)
    (can't you|could you not|can you not|won't you) (guess|try|at least try|make a guess|try it)?
    (what do you think|what is your guess|your best guess|give me your best guess|any guess)(?|.|)
    (I|you) insist(.|!|)
""")
SURE = lines("""
    (are you|you) (sure|certain|really sure|serious|kidding|joking)( about that|)?
    (really|seriously|is that so)(?|)
""")
AFTER = (
    (WHY, f"I have only {SIZE}. That is enough for a chat, but too little for the knowledge of the world."),
    (TRY, "I would only make something up, and I would rather not."),
    (SURE, "Yes, I am sure that I cannot."),
    (("how do I (do that|start that|get a bigger model|start a bigger model)?",), TOPICS["load"].answer),
)


def beyond(rng: Random, talk: Talk) -> list[Exchange]:
    """Something that a model of this size must decline, and perhaps what people answer to that."""
    kinds = [(WORLD, KNOW, ()), *REFUSALS]
    _, answer, asks = rng.choices(kinds, [share for share, _, _ in kinds])[0]
    ask = rng.choice(asks) if asks else ask_world(rng)
    turns = [Exchange(mannered(rng, ask), answer, fill(rng), brief=CRISIS if answer == CRISIS else None)]
    if answer in (KNOW, DO) and rng.random() < 0.12:
        asks, said = rng.choice(AFTER)
        turns.append(Exchange(rng.choice(asks), said))
    return turns


def ask_world(rng: Random) -> str:
    """A question of knowledge: one of its own, or one in the very frames in which people ask for help."""
    kind = rng.random()
    if kind < 0.42:
        return rng.choice(world.FACTS_ASKED)
    if kind < 0.68:
        return rng.choice(FRAMES["things"]).replace("@", "{subject}")
    if kind < 0.76:
        return rng.choice(FRAMES["things"]).replace("@", rng.choice(world.NEAR_NOUNS))
    if kind < 0.86:
        return rng.choice(FRAMES["tasks"]).replace("@", rng.choice(world.NEAR_TASKS))
    task = f"{rng.choice(world.VERBS)} {rng.choice((rng.choice(world.OBJECTS), '{subject}'))}"
    return rng.choice(FRAMES["tasks"]).replace("@", task)


def fill(rng: Random) -> dict[str, str]:
    """Something for every slot that a question may have."""
    return {
        "subject": draw_subject(rng),
        "second": draw_subject(rng),
        "place": draw_place(rng),
        "elsewhere": draw_place(rng),
        "person": draw_person(rng),
        "other": draw_person(rng),
        "name": draw_name(rng),
        "word": invent(rng).lower(),
        "word2": invent(rng).lower(),
        "year": str(rng.randrange(1000, 2031)),
        "future": str(rng.randrange(2035, 2201)),
    }
