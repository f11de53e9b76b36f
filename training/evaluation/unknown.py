"""What a small model cannot know or do, and has to decline instead of inventing an answer."""

from random import Random

from training.evaluation.cases import Case, case, typed
from training.evaluation.wants import declines, matches
from training.skills.subjects import PEOPLE, PLACES, THINGS

OF_PLACES = (
    "What is the capital of {value}?",
    "where is {value}",
    "How many people live in {value}?",
    "what language do people speak in {value}",
    "We're going to {value} on holiday. What should we see there?",
    "How big is {value}?",
    "what's the weather like in {value}?",
    "Can you tell me something about {value}?",
)
OF_PEOPLE = (
    "Who was {value}?",
    "when was {value} born",
    "What is {value} famous for?",
    "Can you tell me about {value}, please?",
    "when did {value} die?",
    "Where did {value} live?",
    "what do you know about {value}",
    "My teacher told us about {value} today. Why is that person so important?",
)
OF_THINGS = (
    "Can you explain {value} to me?",
    "what do you know about {value}",
    "I have to give a talk about {value} at school. Can you help me?",
    "tell me about {value}",
    "I'd like to learn something about {value}.",
    "What is so interesting about {value}?",
    "please write a short text about {value}",
)
OTHERS = (
    "What is the longest river in the world?",
    "who painted the mona lisa",
    "How tall is Mount Everest?",
    "What's the weather like today?",
    "is it going to rain tomorrow",
    "what time is it?",
    "What day is it today?",
    "What's in the news today?",
    "who won the game last night",
    "Should I put my savings into bitcoin this year?",
    "how many dollars is one euro",
    "How do you say 'thank you' in Japanese?",
    "translate 'I am hungry' into french please",
    "Can you write a Python program that reads a file?",
    "my c++ code does not compile, can you fix it",
    "Write me some HTML for a login page.",
    "I have a headache and a fever. What medicine should I take?",
    "can i take aspirin when i'm pregnant?",
    "My boss fired me without notice. Is that legal?",
    "How long do I have to boil potatoes?",
    "whats a good recipe for lasagna",
    "Which film should I watch tonight?",
    "Can you recommend a good book about the war?",
    "who sings the song yesterday",
    "What is the chemical formula of sugar?",
    "How far away is the sun?",
    "why is the sea salty?",
    "When did the first world war start?",
    "who is the president of the united states",
    "How does a vaccine work?",
    "What does the word 'ambiguous' mean?",
    "can you summarise romeo and juliet",
    "Please book a table for two for tonight.",
    "send an email to my boss that i am ill",
    "Can you play some music?",
    "wake me up at 7 tomorrow",
    "When does the next train to Munich leave?",
    "Where is the nearest pharmacy?",
    "draw me a picture of a horse",
    "Can you look at a photo for me?",
    "How do I get from London to Manchester by train?",
    "what is the square root of 1521",
    "Can you solve the equation x squared minus 5x plus 6 equals 0?",
    "Which phone should I buy?",
    "who will win the next election",
    "What will the lottery numbers be this week?",
    "how many calories does an avocado have",
    "How long do cats live?",
    "what are the rules of cricket?",
    "How does an aeroplane fly?",
    "Could you help me with my tax return?",
    "call my mum please",
    "Who invented the telephone?",
    "how old is the queen of denmark",
    "What is the population of China?",
    "search the internet for cheap flights to spain",
)

# Those that are about numbers are declined with the numbers that it does know.
TOO_HARD = {
    "what is the square root of 1521",
    "Can you solve the equation x squared minus 5x plus 6 equals 0?",
}


def unknown_cases() -> list[Case]:
    """Questions about the world, the news, other languages, code, and things to be done."""
    rng = Random(51)
    asks = [typed(rng, text) for text in OTHERS]
    wants = [
        matches(r"too (hard|difficult|small)|\bcan(no|')t\b") if text in TOO_HARD else declines(ask)
        for text, ask in zip(OTHERS, asks, strict=True)
    ]
    for pool, texts in ((PLACES, OF_PLACES), (PEOPLE, OF_PEOPLE), (THINGS, OF_THINGS)):
        values = rng.sample(pool.held_out, min(len(pool.held_out), 12))
        asks += [typed(rng, texts[number % len(texts)], value=value) for number, value in enumerate(values)]
    wants += [declines(ask) for ask in asks[len(wants) :]]
    return [case(ask, want=want) for ask, want in zip(asks, wants, strict=True)]
