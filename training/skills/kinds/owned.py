"""What a person calls their own in one word or number: lucky numbers, codes, secrets."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from training.english import an
from training.names import draw_name, invent_name
from training.phrasing import lines
from training.talk import Kind, phrases
from training.values import draw_code, draw_colour, draw_food, draw_number, draw_town, invent_word

Draw = Callable[[Random], str]
Slots = Callable[[Random], dict[str, str]]

HAS_NAME = phrases("""
    nickname, surname, last name, middle name, family name, star sign, nationality, native language, stage
    name, home country, code name, maiden name, pen name, user name, home planet, mother tongue, username,
    login name, gamer tag, second name, birth name, artist name, favourite place on earth
""")
HAS_WORD = phrases("""
    spirit animal, superpower, usual drink, secret ingredient, lucky charm, biggest wish, worst subject, best
    subject, usual order, costume, totem, biggest fear, guilty pleasure, mascot, comfort food, main subject,
    pizza topping, ringtone, costume for carnival, new word of the day
""")
# Of those, the ones that may be a dish, and the names that may be a place's.
EATEN = phrases("secret ingredient, usual order, guilty pleasure, comfort food, pizza topping")
PLACES = phrases("home country, home planet, favourite place on earth")
SECRETS = phrases("""
    password, code word, magic word, secret word, wifi password, safe word, passphrase, keyword, wi-fi
    password, watchword, email password, door password, test word, entry word
""")
NUMBERED = phrases("""
    favourite number, favourite number, door number, house number, room number, seat number, table number,
    phone number, ticket number, customer number, order number, bus number, flat number, account number,
    seat, gate, platform, score, high score, magic number, licence number, student number, jersey number,
    member number, parking space, shirt number, queue number, desk number, tram line, record
""")
CODED = phrases("""
    locker code, door code, bike lock code, safe code, alarm code, booking code, PIN, pin code, gate code,
    suitcase code, postcode, locker number, secret number, zip code, lock combination, access code, voucher
    code, card PIN, garage code, confirmation code
""")


def owned(whose: Draw, *values: Draw) -> Slots:
    """A way to draw a noun that follows "my", and a value for it."""

    def draw(rng: Random) -> dict[str, str]:
        who = whose(rng)
        return {"who": who, "a_who": an(who), "value": rng.choice(values)(rng)}

    return draw


def fitting(whose: Draw, fits: tuple[str, ...], these: tuple[Draw, ...], others: tuple[Draw, ...]) -> Slots:
    """The same with values of the right sort: `these` for the nouns in `fits`, `others` for the rest."""

    def draw(rng: Random) -> dict[str, str]:
        who = whose(rng)
        value = rng.choice(these if who in fits else others)(rng)
        return {"who": who, "a_who": an(who), "value": value}

    return draw


def one_of(values: tuple[str, ...], form: str = "{}") -> Draw:
    """A way to draw one of the values, put into a form."""
    return lambda rng: form.format(rng.choice(values))


# What is said of anything of one's own, of a secret or of a lucky number, and of what a relative likes best.
SHARED_SAYS = lines("""
    my {who} is {value}
    my {who} is {value}
    my {who} is {value}
    {value} is my {who}
    {value}( -|,) that's my {who}
    {value}, that is my {who}
    it's {value}, my {who}
    my {who}(? |: | = | - |, it's ){value}
    my {who}( right now| these days|, as it happens,|, you ask?|) is {value}
""")
SHARED_ASKS = lines("""
    what is my {who}( again| now|)?
    what's my {who}?
    (what|which) is my {who}?
    my {who}(, please|?| is what?| was what?| again?)
    my {who} (is|was|would be) ...?
""")
SHARED_CHANGES = lines("""
    my {who} is {value}, not {old}
    (I changed my mind|I changed it), my {who} is {value}
    (now|today|from now on|since today|since yesterday) my {who} is {value}
    my {who} has changed(: it is|, now it's|. It's now) {value}
    it's not {old}(,| -) my {who} is {value}
    my {who} is no longer {old}(, it's|. It is|, it is now) {value}
    (forget|scratch|never mind) {old}, my {who} is {value}
""")
OWN = Kind(
    key="{who}",
    draw=fitting(one_of(HAS_WORD), EATEN, (invent_word, draw_food), (invent_word,)),
    clause="your {who} is {value}",
    says=SHARED_SAYS
    + lines("""
        my {who} (would be|has to be|must be|was always|has always been|happens to be) {value}
        (as|for) my {who}(,|) I (have|picked|chose|took) {value}
        as for my {who}, (it's|it is|that's|that would be) {value}
        I (have|picked|chose) {value} as my {who}
        I would say my {who} is {value}
        (speaking of|about) my {who}, it is {value}
        what I (have|chose|got) as my {who} is {value}
        I've got {a_who}. It's {value}
        someone asked for my {who} today, I said {value}
        they (gave|offered|wrote down) {value} as my {who}
        if (you ask for|anyone asks about|you need) my {who}, it's {value}
        you (may|might|will) need my {who}(:|, it is|. It's) {value}
        the {who} I (have|got|chose) is {value}
        I'm (happy|not so happy) with my {who}, which is {value}
        my {who} is {value}(,| and) (I think|and that's that|don't laugh|so now you know|for what it's worth)
    """),
    asks=SHARED_ASKS
    + lines("""
        what did I (choose|pick|have|give|name|take|put down) (as|for) my {who}?
        what (was|is) it that I told you as my {who}?
        what (did I say|was it I said|have I said) (is|was) my {who}?
        I need my {who}(, what was it?|. What is it?|, tell me|. Can you look it up?)
        someone (wants|needs|asks for) my {who}. What (is it|do I say|should I tell them)?
        what (should|do|shall|can) I (put|write|answer|say|enter) (for|as) my {who}?
        they (ask for|want) my {who} here, what is it?
        (what|which) (one |)was my {who}( again|)?
        how (is|was) my {who} again?
        so (tell me,|what|then,) what is my {who}?
        my memory is bad(:|.|,) what is my {who}?
        the {who} I told you(, what was it?|?| was what?)
        (do I have|have I got) {a_who}? (Which|What)?
        you know my {who}, (so what is it|what is it|tell me)?
    """),
    indirect=lines("""
        what my {who} is
        what my {who} was
        my {who}
        what I (have|chose|told you) as my {who}
        what I said my {who} (is|was)
        which {who} I (have|told you|gave you)
        the {who} I (told you|gave you|mentioned)
        what (to put|to write|to say) for my {who}
    """),
    unknown="You have not told me your {who} yet. What is it?",
    nouns=("{who}",),
    checks=lines("""
        is my {who} {value}?
        is {value} my {who}?
        my {who} is {value}, (right|isn't it|correct|yes|no)?
        is it (true|right|correct) that my {who} is {value}?
        did I say (that |)my {who} is {value}?
        was my {who} {value}?
        so my {who} is {value}?
        {value} is my {who}, (right|isn't it|correct)?
        have I told you that my {who} is {value}?
    """),
    replies=lines("""
        {value}
        {value}(.|!|)
        (it's|it is|its|that's|that would be|well, it's|oh, it's) {value}(.|)
        my {who} is {value}(.|)
        (ok|sure|of course|right)(,|:) {value}(.|)
        {value}(, I think|, I believe|, of course|, thanks for asking|. And remember it)(.|)
        (let me see|let me think|hm)(,|...) {value}(.|)
    """),
    changes=SHARED_CHANGES
    + lines("""
        my {who} used to be {old}, now it is {value}
        I (have|got) a new {who}(:|, it's|. It is) {value}
        instead of {old}(,|) my {who} is {value} now
        did I say {old}? I meant {value} as my {who}
        please (change|update|correct) my {who} to {value}
        I (told you|gave you) the wrong {who}, it's {value}
        make my {who} {value}(, please| from now on|)
    """),
    third=("'s {who} is {value}", "has {value} as {who}"),
)
OWN_NAMED = replace(
    OWN, draw=fitting(one_of(HAS_NAME), PLACES, (draw_town, invent_name), (draw_name, draw_name, invent_name))
)
OWN_NUMBER = replace(OWN, draw=owned(one_of(NUMBERED), draw_number))
OWN_ODD = replace(OWN, draw=owned(invent_word, invent_word, draw_number))

# What is to be kept for the person; `the` will do where others say `my`.
KEEPING = lines("""
    the {who} is {value}
    the {who} is {value}(, keep it| - don't forget|, tell nobody|, but keep it to yourself|. It's a secret|)
    (keep|remember|save|hold on to|take note of) (this|the|my) {who}( for me|)(:|) {value}
    (keep|save|note) {value} (for me |)as (the|my) {who}
    I'll give you (the|my) {who}(:|, it's|. It is) {value}
    here (is|comes) (the|my) {who}(:|,) {value}
    I (set|changed|put) (the|my) {who} to {value}
    {value} is the {who}
    the {who} I (use|chose|set) is {value}
    between you and me, the {who} is {value}
    I always forget the {who}, (it's|it is) {value}
    {who}(: | = | is ){value}
    I'm going to tell you a {who}(:|.|, it's) {value}
    can you keep (the|my) {who} for me? It's {value}
    let's (agree on|have|use) {value} as the {who}
    we (agreed on|use|have) {value} as the {who}
    don't lose (this|it)(:|,) the {who} is {value}
    they gave me {value} as the {who}
    later I will ask you for the {who}. It is {value}
""")
KEPT_ASKS = lines("""
    (what is|what's|whats|what was) the {who}( again| now|)?
    what {who} did I (give|tell) you( to keep| earlier|)?
    (tell|give) me the {who}( back| again| now|)(.|)
    which {who} did I (tell|give) you( to remember| earlier|)?
    (and |so |now |) the {who}( is|, please|)?
    (what is|what's) the {who} (I gave you|I told you|you keep for me|you should remember|we agreed on)?
    I can't (get in|log in|remember), what was the {who}?
    do you still have the {who}?
    I need the {who}(, please| now|. What is it?|)
    (have|did) you (kept|keep|remember) the {who}?
    I told you a {who}(. What is it?|, which one?|. Which was it?)
    what did I (set|choose|pick) as the {who}?
    did you forget the {who}?
""")
SECRET = replace(
    OWN,
    draw=owned(one_of(SECRETS), invent_word, invent_word, draw_colour, draw_food),
    says=(*SHARED_SAYS, *KEEPING, *KEEPING),
    asks=(*SHARED_ASKS, *KEPT_ASKS, *KEPT_ASKS),
    indirect=(*OWN.indirect, "what the {who} (is|was)", "the {who}", "which {who} we agreed on"),
    checks=(*OWN.checks, "is the {who} {value}?", "is {value} the {who}?", "was {value} the {who}?"),
    changes=(*OWN.changes, "the {who} is {value} now", "the {who} is {value}, not {old}"),
)
OWN_CODE = replace(SECRET, draw=owned(one_of(CODED), draw_code))
LUCKY = replace(
    OWN,
    draw=owned(lambda rng: "lucky number", draw_number),
    says=(
        *SHARED_SAYS,
        *lines("""
            my lucky number? {value}(, of course|, always|)
            {value} (brings me luck|is my lucky number|has always brought me luck|is the number for me)
            the number that brings me luck is {value}
            I always (bet on|play|choose) {value}, it's my lucky number
            if there is one number that brings me luck it's {value}
            I won with {value} once, so that's my lucky number
            some people like seven, but my lucky number is {value}
            my lucky number has been {value} (since I was a kid|for years|all my life|ever since school)
            {value} is lucky for me
            I believe in lucky numbers and mine is {value}
            mine is {value}, my lucky number I mean
            do you have a lucky number? Mine is {value}
        """),
    ),
    asks=(
        *OWN.asks,
        *lines("""
            (which|what) number brings me luck?
            (which|what) number is lucky for me?
            (which|what) number should I (bet on|play|pick) for luck?
            what is the number that brings me luck?
            lucky number?
            what number do I think is lucky?
        """),
    ),
    indirect=(*OWN.indirect, "which number brings me luck", "what number is lucky for me"),
)
