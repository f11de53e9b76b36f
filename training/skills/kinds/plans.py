"""What a person plans, eats, buys and puts somewhere."""

from dataclasses import replace

from training.skills.kinds.daily import fact
from training.skills.kinds.daily_values import (
    MEALS,
    MET,
    PUT,
    PUTS,
    draw_spot,
    draw_time,
    value_of,
)
from training.skills.kinds.owned import one_of, owned
from training.talk import Kind
from training.values import draw_food, draw_town

HOLIDAY = fact(
    "holiday",
    value_of(draw_town),
    "you are going to {value} on holiday",
    "where you are going on holiday.",
    says="""
        (I'm|I am|we're|we are) going to {value} (on holiday|on vacation|for the holidays|this summer)
        I (booked|have booked) a (trip|flight|holiday|vacation) to {value}
        (I'm|I am|we're|we are) (flying|travelling|driving) to {value} (next week|in summer|for a holiday)
        my next (trip|holiday|vacation) (is|goes|will be) to {value}
        on (holiday|vacation) I will be in {value}
        I'll spend my (holiday|vacation|holidays) in {value}
        next (week|month|summer) I'm off to {value} on (holiday|vacation)
        (yay|finally), holidays! We are going to {value}
        {value} is where (I'm|we're) going on (holiday|vacation)
        I need a suitcase for my holiday in {value}
    """,
    asks="""
        where am I going (on holiday|on vacation|for the holidays|this summer)( again|)?
        where (do|will|shall) I spend my (holiday|holidays|vacation)?
        where (is|goes) my next (trip|holiday|vacation)( to|)?
        where did I book a (holiday|trip|flight|vacation)( to|)?
        where am I (flying|travelling|off) to( on holiday| on vacation|)?
        what is my holiday destination?
        (which|what) (town|city|place) am I going to on (holiday|vacation)?
        where (did I say|was it) I'm going on (holiday|vacation)?
        where are we going on (holiday|vacation)?
    """,
    indirect="""
        where (I'm|I am) going on (holiday|vacation)
        where my next (trip|holiday|vacation) goes
        where I'll spend my (holidays|vacation)
        the place I'm going to on holiday
    """,
    checks="""
        am I going to {value} on (holiday|vacation)?
        I'm going to {value} on holiday, (right|correct)?
        is {value} where I'm going on holiday?
    """,
    changes="""
        we changed our plans, (we're|I'm) going to {value} on holiday
        (I'm|I am) going to {value} on holiday, not to {old}
        I cancelled {old}, my holiday will be in {value}
    """,
    nouns="holiday destination\nholiday\nvacation destination",
    third="is going to {value} on holiday",
)
APPOINTMENT = fact(
    "{who}: time",
    owned(one_of(MET), draw_time),
    "your {who} is {value}",
    "when your {who} is.",
    says="""
        my {who} is {value}
        my {who} is {value}
        I have {a_who} {value}
        I've got {a_who} {value}
        {value} I have {a_who}
        {value} is when my {who} is
        don't let me forget my {who} {value}
        (I'm|I am) nervous(,| because) my {who} is {value}
        there's my {who} {value}
        the {who} is {value}
        my {who} (takes place|starts|will be) {value}
        I can't come, I have {a_who} {value}
        I must not miss my {who} {value}
    """,
    asks="""
        when is my {who}( again|)?
        when's my {who}?
        when do I have (my|the) {who}?
        when is the {who}?
        (what|which) (day|time) is my {who}?
        (at |)what time is my {who}?
        when did I say my {who} is?
        my {who} is when?
        my {who}, when (is|was) (it|that)( again|)?
        when (must|should|do) I (go|be there) for my {who}?
        when does my {who} (start|take place)?
        I have {a_who}, but when?
    """,
    indirect="""
        when my {who} is
        when I have my {who}
        when the {who} is
        (what|which) day my {who} is
        when my {who} starts
    """,
    checks="is my {who} {value}?\nmy {who} is {value}, (right|isn't it)?\ndo I have {a_who} {value}?",
    changes="""
        my {who} was moved, it's {value}
        my {who} is {value}, not {old}
        they changed my {who}, it is {value} now
        my {who} is {value} instead of {old}
    """,
    replies="my {who} is {value}(.|)",
    third="has {a_who} {value}",
)
ATE = fact(
    "{who} today",
    owned(one_of(MEALS), draw_food),
    "you had {value} for {who}",
    "what you had for {who}.",
    says="""
        I had {value} for {who}
        for {who} I had {value}
        I ate {value} for {who}
        for {who} (we|I) (ate|had|made) {value}
        my {who} was {value}
        there was {value} for {who}
        for {who} today there was {value}
        I just had {value} for {who}
        I (cooked|made) {value} for {who} (and ate it all|and it was good|and had two plates)
        {value} was my {who} today
        (today|this time) I had {value} for {who}
        I'm full, I had {value} for {who}
    """,
    asks="""
        what did I (have|eat) for {who}( today| again|)?
        what was my {who}( today| again|)?
        what did I say I had for {who}?
        what was there for {who}?
        for {who} I had what?
        what have I eaten for {who}?
        (what|which) dish did I have for {who}?
        what did we (have|eat) for {who}?
        my {who} was what?
    """,
    indirect="""
        what I had for {who}
        what I ate for {who}
        what my {who} was
        what there was for {who}
    """,
    checks="did I have {value} for {who}?\nwas my {who} {value}?\nI had {value} for {who}, (right|didn't I)?",
    changes="""
        I had {value} for {who}, not {old}
        it wasn't {old}, I had {value} for {who}
        I mixed up the days, I had {value} for {who}
    """,
    replies="I had {value}(.|)\nI ate {value}(.|)",
    third="had {value} for {who}",
)
ALLERGY = fact(
    "allergy",
    value_of(draw_food),
    "you are allergic to {value}",
    "what you are allergic to.",
    says="""
        (I'm|I am) allergic to {value}
        I have an allergy to {value}
        I can't eat {value}(,| because) (I'm|I am) allergic( to it|)
        my allergy is {value}
        {value} makes me ill, (I'm|I am) allergic to it
        be careful, (I'm|I am) allergic to {value}
        (no|never) {value} for me, (I'm|I am) allergic to it
        (I'm|I am) sadly allergic to {value}
    """,
    asks="""
        what am I allergic to( again|)?
        (what is|what's) my allergy?
        (what|which food) (must|should) I not eat because of my allergy?
        which food am I allergic to?
        do I have an allergy?
        what did I say I'm allergic to?
        what makes me ill because I'm allergic?
    """,
    indirect="what (I'm|I am) allergic to\nwhat my allergy is\nwhich food (I'm|I am) allergic to",
    checks="am I allergic to {value}?\nI'm allergic to {value}, (right|am I not)?\nis {value} my allergy?",
    changes="""
        the doctor says (I'm|I am) allergic to {value}, not {old}
        (I'm|I am) allergic to {value}, not (to |){old}
    """,
    nouns="allergy",
    third="is allergic to {value}",
)
DISLIKE = fact(
    "dislike",
    value_of(draw_food),
    "you do not like {value}",
    "what you do not like.",
    says="""
        I (hate|can't stand|dislike|detest|loathe) {value}
        I (don't|do not|really don't) like {value}
        I don't like {value} at all
        {value}? (Yuck!|No thanks.|Disgusting.|I hate it.)
        I would never eat {value}, I hate it
        the food I (hate|dislike) most is {value}
        the worst food is {value}
        {value} is the worst
    """,
    asks="""
        what do I (hate|dislike|not like|not like to eat)( again|)?
        what don't I like( to eat|)?
        what can't I stand?
        (which|what) food do I (hate|dislike|not like)?
        what (should|must) you not (cook|make) because I don't like it?
        what did I say I (hate|don't like)?
    """,
    indirect="what I (hate|don't like|dislike|can't stand)\nwhich food I (hate|don't like)",
    checks="do I (hate|dislike) {value}?\nI don't like {value}, (right|do I)?\nis {value} what I don't like?",
    changes="I (hate|don't like) {value}, not {old}\nit's {value} I (hate|don't like), not {old}",
    third="does not like {value}",
)
BUY = fact(
    "shopping",
    value_of(draw_food),
    "you have to buy {value}",
    "what you have to buy.",
    says="""
        I (have to|must|need to) buy {value}
        I (have to|must|need to) buy {value} (today|later|after work|on the way home)
        {value} is on my shopping list
        on my shopping list (is|there is|I have) {value}
        we are out of {value}, I have to buy some
        I must not forget to buy {value}
        don't let me forget to buy {value}
        I'm going to the shop to buy {value}
        my shopping list: {value}
    """,
    asks="""
        what do I (have to|need to) buy( again|)?
        what must I (not forget to |)buy?
        what is on my shopping list?
        what did I (want|say I have) to buy?
        what was I going to buy?
        why did I want to go to the shop?
        what should I bring from the shop?
    """,
    indirect="what I (have to|need to|must) buy\nwhat is on my shopping list\nwhat I wanted to buy",
    checks="do I have to buy {value}?\nis {value} on my shopping list?\nmust I buy {value}?",
    changes="""
        I have to buy {value}, not {old}
        I found some {old}, but I have to buy {value}
        instead of {old} I have to buy {value}
    """,
    nouns="shopping list",
    third="has to buy {value}",
)


def lying(things: tuple[str, ...], be: str, it: str) -> Kind:
    """Where a thing was put; with its verb and pronoun, which are of one thing or of several."""
    kind = fact(
        "{who}: place",
        owned(one_of(things), draw_spot),
        "you put your {who} {value}",
        "where you put your {who}.",
        says="""
            I (put|left|hid|have put) my {who} {value}
            I (put|left) my {who} {value}
            my {who} BE {value}
            the {who} BE {value}
            (remember|note)(:|,) my {who} BE {value}
            you (will|can) find my {who} {value}
            {value} is where I put my {who}
            I always lose my {who}, so I put IT {value}
            I keep my {who} {value}
            just now I put my {who} {value}, I'll ask you later
            I (found|saw) my {who} {value} and left IT there
            my {who}? {value}
            before I forget(:|,) I put my {who} {value}
        """,
        asks="""
            where BE my {who}( again| now|)?
            where did I (put|leave|hide) my {who}( again|)?
            where did I say my {who} BE?
            where BE the {who}?
            where (can|do|will) I find my {who}?
            where should I look for my {who}?
            I (can't find|lost|am looking for) my {who}(, where did I put IT?|. Where did I put IT?|, help|)
            have you seen my {who}?
            where have I (put|left) my {who}?
            in (which|what) place did I (put|leave) my {who}?
            my {who}, where (did I put|did I leave) IT?
            where do I keep my {who}?
        """,
        indirect="where my {who} BE\nwhere I (put|left|hid) my {who}\nwhere to find my {who}",
        checks="BE my {who} {value}?\ndid I (put|leave) my {who} {value}?\ndo I keep my {who} {value}?",
        changes="""
            I moved my {who}, look {value}
            my {who} BE {value}, not {old}
            I took my {who} and put IT {value}
            I put my {who} {value} instead of {old}
        """,
        replies="they are {value}(.|)" if be == "are" else "it is {value}(.|)",
    )
    parts = ("says", "asks", "indirect", "checks", "changes")
    filled = {
        part: tuple(line.replace("BE", be).replace("IT", it) for line in getattr(kind, part))
        for part in parts
    }
    return replace(kind, **filled)


LIES, LIE = lying(PUT, "is", "it"), lying(PUTS, "are", "them")
