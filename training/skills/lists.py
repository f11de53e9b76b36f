"""Lists of so many things of a kind, from small tables."""

from random import Random

from training.asking import order, question
from training.english import an, capital, in_words, join
from training.phrasing import lines, mannered
from training.talk import Exchange, Talk, phrases, words

MOST = 7
# What one of a kind is called, what several are (the first name is used in answers), and the things.
KINDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("animal", "(animals|animals|different animals|kinds of animals)", words("""
        dog cat horse cow sheep lion tiger bear wolf fox rabbit elephant monkey zebra""")),
    ("fruit", "(fruits|fruits|fruit|kinds of fruit|different fruits)", words("""
        apple pear banana cherry plum grape orange lemon peach melon kiwi mango""")),
    ("vegetable", "(vegetables|vegetables|veggies|kinds of vegetables)", words("""
        carrot potato onion cabbage pea bean leek spinach cucumber pumpkin""")),
    ("colour", "(colours|colors|colours|different colours)", words("""
        red blue green yellow orange purple pink brown black white""")),
    ("country", "(countries|countries|different countries|states of the world)", words("""
        France Germany Italy Spain Japan India Brazil Canada Egypt Kenya Norway Poland""")),
    ("city", "(cities|big cities|towns|famous cities)", words("""
        London Paris Berlin Rome Madrid Vienna Tokyo Cairo Lisbon Oslo""")),
    ("planet", "(planets|planets of the solar system)", words("""
        Mercury Venus Earth Mars Jupiter Saturn Uranus Neptune""")),
    ("flower", "(flowers|flowers|kinds of flowers|different flowers)", words("""
        rose tulip daisy lily violet sunflower poppy daffodil orchid""")),
    ("tree", "(trees|trees|kinds of trees|different trees)", words("""
        oak birch pine beech maple willow elm ash fir""")),
    ("bird", "(birds|birds|kinds of birds|different birds)", words("""
        robin sparrow owl eagle crow duck goose swan parrot""")),
    ("insect", "(insects|insects|bugs|kinds of insects)", words("""
        ant bee fly wasp beetle butterfly mosquito cricket grasshopper""")),
    ("sea animal", "(sea animals|animals in the sea|sea creatures|animals that live in the sea)", words("""
        whale shark dolphin seal crab octopus starfish squid turtle""")),
    ("farm animal", "(farm animals|animals on a farm|animals from a farm)", words("""
        cow pig sheep goat horse hen duck donkey goose""")),
    ("instrument", "(instruments|musical instruments|kinds of instruments|music instruments)", words("""
        piano violin guitar flute drum trumpet cello harp clarinet""")),
    ("sport", "(sports|sports|kinds of sport|different sports)", words("""
        football tennis swimming running cycling hockey rugby basketball golf""")),
    ("drink", "(drinks|drinks|things to drink|beverages)", words("""
        water tea coffee milk juice lemonade cocoa cola soda""")),
    ("tool", "(tools|tools|kinds of tools|things in a toolbox)", words("""
        hammer saw drill spanner screwdriver pliers file axe chisel""")),
    ("thing in a kitchen", "(things in a kitchen|kitchen things|things you find in a kitchen)", words("""
        pot pan spoon knife fork plate bowl kettle stove""")),
    ("piece of clothing", "(clothes|pieces of clothing|things to wear|garments)", words("""
        shirt trousers socks hat coat jacket dress skirt scarf""")),
    ("job", "(jobs|jobs|professions|occupations)", words("""
        teacher doctor baker farmer nurse cook pilot painter gardener""")),
    ("vehicle", "(vehicles|vehicles|means of transport|ways to travel)", words("""
        car bus train bicycle boat ship tram plane lorry""")),
    ("part of the body", "(body parts|parts of the body|parts of my body)", words("""
        head arm leg hand foot nose ear knee shoulder""")),
    ("language", "(languages|languages|different languages)", words("""
        English French German Spanish Italian Japanese Polish Hindi Arabic""")),
    ("school subject", "(school subjects|subjects|subjects at school)", words("""
        maths history music art physics biology geography English chemistry""")),
    ("piece of furniture", "(pieces of furniture|things in a living room)", words("""
        table chair bed sofa shelf desk lamp cupboard stool""")),
    ("toy", "(toys|toys|kinds of toys|things to play with)", words("""
        ball doll kite puzzle yo-yo train robot blocks top""")),
    ("dessert", "(desserts|sweet things|sweets|sweet dishes)", phrases("""
        cake, ice cream, chocolate, apple pie, pudding, waffles, biscuits, jelly, pancakes""")),
)  # fmt: skip
MANY = lines("""
    (name|list|tell me|give me|say|write|write down|think of|mention|find|show me|type|pick) {number} KIND
    (name|list|tell me|give me|think of) (me |)(just |exactly |any |only |){number} KIND
    (make|write|give me) (a |me a )list (of|with) {number} KIND
    (name|give|list) {number} (examples of|sorts of) KIND
    (tell|give) me the names of {number} KIND
""")
MANY_ASKED = lines("""
    what are {number} KIND
    (which|what) {number} KIND (do you know|can you name|come to mind|can you think of)
    do you know {number} KIND
    {number} KIND
    KIND(:|,|;| -) (give me|name|list|I need|just|) {number}
    (can I|may I|could I) (have|get) {number} KIND
    I (need|want|am looking for) {number} KIND(, can you help|)
    (got|any ideas for|how about) {number} KIND
    who can name {number} KIND
""")
ONE = lines("""
    (name|tell me|give me|say|think of|mention|pick) (ONE|any KIND1|one KIND1|some KIND1|the name of ONE)
    (name|give) me ONE
""")
ONE_MORE = (
    "(another one|one more|another|and another one|give me one more|and one more|next one)(.|?|, please|)"
)
SOME_MORE = "(and |){number} more(.|?| please|, please)"
# No number, and those that are too many.
SOME = ("some", "a few", "some", "several")
TOO_MANY = (
    "8",
    "9",
    "ten",
    "10",
    "12",
    "a dozen",
    "fifteen",
    "20",
    "twenty",
    "30",
    "50",
    "a hundred",
    "100",
    "1000",
    "all",
)


def name_some(rng: Random, talk: Talk) -> list[Exchange]:
    """A list of one to seven things, and now and then some more of them."""
    one, several, things = rng.choice(KINDS)
    wanted = rng.randint(1, MOST)
    # In the order of the table, as a model without a plan can only go on, and not draw and remember.
    first = rng.randrange(len(things))
    drawn = [*things[first:], *things[:first]]
    if wanted == 1:
        ask = order(rng, rng.choice(ONE).replace("KIND1", one).replace("ONE", an(one)))
        turns = [Exchange(ask, f"Here is {an(one)}: {drawn[0]}.")]
    else:
        said, lead = str(wanted), "Here are"
        if rng.random() < 0.5:
            said = in_words(wanted)
        if wanted == 3 and rng.random() < 0.5:
            said = rng.choice(SOME)
        elif wanted == 2 and rng.random() < 0.15:
            said = "a couple of"
        elif wanted == MOST and rng.random() < 0.4:
            said, lead = rng.choice(TOO_MANY), "That is a lot for me! Here are"
        asks, frame = (MANY, order) if rng.random() < 0.6 else (MANY_ASKED, question)
        ask = frame(rng, rng.choice(asks).replace("KIND", several))
        lead += f" {wanted} {several.strip('(').split('|')[0]}:"
        turns = [listing(ask, lead, drawn[:wanted], {"number": said})]
    if wanted < 6 and rng.random() < 0.12:
        turns.append(Exchange(ONE_MORE, f"Here is one more: {drawn[wanted]}."))
    elif wanted < 5 and rng.random() < 0.08:
        more = rng.randint(2, 3)
        said = rng.choice((str(more), in_words(more)))
        turns.append(
            listing(SOME_MORE, f"Here are {more} more:", drawn[wanted : wanted + more], {"number": said})
        )
    return [*turns[:1], *(Exchange(mannered(rng, e.ask), e.answer, e.slots, e.brief) for e in turns[1:])]


def listing(ask: str, lead: str, things: list[str], slots: dict[str, str]) -> Exchange:
    """A numbered list, as numbers keep the count right; a sentence where few words are wanted."""
    numbered = "\n".join(f"{number}. {thing}" for number, thing in enumerate(things, 1))
    return Exchange(ask, f"{lead}\n{numbered}", slots, brief=f"{capital(join(things))}.")
