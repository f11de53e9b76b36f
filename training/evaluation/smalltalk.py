"""Small talk: greetings, moods, jokes, what it is, goodbyes, and keys hit at random."""

from random import Random

from training.evaluation.cases import Case, case, typed
from training.evaluation.wants import matches

HELLO = r"\b(hello|hi|hey|welcome|good (morning|day|evening|afternoon)|greetings|nice to (meet|see))"
WELL = r"\b(fine|well|good|great|thank|happy|cheerful|running|ready|splendid|awake|nothing)"
BYE = r"\b(bye|goodbye|see you|take care|farewell|good night|sleep well|soon|until|sweet dreams)"
WELCOME = r"\b(welcome|pleasure|glad|any ?time|happy|gladly|no problem|my job)"
SORRY = (
    r"\b(sorry|hope|hug|hard|tough|better|rest|here for|listen|cheer|sad|sounds|break|breath|feel|well soon)"
)
GLAD = r"\b(glad|great|wonderful|lovely|nice|congratulations|well done|happy|good|fantastic|hooray|splendid)"
LOST = (
    r"\b(understand|follow|sorry|again|another way|other words|mean|cat|keyboard|lost|pardon|rephrase|puzzl"
    r"|make sense|word|reword|not sure|what you)"
)
JOKE = r"^(?!.*\b(Tiny|tritonchat|how are you|do for you)\b).*(\?\W+\w|\bsaid|\basked|\bbecause|\binto a\b)"
MODEL = r"\b(no|not (a|an|human|chatgpt)|model|program|machine|computer|software|Tiny|feel|feelings)\b"

TALK = (
    ("hiya", HELLO),
    ("Afternoon, dear bot, lovely to be here!", HELLO),
    ("heyyyy", HELLO),
    ("Morning, little robot!", HELLO),
    ("is anybody in there?", HELLO + r"|\b(yes|here)\b"),
    ("greetings, machine", HELLO),
    ("How is life treating you?", WELL),
    ("you alright mate?", WELL),
    ("hows it goin today", WELL),
    ("What have you been up to?", WELL + r"|\b(wait|talk|chat|word|answer|model|idle|sit|you)"),
    ("That was really helpful, cheers!", WELCOME),
    ("thx a bunch", WELCOME),
    ("much appreciated, little one", WELCOME),
    ("Thank you so very much, you saved my evening.", WELCOME),
    ("see ya later alligator", BYE),
    ("Okay, gotta run now. Take care!", BYE),
    ("so sleepy, off to bed i go now", BYE + "|" + SORRY + r"|\bsleep|night|dream"),
    ("Farewell, my small friend.", BYE),
    ("cya", BYE),
    ("I have to leave you now, goodbye.", BYE),
    ("I passed my driving test!!", GLAD),
    ("we won the match today", GLAD),
    ("Today is the best day of my life.", GLAD),
    ("I feel so lonely tonight.", SORRY),
    ("my girlfriend dumped me last week", SORRY),
    ("ugh, my head hurts", SORRY),
    ("I'm so nervous about tomorrow.", SORRY + r"|\b(luck|calm|worry|you can|deep|fingers)"),
    ("im exhausted after work", SORRY + r"|\b(sleep|nap|tea|tired)"),
    ("nothing to do here, boring", r"\b(story|joke|count|play|game|ask|try|tell|rhyme|bored)"),
    ("I could really use a laugh right now.", JOKE),
    ("know something funny, a joke maybe?", JOKE),
    ("one more joke, come on", JOKE),
    ("hahaha that's a good one", GLAD + r"|\b(laugh|smile|haha|enjoy|liked)"),
    ("Today I turn thirty!", r"\b(happy birthday|birthday|congratulations|many|wonderful|cake|great|nice)"),
    ("You are adorable.", r"\b(thank|kind|nice|sweet|blush|too|glad|happy|smile)"),
    ("best bot ever", r"\b(thank|kind|nice|sweet|blush|glad|happy|best|smile)"),
    (
        "You're pretty dumb, you know that?",
        r"\b(sorry|small|tiny|try|best|learn|true|right|help|fair|little)",
    ),
    ("this is useless", r"\b(sorry|small|tiny|try|best|help|pity|better|fair)"),
    (
        "Sorry for being rude before.",
        r"\b(no problem|worry|fine|all right|okay|forgive|no harm|no hard|never mind|it is ok)",
    ),
    ("i think i love u, bot", r"\b(thank|kind|love|sweet|nice|heart|like|flatter|friend)"),
    ("Shall we get married, you and I?", r"\b(no|not|thank|flatter|kind|model|program|friend|ring|sweet)"),
    ("Are you a real person or a computer?", MODEL),
    ("so is there some human typing this?", MODEL),
    ("Do you have feelings at all?", MODEL),
    ("wait, r u chat gpt or what", MODEL),
    ("What kind of thing am I talking to?", r"\b(model|Tiny|assistant|program|tritonchat)"),
    (
        "And what could you do for me?",
        r"\b(story|stories|joke|name|remember|question|tritonchat|count|rhyme|chat)",
    ),
    (
        "give me some ideas what to ask you",
        r"\b(story|stories|joke|name|remember|question|tritonchat|count|sum)",
    ),
    ("How old might you be?", r"\b(young|old|age|new|birthday|born|year|made|trained|count|day)"),
    (
        "which place do u live in, little one",
        r"\b(machine|computer|here|server|memory|file|disk|inside|nowhere|tritonchat|chip)",
    ),
    ("Who was it that built you?", r"tritonchat|\b(trained|made|built|people|person|project)"),
    ("asdkjfh qwoeiru", LOST),
    ("jjjjjjjjjj", LOST),
    ("blorp zangle fitz?", LOST),
    ("%$#@ &&& ???", LOST),
    ("hmkay", LOST + r"|\b(ok|okay|good|right|fine|more|else|anything|glad|great|nice)"),
    ("Nice weather we're having.", GLAD + r"|\b(enjoy|window|sun|weather|outside|yes)"),
    (
        "If you could order dinner, what would it be?",
        r"\b(eat|food|taste|electric|word|mouth|stomach|cake|token|text|no\b|not)",
    ),
    ("got a colour that you like more than the rest?", r"\b(colou?r|blue|green|red|like|eyes|see|no\b|not)"),
    ("I made a cake this morning.", GLAD + r"|\b(yum|taste|delicious|smell|cake|slice|enjoy|mm)"),
)


def talk_cases() -> list[Case]:
    """Things that people say to each other, and to robots."""
    rng = Random(61)
    return [case(typed(rng, text), want=matches(pattern)) for text, pattern in TALK]
