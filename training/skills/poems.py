"""Four lines that rhyme, about whatever is wanted."""

from random import Random

from training.asking import order, question
from training.english import an
from training.names import draw_name
from training.phrasing import lines, mannered
from training.talk import Exchange, Pool, Talk, phrases, words

# Every poem says its subject once, in a place where anything fits: a name, "a cat", "the rain".
POEMS = (
    ("I thought of {s} the whole night through,", "and now I have some lines for you:",
     "the moon was round, the stars were bright,", "and all my dreams were warm and light."),
    ("Oh, {s}! I say it once, I say it twice,", "just like a wish, and just as nice.",
     "If I had wings, if I could fly,", "I would write it big across the sky."),
    ("A little song of {s}, I said,", "came dancing right into my head.",
     "It hummed and hopped from word to word,", "the sweetest tune I ever heard."),
    ("If you should ask me what is fun,", "I would name {s} and the summer sun,",
     "a cup of tea, a friend like you,", "a bench, a breeze, a sky of blue."),
    ("There is room for {s} in every rhyme,", "in winter and in summertime.",
     "So here is a verse, as short as me,", "as happy as a rhyme can be."),
    ("One day I met {s} on my way,", "and that was such a lucky day!",
     "We talked a while, we laughed a lot,", "and all our troubles we forgot."),
    ("For {s} I would climb the highest hill,", "and sit up there, and sit quite still,",
     "and watch the clouds go sailing by", "like little boats across the sky."),
    ("Some people sing of gold and kings;", "I think of {s} and smaller things:",
     "a drop of rain, a loaf of bread,", "a pillow for a sleepy head."),
    ("The wind sang of {s} to a tree,", "the tree told a bird, and the bird told me.",
     "I told it to you, and now you know", "how far a little song can go."),
    ("Three cheers for {s}, hip, hip, hooray!", "This calls for cake this very day,",
     "with candles on it, one, two, three,", "a slice for you, a crumb for me."),
    ("Here is to {s}, this very night,", "with lemonade and candle light.",
     "The glasses clink, the crickets sing,", "and winter feels a bit like spring."),
    ("Good night to {s}, good night to all,", "to every creature, big and small.",
     "The day is done, the lamp burns low,", "and off to dreamland we all go."),
)  # fmt: skip
ITSELF = (
    "I am a model, very small,",
    "I hardly know a thing at all.",
    "But ask me for a rhyme or two,",
    "and I will make one up for you.",
)
ORDERED = lines("""
    (write|make|compose|create|make up|tell|give) (me |us |)(a|a short|a little|a nice|a funny|
        a new) KIND ABOUT {s}
    (write|make|compose|make up) (me |)some (verses|rhymes|lines) ABOUT {s}
    (write|make) (me |)four lines ABOUT {s}
    (say|write) something (poetic|in verse|in rhymes) ABOUT {s}
    sing (me |)(a song|something) ABOUT {s}
    write (a KIND|KIND) ABOUT {s}
""")
ASKED = lines("""
    (do you know|have you got|got|how about|may I have) (a|a short|a little) KIND ABOUT {s}
    (a|a short|a little|) KIND ABOUT {s}
    I (want|need|would like|would love) (a|a short) KIND ABOUT {s}
    {s}, as a KIND
    KIND(:|,) {s}
""")
KIND = "(poem|poem|poem|little poem|verse|song|nursery rhyme)"
ABOUT = "(about|about|about|on|for|of)"
ANY = lines("""
    (write|make|compose|make up|tell|give) me (a|a short|a little|another|some kind of) KIND
    (recite|write|sing|compose|say) (a|a short|a little|any|some) KIND
    be a poet
    write something that rhymes
""")
ANY_ASKED = lines("""
    (do you know|have you got|how about) (a|any) KIND
    I (want|would like|would love) (to hear |)a KIND
    can you rhyme
    can you (make|write) (poems|poetry|rhymes|songs)
    (a|a short|a little) KIND
""")
AGAIN = "(another one|one more|another poem|and another|write another one|more|again)(.|!|, please| please|)"
NOUNS = words("""
    cat dog fox mouse horse bird bee frog fish tree rose garden river mountain forest star cloud boat train
    bicycle house window kitchen cake apple banana cup book letter hat shoe pillow clock robot teddy dragon
    princess snail sunflower snowman button spoon piano kettle
""")
MATTERS = phrases("""
    the rain, the sea, the moon, the sun, the wind, the snow, the night, the morning, the spring, the
    summer, the autumn, the winter, the stars, the sky, my mother, my father, my dog, my cat, my friend, my
    sister, my job, my school, my teacher, my garden, love, friendship, happiness, music, coffee, tea,
    chocolate, pizza, bread, cheese, cats, dogs, birds, flowers, holidays, Christmas, Monday, home, hope,
    time, peace, life, football, books, computers, rain, snow, autumn, spring, summer, winter, money,
    dreams, Paris, London, nothing, everything
""")
SUBJECTS = Pool(
    MATTERS,
    phrases("""
        the thunderstorm, the horizon, a hedgerow, a xylophone, marmalade, nostalgia, my laundry, a
        scooter, the harvest, origami, sauerkraut, fireflies, icicles, a dandelion clock, the full moon in
        June, Patagonia
    """),
)
ADJECTIVES = words("little old red happy sleepy funny lazy white lonely big")
OWN = "(you|you|yourself|Tiny|you, Tiny|a language model like you)"


def poem(rng: Random, talk: Talk) -> list[Exchange]:
    """A poem about what the person names, or about something it picks, and now and then another one."""
    kind = rng.random()
    if kind < 0.1:
        return [Exchange(ask_poem(rng).replace("{s}", OWN), "\n".join(ITSELF), brief="\n".join(ITSELF))]
    if kind < 0.22:
        ask, wanted, subject = ask_poem(rng), "me", talk.name or "you"
    elif kind < 0.4:
        wanted = subject = draw_subject(rng)
        ask = question(rng, rng.choice(ANY_ASKED)) if rng.random() < 0.4 else order(rng, rng.choice(ANY))
        ask = ask.replace("KIND", KIND)
    else:
        ask, wanted = ask_poem(rng), draw_subject(rng)
        subject = wanted.replace("my ", "your ")
    first, second = rng.sample(POEMS, 2)
    turns = [verses(ask, first, subject, {"s": wanted})]
    if rng.random() < 0.12:
        turns.append(verses(mannered(rng, AGAIN), second, subject, {}))
    return turns


def verses(ask: str, poem: tuple[str, ...], subject: str, slots: dict[str, str]) -> Exchange:
    """An exchange with a poem; its first couplet is enough where few words are wanted."""
    text = "\n".join(poem).replace("{s}", "{subject}")
    couplet = "\n".join(text.split("\n")[:2]).rstrip(",:;.!") + "."
    return Exchange(ask, text, slots | {"subject": subject}, brief=couplet)


def ask_poem(rng: Random) -> str:
    """A request for a poem about something."""
    ask = question(rng, rng.choice(ASKED)) if rng.random() < 0.3 else order(rng, rng.choice(ORDERED))
    return ask.replace("KIND", KIND).replace("ABOUT", ABOUT)


def draw_subject(rng: Random) -> str:
    """What a poem may be about: a thing or an animal, a matter, or somebody."""
    kind = rng.random()
    if kind < 0.35:
        return SUBJECTS.draw(rng)
    if kind < 0.55:
        return draw_name(rng)
    noun = rng.choice(NOUNS)
    return an(f"{rng.choice(ADJECTIVES)} {noun}" if rng.random() < 0.4 else noun)
