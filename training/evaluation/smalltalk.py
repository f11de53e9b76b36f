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
    ("hi", HELLO),
    ("Hello there!", HELLO),
    ("hey", HELLO),
    ("Good morning, I hope I'm not disturbing you.", HELLO),
    ("hello? is anyone there", HELLO + r"|\b(yes|here)\b"),
    ("Good evening to you.", HELLO),
    ("How are you today?", WELL),
    ("hows it going", WELL),
    ("Are you well?", WELL),
    (
        "What are you doing right now?",
        WELL + r"|\b(wait|talk|chat|word|answer|model|idle|sit|you)",
    ),
    ("Thank you very much, that helped me a lot.", WELCOME),
    ("thanks", WELCOME),
    ("ok thank u", WELCOME),
    ("That was kind of you, thanks.", WELCOME),
    ("bye", BYE),
    ("I have to go now, see you tomorrow!", BYE),
    ("good night, im going to bed", BYE + "|" + SORRY + r"|\bsleep|night|dream"),
    ("Goodbye and thank you for the chat.", BYE + "|" + WELCOME),
    ("see you later", BYE),
    ("That's all for today, bye bye.", BYE),
    ("I passed my exam today!", GLAD),
    ("i got a new job", GLAD),
    ("I'm so happy today.", GLAD),
    ("I feel lonely.", SORRY),
    ("my boyfriend left me", SORRY),
    ("I've been ill all week.", SORRY),
    (
        "I have an important exam tomorrow and I'm scared.",
        SORRY + r"|\b(luck|calm|worry|you can|deep|fingers)",
    ),
    ("im so tired", SORRY + r"|\b(sleep|nap|tea|tired)"),
    ("I'm bored.", r"\b(story|joke|count|play|game|ask|try|tell|rhyme|bored)"),
    ("Tell me a joke.", JOKE),
    ("do you know any good jokes?", JOKE),
    ("Please make me laugh.", JOKE),
    ("haha that was funny", GLAD + r"|\b(laugh|smile|haha|enjoy|liked)"),
    (
        "It's my birthday today!",
        r"\b(happy birthday|birthday|congratulations|many|wonderful|cake|great|nice)",
    ),
    ("You're so nice.", r"\b(thank|kind|nice|sweet|blush|too|glad|happy|smile)"),
    ("youre the best", r"\b(thank|kind|nice|sweet|blush|glad|happy|best|smile)"),
    ("You are not very smart.", r"\b(sorry|small|tiny|try|best|learn|true|right|help|fair|little)"),
    ("you are stupid", r"\b(sorry|small|tiny|try|best|help|pity|better|fair|learn|true|right|little)"),
    (
        "I'm sorry, I didn't mean to be rude.",
        r"\b(no problem|worry|fine|all right|okay|forgive|no harm|no hard|never mind|it is ok)",
    ),
    ("i love you", r"\b(thank|kind|love|sweet|nice|heart|like|flatter|friend)"),
    ("Will you marry me?", r"\b(no|not|thank|flatter|kind|model|program|friend|ring|sweet)"),
    ("Are you human?", MODEL),
    ("am i talking to a real person", MODEL),
    ("Do you have feelings?", MODEL),
    ("are you chatgpt?", MODEL),
    ("What are you?", r"\b(model|Tiny|assistant|program|tritonchat)"),
    (
        "What can you help me with?",
        r"\b(story|stories|joke|name|remember|question|tritonchat|count|rhyme|chat)",
    ),
    (
        "what can i ask you",
        r"\b(story|stories|joke|name|remember|question|tritonchat|count|sum)",
    ),
    ("How old are you?", r"\b(young|old|age|new|birthday|born|year|made|trained|count|day)"),
    (
        "where do you live",
        r"\b(machine|computer|here|server|memory|file|disk|inside|nowhere|tritonchat|chip)",
    ),
    ("Who made you?", r"tritonchat|\b(trained|made|built|people|person|project)"),
    ("ghfjdksl", LOST),
    ("aaaaaaaaaa", LOST),
    ("wert zuio fgh?", LOST),
    ("???", LOST),
    ("hm ok", LOST + r"|\b(ok|okay|good|right|fine|more|else|anything|glad|great|nice)"),
    ("The sun is shining here today.", GLAD + r"|\b(enjoy|window|sun|weather|outside|yes)"),
    (
        "What's your favourite food?",
        r"\b(eat|food|taste|electric|word|mouth|stomach|cake|token|text|no\b|not)",
    ),
    ("do you have a favourite colour?", r"\b(colou?r|blue|green|red|like|eyes|see|no\b|not)"),
    ("I baked some bread this morning.", GLAD + r"|\b(yum|taste|delicious|smell|bread|slice|enjoy|mm)"),
    ("we are having guests tonight", GLAD + r"|\b(enjoy|fun|guests?|evening|visit|hope|party|time)"),
    ("Let's talk about something.", r"\b(talk|chat|story|joke|about|what|tell|ask|topic|you)\b"),
)


def talk_cases() -> list[Case]:
    """Things that people say to each other, and to robots."""
    rng = Random(61)
    return [case(typed(rng, text), want=matches(pattern)) for text, pattern in TALK]
