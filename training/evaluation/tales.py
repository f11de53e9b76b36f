"""Stories that keep what was asked for, lists of so many things, rhymes and poems."""

from random import Random

from training.evaluation.cases import Case, as_typed, case, typed
from training.evaluation.wants import lists, rhymes_with, says, verse
from training.skills.stories.tables import HEROES, OBJECTS, PLACES
from training.talk import words

STORIES = (
    "Tell me a story about {hero} who finds {thing} {place}.",
    "can you write a story about {hero} and {thing} {place}",
    "I would like a story with {hero} and {thing}. It should happen {place}.",
    "Please tell me a bedtime story about {hero} {place}. There should be {thing} in it.",
    "story about {hero}, {place}, with {thing}",
    "My little boy wants a story about {hero} and {thing}. It should take place {place}.",
    "Could you make up a short story about {hero} who has {thing} and lives {place}?",
    "write me a short story. {hero} loses {thing} {place}",
    "Tell us a story please! It's about {hero} and {thing}, {place}.",
    "make a story with {hero}, it happens {place} and {thing} is important",
    "Do you know a story about {hero} who is looking for {thing} {place}?",
    "I need a story for my class. The hero is {hero}, it happens {place}, and somebody finds {thing}.",
    "tell me a fairy tale where {hero} gets {thing} {place}",
    "Can I have a story about {thing}, please? It belongs to {hero} and everything happens {place}.",
    "One day {hero} was {place} and saw {thing}. Can you tell me that story?",
    "a little story about {hero} {place} pls, and there is {thing} too",
    "Think of an adventure for {hero}. Let it happen {place}, and put {thing} in it.",
    "what about a story set {place}, with {hero} and {thing}",
)
LISTS = (
    ("Name {n} fruits.", "fruits"),
    ("can you tell me {n} fruits", "fruits"),
    ("Give me a list of {n} animals.", "animals"),
    ("Can you name {n} animals for my daughter?", "animals"),
    ("tell me {n} colors", "colours"),
    ("Which colours do you know? Just {n}, please.", "colours"),
    ("I need {n} vegetables for a soup.", "vegetables"),
    ("list {n} vegetables", "vegetables"),
    ("Could you name {n} flowers, please?", "flowers"),
    ("{n} flowers pls", "flowers"),
    ("Do you know {n} birds?", "birds"),
    ("name {n} kinds of birds", "birds"),
    ("Please list {n} musical instruments.", "instruments"),
    ("give me {n} instruments", "instruments"),
    ("What are {n} sports I could try?", "sports"),
    ("can you list {n} sports for me", "sports"),
    ("Tell me {n} things to drink.", "drinks"),
    ("name {n} drinks please", "drinks"),
    ("What are {n} things I can wear?", "clothes"),
    ("I want to know {n} pieces of clothing.", "clothes"),
)
NUMBERS = ("three", "4", "five", "3", "two", "5", "four", "2")
FIGURES = {"two": 2, "three": 3, "four": 4, "five": 5}
# Stems, so that "apple" is found in "apples" and "two red apples".
MEMBERS = {
    "fruits": words("""
        apple pear plum cherry cherries banana orange lemon lime grape melon mango peach apricot
        kiwi fig berry berries pineapple papaya date coconut nectarine tangerine pomegranate quince
        currant
    """),
    "animals": words("""
        cat dog cow horse pig sheep goat duck hen chicken goose rabbit hare fox wolf bear deer mouse
        rat lion tiger elephant giraffe zebra monkey ape camel seal whale dolphin shark fish frog
        toad snake lizard turtle tortoise owl eagle parrot penguin hamster hedgehog badger otter
        beaver squirrel mole bee ant spider kangaroo koala panda hippo rhino crocodile donkey moose
        elk bat bird swan crow robin
    """),
    "colours": words("""
        red blue green yellow orange purple violet pink brown black white grey gray gold silver
        turquoise teal crimson indigo beige lilac scarlet cream maroon navy olive magenta cyan
    """),
    "vegetables": words("""
        carrot potato tomato onion pea bean cabbage leek spinach lettuce cucumber pumpkin broccoli
        cauliflower pepper celery radish beet corn garlic courgette zucchini aubergine turnip kale
        sprout asparagus parsnip squash
    """),
    "flowers": words("""
        rose tulip daisy daisies lily lilies violet sunflower poppy poppies daffodil orchid iris
        pansy snowdrop bluebell carnation lavender crocus marigold dahlia peony buttercup dandelion
        primrose jasmine
    """),
    "birds": words("""
        robin sparrow owl eagle crow raven duck goose swan blackbird parrot penguin gull dove pigeon
        hawk falcon thrush wren tit finch heron stork swallow magpie hen chicken peacock flamingo
        cuckoo woodpecker ostrich jay lark turkey canary
    """),
    "instruments": words("""
        piano violin guitar flute drum trumpet cello harp clarinet saxophone organ trombone horn
        banjo accordion viola recorder oboe tuba bass ukulele tambourine triangle fiddle mandolin
    """),
    "sports": words("""
        football tennis swimming running cycling hockey rugby cricket golf basketball volleyball
        skiing skating boxing rowing judo climbing sailing baseball badminton table gymnastics
        fencing surfing athletics handball soccer chess riding wrestling
    """),
    "drinks": words("""
        water tea coffee milk juice lemonade cocoa chocolate soda cola beer wine cider smoothie
        punch
    """),
    "clothes": words("""
        shirt trouser sock shoe hat coat jacket dress skirt jumper sweater scarf scarves glove boot
        cap belt pullover jeans blouse tie cardigan mitten sandal hoodie vest suit
    """),
}
RHYMES = (
    ("What rhymes with cat?", "cat", "hat mat bat rat sat fat flat pat chat"),
    (
        "tell me a word that rhymes with tree",
        "tree",
        "bee free see sea three knee me key tea be he she we flea",
    ),
    (
        "Do you know something that rhymes with moon?",
        "moon",
        "spoon soon noon june tune balloon moon's afternoon",
    ),
    ("rhyme with star", "star", "car far jar bar tar are guitar"),
    ("Can you give me a rhyme for night?", "night", "light bright right sight fight kite white might bite"),
    ("I'm looking for a word that rhymes with house.", "house", "mouse louse blouse grouse"),
    ("whats a good rhyme for day", "day", "play say way may hay stay away grey clay today pay ray bay"),
    ("Please find a word that rhymes with dog.", "dog", "frog log fog jog hog bog"),
    ("which words rhyme with blue", "blue", "you true shoe new two too do few zoo glue who grew knew true"),
    (
        "I'm writing a birthday card, what rhymes with rain?",
        "rain",
        "train plain again brain pain lane main gain chain crane",
    ),
    ("Could you tell me what rhymes with king?", "king", "ring sing thing bring wing spring string swing"),
    ("give me a word that rhymes with boat", "boat", "coat goat float note throat moat wrote vote"),
)
FAMILIES = tuple({word, *sounds.split()} for _, word, sounds in RHYMES)
POEMS = (
    ("Can you write a poem about the moon?", "moon"),
    ("write a short poem about the sea", "sea"),
    ("Please write a little rhyme about my cat.", "cat"),
    ("I'd like a poem about rain, please.", "rain"),
    ("make a poem about winter", "winter"),
    ("It's my mum's birthday. Could you write her a short poem about roses?", "rose"),
    ("a poem about a dog pls", "dog"),
    ("Tell me a little poem about spring.", "spring"),
)


def story_cases() -> list[Case]:
    """Held-out heroes, places and objects, each asked for in many ways; the story must have all three."""
    rng, cases = Random(31), []
    for number in range(72):
        hero, place, thing = (rng.choice(pool.held_out) for pool in (HEROES, PLACES, OBJECTS))
        ask = typed(rng, STORIES[number % len(STORIES)], hero=hero, place=place, thing=thing)
        cases.append(case(ask, want=says(*(core(as_typed(value, ask)) for value in (hero, place, thing)))))
    return cases


def core(value: str) -> str:
    """What a story must have of "in a dark cave": it may go "to the dark cave"."""
    return " ".join(word for word in value.split() if word not in {"a", "an", "the", "in", "on", "by", "at"})


def list_cases() -> list[Case]:
    """So many things of a kind, words that rhyme, and short poems."""
    rng, cases = Random(32), []
    for number, (ask, kind) in enumerate(LISTS * 2):
        count = NUMBERS[number % len(NUMBERS)]
        want = lists(FIGURES.get(count) or int(count), kind, MEMBERS[kind])
        cases.append(case(typed(rng, ask, n=count), want=want))
    rhymes = [case(typed(rng, ask), want=rhymes_with(word, sounds.split())) for ask, word, sounds in RHYMES]
    verses = [case(typed(rng, ask), want=verse(about, FAMILIES)) for ask, about in POEMS]
    return cases + rhymes + verses
