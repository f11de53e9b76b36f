"""Who a person is: name, home, origin, age, birthday; and the words for telling them and asking for them."""

from training.names import draw_name
from training.phrasing import lines
from training.talk import Kind
from training.values import draw_day, draw_town

NAME = Kind(
    key="name",
    draw=lambda rng: {"value": draw_name(rng)},
    clause="your name is {value}",
    says=lines("""
        my name is {value}
        my name is {value}
        my name's {value}
        (I'm|I am|Im) {value}
        (I'm|I am) {value}
        (I'm|I am) (called|named) {value}
        (people|my friends|they|folks|most people|others|my parents) call me {value}
        (everyone|everybody|the world|my family) calls me {value}
        (you can|you may|please|just|feel free to|do) call me {value}
        I go by (the name of |){value}
        my (first |full |real |) name is {value}
        (the|my) name is {value}
        {value} is my name
        {value} is what (people|they|my friends) call me
        I answer to {value}
    """),
    asks=lines("""
        who am I( again|)?
        who am I?
        what am I called?
        how am I called?
        what (should|do|will|would|can|may|must) you call me?
        (how|by what name) (should|do|will|would) you (call|address) me?
        do you (know|remember|recognise|recognize) me?
        do you (still |)(know|remember) who I am?
        what do (people|my friends|they|others) call me?
        (who|whom) are you (talking|speaking|chatting|writing) (to|with)?
        (who|whom) do you think (I am|you are talking to)?
        who is (this|it|here|there|chatting with you|talking to you)? I mean me.
        by which name do you know me?
        (say|guess) who I am(.|)
        what name did I (give|tell) you?
        who's me?
        am I (a stranger|nobody|unknown) to you?
        and I am?
        what did I introduce myself as?
    """),
    indirect=lines("""
        what my name (is|was)
        my name
        who I am
        what (I am|I'm) called
        (what|how) to call me
        what (people|my friends) call me
        which name I (gave|told) you
        the name I (gave|told) you
    """),
    unknown="You have not told me your name yet. What is it?",
    nouns=("name", "name", "name", "first name", "own name"),
    checks=("is my name {value}?", "am I {value}?", "am I called {value}?"),
    replies=lines("""
        {value}(.|!|)
        {value}
        (it's|it is|its) {value}(.|)
        (it's|I'm|I am|call me|my name is) {value}(.|!|)
        {value}(, nice to meet you|, and yours?|, that is my name|. And you?)
        (oh, |ah, |sure, |right, |sorry, |) (I'm|it's|my name is|call me) {value}(.|)
    """),
    changes=lines("""
        (I changed|I have changed) my name to {value}
        (from now on|now|these days|today) (my name is|I am|I'm|call me) {value}
        (please |) call me {value} (instead|from now on|rather|now)
        (I am|I'm|my name is) not {old}(,| but|. I am| -) {value}
        (I am|I'm|my name is) {value}, not {old}
        (I'd|I would) rather be called {value}
        I made a mistake, my name is {value}
        I spelled it wrong, it's {value}
        I lied, my (real |)name is {value}
    """),
)
TOWN_NOUNS = ("home town", "hometown", "town", "city", "home")
HOME = Kind(
    key="town",
    draw=lambda rng: {"value": draw_town(rng)},
    clause="you live in {value}",
    says=lines("""
        I live in {value}
        I live in {value}
        (I'm|I am) living in {value}
        (I'm|I am) (based|at home) in {value}
        my (home|house|flat|family home|place) is in {value}
        I have lived in {value} (for years|all my life|for ten years|since last year|for a while)
        I (moved|have moved) to {value} (last year|recently|in May|a year ago|as a child)
        {value} is (where I live|my home|my town|the town I live in|the city I live in)
        my (home town|town|city|home) is {value}
        I reside in {value}
        the (town|city|place) I live in is (called |){value}
        I've got a (flat|house|room) in {value}
        we live in {value}
    """),
    asks=lines("""
        where do I live( again| now| at the moment|)?
        where do I live?
        (which|what) (town|city|place) do I live in?
        in (which|what) (town|city|place) do I live?
        where (is|was) my (home|flat|house|place)?
        where am I (living|at home|based)( now| these days|)?
        (which|what) (town|city) is (mine|my home|my home town)?
        where (did I say|did I tell you) (I live|that I live|my home is)?
        where (would you|could you|can you|should I) (find|visit|send a letter to) me?
        (what is|what's) the name of my (town|city|home town|place)?
        where do I (stay|sleep|reside|dwell|go home to)?
        what is the (town|city|place) I live in?
    """),
    indirect=lines("""
        where I live
        where I live
        (which|what) (town|city|place) I live in
        where my (home|house|flat) is
        where (I am|I'm) (living|at home|based)
        what my (home town|town|city) is( called|)
        in which (town|city) I live
    """),
    unknown="You have not told me where you live yet. Where is it?",
    third=("lives in {value}", "lives in {value}", "is at home in {value}", "is based in {value}"),
    nouns=TOWN_NOUNS,
    checks=("do I live in {value}?", "is my home in {value}?", "is {value} my home town?"),
    replies=lines("""
        {value}(.|!|)
        {value}
        in {value}(.|)
        (it's|it is|it's in|I live in|I'm in|in) {value}(.|)
        (it's a place called|a town called|the city of) {value}(.|)
    """),
    changes=lines("""
        (I moved|I've moved|I have moved|we moved) to {value}
        I live in {value} (now|these days|at present)
        I (don't|do not) live in {old} (any more|anymore|now), (I live in|I moved to|but in) {value}
        I live in {value}, not (in |){old}
        I left {old} and moved to {value}
    I used to live in {old}(,| but|, but) now I live in {value}
    {old} was too loud, so I moved to {value}
        my new home is {value}
    """),
    openers=("", "Ah, {value}! ", "Nice! "),
)
ORIGIN = Kind(
    key="town",
    draw=HOME.draw,
    clause="you come from {value}",
    says=lines("""
        (I'm|I am|Im) from {value}
        I come from {value}
        I (was born|grew up|was raised) in {value}
        I'm originally from {value}
        {value} is where I (come from|grew up|was born)
        my family comes from {value} and so do I
    """),
    asks=lines("""
        where (am I|do I come|did I say I come|did I say I am) from( again|)?
        where (was I born|did I grow up)?
        (which|what) (town|city|place) (am I|do I come) from?
        from (which|what|where) (town|city|place) do I come?
        (what is|what's) my (origin|birthplace|place of birth)?
    """),
    indirect=("where (I am|I'm|I come) from", "(which|what) (town|city|place) I (am|come) from"),
    unknown="You have not told me where you come from yet. Where is it?",
    third=("comes from {value}", "is from {value}", "was born in {value}"),
    nouns=TOWN_NOUNS[:2],
    checks=("am I from {value}?", "do I come from {value}?"),
    replies=(
        "{value}(.|!|)",
        "from {value}(.|)",
        "(I'm|I am|I come) from {value}(.|)",
        "{value}, (born and raised|sir)",
    ),
    changes=(
        "I (am|come) from {value}, not (from |){old}",
        "I really come from {value}",
        "I meant that I'm from {value}",
    ),
    openers=("", "Ah, {value}! "),
)
AGE = Kind(
    key="age",
    draw=lambda rng: {
        "value": str(rng.choice((rng.randint(5, 99), rng.randint(1, 120), rng.randint(14, 60))))
    },
    clause="you are {value} years old",
    says=lines("""
        (I'm|I am|im) {value} years old
        (I'm|I am) {value} years old
        (I'm|I am|im) {value}
        (I'm|I am) {value} years of age
        my age is {value}
        {value} is my age
        I (just |) turned {value} (last week|in May|yesterday|recently|this year|a month ago)
        (I'm|I am) (already|only|just|over the hill at) {value}
        (I'm|I am) a {value} year old (person|man|woman|student|human)
        I've been (alive|on this planet) for {value} years
        I was born {value} years ago
    """),
    asks=lines("""
        how old am I( again| now|)?
        how old am I?
        what age am I?
        how many years (old am I|have I lived|am I old)?
        how old (did I say|did I tell you|was it that) I am?
        how (young|old) do you think I am?
        how many candles (belong|are|go) on my cake?
        am I old?
        (what|how high) is my age?
    """),
    indirect=(
        "how old I am",
        "how old I am",
        "what age I am",
        "my age",
        "what my age is",
        "how many years I have lived",
    ),
    unknown="You have not told me your age yet. How old are you?",
    third=("is {value} years old", "is {value}", "'s age is {value}"),
    nouns=("age", "age", "exact age"),
    checks=("am I {value}( years old|)?", "is {value} my age?", "is my age {value}?"),
    replies=lines("""
        {value}
        {value}(.|!|)
        {value} years( old|)(.|)
        (I'm|I am|im) {value}( years old|)(.|)
        (just|only|already|almost|about) {value}(.|)
    """),
    changes=lines("""
        (today|yesterday|last night) I turned {value}
        I (just |) had my birthday(,| and) now (I'm|I am) {value}
        (I'm|I am) {value} (now|already|by now), not {old}
        (I'm|I am) not {old}(,| but|. I'm) {value}
        I made myself younger, (I'm|I am) really {value}
    """),
    openers=("", "", "A fine age! "),
)
BIRTHDAY = Kind(
    key="birthday",
    draw=lambda rng: {"value": draw_day(rng)},
    clause="your birthday is on {value}",
    says=lines("""
        my (birthday|bday|b-day) is (on |) {value}
        my birthday is on {value}
        I was born on {value}
        (I have|I celebrate) my birthday on {value}
        {value} is my birthday
        I (turn|get) a year older on {value}
        (it's|it is) my birthday on {value}
        my date of birth is {value}
    """),
    asks=lines("""
        when is my birthday( again|)?
        when (was I born|do I have my birthday|do I celebrate my birthday)?
        when (do I turn|do I get|will I be) a year older?
        (on |) (which|what) (day|date) (is my birthday|was I born|is it my birthday)?
        when (can|should|must) you (wish me a happy birthday|congratulate me)?
        when (did I say|did I tell you) my birthday is?
        when do I get (my |) birthday presents?
    in (which|what) month (is my birthday|was I born)?
    """),
    indirect=lines("""
        when my birthday is
        when I was born
        when I have my birthday
        (on |) which day I was born
        my birthday
    """),
    unknown="You have not told me your birthday yet. When is it?",
    third=("'s birthday is (on |){value}", "was born on {value}"),
    nouns=("birthday", "birthday", "bday", "date of birth", "birth date"),
    checks=("is my birthday on {value}?", "was I born on {value}?", "is {value} my birthday?"),
    replies=("{value}", "{value}(.|!|)", "on {value}(.|)", "(it's|it is|its) (on |){value}(.|)"),
    changes=lines("""
        my birthday is on {value}, not (on |) {old}
        I mixed it up, my birthday is on {value}
        it's not {old}, my birthday is (on |) {value}
    """),
    openers=("", "", "I like birthdays! "),
)
