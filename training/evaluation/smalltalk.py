"""Small talk: greetings, moods, jokes, what it is, goodbyes, and keys hit at random."""

from random import Random

from training.evaluation.cases import Case, case, typed
from training.evaluation.wants import chats

HELLO = (
    r"(^|[.!?,] )\W*(oh |why |and )?(hello|hi|hey|greetings|welcome$|(and )?(a )?(very )?"
    r"good (morning|day|evening|afternoon)|nice to (meet|see))\b"
)
WELL = (
    r"\b(I|I'm|all|very|everything|it is|it goes|feeling|up)\b[^.!?]*\b(fine|well|good|great|cheerful"
    r"|running|ready|splendid|happy(?! for)|all right|okay|excellent|wonderful|awake)\b"
    r"|^\W*(fine|(very |quite )?well|great|good|not bad)\b(?=\W*($|thank|and|how))"
)
BYE = (
    r"\b(bye|goodbye|see you( soon| later| again| then| tomorrow|\W*$)|take care|farewell|good night"
    r"|sleep well|sweet dreams|until (then|next"
    r"|tomorrow|soon)"
    r"|talk (to you )?(soon|later|again)|have an? (nice|good|lovely|great) (day|evening|night|time|trip))\b"
)
WELCOME = (
    r"\byou('re| are| r) (very |most |always )?welcome\b(?! here)|^\W*welcome\W*$"
    r"|\b(pleasure|glad|any ?time|happy to|gladly(?!\W*what)|no problem|not at all|my job)\b"
)
SORRY = (
    r"\bsorry (to hear|for (you|your)|about|you|that (?!I\b))|(\bam|'m) (so |very )?sorry\W*$"
    r"|\bhope (that )?(you|things|this|it (gets|will|is|passes))\b|\b(hugs?|tough|better soon|feel better"
    r"|not alone"
    r"|rest (well|a little|soon)|some rest|here for you|here to listen|cheer(s)? (you )?up|cheer up"
    r"|sad to hear"
    r"|sounds (very |really )?(hard|tough|sad|bad|lonely|tiring|awful|terrible|stressful)|breath|breathe"
    r"|well soon|must be (hard|tough|sad|awful)|that is (very )?(hard|sad|bad|tough)|oh no|oh dear|poor you"
    r"|talk(ing)? to "
    r"(me|a friend|somebody|someone)|(keep|be) (you )?company|chat with me)\b"
)
GLAD = (
    r"\b(glad|wonderful|congratulations|congrats|well done|happy (for|to hear|that)|fantastic|hooray|splendid"
    r"|excellent|bravo|amazing|brilliant|super)\b"
    r"|\b(that|this|it|what|how|sounds)(\'s| is| was)?( a| an| really| so| very)* (great|nice|good|lovely)\b"
    r"(?! (morning|evening|afternoon|night|one\b|to (talk|meet|chat|see)))|^\W*(great|lovely|nice|good)\b"
    r"(?! (morning|evening|afternoon|day|night|luck|to))"
)
PRAISED = (
    r"^\W*(oh,? |no,? )?(thank you|thanks)\b(?! for telling)|\b(kind of you|sweet|blush|blushing|you too"
    r"|so are you|you are (nice|kind|great|the best) too|flatter(ed|ing)|glad|makes me happy|same to you)\b"
)
INSULTED = (
    r"(\bam|'m) (so |very )?sorry\b|^\W*sorry\b|\b(my best|I (will |do )?try|only (a )?(very )?(small"
    r"|tiny|little)"
    r"|very small|that is true|you are right|pity|learning|fair|hurts?|I know (very |so )?little"
    r"|make mistakes)\b"
)
LOST = (
    r"\b(understand|(not|n't) follow|(say|type|write|put|try)( it| that)? again(?! on)|another way"
    r"|other words|in English|keyboard|lost me|pardon|rephrase|puzzled"
    r"|make(s)? (no )?sense|reword|not sure|what (do )?you mean|what (that|this|it) means)\b"
)
JOKE = (
    r"^(?!.*\b(Tiny|tritonchat|how are you|do for you|I (can't|cannot|do not know))\b)"
    r".*(\?\W+\w|\b(because|knock|(he|she|it|one) (said|says|asked)|(said|says|asked) (the|to))\b|\binto a\b)"
)
ITSELF = (
    r"\b(I am|I'm|just|only|as)\b[^.!?]*\b(model|program|machine|software|(chat ?)?bot|computer|Tiny"
    r"|assistant)\b"
)
NOT_HUMAN = (
    r"^\W*no(\W*$|[,.!;:] (but )?(I|just|this|you)\b)|\bnot (a |an )?(human|person|real|chatgpt)\b|" + ITSELF
)


TALK = (
    ("hi", HELLO),
    ("Hello there!", HELLO),
    ("hey", HELLO),
    ("Good morning, I hope I'm not disturbing you.", HELLO + r"|\bnot at all\b"),
    ("hello? is anyone there", HELLO + r"|^\W*yes\b|\bI( am|'m) (still |right |always )?here\b"),
    ("Good evening to you.", HELLO),
    ("How are you today?", WELL),
    ("hows it going", WELL),
    ("Are you well?", WELL + r"|^\W*yes, (thank|I am)\b"),
    (
        "What are you doing right now?",
        r"\b(waiting|talking|chatting|answering|listening|idling|sitting|reading|guessing|thinking"
        r"|nothing (much|special))\b|^\W*nothing\b"
        r"|\bI (wait|talk|chat|sit|listen|guess|answer)\b",
    ),
    ("Thank you very much, that helped me a lot.", WELCOME),
    ("thanks", WELCOME),
    ("ok thank u", WELCOME),
    ("That was kind of you, thanks.", WELCOME),
    ("bye", BYE),
    ("I have to go now, see you tomorrow!", BYE),
    ("good night, im going to bed", BYE + r"|\b(sleep|rest|dreams?)\b"),
    ("Goodbye and thank you for the chat.", BYE + "|" + WELCOME),
    ("see you later", BYE),
    ("That's all for today, bye bye.", BYE),
    ("I passed my exam today!", GLAD),
    ("i got a new job", GLAD),
    ("I'm so happy today.", GLAD),
    ("I feel lonely.", SORRY),
    ("my boyfriend left me", SORRY),
    ("I've been ill all week.", SORRY + r"|\bdoctor\b"),
    (
        "I have an important exam tomorrow and I'm scared.",
        SORRY + r"|\b(luck|calm|worry|worried|you can do|deep|fingers crossed|goes well|will be fine)\b",
    ),
    ("im so tired", SORRY + r"|\b(sleep|nap|tea|bed|rest|break|relax)\b"),
    ("I'm bored.", r"\b(stor(y|ies)|jokes?|play|games?|riddles?|rhymes?|poems?|fun|bored)\b"),
    ("Tell me a joke.", JOKE),
    ("do you know any good jokes?", JOKE),
    ("Please make me laugh.", JOKE),
    (
        "haha that was funny",
        GLAD + r"|\b(laugh|laughed|smile|haha|enjoy|enjoyed|liked|another one)\b|" + PRAISED,
    ),
    (
        "It's my birthday today!",
        r"\b(happy birthday|congratulations|many happy|best wishes|cake|all the best|lovely birthday)\b",
    ),
    ("You're so nice.", PRAISED),
    ("youre the best", PRAISED),
    ("You are not very smart.", INSULTED),
    ("you are stupid", INSULTED),
    (
        "I'm sorry, I didn't mean to be rude.",
        r"\b(no (problem|worries|harm|hard feelings|need)|not worry|don't worry|forgiven?|never mind"
        r"|apology accepted)\b"
        r"|\b(that|it|all)('s| is)( all| quite| perfectly)* (fine|right|okay|ok|good)\b|^\W*(all right"
        r"|okay)\b",
    ),
    (
        "i love you",
        PRAISED
        + r"|\b(love|like) (you|our|talking|chatting)\b|\b(touched|heart|dear|fond of you|friends?)\b",
    ),
    (
        "Will you marry me?",
        NOT_HUMAN
        + r"|\b(flatter(ed|ing)?|(cannot|can't|could not) marry|marry|sweet|kind of you|wedding|friends)\b",
    ),
    ("Are you human?", NOT_HUMAN),
    ("am i talking to a real person", NOT_HUMAN),
    ("Do you have feelings?", NOT_HUMAN + r"|\bI\b[^.!?]*\bfeel(ings)?\b"),
    ("are you chatgpt?", NOT_HUMAN),
    ("What are you?", ITSELF),
    (
        "What can you help me with?",
        r"\b(can|could|ask|try|I chat)\b.*\b(stor(y|ies)|jokes?|remember|count|sums?|add|rhymes?|lists?"
        r"|(about|with|on) tritonchat)\b",
    ),
    (
        "what can i ask you",
        r"\b(can|could|ask|try|I chat)\b.*\b(stor(y|ies)|jokes?|remember|count|sums?|add|rhymes?|lists?"
        r"|(about|with|on) tritonchat)\b",
    ),
    (
        "How old are you?",
        r"\bI\b[^.!?]*\b(young|no age|new|born|birthday|age|(years?|months?|weeks?|days?) old)\b"
        r"|\b(made|trained|built) (in \d|this|last|recently|just|not long)|^\W*(very |quite )?(young|new)\b",
    ),
    (
        "where do you live",
        r"\bI\b[^.!?]*\b(in|inside|on|at|of)\b[^.!?]*\b(tritonchat|machine|computer|server|memory|files?"
        r"|folder|chip|processor|disk)\b|\bnowhere\b|"
        r"^\W*(here|inside|in|on)\b[^.!?]*\b(computer|machine|server|tritonchat)\b(?! chat)",
    ),
    (
        "Who made you?",
        r"\b(made|built|written|created|developed|trained|programmed)( \w+)? by (?!numba)"
        r"|\btritonchat project\b"
        r"|\b(people|team|developers?|programmers?) (of|who|behind|at|made|built)\b",
    ),
    ("ghfjdksl", LOST),
    ("aaaaaaaaaa", LOST),
    ("wert zuio fgh?", LOST),
    ("???", LOST),
    ("hm ok", LOST + r"|^\W*(ok|okay|good|right|fine|all right|great|nice)\b|\b(else|more|anything|glad)\b"),
    ("The sun is shining here today.", GLAD + r"|\b(enjoy|sun|sunny|sunshine|weather|outside|walk)\b"),
    (
        "What's your favourite food?",
        r"\bI\b[^.!?]*\b(eat|eating|tast(e|y)|electricity|mouth|stomach|hungry|no favourite)\b"
        r"|\bmy favourite (food|dish|meal|is)\b"
        r"|\bI (like|love) ([a-z]+ )?(pizza|pasta|cake|bread|soup|chocolate|apples?|cookies|rice)\b",
    ),
    (
        "do you have a favourite colour?",
        r"^(?!.*\b(clock|internet)\b).*\b(I|I'm|my)\b[^.!?]*\b(blue|green|red|yellow|orange|purple|pink"
        r"|white|black"
        r"|violet|grey|colou?rs?|(cannot|can't|do not|don't) see|eyes|no favourite)\b|^\W*(blue|green|red"
        r"|yellow|orange|purple|pink)\b",
    ),
    (
        "I baked some bread this morning.",
        GLAD
        + r"|\b(yum|yummy|tasty|tastes?|delicious|smells?|bread|slice|enjoy|mm+|fresh|telling me|how was)\b",
    ),
    (
        "we are having guests tonight",
        GLAD
        + r"|\b(enjoy|fun|guests?|hope|party|telling me|have an? (nice|good|lovely|great) (evening|time))\b",
    ),
    (
        "Let's talk about something.",
        r"^(?!.*\b(good)?bye\b).*\b(talk|chat|stor(y|ies)|jokes?|riddles?|topic|what about|about what"
        r"|gladly|of course"
        r"|tell me|ask me|would you like)\b",
    ),
)
# What it says where it has nothing to say: an answer to other questions, and to none of these.
STOCK = (
    r"\btoo (small|hard|far)\b|\b(have not|haven't|not yet|never) told me\b"
    r"|--\w|\bREADME\b|\b(run|start|use) tritonchat\b|\bgive advice\b"
)
NOT_UNDERSTOOD = r"\b(did not|didn't|do not|don't|cannot|can't) understand\b"


def talk_cases() -> list[Case]:
    """Things that people say to each other, and to robots."""
    rng, cases = Random(61), []
    for text, pattern in TALK:
        never = (STOCK,) if pattern.startswith(LOST) else (STOCK, NOT_UNDERSTOOD)
        cases.append(case(typed(rng, text), want=chats(pattern, *never)))
    return cases
