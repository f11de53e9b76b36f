"""How old a person is and when the birthday is, and the words for telling it and asking for it."""

from training.phrasing import lines
from training.talk import Kind
from training.values import draw_day

AGE = Kind(
    key="age",
    draw=lambda rng: {
        "value": str(rng.choice((rng.randint(5, 99), rng.randint(2, 120), rng.randint(14, 60))))
    },
    clause="you are {value} years old",
    says=lines("""
        (I'm|I am|im) {value} years old
        (I'm|I am) {value} years old
        (I'm|I am) {value} years old
        (I'm|I am|im) {value}
        (I'm|I am) {value} years of age
        my age is {value}
        {value} is my age
        I (just |) turned {value} (last week|in May|yesterday|recently|this year|a month ago)
        I (just|recently|have just) turned {value}
        (I'm|I am) (already|only|just|over the hill at|still) {value}
        (I'm|I am) a {value} year old (person|man|woman|student|human|girl|boy|lady|grandfather)
        I've been (alive|on this planet|around|in this world) for {value} years
        I was born {value} years ago
        I (became|got to be|have reached the age of) {value} (last month|in the spring|this week|in June)
        I (celebrated|had) my birthday and (am|I'm) {value}( now|)
        (I'm|I am) {value} years (young|and counting)
        at {value}(,|) I'm (not the youngest any more|still going strong|feeling fine)
        I've got {value} years (behind me|on my back)
        I have {value} years
        there (were|are) {value} candles on my (last |)(birthday |)cake
        (I'm|I am) aged {value}
        my years number {value}
        (my mum says |)I'm {value} years old (already|now)
        (I'm|I am) as old as {value}
        as a {value} year old, I (like to chat|have time|know little|forget a lot)
    """),
    asks=lines("""
        how old am I( again| now| then|)?
        how old am I?
        how old am I?
        what age am I( again|)?
        how many years (old am I|have I lived|am I old)?
        how old (did I say|did I tell you|was it that) I am?
        how (young|old) do you think I am?
        how many candles (belong|are|go|fit) on my (birthday |)cake?
        am I old?
        (what|how high) is my age?
        how old was I( again|)?
        how old (did I say|did I mention) (I was|I am|I'm)( again|)?
        remind me, how old (am I|I am|was I)( again|)?
        I('m| am) how (old|many years old)( again|)?
        I am ... years old(. How many?|?|, what goes in the gap?)
        (what|which) age did I (give|tell|mention to|say to) you?
        (what|which) number did I (say|give) for my age?
        what was my age( again| I told you|)?
        (can|could) you (still |)(tell me|say|name) (how old I am|my age)?
        (since |)how many years (am I|have I been) (on this planet|alive|around|in this world)?
        how many birthdays have I had?
        (how long ago|how many years ago) was I born?
        (just |)how old am I( really| exactly|)?
        what do I (put|write) on a form (under|next to) age?
        if somebody asked how old I am, what would you (say|answer|tell them)?
        do you (think|remember) (how old I am|I'm old)?
        (my age|age)(, what was it|, do you know it|: do you have it|, please|, what is it)(?|)
        my age is (what|what again|...|how much)(?|)
        you know my age, (don't you|right)? (What is it?|So how old am I?)
        how (many years|much) have I (lived|got behind me)?
        tell me (how old I am|my age)(.|!|, please.)
        so how many years old?
        by the way, how old am I?
        the number of my years(?|, please.|)
        what did I say about how old I am?
        and how old do I happen to be?
    """),
    indirect=lines("""
        how old I am
        how old I am
        how old I am
        what age I am
        my age
        my age
        what my age is
        how many years I have lived
        how many years old I am
        how old (I'm|I was)
        how many candles go on my cake
    """),
    unknown="You have not told me your age yet. How old are you?",
    third=("is {value} years old", "is {value}", "'s age is {value}"),
    nouns=("age", "age", "age", "exact age"),
    checks=lines("""
        am I {value}( years old|)?
        is {value} my age?
        is my age {value}?
        I('m| am) {value}( years old|), (right|am I not|correct|is that right)?
        did I (say|tell you|mention) (that |)I('m| am) {value}?
        was it {value} that I said my age was?
        my age is {value}, (isn't it|right|true or false)?
        do you think I am {value}?
        is it true that I am {value}?
    """),
    replies=lines("""
        {value}
        {value}(.|!|)
        {value} years( old|)(.|)
        (I'm|I am|im) {value}( years old|)(.|)
        (just|only|already|almost|about) {value}(.|)
        (it's|my age is|that's|that would be) {value}(.|)
        (oh|well|sure|right|a lady should not say, but|don't laugh)(,|:) (I'm|) {value}(.|!|)
        {value}(, since May|, as of last week|, can you believe it|, I'm afraid|. And you?|, sadly|, why?)
        (I turned|I just turned|I became|I've just turned) {value}(.|)
        {value} years (young|of age|and a bit)(.|)
    """),
    changes=lines("""
        (today|yesterday|last night) I turned {value}
        I (just |) had my birthday(,| and) now (I'm|I am) {value}
        (I'm|I am) {value} (now|already|by now), not {old}
        (I'm|I am) not {old}(,| but|. I'm) {value}
        I made myself younger, (I'm|I am) really {value}
        (I said|I wrote|I typed) {old}(,| but) (I'm|I am|I meant|it should be) {value}
        my age is {value}, not {old}
        {old} was (a lie|a joke|last year|wrong|a typo)(,|;) (I'm|I am) {value}
        (I was|I used to be) {old}, (now|but now|but today) (I'm|I am) {value}
        (I'm|I am) {value}, not {old}
        (make|change|set) (my age to|that age to|my age into) {value}
        I counted again(:|,) (I'm|I am) {value}( years old|)
        it's {value}, my age, not {old}
        I'm no longer {old}, (I'm|I am) {value}
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
        my birthday is {value}
        I was born on {value}
        (I have|I celebrate) my birthday on {value}
        {value} is my birthday
        I (turn|get) a year older on {value}
        (it's|it is) my birthday on {value}
        my date of birth is {value}
        {value} is (when I was born|the day I was born|when I celebrate|my big day|the day of my birthday|
            when I get my presents)
        my (big day|special day|birth date|birth day|next birthday) is (on |){value}
        (every|each) year on {value} (I get older|I have a cake|it's my birthday|I celebrate my birthday)
        the (day|date) I was born is {value}
        the date of my birthday is {value}
        (I came into the world|I was a baby of|my mother had me) on {value}
        (we|my family and I) celebrate my birthday on {value}
        my birthday (falls|comes) on {value}( this year| every year|)
        I'm having (a party for my birthday|my birthday party) on {value}
        on {value} (it is my birthday|I'll be a year older|I will have my birthday|I was born|I get presents)
    """),
    asks=lines("""
        when is my birthday( again|)?
        when is my birthday?
        when (was I born|do I have my birthday|do I celebrate my birthday)( again|)?
        when (do I turn|do I get|will I be|am I) a year older?
        (on |) (which|what) (day|date) (is my birthday|was I born|is it my birthday)( again|)?
        when (can|should|must|will) you (wish me a happy birthday|congratulate me)?
        when (did I say|did I tell you) (my birthday is|I was born|my birthday was)?
        when do I get (my |) birthday presents?
        in (which|what) month (is my birthday|was I born)?
        when was my birthday( again|)?
        remind me, when (is my birthday|was my birthday|was I born|do I have my birthday)( again|)?
        my birthday is (when|on which day|on what date|...|when again)(?|)
        my birthday(,|?) (when is it|when was it|what day is it|do you have it)(?|)
        (what|which) (day|date) did I (give|tell|say|mention) (for|as) my birthday?
        (what|which) (day|date) is (mine|my birthday|my big day|my special day)?
        what was the (date|day) (of my birthday|I was born|I gave you for my birthday)?
        I was born (when|on which day|on what date)( again|)?
        (which|what) (day|date) should (you|I|we) (mark|circle|write) in the calendar for my birthday?
        when (should|do) (you|my friends|people) (sing for me|bring me a cake|bake my birthday cake)?
        when is (my big day|my special day|the day of my birth|my next birthday)?
        when do we (celebrate|have a party for) my birthday?
        what (is|'s) the date of my (birthday|birth)( again|)?
        when (am I|was I) (a birthday child|born, do you remember|celebrating my birthday)?
        (can|could) you (still |)(tell me|say|name) the (day|date) (of my birthday|I was born)?
        do you (still |)(know|remember|have) the (day|date) (of my birthday|I was born)?
        (birthday|my birthday|date of birth)(, what was it|, do you know it|, please|: when|, when is it)(?|)
        tell me (when I was born|when my birthday is|the date of my birthday)(.|, please.)
    """),
    indirect=lines("""
        when my birthday is
        when my birthday is
        when I was born
        when I have my birthday
        (on |) which day I was born
        my birthday
        my birthday
        the (date|day) of my birthday
        on which (day|date) my birthday is
        when I (celebrate|celebrate my birthday|get my presents)
        when my birthday was
        the (day|date) I was born
        what my (date of birth|birth date) is
    """),
    unknown="You have not told me your birthday yet. When is it?",
    third=("'s birthday is (on |){value}", "was born on {value}"),
    nouns=("birthday", "birthday", "birthday", "bday", "date of birth", "birth date", "birthday date"),
    checks=lines("""
        is my birthday on {value}?
        was I born on {value}?
        is {value} my birthday?
        my birthday is (on |){value}, (right|isn't it|correct)?
        did I (say|tell you) (that |)my birthday is (on |){value}?
        is {value} (the day I was born|when I was born|the right date for my birthday)?
        do I (have|celebrate) my birthday on {value}?
        I was born on {value}, (right|wasn't I|correct)?
    """),
    replies=lines("""
        {value}
        {value}(.|!|)
        on {value}(.|)
        (it's|it is|its) (on |){value}(.|)
        (my birthday is|I was born|that's|that would be|I celebrate) on {value}(.|)
        (oh|well|sure|right|ok)(,|:) (it's|it's on|on|) {value}(.|!|)
        {value}(, don't forget it|, I like cake|, mark it down|. I hope for presents.|, every year)
        I was born on {value}(.|)
    """),
    changes=lines("""
        my birthday is on {value}, not (on |) {old}
        I mixed it up, my birthday is on {value}
        it's not {old}, my birthday is (on |) {value}
        I was born on {value}, not (on |){old}
        (I said|I wrote|I typed) {old}(,| but) (my birthday is|I meant|it should be|it's really) {value}
        {old} is (my brother's birthday|the party|my wedding day|when my sister was born), (mine is on|
            my birthday is on) {value}
        (the right date|the correct date|the real date) (of|for) my birthday is {value}
        my birthday is really (on |){value}
        (change|move|set) my birthday to {value}
        I got my own birthday wrong, it's on {value}
        {value} is my birthday, not {old}
    """),
    openers=("", "", "I like birthdays! "),
)
