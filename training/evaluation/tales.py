"""Stories that keep what was asked for, lists of so many things, rhymes and poems."""

from random import Random

from training.evaluation.cases import Case, as_typed, case, typed
from training.evaluation.wants import lists, rhymes_with, says, verse
from training.skills.stories import HEROES, OBJECTS, PLACES
from training.talk import words

STORIES = (
    "I'd love a story with {hero} in it. It should take place {place} and involve {thing}.",
    "Once upon a time {hero} found {thing} {place}... can you tell me that story?",
    "Make up a tale: hero is {hero}, setting is {place}, and there has to be {thing}.",
    "story please! main character {hero}, it happens {place}, and don't forget {thing}",
    "My daughter wants to hear about {hero} and {thing} {place}.",
    "write something short about {hero} who finds {thing} {place}",
    "Could you come up with a little adventure {place}? With {hero} and {thing}, please.",
    "bedtime story: {hero}, {thing}, {place}",
    "What happened when {hero} lost {thing} {place}? Tell me!",
    "please invent a short fairy tale where {hero} has {thing} {place}",
    "I want to read about {thing}. It belongs to {hero}, and the story is set {place}.",
    "can u tell a story with {hero} and {thing}, set {place}",
)
LISTS = (
    ("{n} fruits, please, any you like", "fruits"),
    ("name me {n} different fruits", "fruits"),
    ("I need {n} animals for a game, go!", "animals"),
    ("Which {n} animals come to your mind?", "animals"),
    ("tell me {n} colours that you know", "colours"),
    ("Come up with {n} colors.", "colours"),
    ("write down {n} vegetables for my shopping", "vegetables"),
    ("Could you think of {n} vegetables?", "vegetables"),
    ("{n} sorts of flowers for my garden?", "flowers"),
    ("which birds do you know? {n} are enough", "birds"),
    ("What are {n} musical instruments one could learn?", "instruments"),
    ("could you say {n} sports", "sports"),
    ("Let's make a list of {n} drinks.", "drinks"),
    ("can I get {n} things that you wear", "clothes"),
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
    ("I need a word that rhymes with cat", "cat", "hat mat bat rat sat fat flat pat chat"),
    ("tree rhymes with...?", "tree", "bee free see sea three knee me key tea be he she we flea"),
    ("Do you know a rhyme for moon?", "moon", "spoon soon noon june tune balloon moon's afternoon"),
    ("what would rhyme with star", "star", "car far jar bar tar are guitar"),
    (
        "Find me something that rhymes with night.",
        "night",
        "light bright right sight fight kite white might bite",
    ),
    ("which words sound like house at the end", "house", "mouse louse blouse grouse"),
    (
        "im writing a song, what goes with day?",
        "day",
        "play say way may hay stay away grey clay today pay ray bay",
    ),
    ("a rhyme on dog pls", "dog", "frog log fog jog hog bog"),
    ("What can I rhyme with blue?", "blue", "you true shoe new two too do few zoo glue who grew knew true"),
    ("rain - what rhymes?", "rain", "train plain again brain pain lane main gain chain crane"),
    ("Which word rhymes with king?", "king", "ring sing thing bring wing spring string swing"),
    ("give me a rhyming word for boat", "boat", "coat goat float note throat moat wrote vote"),
)
FAMILIES = tuple({word, *sounds.split()} for _, word, sounds in RHYMES)
POEMS = (
    ("Write me a tiny poem about the moon.", "moon"),
    ("poem: the sea", "sea"),
    ("I want a few lines on my cat, and they have to rhyme", "cat"),
    ("Could you make up a verse about rain?", "rain"),
    ("can you do poetry? something with winter", "winter"),
    ("surprise my mum with a poem on roses", "rose"),
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
