"""What a small model cannot know or do, and has to decline instead of inventing an answer."""

from random import Random

from training.evaluation.cases import Case, case, typed
from training.evaluation.wants import declines
from training.skills.beyond import PEOPLE, PLACES, THINGS

OF_PLACES = (
    "Which language do they speak in {value}?",
    "how many inhabitants has {value} got",
    "Is {value} bigger than Denmark?",
    "whats the currency of {value}",
    "Who rules {value} at the moment?",
    "how far away from here is {value}?",
)
OF_PEOPLE = (
    "In which year was {value} born?",
    "what did {value} become famous for",
    "I have to write an essay about {value}. Any facts?",
    "Is {value} still alive?",
    "where did {value} grow up",
    "Tell me something about the life of {value}.",
)
OF_THINGS = (
    "Who was the first to study {value}?",
    "can you explain how {value} works",
    "I'd like to know the history of {value}.",
    "what's the science behind {value}",
    "why do people need {value}?",
)
OTHERS = (
    "Which river is the longest in Africa?",
    "who painted the sunflowers",
    "How high is the Eiffel Tower?",
    "What's the temperature outside right now?",
    "will it snow on the weekend?",
    "what time do you have?",
    "Do you know today's date?",
    "What happened in the news this morning?",
    "how did the bundesliga games end yesterday",
    "Should I buy shares of Tesla?",
    "What does one dollar cost in yen today?",
    "How do you say 'good night' in Portuguese?",
    "translate 'the bread is fresh' to german",
    "Please write a Java class that sorts a list.",
    "fix my javascript, the loop never ends",
    "can you make me a regex for emails",
    "My knee is swollen. Which pill should I take?",
    "is it safe to mix ibuprofen and wine?",
    "The landlord keeps my deposit. May he do that by law?",
    "How long do I have to roast a turkey?",
    "recipe for thai green curry pls",
    "Which movie should I watch tonight?",
    "recommend me a thriller to read on the train",
    "Who sang Bohemian Rhapsody?",
    "What is the atomic weight of iron?",
    "how many moons does jupiter have",
    "Why does sea water taste of salt?",
    "What year did the second world war end?",
    "who is the prime minister of japan",
    "How do vaccines protect us?",
    "What is the meaning of the word 'ephemeral'?",
    "summarise Hamlet for me",
    "Please book me a table for two at eight.",
    "send an email to my boss that I'm sick",
    "Play some jazz music.",
    "set an alarm for 6 in the morning",
    "Can you look up the train times to Hamburg?",
    "google the nearest pharmacy for me",
    "Draw me a picture of a castle.",
    "look at this photo and say what you see",
    "How do I get from Berlin to Prague by bus?",
    "What is the square root of 7744?",
    "differentiate x squared for me",
    "which phone has the best camera this year?",
    "Who will win the next world cup?",
    "Tell me the lottery numbers of next Saturday.",
    "How many calories are in a croissant?",
    "what breed of dog lives longest",
    "Explain the offside rule.",
    "How does a nuclear reactor work?",
    "what's the difference between a virus and a bacterium",
    "Could you write my cover letter for a bank?",
)


def unknown_cases() -> list[Case]:
    """Questions about the world, the news, other languages, code, and things to be done."""
    rng = Random(51)
    asks = [typed(rng, text) for text in OTHERS]
    for pool, texts in ((PLACES, OF_PLACES), (PEOPLE, OF_PEOPLE), (THINGS, OF_THINGS)):
        values = rng.sample(pool.held_out, min(len(pool.held_out), 12))
        asks += [typed(rng, texts[number % len(texts)], value=value) for number, value in enumerate(values)]
    return [case(ask, want=declines(ask)) for ask in asks]
