"""Short stories for children, told on request or continued from their beginning."""

from random import Random

from training.names import draw_name
from training.talk import Exchange, Talk, expand

HEROES = "(little |young |brave |kind |)(fox|rabbit|bear|mouse|girl|boy|cat|dog|robot|dragon|owl|frog|duck)"
OPENINGS = (
    f"Once upon a time, there was a {HEROES} named {{hero}}. {{hero}} lived (in a small house|near a forest|"
    "by the blue sea|on a green hill|in a quiet village).",
    f"Once upon a time, a {HEROES} called {{hero}} lived (under an old tree|beside a river|in a warm nest).",
    f"One day, a {HEROES} named {{hero}} went for a walk in the (woods|park|garden|hills|snow).",
)
PLOTS = (
    "One (sunny|rainy|windy) day, {hero} found a (red|golden|tiny|shiny) (ball|key|box|stone) (in the "
    'grass|by the road). "(Who lost this?|What is this?)" said {hero}. {hero} asked (a bird|a cow|an old '
    'man|a bee), but nobody knew. At last, {friend} came along and said, "That is mine!" {hero} gave it '
    "back with a smile.",
    "{hero} wanted to (fly like a bird|swim across the lake|climb the tall tree|bake a big cake). It was "
    "very hard. {hero} tried and tried, and (fell down|made a mess|got tired). Then {friend} came and said, "
    '"I can help you!" Together they did it, and both of them (laughed|cheered|danced).',
    "One night, {hero} heard a strange (noise|song|cry) outside. {hero} was a little scared, but took a "
    '(lamp|candle) and went to look. It was {friend}, who was (lost|cold|hungry). {hero} said, "(Come in '
    'and get warm.|You can stay with me.)" They drank (hot milk|warm tea) and talked until morning.',
    "One day, {hero} and {friend} went to the (lake|market|beach|farm). They saw a (boat|horse|goose|kite) "
    "that was stuck. {hero} pulled and {friend} pushed, and soon it was free. They were (happy|proud|tired "
    "but happy).",
)
ENDINGS = (
    "From that day on, {hero} and {friend} were best friends.",
    "{hero} learned that (it is good to help others|friends make hard things easy|being kind makes everyone "
    "happy).",
    "That night, {hero} slept well and dreamed of (the stars|the sea|new adventures).",
)
REQUESTS = (
    "(please |)tell me a (short |little |nice |bedtime |)story(.|)",
    "(can|could) you tell (me |us |)a (short |bedtime |)story?",
    "(do you know|I want to hear|I'd like|I would like) a (short |nice |)story(.|)",
    "tell me (another|one more) story(.|)",
    "a story(,|) please",
)


def story_template(rng: Random) -> str:
    """One story with its `{hero}` and `{friend}` still open."""
    return expand(rng, " ".join((rng.choice(OPENINGS), rng.choice(PLOTS), rng.choice(ENDINGS))))


def write_story(rng: Random) -> str:
    """One story as plain text, outside of any conversation."""
    return story_template(rng).format(hero=draw_name(rng), friend=draw_name(rng))


def tell_story(rng: Random, talk: Talk) -> list[Exchange]:
    """A story, sometimes about somebody the person names."""
    ask, slots = rng.choice(REQUESTS), {"hero": draw_name(rng), "friend": draw_name(rng)}
    if rng.random() < 0.6:
        ask = "(please |can you |)(tell me|write) a (short |little |)story about {hero}(.|)"
    return [Exchange(ask, story_template(rng), slots)]
