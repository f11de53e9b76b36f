"""What has a name of its own: pets, relatives and friends, things; told and asked for by what they are."""

import re
from dataclasses import replace
from random import Random

from training.names import draw_name
from training.phrasing import lines
from training.skills.kinds.owned import one_of, owned
from training.talk import Kind, phrases
from training.values import draw_pet, draw_pet_name

WOMEN = phrases("""
    sister, mother, mum, mom, daughter, wife, aunt, grandmother, grandma, granny, girlfriend, niece, twin
    sister, little sister, older sister, big sister, younger sister, godmother, stepmother, mother-in-law,
    sister-in-law, granddaughter, half-sister, landlady, stepsister, auntie
""")
MEN = phrases("""
    brother, father, dad, son, husband, uncle, grandfather, grandpa, grandad, boyfriend, nephew, twin brother,
    little brother, big brother, older brother, younger brother, godfather, half-brother, stepfather,
    father-in-law, brother-in-law, grandson, landlord, stepbrother, baby brother
""")
PEOPLE = phrases("""
    friend, best friend, cousin, neighbour, boss, teacher, colleague, flatmate, partner, baby, roommate,
    doctor, dentist, coach, classmate, manager, maths teacher, English teacher, music teacher, pen pal,
    hairdresser, babysitter, trainer, therapist, tutor, workmate, vet, best mate, neighbor, supervisor,
    class teacher, piano teacher, oldest friend, youngest child, crush
""")
RELATIVES = (*WOMEN, *MEN, *PEOPLE)
BELONGINGS = phrases("""
    car, boat, ship, bike, robot, teddy bear, doll, street, company, team, band, plant, house, village,
    project, computer, phone, laptop, shop, restaurant, farm, football club, ukulele, guitar, island, planet,
    blog, dragon, imaginary friend, cactus, tractor, spaceship, game, hospital, university, stuffed animal,
    choir, theatre group, channel, podcast, startup, motorbike, vacuum cleaner, stuffed rabbit, kindergarten,
    book club, orchestra, server, novel, character, van, camper, violin, bread starter
""")

WORD_START = re.compile(r"\b[a-z]")
MARK = re.compile(r"\bC?(?:SHE|HER|HIM)\b")
# Pronouns: she, her as in "her name", her as in "I call her".
Pronouns = tuple[str, str, str]
SHE, HE, IT = ("she", "her", "her"), ("he", "his", "him"), ("it", "its", "it")
SOMEBODY = ("(he|she)", "(his|her)", "(him|her)")
CREATURE = ("(he|she|it)", "(his|her|its)", "(him|her|it)")


def spoken_of(pronouns: Pronouns, *templates: str) -> tuple[str, ...]:
    """Templates with the pronouns of whom they are about.

    In templates pronouns are written large: SHE, HER and HIM, and CSHE and CHER where a sentence begins.
    """
    large = dict(zip(("SHE", "HER", "HIM"), pronouns, strict=True))
    large |= {
        f"C{mark}": WORD_START.sub(lambda found: found[0].upper(), text) for mark, text in large.items()
    }
    return tuple(MARK.sub(lambda found: large[found[0]], line) for line in templates)


CALLED = Kind(
    key="{who}'s name",
    draw=owned(draw_pet, draw_pet_name),
    clause="your {who} is called {value}",
    says=lines("""
        my {who} is (called|named) {value}
        my {who} is called {value}
        my {who}'s name is {value}
        the name of my {who} is {value}
        {value} is my {who}
        {value} is my {who}'s name
        {value} is the name of my {who}
        {value} is what my {who} is called
        it's {value}, my {who}'s name
        my {who}'s name(? |: | = | - |, it's ){value}
        my {who}'s called {value}
        I have {a_who} called {value}
        (I have|I've got) {a_who} (called|named) {value}
        (I have|I've got) {a_who} whose name is {value}
        I told you I have {a_who}, right? {value} is HER name
        my {who}, {value}, (is lovely|is great|makes me laugh|is nice|is here with me|is asleep|says hello)
        my {who} {value} (is lovely|is great|is the best|makes me laugh|is nice|sleeps a lot|is tired|is fine)
        me and my {who} {value} (are bored|went out today|just came home|are at home)
        (I love|I adore|I miss|I'm fond of|I talk to) my {who} {value}
        there's my {who}, SHE's called {value}
        (I have|I've got|there is) {a_who} (in my life|at home|too|as well), called {value}
        my {who} has a (nice|funny|strange|beautiful|long|short) name(:|, it's|. It's) {value}
        my {who} goes by (the name of |the name |){value}
        my {who} answers to (the name |){value}
        everyone calls my {who} {value}
        you should (meet|see) my {who}(. CHER name is|, SHE's called|, HER name is) {value}
        I spent the (day|morning|weekend) with my {who} {value}
        (I'm|I am) (sitting|out|at home|here) with my {who} {value}
        have I told you about my {who}? (CSHE's called|CHER name is|It's) {value}
        let me tell you about my {who}. CHER name is {value}
        by {value} I mean my {who}
        when I say {value}, I mean my {who}
    """),
    asks=lines("""
        (what is|what's|whats) my {who} called( again|)?
        (what is|what's|whats|what was) the name of my {who}( again|)?
        what is my {who}'s name?
        what's my {who}'s name( again|)?
        how is my {who} called?
        what (was|is) my {who} named?
        my {who} is called ...?
        my {who} is called what?
        my {who} goes by what name?
        (which|what) name did I tell you for my {who}?
        what is the name of the {who}( I have| I told you about| that I mentioned|)?
        what is the {who} called( again|)?
        what's the {who}'s name?
        how is the {who} called?
        the {who}'s name(?| please| again?)
        name of (my|the) {who}(?| please|)
        my {who}'s name(?| again?| please|, do you know?| was what?)
        what do (I|we|people) call my {who}?
        what name does my {who} have?
        what name does my {who} (go by|answer to)?
        did I (tell you|mention|say) (what my {who} is called|the name of my {who}|my {who}'s name)?
        do you know (what my {who} is called|my {who}'s name|the name of my {who})?
        I have {a_who}(. What's the name?|, what's HER name?|. What is SHE called?|, remember? What name?)
        (remember|you remember|you know) my {who}? What's the name?
        I told you about my {who}(. What's the name?|, what is the name?|. What was SHE called again?)
        I can't (recall|think of|remember) (my {who}'s name|the name of my {who})(.|, can you?|. What is it?)
        what did I (say|tell you) (my {who}'s name|the name of my {who}) (is|was)?
        (what|by which) name should you use for my {who}?
        if you (met|saw) my {who}, what would you (say|call HIM)?
        what name (would|do|will) you use for my {who}?
    """),
    indirect=lines("""
        what my {who} is (called|named)
        what my {who}'s name is
        my {who}'s name
        the name of my {who}
        how my {who} is called
        what the {who} is called
        what the name of my {who} (is|was)
        what name my {who} has
        which name my {who} goes by
        what we call my {who}
    """),
    unknown="You have not told me your {who}'s name yet. What is it?",
    third=("has {a_who} (called|named) {value}", "'s {who} is (called|named) {value}"),
    nouns=("{who}'s name", "{who}'s name", "{who}"),
    checks=lines("""
        is my {who} called {value}?
        is my {who}'s name {value}?
        is {value} my {who}?
        my {who} is called {value}, (right|isn't it|correct|no|yes)?
        is {value} the name of my {who}?
        did I say my {who} is called {value}?
        is the {who} called {value}?
        is it {value}, my {who}'s name?
        do I call my {who} {value}?
        was my {who}'s name {value}?
        {value} is my {who}, (right|isn't it|correct)?
    """),
    replies=lines("""
        {value}
        {value}(.|!|)
        (it's|it is|the name is|that's|I think it's) {value}(.|)
        (HER name is|SHE is called|SHE's called|SHE is|SHE's) {value}(.|)
        my {who} is called {value}(.|)
        my {who}'s name is {value}(.|)
        (oh|ah|sure|right|sorry|well)(,|:) {value}(.|!|)
        (we|I|everyone) (call|calls) HIM {value}(.|)
        {value}(, that's the name|, of course|, isn't that nice?|. Do you like it?|, a nice name)(.|)
    """),
    changes=lines("""
        my {who} is called {value}, not {old}
        my {who}'s name is {value}, not {old}
        (I got the name wrong|I made a mistake|I mixed it up), my {who} is called {value}
        it's not {old}(,| but|.) my {who} is called {value}
        my {who} is not called {old}(,|. It's|, it's| but) {value}
        did I say {old}? My {who} is called {value}
        my {who}'s name is really {value}
        my {who} is called {value} now
        not {old}, {value} is my {who}'s name
        I spelled my {who}'s name wrong(:|, it's|. It's) {value}
        (I meant|I should have said) that my {who} is called {value}
        please correct my {who}'s name to {value}
    """),
    openers=("", "", "What a nice name, {value}! "),
    also=(
        ("who is {value}( again|)?", "your {who} is {value}"),
        ("who (was|is) {value}, do you (know|remember)?", "your {who} is {value}"),
        ("(and |so |)who's {value}( again| then|)?", "your {who} is {value}"),
        ("(which|what) one is {value}?", "your {who} is {value}"),
        ("(tell me|do you know|remind me) who {value} is(.|?|)", "your {who} is {value}"),
        ("who did I say {value} is?", "your {who} is {value}"),
        ("do you (know|remember) {value}?", "your {who} is {value}"),
        ("(I forgot|I wonder|no idea) who {value} is(.|)", "your {who} is {value}"),
        ("{value} is who( again|)?", "your {who} is {value}"),
    ),
)
PET_SAYS = lines("""
    (I have|I've got|I own|we have|at home we have|we own|we keep|I keep) {a_who} (called|named) {value}
    (I have|I've got) {a_who}(, and its name is|, its name is|. Its name is|, called|. It's called) {value}
    I (call|named|have named|will call) my {who} {value}
    (I live|I share my home|I live alone) with my {who} {value}
    (we|I|my family) just (adopted|got|bought|rescued|found) {a_who}(, |. )SHE's called {value}
    (guess what|good news|big news|yay), (I|we) (got|adopted|have) {a_who} and (named|called) HIM {value}
    so I got {a_who} last week. CHER name is {value}. CSHE (is very sweet|eats a lot|sleeps all day)
    there is a new {who} in (the house|my life|our family) and (HER name is|SHE's called|it's) {value}
    (my parents|my mum|my wife|my husband|a friend|my aunt) gave me {a_who}, I (named|called) HIM {value}
    I got {a_who} for (my birthday|Christmas), (it's called|HER name is|I named HIM) {value}
    I've had my {who} {value} (for years|for three years|since last summer|since I was little)
    my {who} {value} (is ill|is hungry|ran away|is so cute|keeps me awake|bit me|is on my lap|needs a walk)
    I need to (feed|walk|wash|brush|take care of) my {who} {value}
    {value} the {who} is (mine|my pet|ours|my best friend|asleep)
    {value} is (a|the name of a) {who}, my pet
    my pet is {a_who} called {value}
    (I have|I've got) a pet(, |: |. It's ){a_who} called {value}
    I'm the (proud |happy |)owner of {a_who} (called|named) {value}
    (I took|I'm taking|I have to take) my {who} {value} to the vet( today| tomorrow|)
    we (named|called) our {who} {value}( because it suits HIM| after my uncle| after a film|)
    our {who} is called {value}
    our {who}'s name is {value}
    our {who} {value} (is lovely|sleeps on the sofa|is old now|loves walks)
""")
PET_CALLED = lines("""
    what did I (call|name) my {who}?
    what do I call my {who}?
    what name did I give (my|the|to my) {who}?
    what is our {who} called?
    (what is|what's) the name of our {who}?
    what did we (call|name) (our|the) {who}?
    what (should|do) I (shout|say|call) when I (want|look for|call) my {who}?
    (which|what) name is on the collar of my {who}?
    what's the name of my pet {who}?
    (have|did) I (name|named) my {who}? What?
""")
PERSON_SAYS = lines("""
    (I have|I've got) {a_who}(, HER name is|. CHER name is|, SHE's called|, called|. CSHE's named) {value}
    my {who}, HER name is {value}
    my {who} {value} (is visiting|cooked dinner|is on holiday|is ill|called me today|helps me a lot|is kind)
    (I met|I saw|I called|I'm visiting|I talked to|I had lunch with) my {who} {value}( today| yesterday|)
    (this is about|I'm writing for|I need a present for|I'm waiting for) my {who}, {value}
    {value}, my {who}, (is very nice|lives far away|is coming over|told me about you|is next to me|is funny)
    {value}'s my {who}
    (tomorrow|today|tonight|later) I'm (meeting|seeing|visiting) my {who}. CHER name is {value}
    I (argued|fought|made up|danced|went shopping) with my {who} {value}
    (do you know|have you met) my {who}? CSHE's called {value}
    the person I call my {who} is (called |){value}
    I want you to meet my {who}, {value}
    {value} has (always |)been my {who}( for years| for a long time|)
    (I'm|I am) sad today, my {who} {value} is moving away
    my {who} (is|would be) {value}
    my {who} {value} (sent me here|recommended you to me|gave me the link|said I should try this|says hello)
    my {who} {value} (told me (about you|of this program|to come here)|showed me (this|how this works|you))
    I'm (staying with|at the flat of|in the car with|sitting beside) my {who}(, HER|. CHER) name is {value}
    I have (three|many|no) (brothers|sisters|cousins|friends|aunts) and {a_who}. My {who} is called {value}
    my {who} is called {value}, (SHE can be very funny|SHE's often cross|SHE lives upstairs|SHE's so clever)
""")
PERSON_ASKS = lines("""
    who is my {who}( again|)?
    who's my {who}?
    who did I say (is my {who}|my {who} is)?
    what's the first name of my {who}?
    who (was|is) my {who}, (do you know|do you remember|again)?
    you know who my {who} is(?|, right?|, don't you?)
    I wrote you about my {who}, who (was|is) that?
""")
THING_SAYS = lines("""
    I (call|named|have named|will call) my {who} {value}
    (I have|I've got|we have) {a_who} and (it's called|its name is) {value}
    my {who} even has a name(:|,|. It's) {value}
    yes, my {who} has a name, it is {value}
    I gave my {who} (the name|a name:) {value}
    (I named|I've christened) my {who} {value}
    our {who} is called {value}
    the {who} is called {value}, the one (I have|that is mine)
    {value} - that's what I call my {who}
    what do I call my {who}? {value}
    we call our {who} {value}
""")
THING_ASKS = lines("""
    what did I (call|name) my {who}?
    what do I call my {who}?
    what name did I give (my|the) {who}?
    what is our {who} called?
    what (have|did) we (name|named|call) our {who}?
    does my {who} have a name? (Which|What is it)?
""")
RENAMED = lines("""
    my {who} has a new name(:|, it is) {value}
    I renamed my {who}(: it is|, it is now|. It's) {value}
    I (call|named) my {who} {value} (now|instead of {old})
    {old} was a bad name, so I call my {who} {value} now
    from now on my {who} is called {value}
""")
PET_ASKS = lines("""
    (what|which|what kind of) (pet|animal) do I (have|keep|own)?
    do I have (a pet|an animal|any pets|pets|any animals)?
    (tell me|do you know|do you remember|say) (what|which|what kind of) (pet|animal) I have(.|?|)
    do you (know|remember) my pet?
    (what is|what's|who is) my pet?
    (which|what) animal lives with me?
    what did I tell you about my (pet|pets|animal)?
    (have I got|do I own|did I mention) (a pet|any pets|an animal)?
    (what|which) (pet|animal) did I (mention|tell you about|say I have)?
    (remind me|I forgot) what (pet|animal|kind of pet) I have(.|)
    my pet is (a what|what|which animal)?
    (what|which) animal (do I live with|shares my home|is at home with me)?
    do you know if I have a pet?
    tell me about my pet(.|)
    is there (a pet|an animal) in my (home|house|life)?
""")

# Where only one pet is known, whatever its kind.
PET_NAME_ASKS = lines("""
    (what is|what's) my pet called( again|)?
    (what is|what's|what was) (my|the) pet's name?
    (what is|what's) the name of my pet?
    (how|what) did I (call|name) my pet?
    (which|what) name (did I give|has|does) my pet( have|)?
    what do I call my pet?
    (do you know|do you remember|tell me|can you tell me) (my pet's name|the name of my pet)(.|?|)
    (do you know|do you remember|tell me|can you tell me) (what|how) my pet is called(.|?|)
    (and |)my pet's name( is|)?
    what did I say my pet is called?
    (so |and |)how is my pet called?
    (and |)the pet's name?
    (I forgot|remind me of|I can't remember) (the name of my pet|my pet's name)(.|)
    my pet, what is (it|he|she) called?
    what name does my pet (have|answer to|listen to)?
""")


def named(base: Kind, pronouns: Pronouns, says: tuple[str, ...] = (), asks: tuple[str, ...] = ()) -> Kind:
    """A kind with more ways to tell and to ask, and with the pronouns that belong there."""
    return replace(
        base,
        says=spoken_of(pronouns, *base.says, *says),
        asks=spoken_of(pronouns, *base.asks, *asks),
        replies=spoken_of(pronouns, *base.replies),
    )


def relative(base: Kind, relatives: tuple[str, ...]) -> Kind:
    """A kind for relatives, of whom a "little sister" may be asked for as a sister."""
    draw_relative = owned(one_of(relatives), draw_name)

    def draw(rng: Random) -> dict[str, str]:
        slots = draw_relative(rng)
        return {**slots, "kin": slots["who"].split()[-1]}

    asks = (ask.replace("{who}", "{kin}") for ask in base.asks if "{a_who}" not in ask)
    return replace(base, draw=draw, also=(*base.also, *((ask, base.clause) for ask in asks)))


PET = replace(
    named(CALLED, CREATURE, PET_SAYS, PET_CALLED),
    changes=(*CALLED.changes, *RENAMED),
    openers=("", "", "A good friend, {value}! "),
    draw=owned(lambda rng: "pet" if rng.random() < 0.12 else draw_pet(rng), draw_pet_name),
    also=(
        *CALLED.also,
        *((ask, "you have {a_who} called {value}") for ask in PET_ASKS),
        *((ask, CALLED.clause) for ask in PET_NAME_ASKS for _ in range(5)),
    ),
)
WOMAN = relative(named(CALLED, SHE, PERSON_SAYS, PERSON_ASKS), WOMEN)
MAN = relative(named(CALLED, HE, PERSON_SAYS, PERSON_ASKS), MEN)
PERSON = replace(named(CALLED, SOMEBODY, PERSON_SAYS, PERSON_ASKS), draw=owned(one_of(PEOPLE), draw_name))
THING = replace(
    named(CALLED, IT, THING_SAYS, THING_ASKS),
    draw=owned(one_of(BELONGINGS), draw_pet_name),
    changes=(*CALLED.changes, *RENAMED),
)
