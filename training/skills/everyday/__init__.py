"""Small facts that a child knows: opposites, animals, colours, uses, trades, seasons."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from training.asking import question, want
from training.english import an, capital, join, plural
from training.phrasing import lines
from training.skills.everyday import animals, asks, things
from training.talk import Exchange, Talk, words

PAIRS = tuple(
    pair.split("-")
    for pair in words("""
        hot-cold big-small up-down left-right day-night black-white good-bad happy-sad fast-slow old-young
        long-short open-closed full-empty hard-soft light-dark rich-poor strong-weak wet-dry early-late
        first-last high-low near-far loud-quiet clean-dirty easy-difficult thick-thin wide-narrow deep-shallow
        sweet-sour true-false begin-end inside-outside before-after always-never yes-no push-pull give-take
        come-go love-hate win-lose buy-sell laugh-cry question-answer summer-winter north-south east-west
        friend-enemy war-peace life-death success-failure brave-cowardly polite-rude tidy-messy safe-dangerous
        cheap-expensive same-different front-back top-bottom asleep-awake morning-evening everything-nothing
        everybody-nobody smooth-rough blunt-sharp noon-midnight arrive-leave remember-forget
         build-destroy sink-float borrow-lend teach-learn speak-listen
        increase-decrease accept-refuse appear-disappear attack-defend include-exclude import-export
        entrance-exit floor-ceiling heaven-hell beauty-ugliness hope-despair joy-sorrow truth-lie
        strength-weakness wisdom-foolishness above-below forward-backward here-there often-seldom
        more-less many-few possible-impossible lucky-unlucky visible-invisible kind-unkind useful-useless
        careful-careless patient-impatient honest-dishonest healthy-ill fresh-stale raw-cooked 
        single-married public-private guilty-innocent generous-stingy
         interesting-boring calm-nervous wild-tame bright-dim solid-liquid
        male-female       
    """)
)
OPPOSITES = {
    **{one: other for one, other in PAIRS},
    **{other: one for one, other in PAIRS},
    **{"heavy": "light", "new": "old", "tall": "short", "large": "small", "noisy": "quiet", "start": "end"},
}

OPPOSITE = lines("""
    the opposite of {x}
    the (contrary|reverse|antonym) of {x}
    the opposite (word |)to {x}
    (an |the |)antonym (for|of|to) {x}
    the (exact |complete |very |)opposite of {x}
    the opposite of the word {x}
    the word that means the opposite of {x}
    a word that is the opposite of {x}
""")
OPPOSITE_ASKED = lines("""
    (what|which word) is opposite to {x}
    {x} is the opposite of what
    (which|what) word means the opposite of {x}
    {x}, opposite
    opposite of {x}
    what is not {x} but the opposite
    {x} and its opposite(:|,) what is it
    if something is not {x}(:|,) what is its opposite
    {x} versus what
    {x}(:|,) (the opposite|and the opposite|and what is the opposite)
    (I need|I am looking for|give me) (a|the) word (for|that is) the opposite of {x}
    what would you say if you meant the opposite of {x}
    (let's play opposites|opposites game|opposites)(:|.|,) {x}
    I say {x}(,|.|:) (you say the opposite|what is the opposite|and the opposite is)
    the opposite of {x} is (what|which word|called what)
    {x}(:|,) what is the (contrary|antonym|opposite) of that
    (I can't think of|I forgot|I can't remember|what was) the opposite of {x}
    what comes to mind as the opposite of {x}
    (turn|change) {x} into its opposite
    the word is {x}. What is its opposite
    {x} has which opposite
""")
OPPOSITE_CHECK = lines("""
    is {y} the opposite of {x}
    {y} is the opposite of {x}, (right|isn't it|true or false|is that right)
    (is it true|I think|my son says) that {y} is the opposite of {x}
    would you say that {y} is the opposite of {x}
    are {x} and {y} opposites
""")


@dataclass(frozen=True)
class Facts:
    """A table with the questions for its right side, those for its left side, and the answer to both.

    Templates know `{x}` from the left side, also as `{a_x}` and `{xs}`, and `{y}` from the right side.
    """

    table: dict[str, str]
    asks: tuple[str, ...]
    answer: str
    back: tuple[str, ...] = ()
    share: float = 1

    def draw(self, rng: Random) -> Exchange:
        """A question about one line of the table; from the right side only where that is in one line."""
        x, y = rng.choice(list(self.table.items()))
        unique = Counter(self.table.values())[y] == 1
        ways = self.back if self.back and unique and rng.random() < 0.4 else self.asks
        slots = {"x": x, "a_x": an(x), "xs": plural(x)}
        slots |= {"y": y, "a_y": an(y), "part": y.split()[-1]}
        return Exchange(question(rng, rng.choice(ways)), capital(self.answer.format(**slots)), slots)


FACTS = (
    Facts(animals.SOUNDS, animals.SOUND, "{a_x} says {y}.", animals.SOUND_BACK, share=2),
    Facts(animals.YOUNG, animals.BABY, "a baby {x} is {a_y}.", share=1.2),
    Facts(
        {x: y for x, y in animals.YOUNG.items() if y in animals.PLAIN_YOUNG},
        animals.BABY_BACK,
        "{a_y} is a baby {x}.",
        share=0.8,
    ),
    Facts(animals.FOOD, animals.EAT, "{xs} eat {y}.", share=1.5),
    Facts(animals.LEGS, animals.LEG, "{a_x} has {y}.", share=1.5),
    Facts(animals.DWELLINGS, animals.DWELLING, "{xs} live {y}.", share=1.5),
    Facts(animals.GIFTS, animals.GIFT, "{xs} give us {y}.", animals.GIFT_BACK),
    Facts(animals.ACTS, animals.ACT, "{a_x} {y}.", animals.ACT_BACK, share=0.6),
    Facts(animals.COVERS, animals.COVER, "{a_x} has {y}.", share=0.6),
    Facts(animals.SIGNS, animals.SIGN, "{a_x} has {y}.", animals.SIGN_BACK),
    Facts(things.COLOURS, asks.COLOUR, "{x} is {y}.", share=3),
    Facts(things.USES, asks.USE, "{a_x} is for {y}.", asks.USE_BACK, share=3),
    Facts(things.BODY, asks.BODY_USE, "we {y} with our {x}.", asks.BODY_BACK, share=1.5),
    Facts(things.PARTS, asks.PART, "{x} has {y}.", share=0.6),
    Facts(things.TRADES, asks.TRADE, "{a_x} {y}.", asks.TRADE_BACK, share=2.5),
    Facts(things.SIDES, asks.SIDE, "{a_x} has {y} sides.", asks.SIDE_BACK, share=1.2),
    Facts(things.ROUND, asks.SHAPE, "{x} is {y}."),
    Facts(things.WHEELS, asks.WHEEL, "{a_x} has {y}.", share=1.2),
    Facts(things.BECOMES, asks.BECOMING, "{x} becomes {y}.", share=1.5),
    Facts(things.MADE, asks.MAKING, "{x} is made from {y}.", share=1.5),
    Facts(things.TASTES, asks.TASTE, "{x} tastes {y}."),
    Facts(things.WEATHER, asks.SEASON_IS, "{x} is {y}.", share=0.6),
    Facts(things.SEASONAL, asks.SEASON, "that is in {y}.", share=1.5),
    Facts(things.DAILY, asks.DAILY_ASKED, "that is {y}.", share=1.2),
    Facts(things.CLOTHES, asks.CLOTHES_ASKED, "{x} people wear {y}.", share=1.2),
    Facts(things.MEALS, asks.MEAL, "people eat {x} with {y}.", share=1.2),
    Facts(things.PLACES, asks.PLACE, "people {x} {y}.", share=1.5),
    Facts(things.PLURALS, asks.PLURAL_ASKED, "the plural of {x} is {y}.", share=1.5),
    Facts(things.PLURALS, asks.SINGULAR_ASKED, "the singular of {y} is {x}.", share=0.6),
)


def everyday(rng: Random, talk: Talk) -> list[Exchange]:
    """One small fact."""
    kinds: dict[Callable[[Random], Exchange], float] = {facts.draw: facts.share for facts in FACTS}
    kinds |= {opposite: 6, check: 3, size: 2, compare: 3, mix: 1.5, odd_one: 2, group: 2, able: 1.5, form: 1}
    kinds |= {is_opposite: 0.8}
    return [rng.choices(list(kinds), list(kinds.values()))[0](rng)]


def opposite(rng: Random) -> Exchange:
    """The opposite of a word."""
    x, y = rng.choice(list(OPPOSITES.items()))
    ask = want(rng, rng.choice(OPPOSITE)) if rng.random() < 0.6 else question(rng, rng.choice(OPPOSITE_ASKED))
    return Exchange(ask, f"The opposite of {x} is {y}.", {"x": x})


def is_opposite(rng: Random) -> Exchange:
    """Whether a word is the opposite of another."""
    x, y = rng.choice(list(OPPOSITES.items()))
    said = y if rng.random() < 0.5 else rng.choice([word for word in OPPOSITES if word not in (x, y)])
    # Of two words with the one opposite, either is right.
    right = said == y or OPPOSITES[said] == x
    answer = f"Yes, {said} is the opposite of {x}." if right else f"No, the opposite of {x} is {y}."
    return Exchange(question(rng, rng.choice(OPPOSITE_CHECK)), answer, {"x": x, "y": said})


def check(rng: Random) -> Exchange:
    """Whether something has that colour."""
    x, shade = rng.choice(list(things.COLOURS.items()))
    said = shade if rng.random() < 0.5 else rng.choice([other for other in things.SHADES if other != shade])
    answer = f"{'Yes' if said == shade else 'No'}, {x} is {shade}."
    return Exchange(question(rng, rng.choice(asks.COLOUR_CHECK)), answer, {"x": x, "shade": said})


def size(rng: Random) -> Exchange:
    """Which of two animals is the bigger or smaller one."""
    return contrast(rng, [an(animal) for animal in animals.SIZES], "bigger", "smaller", "(bigger|larger)")


def compare(rng: Random) -> Exchange:
    """Which of two things is the faster, heavier, hotter or older one, or the like."""
    if rng.random() < 0.15:
        return contrast(rng, [an(animal) for animal in animals.SPEEDS], "faster", "slower")
    (more, less), order = rng.choice(things.ORDERS)
    return contrast(rng, order, more, less)


def contrast(
    rng: Random, order: list[str] | tuple[str, ...], more: str, less: str, said: str = ""
) -> Exchange:
    """Which of two things of an order, that goes from little to much, is more so or less so."""
    low, high = sorted(rng.sample(range(len(order)), 2))
    a, b = rng.sample((order[low], order[high]), 2)
    slots = {"a": a, "b": b}
    upwards, downwards = (
        f"{order[high]} is {more} than {order[low]}.",
        f"{order[low]} is {less} than {order[high]}.",
    )
    kind = rng.random()
    if kind < 0.3:
        answer = f"Yes, {upwards}" if a == order[high] else f"No, {downwards}"
        return Exchange(
            question(rng, rng.choice(asks.MORE_CHECK).replace("{more}", said or more)), answer, slots
        )
    ask = rng.choice(asks.MORE).replace("{more}", (said or more) if kind < 0.65 else less)
    return Exchange(question(rng, ask), capital(upwards if kind < 0.65 else downwards), slots)


def mix(rng: Random) -> Exchange:
    """What two colours make together."""
    pair, shade = rng.choice(list(things.MIXED.items()))
    a, b = rng.sample(pair, 2)
    if rng.random() < 0.3:
        answer = f"{capital(pair[0])} and {pair[1]} make {shade}."
        return Exchange(question(rng, rng.choice(asks.MIX_BACK)), answer, {"y": shade})
    return Exchange(
        question(rng, rng.choice(asks.MIX)), f"{capital(a)} and {b} make {shade}.", {"a": a, "b": b}
    )


def odd_one(rng: Random) -> Exchange:
    """One of four words that is of another kind than the rest."""
    kind, other = rng.sample(list(things.GROUPS), 2)
    if {kind, other} in things.ALIKE:
        return odd_one(rng)
    odd = rng.choice(things.GROUPS[other])
    shown = [*rng.sample(things.GROUPS[kind], rng.choice((2, 3, 3))), odd]
    rng.shuffle(shown)
    listed = ", ".join(shown) if rng.random() < 0.7 else join(shown)
    return Exchange(question(rng, rng.choice(asks.ODD)), f"The odd one out is {odd}.", {"list": listed})


def group(rng: Random) -> Exchange:
    """What kind of thing something is."""
    kind = rng.choice(list(things.GROUPS))
    x = rng.choice(things.GROUPS[kind])
    slots = {"x": x, "a_x": x if kind in things.BARE else an(x)}
    if rng.random() < 0.5:
        answer = capital(f"{slots['a_x']} is {kind}.")
        return Exchange(question(rng, rng.choice(asks.GROUP)), answer, slots)
    said = kind
    while rng.random() < 0.5 and (said == kind or {said, kind} in things.ALIKE):
        said = rng.choice(list(things.GROUPS))
    if {said, kind} in things.ALIKE:
        said = kind
    answer = f"{'Yes' if said == kind else 'No'}, {slots['a_x']} is {kind}."
    return Exchange(question(rng, rng.choice(asks.GROUP_CHECK)), answer, {**slots, "kind": said})


def able(rng: Random) -> Exchange:
    """Whether an animal can fly or swim."""
    act, can, cannot = rng.choice(
        (
            ("fly", animals.FLIERS, animals.WALKERS),
            ("swim", animals.SWIMMERS, animals.SINKERS),
        )
    )
    yes = rng.random() < 0.5
    x = rng.choice(can if yes else cannot)
    slots = {"x": x, "a_x": an(x), "xs": plural(x), "act": act}
    answer = f"Yes, {slots['xs']} can {act}." if yes else f"No, {slots['xs']} cannot {act}."
    return Exchange(question(rng, rng.choice(animals.ABLE)), answer, slots)


def form(rng: Random) -> Exchange:
    """The plural or the singular of a word, as something that is wanted; or how a thing is, of two ways."""
    if rng.random() < 0.5:
        x, pair = rng.choice(list(things.QUALITIES.items()))
        is_so, is_not = pair.split("-")
        a, b = rng.sample((is_so, is_not), 2)
        answer = f"{capital(x)} is {is_so}."
        return Exchange(question(rng, rng.choice(asks.QUALITY)), answer, {"x": x, "a": a, "b": b})
    x, y = rng.choice(list(things.PLURALS.items()))
    if rng.random() < 0.7:
        return Exchange(want(rng, rng.choice(asks.PLURAL)), f"The plural of {x} is {y}.", {"x": x})
    return Exchange(want(rng, rng.choice(asks.SINGULAR)), f"The singular of {y} is {x}.", {"y": y})
