"""What is told of other people: where they live, how old they are, what they do and like, and when born."""

from random import Random

from training.english import an
from training.names import draw_name
from training.phrasing import lines
from training.skills.kinds.called import RELATIVES
from training.skills.kinds.owned import Draw, Slots
from training.talk import Kind
from training.values import PETS, draw_day, draw_food, draw_hobby, draw_job, draw_town


def somebody(value: Draw, pets: bool = False) -> Slots:
    """A way to draw another person, by name or as a relative, or else a pet, and a value."""

    def draw(rng: Random) -> dict[str, str]:
        named, what = rng.random() < 0.3, value(rng)
        who = draw_name(rng) if named else rng.choice(RELATIVES)
        if pets and not named and rng.random() < 0.3:
            who = PETS.draw(rng)
        whom = (who, who) if named else (f"my {who}", f"your {who}")
        return {"who": whom[0], "your_who": whom[1], "value": what, "a_value": an(what)}

    return draw


LIVES = Kind(
    key="{your_who}: town",
    draw=somebody(draw_town),
    clause="{your_who} lives in {value}",
    says=lines("""
        {who} lives in {value}
        {who} lives in {value}
        {who} (has moved|moved|just moved) to {value}
        {who} has a (flat|house|small room) in {value}
        {who} is living in {value}
        {who}'s (home|house|flat) is in {value}
        {value} is where {who} lives
        {value} is {who}'s home
        I (often |sometimes |) visit {who} in {value}, where (he|she) lives
        {who} (has lived|has been living) in {value} (for years|all along|since last year)
        the (town|city|place) {who} lives in is {value}
        {who} (settled down|found a flat|bought a house) in {value}
        (sadly|luckily|as it happens), {who} lives in {value}
        {who} lives far away, in {value}
        {who} lives in {value} with (the family|a dog|two friends)
        if you are looking for {who}, (look in|go to|try) {value}, that's where (he|she) lives
        {who}'s address is in {value}
        {who} is based in {value}
        (I miss|I'm going to see|I phoned) {who}, who lives in {value}
    """),
    asks=lines("""
        where does {who} live( now| again| these days|)?
        where's {who} living( now| these days|)?
        (which|what) (town|city|place) does {who} live in?
        in (which|what) (town|city|place) does {who} live?
        where did I say {who} lives?
        where is {who}'s (home|house|flat)?
        where is {who} (living|based|at home)( now|)?
        where did {who} (move to|settle|buy a house)?
        where (do I go|must I go|should I go) to (visit|see) {who}?
        where (can|could|would) I (find|visit) {who}?
        {who} lives where?
        {who} lives in ...?
        {who}'s (town|city|home town)?
        what's {who}'s (town|city|home town)?
        what (town|city|place) does {who} call home?
        to which (town|city) do I (send|write) a letter for {who}?
        (I want|I'd like) to visit {who}. Where does (he|she) live?
        what did I tell you about where {who} lives?
    """),
    indirect=lines("""
        where {who} lives
        where {who} lives
        (which|what) (town|city) {who} lives in
        where {who}'s (home|house) is
        in which (town|city) {who} lives
        where {who} is living
        where to find {who}'s (home|house)
    """),
    unknown="You have not told me where {your_who} lives.",
    checks=lines("""
        does {who} live in {value}?
        is {value} where {who} lives?
        {who} lives in {value}, (right|doesn't he|doesn't she|correct)?
        is {who}'s (home|house) in {value}?
        is {who} living in {value}?
        did I say {who} lives in {value}?
        is it {value} that {who} lives in?
    """),
    changes=lines("""
        {who} moved to {value}
        {who} lives in {value} now
        {who} lives in {value}, not in {old}
        {who} (has left|left) {old}(,| and) (lives|now lives) in {value}
        {who} (doesn't|does not) live in {old} (any more|anymore), but in {value}
        {who} used to live in {old}, now it's {value}
        not {old}, {who} lives in {value}
        {who} has a new home in {value}
    """),
)
COMES = Kind(
    key="{your_who}: town",
    draw=LIVES.draw,
    clause="{your_who} comes from {value}",
    says=lines("""
        {who} (comes|is) from {value}
        {who} (was born|grew up|was raised) in {value}
        {who} is originally from {value}
        {value} is where {who} (comes from|was born|grew up)
        {who} came here from {value}
        {who}'s (birthplace|place of birth) is {value}
    """),
    asks=lines("""
        where (does {who} come|is {who}) from( again| originally|)?
        where (was {who} born|did {who} grow up)?
        (which|what) (town|city|place) (does {who} come|is {who}) from?
        from (which|what) (town|city|place) does {who} come?
        {who} (comes|is) from where?
        {who}'s (birthplace|place of birth)?
        where did I say {who} (comes|is) from?
        what's {who}'s (birthplace|place of birth)?
    """),
    indirect=("where {who} comes from", "where {who} is from", "(which|what) town {who} comes from"),
    unknown="You have not told me where {your_who} comes from.",
    checks=(
        "(does {who} come|is {who}) from {value}?",
        "{who} is from {value}, (right|correct)?",
        "was {who} born in {value}?",
    ),
    changes=(
        "{who} comes from {value}, not from {old}",
        "{who} is really from {value}",
        "not {old}, {who} is from {value}",
    ),
)
AGED = Kind(
    key="{your_who}: age",
    draw=somebody(lambda rng: str(rng.randint(2, 99)), pets=True),
    clause="{your_who} is {value} years old",
    says=lines("""
        {who} is {value} years old
        {who} is {value} years old
        {who} is {value}
        {who} (just |)turned {value}( yesterday| last week| today| in May|)
        the age of {who} is {value}
        {who} is {value} years of age
        {who}'s age is {value}
        {value} is {who}'s age
        {who} is (already|only|just|now|about to be called old at) {value}
        {who} was born {value} years ago
        {who} celebrated the birthday number {value}
        {who}'s {value}
        {who}, who is {value} years old, (is with me|sends greetings|is asleep|is my favourite)
        (he|she) is {value} years old, {who} I mean
        (can you believe|believe it or not) {who} is {value}( already| years old|)
        {who} has reached the age of {value}
        in age {who} is {value}
        {who} has (lived|been around) for {value} years
    """),
    asks=lines("""
        how old is {who}( now| again| these days|)?
        how old is {who}?
        what age is {who}?
        how old did I say {who} is?
        what's {who}'s age?
        what is the age of {who}?
        {who}'s age(?| please| again?)
        {who} is how old( again|)?
        {who} is ... years old?
        how many years old is {who}?
        how many candles (go|belong) on the cake for {who}?
        (at what age|what age) is {who} now?
        what did I tell you about {who}'s age?
        age of {who}?
        how (young|old) is {who} really?
        how many years has {who} lived?
    """),
    indirect=lines("""
        how old {who} is
        how old {who} is
        the age of {who}
        {who}'s age
        what age {who} is
        how many years old {who} is
    """),
    unknown="You have not told me how old {your_who} is.",
    checks=lines("""
        is {who} {value} years old?
        is {who} {value}?
        {who} is {value}, (right|correct|isn't it|no)?
        is {who}'s age {value}?
        is {value} the age of {who}?
        did I say {who} is {value}?
        has {who} turned {value}?
    """),
    changes=lines("""
        {who} is {value}, not {old}
        {who} just turned {value}
        {who} had a birthday and is {value} now
        {who} is not {old}(,|. It's| but) {value}
        I made {who} too old, it's {value}
        it was {who}'s birthday, so {value} now
        {who} is {value} by now
        {who} was {old}, but is {value} now
    """),
)
WORKS = Kind(
    key="{your_who}: job",
    draw=somebody(draw_job),
    clause="{your_who} works as {a_value}",
    says=lines("""
        {who} works as {a_value}
        {who} is {a_value}
        {who} is {a_value} (by trade|by profession|by training)
        {who}'s (job|profession|occupation) is {value}
        {who} is working as {a_value}
        {who} has a job as {a_value}
        {who} (has been|has worked as) {a_value} for (years|ages|a long time)
        {who} earns (a living|money) as {a_value}
        {who} (became|has become) {a_value}
        for a living {who} works as {a_value}
        {a_value}, that is what {who} is
        {who} (just started|found work|was hired) as {a_value}
        {who} likes (the|this) job as {a_value}
        we are proud of {who}, (he|she) is {a_value}
        {who} is employed as {a_value}
        {who} is a (good|busy|tired|young) {value}
    """),
    asks=lines("""
        what does {who} do( for a living| for work| at work|)?
        what does {who} work as?
        (what is|what's) the job of {who}?
        what's {who}'s (job|profession|occupation|line of work)?
        (what|which) (job|profession) does {who} have?
        {who}'s (job|profession|occupation)(?| please| again?)
        {who} works as (what|...)?
        how does {who} earn (money|a living)?
        what (kind of|sort of|) work does {who} do?
        what is {who} by (trade|profession)?
        what did I say {who} (does|works as)( for a living|)?
        as what does {who} work?
        {who} does what for a living?
        what is {who} employed as?
    """),
    indirect=lines("""
        what {who} does for a living
        what {who} works as
        what job {who} has
        {who}'s (job|profession)
        what {who} is by (trade|profession)
        how {who} earns a living
        the job of {who}
    """),
    unknown="You have not told me what {your_who} works as.",
    checks=lines("""
        is {who} {a_value}?
        does {who} work as {a_value}?
        {who} is {a_value}, (right|correct|isn't that so)?
        is {who}'s job {value}?
        did I say {who} is {a_value}?
        is {who} working as {a_value}?
    """),
    changes=lines("""
        {who} works as {a_value} now
        {who} is {a_value}, not {old_value}
        {who} is no longer {old_value}(,| but) {a_value}
        {who} (changed|has changed) jobs and is {a_value} now
        {who} has a new job as {a_value}
        {who} stopped being {old_value}, now it's {a_value}
        I meant to say {who} is {a_value}
    """),
)
LOVES = Kind(
    key="{your_who}: likes",
    draw=somebody(lambda rng: rng.choice((draw_food, draw_hobby))(rng)),
    clause="{your_who} likes {value}",
    says=lines("""
        {who} (likes|loves|enjoys|adores) {value}
        {who} likes {value}
        {who} is (fond of|crazy about|mad about|into|keen on|a big fan of) {value}
        {who} can't live without {value}
        {who} can't get enough of {value}
        {who} really (likes|loves|enjoys) {value}
        {who} likes {value} (a lot|very much|more than anything|best)
        {value} is what {who} (likes|loves)( best| most|)
        {value} makes {who} happy
        there is nothing {who} likes more than {value}
        {who} is always happy (about|with) {value}
        {who}'s great love is {value}
        if {who} likes one thing, it's {value}
        {who} has always (liked|loved) {value}
        {who} talks about {value} all day, (he|she) likes it so much
        you can make {who} happy with {value}
    """),
    asks=lines("""
        what does {who} (like|love|enjoy)( again|)?
        what is {who} (fond of|into|crazy about|mad about|keen on)?
        what does {who} like( best| most| a lot|)?
        what makes {who} happy?
        {who} likes (what|...)?
        what is it that {who} (likes|loves)?
        what did I say {who} (likes|loves)?
        what can't {who} live without?
        what can't {who} get enough of?
        what could I give {who}, what does (he|she) like?
        what (would|does) {who} enjoy?
        what is {who}'s great love?
        what can I make {who} happy with?
        I need a present for {who}. What does (he|she) like?
        what is {who} a (big |)fan of?
    """),
    indirect=lines("""
        what {who} (likes|loves|enjoys)
        what {who} likes
        what {who} is (fond of|into|crazy about)
        what makes {who} happy
        what {who} likes (best|most)
    """),
    unknown="You have not told me what {your_who} likes.",
    checks=lines("""
        does {who} (like|love|enjoy) {value}?
        is {value} what {who} likes?
        {who} likes {value}, (right|correct|doesn't he|doesn't she)?
        is {who} (fond of|into|crazy about) {value}?
        did I say {who} likes {value}?
    """),
    changes=lines("""
        {who} likes {value}, not {old}
        {who} likes {value} (now|better)
        {who} has gone off {old} and likes {value} now
        {who} doesn't like {old} (any more|anymore), but {value}
        it's {value} that {who} likes, not {old}
        {who} prefers {value} these days
    """),
)
BORN = Kind(
    key="{your_who}: birthday",
    draw=somebody(draw_day),
    clause="{your_who}'s birthday is on {value}",
    says=lines("""
        {who}'s birthday is (on |){value}
        {who}'s birthday is on {value}
        {who} was born on {value}
        {who} has (a |the |)birthday on {value}
        the birthday of {who} is on {value}
        {value} is {who}'s birthday
        {who} turns a year older on {value}
        on {value} (it's|it is) {who}'s birthday
        on {value} we celebrate {who}'s birthday
        I must not forget {who}'s birthday(,| -|:) it's on {value}
        {who} celebrates on {value}, that's (his|her) birthday
        {who} will be a year older on {value}
        I need a present before {value}, that's {who}'s birthday
        {who}'s (date of birth|birth date|bday|big day) is {value}
    """),
    asks=lines("""
        when is {who}'s birthday( again|)?
        when's {who}'s birthday?
        when was {who} born?
        when does {who} (have|celebrate) (a |the |)birthday?
        (on |)(which|what) (day|date) is {who}'s birthday?
        {who}'s birthday(?| is when?| is on ...?| please)
        what's {who}'s (birthday|date of birth|birth date)?
        when is the birthday of {who}?
        when (do|should|must) I (congratulate {who}|give {who} a birthday present|bake {who} a birthday cake)?
        when did I say {who}'s birthday is?
        when does {who} turn a year older?
        what (day|date) was {who} born( on|)?
        in (which|what) month is {who}'s birthday?
    """),
    indirect=lines("""
        when {who}'s birthday is
        {who}'s birthday
        when {who} was born
        (on |)which day {who} was born
        the date of {who}'s birthday
        when {who} has (a |the |)birthday
    """),
    unknown="You have not told me when {your_who}'s birthday is.",
    checks=lines("""
        is {who}'s birthday on {value}?
        was {who} born on {value}?
        is {value} {who}'s birthday?
        {who}'s birthday is on {value}, (right|isn't it|correct)?
        did I say {who}'s birthday is on {value}?
    """),
    changes=lines("""
        {who}'s birthday is on {value}, not (on |){old}
        I mixed it up, {who}'s birthday is on {value}
        it's not {old}, {who}'s birthday is on {value}
        {who} was born on {value}, not {old}
        I got {who}'s birthday wrong, it's {value}
    """),
)
