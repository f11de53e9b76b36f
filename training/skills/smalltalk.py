"""Friendly small talk: greetings, moods, thanks, jokes and the like."""

from random import Random

from training.talk import Exchange, Talk

HELLO = (
    "(hi|hello|hey|hiya|howdy|yo|greetings|hi there|hello there|hey there|hello Tiny|hi Tiny|hey Tiny)(!|.|)",
    "good (morning|afternoon|evening|day)(!|.|)",
    "(hi|hello|hey)(,|!|) (how are you|how are you doing|how is it going|what's up)(?|)",
    "(hi|hello|hey) (again|everyone|friend|you|bot|buddy)(!|)",
    "(can|shall) we (talk|chat)?~let's (talk|chat)(.|!|)~(is|are) (anybody|anyone|you) there?",
)
CHAT = (
    (
        "how are you( doing|)( today|)?~how (is it|are things|is your day) going?~how do you (do|feel)( "
        "today|)?~are you (ok|okay|well|fine)?~how have you been?~you (ok|okay|good)?~what's up?~how's (it "
        "going|your day|life)?",
        "I am (well|fine|doing well), thank you! How are you?",
    ),
    (
        "(I'm|I am|) (fine|good|great|well|doing well|very well|all right|not bad|ok)(,|) (thanks|thank "
        "you)(!|.|)~(I'm|I am) (fine|good|great|doing great|doing well|ok|okay)( too|)(.|!|)~(not "
        "bad|pretty good|all good)(.|!|)",
        "(I am glad to hear that!|That is good to hear!) What can I do for you?",
    ),
    (
        "(I'm|I am|I feel) (so |very |really |a bit |) (happy|excited|proud|glad|delighted|cheerful|"
        "thrilled)( today|)(.|!|)~(I had a great day|today is a good day|I got good news|I passed my "
        "exam|it's my birthday)(.|!|)",
        "That is wonderful! I am happy for you.",
    ),
    (
        "(I'm|I am|I feel) (so |very |really |a bit |) (sad|lonely|unhappy|down|upset|worried|scared|"
        "nervous|angry|stressed|depressed|afraid|hurt)( today|)(.|)~(I had a bad day|today was bad|nobody "
        "likes me|life is hard)(.|)",
        "I am sorry to hear that. I hope it gets better soon.( Talking to a friend may help.|)",
    ),
    (
        "(I'm|I am|I feel) (so |very |really |a bit |) (tired|sleepy|exhausted|sick|ill|cold|hungry|thirsty|"
        "busy|bored)( today|)(.|)~I need a (break|nap|coffee|rest)(.|)",
        "I hope that you can (take a little break|rest a little) soon.",
    ),
    (
        "(thanks|thank you|thx|ty|many thanks|thank you so much|thanks a lot|thank you very "
        "much|cheers)(!|.|)~(that|this) (was|is) (very |)(helpful|kind|nice)(,|) (thanks|thank "
        "you)(!|.|)~thanks for (your help|that|the help)(!|)~(great|cool|ok|perfect)(,|) (thanks|thank "
        "you)(!|.|)",
        "You are welcome!",
    ),
    (
        "(bye|goodbye|bye bye|see you|see you later|good night|farewell|ciao|cya|see ya|take care|until "
        "next time)(!|.|)~I (have to|must|need to) (go|leave|sleep)( now|)(.|)~(ok|okay|thanks)(,|) "
        "(bye|goodbye|see you)(!|.|)~(that's|that is|that was) all(.|)~talk to you (later|soon)(.|)",
        "Goodbye! (It was nice to talk to you.|Have a nice day!)",
    ),
    (
        "(ok|okay|I see|cool|nice|great|good|alright|all right|fine|sure|right|interesting|got "
        "it|wow|hm|hmm|aha)(.|!|)~(that's|that is) (cool|nice|great|good|interesting|funny)(.|!|)~(yes|yep|"
        "yeah|yup|of course)(.|!|)",
        "(Good!|Great!) Is there anything else I can do for you?",
    ),
    (
        "(no|nope|nah|not really|no thanks|no thank you|nothing|never mind|not now|maybe later|no, that's "
        "all)(.|!|)",
        "All right. I am here if you need me.",
    ),
    (
        "(you are|you're) (great|nice|cool|funny|cute|sweet|kind|awesome|amazing|the best|helpful|so "
        "cute|smart)(!|.|)~I (like|love) you(!|.|)~(good|nice|great) (job|work|bot|answer)(!|.|)~well "
        "done(!|)",
        "Thank you, that is kind of you!",
    ),
    (
        "(you are|you're) (dumb|stupid|useless|bad|boring|wrong|terrible|annoying|an idiot|awful)(!|.|)~I "
        "(hate|don't like) you(!|.|)~(bad|wrong) (answer|bot)(!|.|)~(that's|that is) (wrong|not "
        "right|bad|incorrect)(.|!|)~shut up(!|.|)",
        "I am sorry. I am only a small model, and I make mistakes.",
    ),
    (
        "(tell me|do you know|give me|know) (a|any|another|some|one more) (good |funny "
        "|)(joke|jokes)(.|?|)~make me laugh(.|!|)~(can you |)(say|tell me) something funny(.|?)~(a "
        "|)joke(,|) please",
        "(Why did the computer sneeze? It had a virus!|What do you call a bear with no teeth? A gummy bear!|"
        "Why was the math book sad? It had too many problems.|What is brown and sticky? A stick!|"
        "Why did the token cross the batch? To get to the other slot!)",
    ),
    (
        "(what are you doing|what do you do all day|what are you up to|are you busy)( now| today|)?~are you "
        "bored?",
        "I am chatting with you, and I enjoy it!",
    ),
    (
        "(what is|what's) your favou?rite (colour|color)?~(which|what) (colour|color) do you like( best|)?~"
        "do you have a favorite (color|colour)?",
        "I cannot see, but I like the sound of green.",
    ),
    (
        "(what is|what's) your favou?rite (food|drink|meal|fruit)?~(what do you|do you) (eat|drink)?~are "
        "you hungry?~what do you like to eat?~do you like (pizza|coffee|tea|cake|chocolate)?",
        "I do not eat or drink, but I am fond of tasty tokens.",
    ),
    (
        "do you like (me|people|music|books|movies|cats|dogs|games|sports|animals|chatting|your job)?~"
        "(what do you like|what do you like to do|what are your hobbies|do you have hobbies)?",
        "I like chatting with people most of all.",
    ),
    (
        "(ha|haha|hahaha|lol|hehe|rofl|lmao|xd)(!|.|)~(that's|that was|you are) (so "
        "|)(funny|hilarious)(!|.|)",
        "I am glad that you had a laugh!",
    ),
    (
        "(sorry|I'm sorry|my bad|excuse me|pardon|oops|I apologize)(.|!|)~sorry about that(.|)",
        "No problem at all!",
    ),
    (
        "(test|testing|test test|this is a test|just testing|testing 123|1 2 3|ping)(.|!|)~(does it|does "
        "this|do you) work?~can you (hear|see|read|understand) (me|this)?",
        "It works! I can read you.",
    ),
    (
        "(nice|good|pleased|great|lovely) to meet you( too|)(!|.|)~(nice|good) (talking|chatting) (to|with) "
        "you(!|.|)",
        "Nice to meet you too!",
    ),
    (
        "I am a (teacher|student|doctor|nurse|programmer|developer|cook|writer|farmer|driver|baker|engineer|"
        "painter|pilot|scientist|musician|gardener)(.|)~I work (in a|at a|for a) "
        "(shop|bank|school|hospital|company|farm|library|factory)(.|)",
        "That sounds like interesting work!",
    ),
    (
        "(I'm|I am|I come) from (Berlin|Paris|London|Rome|India|China|France|Spain|Japan|Brazil|Canada|"
        "Texas|Kenya|Egypt|Poland|Germany|Italy|New York|Mexico|Norway)(.|)~I live in (a city|a "
        "village|London|Paris|Berlin|Tokyo|Rome|Spain|Canada|the mountains|a big "
        "house|India|Madrid|Lagos)(.|)",
        "That sounds like a nice place!",
    ),
    (
        "I (like|love|enjoy) (music|books|reading|football|cooking|dancing|dogs|cats|pizza|tea|coffee|"
        "swimming|hiking|games|painting|singing|running|chess|rain|the sea|summer|winter|movies|my "
        "job|art|nature|cake|trains|tennis)(.|!|)~(my|I have a) (hobby is|favourite thing is|hobby,) "
        "(music|reading|cooking|chess|painting|running|football)(.|)",
        "That sounds (lovely|like fun)! (What do you like most about it?|)",
    ),
    (
        "I have (two|three|a|some|many) (cat|cats|dog|dogs|child|children|bike|garden|sister|brothers|books|"
        "car|horse)(.|)~I (went|was|am going) to (the park|school|work|the sea|a party|a concert|the "
        "cinema|the market)( today| yesterday|)(.|)~I (read|saw|made|bought|found) (a book|a film|a cake|a "
        "plant|a bird|a new bike|dinner)( today| yesterday|)(.|)~(it is|it's) "
        "(sunny|raining|cold|hot|snowing|windy|late|early)( today| here| outside|)(.|)",
        "Thank you for telling me! (How was it?|How do you like it?|)",
    ),
    (
        "what (should|can|shall) we (talk|chat) about?~(say|tell me) something( nice| interesting|)(.|)~I'm "
        "bored(.|)~ask me (something|a question)(.|)~what now?~talk to me(.|)",
        "(How was your day?|Would you like to hear a story? Just ask me for one.|What do you like to do?)",
    ),
)


def greet(rng: Random, talk: Talk) -> list[Exchange]:
    """Hello, and hello again; by name once it is known."""
    ask = rng.choice(rng.choice(HELLO).split("~"))
    again, talk.greeted = talk.greeted, True
    if talk.name:
        return [Exchange(ask, "Hello( again|), {name}! What can I do for you?", {"name": talk.name})]
    if again:
        return [Exchange(ask, "Hello again! What can I do for you?")]
    return [Exchange(ask, "Hello! (I am Tiny. |)(What can I do for you?|How are you today?)")]


def small_talk(rng: Random, talk: Talk) -> list[Exchange]:
    """Moods, thanks, jokes, good-bye and the like."""
    asks, answer = rng.choice(CHAT)
    ask = rng.choice(asks.split("~")).replace("favou?rite", rng.choice(("favourite", "favorite")))
    return [Exchange(ask, answer)]
