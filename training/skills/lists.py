"""Lists of so many things of a kind, from small tables."""

from random import Random

from training.asking import order, question
from training.english import an, capital, in_words, join
from training.phrasing import lines, mannered
from training.skills.list_tables import KINDS
from training.talk import Exchange, Talk

MOST = 7
MANY = lines("""
    (name|list|tell me|give me|say|write|write down|think of|mention|find|show me|type|pick) {number} KIND
    (name|list|tell me|give me|think of) (me |)(just |exactly |any |only |){number} KIND
    (make|write|give me) (a |me a )list (of|with) {number} KIND
    (name|give|list) {number} (examples of|sorts of) KIND
    (tell|give) me the names of {number} KIND
    (come up with|give us|tell us|help me with|help me name|help me find|suggest|recommend|choose|read out|
        recite|
        offer|jot down|put down|note down|find me|get me|show us) {number} KIND
    (make|write|do|create|draw up|prepare|put together|start) (me |us |)a (short |little |quick |numbered |
        simple |)list (of|with) {number} KIND
    (list|name|write down|give me) {number} KIND (that you know|you know|you can think of|that come to mind|
        of your choice|
        you like|for me|for my kid|for my homework|for a game|for a quiz|in a list|with numbers|one by one)
    (give|tell) me {number} KIND(, any will do|, any|, no matter which|, whichever you like|
        , it doesn't matter which)
    (give|tell|name|show) me {number} (random|different|common|well-known|nice|simple|typical|other|easy) KIND
    (let me have|let me hear|let's hear|let us have|throw me|hit me with|fire off) {number} KIND
    (name|list|tell me) KIND, {number} (of them|will do|are enough|please|exactly|in all)
    (enumerate|itemize|specify|identify) {number} KIND
    (name|give) {number} KIND (as an example|as examples|for example)
    (tell|teach) my (son|daughter|kid|little one) {number} KIND
    list {number} KIND (for me|for us|here|below)
    answer with {number} KIND
    (think|write) {number} KIND
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
    (which|what) are {number} (examples of|good examples of|common|typical|random|well-known) KIND
    what (could|might|would|can) be {number} KIND
    (could|can|may) you (think of|name|list|give me|come up with|tell me) {number} KIND
    (are there|is there|have you got|do you have) {number} KIND (you know|you can name|you could name|
        for me|that you know)
    (what|which) KIND (do you know|are there|can you name|come to mind)(, say|, just|, only|:|
        ; give me) {number}
    {number} KIND (for my homework|for a game|for school|for a crossword|for a quiz|for my kid)
    {number} (different|common|random|simple|nice|typical|well-known) KIND
    (list|a list) of {number} KIND
    KIND, {number} (of them|will do|are enough|is enough|at least)
    {number} (names|examples|kinds) of KIND
    {number} KIND, (can you|could you|will you|would you|go|any|quick|quickly|now)
    (for my homework|for school|for a game|for a quiz|for my daughter|for a puzzle)(,|) I need {number} KIND
    (I can't think of|I can't name|I am trying to think of|I forgot all|I have to name|I have to write down|
        I am supposed to list|I should know|we have to find|my teacher wants|my son needs|
        my homework is) {number} KIND
    (help|help me|please help)(:|,|!) {number} KIND
    (would|do|could) you (happen to |)know {number} KIND
    (I'd like|I would like|we would like|we need|I could use|I'm looking for|I am after) (to hear |to see |
        ){number} KIND
    (how many KIND can you name|how many KIND do you know)? (Give me|Name|List|Tell me) {number}
    I (bet|think) you (know|can name|can list) {number} KIND
    you (surely |must |)know {number} KIND, (right|don't you)
    (quiz|test|game|task|exercise)(:|,) {number} KIND
    what (do you say to|about) {number} KIND
    (I like|I love|I am learning about|we are talking about|I am reading about) KIND(.|!|,) (Name|Give me|
        Tell me|
        List) {number}
""")
ONE = lines("""
    (name|tell me|give me|say|think of|mention|pick) (ONE|any KIND1|one KIND1|some KIND1|the name of ONE)
    (name|give) me ONE
    (come up with|suggest|choose|find|find me|write|write down|type|list|show me|state|recommend) (ONE|
        any KIND1|
        one KIND1|some KIND1|just one KIND1)
    (give|tell) me (an example of ONE|one example of ONE|just one KIND1|the first KIND1 that comes to mind|
        a random KIND1|any KIND1 you know|any KIND1 you like|one KIND1 you know)
    (name|pick|say) (just one KIND1|a single KIND1|any KIND1 at all|a random KIND1|any one KIND1)
""")
ONE_ASKED = lines("""
    (what is|what's) (an example of ONE|one KIND1|the name of ONE)
    (which|what) KIND1 (do you know|can you name|comes to mind|can you think of)
    (do you know|can you think of|can you name|could you name) (ONE|any KIND1|one KIND1)
    (I need|I want|I'd like|I am looking for) (the name of ONE|ONE, any|one KIND1, any)
    (a|any) random KIND1
    (one|just one|any|a single) KIND1
    KIND1(:|,) (name one|give me one|tell me one|one|just one|any)
    (what could be|what would be) ONE
    (I can't think of|I have to name|I need to name) (ONE|a single KIND1|any KIND1)
""")
ONE_MORE = (
    "(another one|one more|another|and another one|give me one more|and one more|next one|one more of those|"
    "tell me one more|name one more|name another one|can I have one more|got another one|"
    "can you name another one|and another|what would be another one|do you know one more|"
    "add one more|add another one|I need one more|now one more|make it one more)(.|?|, please|)"
)
SOME_MORE = (
    "((and |){number} more|(give|tell|name|show) me {number} more|(add|name|list) {number} more|"
    "(can you|could you) (name|list|give me) {number} more|{number} more of (those|them|that kind)|"
    "{number} others|{number} other ones|now {number} more|what are {number} more)(.|?| please|, please)"
)
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
    "11",
    "13",
    "eight",
    "nine",
    "twelve",
    "25",
    "40",
    "two dozen",
    "a million",
)


def name_some(rng: Random, talk: Talk) -> list[Exchange]:
    """A list of one to seven things, and now and then some more of them."""
    one, several, things = rng.choice(KINDS)
    wanted = rng.randint(1, MOST)
    # In the order of the table, as a model without a plan can only go on, and not draw and remember.
    first = rng.randrange(len(things))
    drawn = [*things[first:], *things[:first]]
    if wanted == 1:
        asks, frame = (ONE, order) if rng.random() < 0.6 else (ONE_ASKED, question)
        ask = frame(rng, rng.choice(asks).replace("KIND1", one).replace("ONE", an(one)))
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
