"""Where a person lives and comes from, and the words for telling it and asking for it."""

from training.phrasing import lines
from training.talk import Kind
from training.values import draw_town

# What may be the town that somebody comes from as well, and what is only the one they live in.
TOWN_NOUNS = ("home town", "hometown", "town", "town", "city", "city")
HOME_NOUNS = (*TOWN_NOUNS, "home", "place", "home city")
HOME = Kind(
    key="town",
    draw=lambda rng: {"value": draw_town(rng)},
    clause="you live in {value}",
    says=lines("""
        I live in {value}
        I live in {value}
        I live in {value}
        (I'm|I am) living in {value}( at the moment| right now| for now| these days|)
        (I'm|I am) (based|at home|settled) in {value}
        my (home|house|flat|family home|place|apartment) is in {value}
        I have lived in {value} (for years|all my life|for ten years|since last year|for a while)
        I've (been living|been based|lived) in {value} (since I was little|for ages|for two years now|
            since school|most of my life)
        I (moved|have moved|just moved) to {value}( last year| recently| in May| a year ago| last month|)
        I (just|recently|finally) (moved|relocated) (to|over to) {value}( for work| to study| for love|)
        {value} is (where I live|my home|my town|the town I live in|the city I live in|home for me|
            home to me|where my home is|where my bed is|where I've settled)
        my (home town|town|city|home|hometown) is {value}
        I reside in {value}
        the (town|city|place) I live in is (called |){value}
        the name of my (town|city|home town) is {value}
        I've got a (flat|house|room|small flat|place) in {value}
        we live in {value}
        (my family and I|me and my family|my wife and I|the kids and I|my husband and I) live in {value}
        I (rent|own|share) a (flat|house|room|small place) in {value}
        home is {value}( for me| these days|)
        (I call {value} (home|my home)|{value} is what I call home)
        I (make|made|have made) my home in {value}
        I (stay|dwell) in {value}
        I('m| am) a resident of {value}
        I (work and live|live and work|study and live|live and study) in {value}
        I live in a (village|small town|big city|little place|quiet town) (called|named) {value}
        I live (near the centre of|in the middle of|right in|at the edge of|on the outskirts of) {value}
        (you'll|you will|you can) find me in {value}
        where I live is {value}
        it's {value} (where|that) I live( in|)
        I('m writing| am writing|'m typing) (to you |)from my (home|flat|sofa) in {value}
        (our|my) (house|flat|garden) is in {value}
    """),
    asks=lines("""
        where do I live( again| now| at the moment| these days| then|)?
        where do I live?
        where do I live?
        (which|what) (town|city|place|village) do I live in( again|)?
        in (which|what) (town|city|place) do I live?
        where (is|was) my (home|flat|house|place|apartment)( again|)?
        where am I (living|at home|based|settled)( now| these days|)?
        (which|what) (town|city) is (mine|my home|my home town|home for me)?
        where (did I say|did I tell you|did I mention) (I live|that I live|my home is|my house is|I lived)?
        where (would you|could you|can you|should I) (find|visit|send a letter to) me?
        (what is|what's) the name of (my|the) (town|city|home town|place)( I live in| where I live|)?
        where do I (stay|sleep|reside|dwell|go home to)?
        what is the (town|city|place) I live in?
        where was it (again |)(that |)I live(d|)( again|)?
        where is it (that |)I live( again|)?
        remind me, where (do I live|was it I live|is my home|was my home|did I say I live)?
        what did I (call|name) (as my home|as my town|as the place I live)?
        I live (where|in which town|in what place)( again|)?
        I live in ... (where|what|which town)( was it|)?
        I live in which (town|city|place)( again|)?
        so I live (where|in which town)( exactly|)?
        can you (still |)(tell me|name|say|remember) the (town|city|place) (I live in|where I live)?
        do you (still |)(know|remember|have) the (town|city|place) (I live in|where I live)?
        (tell me|name|say|repeat) the (town|city|place) (I live in|where I live)( again|)(.|)
        where should (the postman|a taxi|a parcel|my post|a visitor) go to find me?
        if (you sent|somebody sent|you posted) me a (card|letter|parcel), (which town would it go to|
            where would it go)?
        (which|what) (town|city) (would you|should I) write on a letter to me?
        where would I go if I went home?
        (which|what) (town|city) do (I|we) call home?
        what (do I|did I) call home?
        (in which|which|what) (town|city|place) (have I made|is) my home( in|)?
        where in the world (do I live|am I living)?
        where (on earth |exactly |actually |)do I live?
        which is the (town|city|place) (where I live|I live in|I come home to)?
        you know where I live, (so |)(which town is it|where is it|what is it called)?
        my (town|city|home town|home) is (called |)(what|which|...|where)(?|)
        where have I (moved to|settled|made my home)?
        where did I move to?
        the (town|city|place) where I live(?|, please.|, what is it?|)
        the (town|city) I live in(?| is?|, please?|)
        (where's|where is) home( for me| again|)?
        can you (guess|work out|tell) where I live( from what I said|)?
    """),
    indirect=lines("""
        where I live
        where I live
        where I live
        (which|what) (town|city|place) I live in
        where my (home|house|flat) is
        where (I am|I'm) (living|at home|based)
        what my (home town|town|city) is( called|)
        in which (town|city) I live
        the (town|city|place) (where I live|I live in)
        the name of (my|the) (town|city)( I live in|)
        where it is (that |)I live
        where (I said I live|I told you I live|I said my home is)
        my (home town|town|city)
        where I (go home to|have my home)
    """),
    unknown="You have not told me where you live yet. Where is it?",
    third=("lives in {value}", "lives in {value}", "is at home in {value}", "is based in {value}"),
    nouns=HOME_NOUNS,
    checks=lines("""
        do I live in {value}?
        is my home in {value}?
        is {value} my home town?
        (is it|was it) {value} (that I live in|where I live)?
        I live in {value}, (don't I|right|correct|is that right|true or false)?
        (am I|do you think I am) living in {value}?
        did I (say|tell you|mention) (that |)I live in {value}?
        is {value} (the town I live in|where I live|my town|my home|the town I told you)?
        my (town|city|home) is {value}, (isn't it|right|correct)?
    """),
    replies=lines("""
        {value}(.|!|)
        {value}
        in {value}(.|)
        (it's|it is|it's in|I live in|I'm in|in) {value}(.|)
        (it's a place called|a town called|the city of) {value}(.|)
        (I'm|I am) (based|living|at home) in {value}(.|)
        (sure|ok|oh|right|well|yes)(,|:) (it's|I live in|in|that's) {value}(.|!|)
        {value}(, it's lovely here|, do you know it?|. It's a small place.|, as I should have said|
            . Nice place.|, I think.)
        (that would be|my home is|my town is|home is|we live in|we're in|I moved to) {value}(.|)
        (a place you may not know|you won't know it|never heard of it, I bet)(:|,) {value}(.|)
        near the middle of {value}(.|)
    """),
    changes=lines("""
        (I moved|I've moved|I have moved|we moved|we've moved) to {value}
        I live in {value} (now|these days|at present|instead)
        I (don't|do not) live in {old} (any more|anymore|now), (I live in|I moved to|but in) {value}
        I live in {value}, not (in |){old}
        I left {old} and moved to {value}
        I used to live in {old}(,| but|, but) now I live in {value}
        {old} was too loud, so I moved to {value}
        my new (home|town|city|address) is (in |){value}
        (I said {old}, but|I wrote {old} but|when I said {old}) I meant {value}
        {old} is where I (work|study|was last year|used to live), I live in {value}
        (I'm|I am) not in {old} (any more|anymore|any longer), (I'm|I am) in {value} now
        I (sold my house|gave up my flat|packed my bags) and (went|moved) to {value}
        it's {value} (that I live in|where I live), not {old}
        my (town|home town|city|home) (is|should be) {value}, not {old}
        (put|write down|note|change it to|change my town to) {value} (instead|as my home|
            as my town)
        since (last week|yesterday|Monday|May) I live in {value}
        we are moving house: {value} is my home now
        {value}, not {old}, is (my home|where I live|my town)
    """),
    openers=("", "Ah, {value}! ", "Nice! "),
)
ORIGIN = Kind(
    key="town",
    draw=HOME.draw,
    clause="you come from {value}",
    says=lines("""
        (I'm|I am|Im) from {value}
        (I'm|I am) from {value}
        I come from {value}
        I (was born|grew up|was raised) in {value}
        I was born and (raised|grew up|bred|brought up) in {value}
        I'm originally from {value}
        {value} is where I (come from|grew up|was born|was raised|am from|spent my childhood)
        my family comes from {value} and so do I
        my (birthplace|place of birth|origin) is {value}
        I spent my (childhood|youth|school days|first years) in {value}
        I (am|'m) a (native|child|son|daughter) of {value}
        I (hail|come originally|originally come) from {value}
        my (roots|family roots) are in {value}
        I (went to school|started life|learnt to walk) in {value}( and grew up there too|)
        I'm (coming from|out of) {value}( originally|)
        the (town|place|city) I (come|am) from is (called |){value}
        it was in {value} that I (was born|grew up)
        (as a child I lived|I came into the world) in {value}
        (I am|I'm) {value} born and bred
        where I come from is {value}
    """),
    asks=lines("""
        where (am I|do I come|did I say I come|did I say I am) from( again|)?
        where am I from( again| originally|)?
        where (was I born|did I grow up|was I raised|was I brought up)( again|)?
        (which|what) (town|city|place) (am I|do I come) from( again|)?
        from (which|what|where) (town|city|place) do I come?
        (what is|what's|what was) my (origin|birthplace|place of birth)( again|)?
        where did I (spend my childhood|say I was born|say I grew up|come from|tell you I come from)?
        where (is|was) it (that |)(I come from|I grew up|I was born|I'm from)( again|)?
        remind me, where (am I from|do I come from|was it I come from|was I born)?
        I (come|am) from (where|which town|what place)( again|)?
        (where|in which town) (are my roots|did I start life|was my cradle)?
        (which|what) (town|city|place) did I (grow up in|name as my origin|say I come from)?
        the (town|city|place) I come from(?|, please.|, what was it?|)
        what was the (town|city|place) (I come from|I'm from|I was born in|where I grew up)?
        in (which|what) (town|city|place) (was I born|did I grow up)?
        where do I hail from?
    """),
    indirect=lines("""
        where (I am|I'm|I come) from
        where (I'm|I come) from
        (which|what) (town|city|place) I (am|come) from
        where I (was born|grew up|was raised)
        the (town|city|place) (I come from|I grew up in|I was born in)
        where it was (that |)I (come from|grew up)
        my (birthplace|place of birth|origin)
        where I said I (come from|grew up|was born)
    """),
    unknown="You have not told me where you come from yet. Where is it?",
    third=("comes from {value}", "is from {value}", "was born in {value}"),
    nouns=("birthplace", "place of birth"),
    checks=lines("""
        am I from {value}?
        do I come from {value}?
        I('m| am| come) from {value}, (right|am I not|don't I|correct)?
        did I say (that |)I (come from|am from|grew up in) {value}?
        is {value} where I (come from|grew up|was born)?
        was I born in {value}?
    """),
    replies=lines("""
        {value}(.|!|)
        from {value}(.|)
        (I'm|I am|I come) from {value}(.|)
        {value}, (born and raised|sir|originally|as it happens)
        (it's|that's|a place called|a town called|originally) {value}(.|)
        (I was born|I grew up|I was raised) in {value}(.|)
        (oh|well|sure|right)(,|:) (I'm from|I come from|from|it's) {value}(.|!|)
    """),
    changes=lines("""
        I (am|come) from {value}, not (from |){old}
        I really come from {value}
        I meant that I'm from {value}
        I (was born|grew up) in {value}, not (in |){old}
        (I'm|I am) not from {old}(,| but|. I'm| -) from {value}
        my family is from {old}, but I come from {value}
        (I said|I wrote|you have) {old}, but I come from {value}
        it's {value} (that |)I come from, not {old}
    """),
    openers=("", "Ah, {value}! "),
)
