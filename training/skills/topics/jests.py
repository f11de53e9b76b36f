"""Jokes with what makes them funny, riddles with their answers, and a few odd facts, all in a fixed order."""

from dataclasses import dataclass

from training.phrasing import lines


@dataclass(frozen=True)
class Joke:
    """A joke, the words that ask for it, and an explanation for those who did not laugh."""

    about: str
    text: str
    point: str


@dataclass(frozen=True)
class Riddle:
    """A riddle, its answer and a hint."""

    text: str
    answer: str
    hint: str


JOKES = (
    Joke(
        "(computers|computer|a computer|machines|a virus)",
        "Why did the computer sneeze? It had a virus!",
        "People sneeze from a virus, and computers can have one too.",
    ),
    Joke(
        "(bears|a bear|bear|teeth|animals)",
        "What do you call a bear with no teeth? A gummy bear!",
        "A gummy bear is a sweet, and gums are what is left without teeth.",
    ),
    Joke(
        "(maths|math|school|books|a book|a teacher)",
        "Why was the maths book sad? It had too many problems.",
        "The tasks in a maths book are called problems, and problems make people sad.",
    ),
    Joke(
        "(sticks|a stick|nature|nothing)",
        "What is brown and sticky? A stick!",
        "Sticky sounds as if it meant like a stick.",
    ),
    Joke(
        "(tokens|a token|a model|language models|batching|Triton|tritonchat|AI|yourself)",
        "Why did the token cross the batch? To get to the other slot!",
        "It is the old joke of the chicken that crossed the road, told by an engine.",
    ),
    Joke(
        "(bulls|a bull|cows|a cow|farms|farmers)",
        "What do you call a sleeping bull? A bulldozer!",
        "To doze is to sleep, and a bulldozer is a big machine.",
    ),
    Joke(
        "(bikes|bicycles|a bike|a bicycle|sport|cycling)",
        "Why did the bicycle fall over? It was two tired.",
        "It has two tyres, and two tired sounds like too tired.",
    ),
    Joke(
        "(fish|a fish|the sea|water|eyes)",
        "What do you call a fish without an eye? A fsh!",
        "Take the letter i out of fish, and fsh is left.",
    ),
    Joke(
        "(cats|a cat|kittens|colours|colors)",
        "What is a cat's favourite colour? Purrple!",
        "Cats purr, and purrple sounds like purple.",
    ),
    Joke(
        "(ghosts|a ghost|Halloween|fruit|berries)",
        "What is a ghost's favourite fruit? Booberries!",
        "Ghosts say boo, and booberries sounds like blueberries.",
    ),
    Joke(
        "(skeletons|a skeleton|bones|parties|a party)",
        "Why did the skeleton stay away from the party? It had no body to go with.",
        "No body sounds like nobody.",
    ),
    Joke(
        "(bananas|a banana|doctors|a doctor|food)",
        "Why did the banana go to the doctor? It was not peeling well.",
        "Peeling well sounds like feeling well.",
    ),
    Joke(
        "(snowmen|a snowman|snow|winter|breakfast)",
        "What do snowmen eat for breakfast? Snowflakes!",
        "Corn flakes are for breakfast, and snow comes in flakes too.",
    ),
    Joke(
        "(bees|a bee|hair|honey|insects)",
        "Why do bees have sticky hair? They use honeycombs.",
        "A honeycomb holds honey, but a comb is for hair.",
    ),
    Joke(
        "(elephants|an elephant|mice|a mouse)",
        "Why do elephants stay away from computers? They are afraid of the mouse.",
        "A computer has a mouse too, though not one that squeaks.",
    ),
    Joke(
        "(scarecrows|a scarecrow|prizes|fields|birds)",
        "Why did the scarecrow win a prize? It was outstanding in its field.",
        "Outstanding means very good, but a scarecrow also stands out in a field.",
    ),
    Joke(
        "(eggs|an egg|chickens|a chicken|hens)",
        "Why did the egg hide? It was a little chicken.",
        "A chicken is a bird, and a word for somebody who is afraid.",
    ),
    Joke(
        "(dogs|a dog|magic|a magician)",
        "What do you call a dog that can do magic? A labracadabrador!",
        "Put abracadabra into labrador.",
    ),
)
RIDDLES = (
    Riddle("What has hands but cannot clap?", "clock", "It hangs on many walls."),
    Riddle("What has a neck but no head?", "bottle", "You may drink from it."),
    Riddle("What gets wetter the more it dries?", "towel", "It hangs in the bathroom."),
    Riddle("What has many teeth but cannot bite?", "comb", "It is for your hair."),
    Riddle("What has one eye but cannot see?", "needle", "It helps to sew."),
    Riddle("What is full of holes but still holds water?", "sponge", "It is soft, and good for washing up."),
    Riddle("What runs but never walks, and has a bed but never sleeps?", "river", "There are fish in it."),
    Riddle("What has keys but cannot open a door?", "piano", "It makes music."),
    Riddle("What has to be broken before you can use it?", "egg", "A hen knows."),
    Riddle("What gets bigger the more you take away from it?", "hole", "You dig it."),
    Riddle("What has leaves but is no tree, and tells much but never speaks?", "book", "You can read it."),
    Riddle("What is tall when it is young, and short when it is old?", "candle", "It gives some light."),
)
FACTS = (
    "An octopus has three hearts.",
    "A computer counts with two digits only: 0 and 1.",
    "Bananas are berries, but strawberries are not.",
    "A byte has 8 bits, so it can count from 0 to 255.",
    "Bees dance to tell each other where the flowers are.",
    "The first program was written for a machine that was never finished.",
    "Honey can keep for thousands of years.",
    "The word robot comes from a Czech word for hard work.",
    "A day on Venus is longer than its year.",
    "People counted with an abacus long before there was electricity.",
    "A snail has thousands of tiny teeth.",
    "The computer mouse got its name from the cable, which looked like a tail.",
)
DOORS = (
    ("Lettuce.", "Lettuce in, it is cold out here!"),
    ("Tank.", "You are welcome!"),
    ("Boo.", "Do not cry, it is only a joke!"),
    ("Cow says.", "No, a cow says moo!"),
    ("Olive.", "Olive you too!"),
)

JOKE_ASKS = lines("""
    (tell me|can you tell me|could you tell me|please tell me|give me|I want|I'd like to hear|let me hear) (a|
        any|some|one) (good |funny |short |silly |little |nice |bad |) (joke|jokes)(.|?|!| please.|)
    (do you know|know|have you got|do you have|got) (a|any|some|one) (good |funny |new |short |) (joke|
        jokes)(?|)
    (make me laugh|make me smile|make us laugh|say something funny|be funny|tell me something funny)(.|
        !| please.|)
    (can|could|would|will) you (make me laugh|say something funny|tell me something funny|tell a joke|
        tell us a joke|be funny)?
    (a |)(joke|joke please|jokes|joke time|dad joke|funny joke)(,|) (please|now|)(!|.|)
    (I need|I could use|it is time for|let's have|how about|what about) a (joke|good joke|laugh|bit of fun)(.|
        ?|!|)
    (do you tell|can you tell|are you good at|can you make|do you make) (jokes|good jokes|funny jokes)?
    (I want|I'd like) to laugh(.|!|)
    (I am|I'm) (sad|bored|feeling down)(,|:|.) (tell me a joke|make me laugh|a joke please|
        say something funny)(.|!|)
    (have you heard|do you remember|what is|what's) (any good jokes|a good joke|your best joke|
        your favourite joke|the funniest joke you know)(?|)
    (let's|let us) (have a laugh|laugh a little|hear a joke)(.|!|)
    (my (son|daughter|friend|grandmother)|my class) (wants a joke|wants to hear a joke|asks for a joke|
        would like a joke|would like to hear a joke)(.|!|)
    the children (want a joke|want to hear a joke|ask for a joke|would like a joke)(.|!|)
    (something|anything) (funny|to laugh about)(, please|)(?|.|!|)
    (are you|can you be|how about being) funny?
    (joke|jokes)(?|!|.| now| plz|)
""")
JOKE_ABOUT = lines("""
    (tell me|can you tell me|do you know|give me|make|say|I want|have you got) a (good |funny |short |
        ) joke (about|on|with) @(?|.|)
    (a |another |one more |) joke (about|on|with) @( please|)(.|?|)
    (make|tell me) something funny about @(.|)
    (do you know|are there|have you got) (any |some |) jokes (about|on) @?
""")
ANOTHER = lines("""
    (another|one more|again|more|next|next one|a new one|a different one|another one|one more please|
        more please|encore)(!|.|?|)
    (tell me|give me|do you know|do you have|have you got|I want|can you tell me|let me hear) (another|
        another one|one more|more|a better one|a different one|a new one)(.|?|!| please.|)
    (haha|lol|ok|good|nice|good one|great|cool|that was good|funny)(,|.|!|) (another|another one|one more|
        more|next|again)( please|)(!|.|)
    (any|got any|do you know any) more(?| of those?| of them?)
    I (know|knew|have heard) that one(.|. Another?|, another one please.)
    (that was|that's) (good|fun|nice|funny)(,|.|!) (do you have more|another one|tell me another|
        one more)(?|.|!| please.|)
    (keep going|keep them coming|don't stop|more of those|more of that|give me more|tell us more)(!|.|)
""")
ASK_POINT = lines("""
    I (don't|do not|didn't|did not) (get|understand) (it|that|the joke|that joke|this)(.|?|)
    (explain|explain it|explain that|explain the joke|what is funny about that|why is that funny|
        where is the joke)(?|.| please.|)
    (can|could) you explain (it|that|the joke)( to me|)?
    (what|huh|how so|why|what do you mean|how is that funny|what does that mean)(?|??|)
    (that is|that's) (supposed to be funny|a joke)(?|)
    (I am|I'm) (lost|confused|too slow)(.|)
""")
NOT_FUNNY = lines("""
    (that's|that is|that was|this is|it was) (not funny|not very funny|bad|a bad joke|terrible|old|
        a really bad joke|lame|not a good joke|boring|awful)(.|!|)
    (not funny|bad joke|boring|old joke|lame|meh|I didn't laugh|terrible joke|very old|so bad|not good)(.|!|)
    (I have|I've) heard (better|better ones|better jokes)(.|)
    (I don't|I do not|I can't) (find that funny|laugh about that|think that's funny)(.|)
    (ha ha, very funny|that was weak|groan|oh no, not that one|that joke is older than me|yawn, old joke)(.|
        !|)
""")
RIDDLE_ASKS = lines("""
    (tell me|ask me|can you tell me|give me|I want|do you know|have you got|can you ask me|know) (a|any|
        one) (good |easy |hard |little |short |) riddle(.|?| please.|)
    (a |) riddle( please| time| me|)(!|.|)
    (do you know|have you got|got|can you tell|do you have|let's do|how about) (some |any |) riddles(?|.|!|)
    (let me guess something|give me something to guess|test me|puzzle me|quiz me|I want to guess something|
        riddle me something)(.|!|)
    (give me|tell me|I want|how about|what about) a (brain teaser|puzzle|brainteaser|puzzle to solve)(.|
        ?| please.|)
    (can|could) (we|you) (play|do|make) (a riddle|riddles|a guessing game|a guessing game with me)?
    (I like|I love|my son loves|we like) riddles(.|,) (tell me one|ask me one|do you know one|
        give me one)(.|?|)
    (can|could|would) you (give|tell|ask) (me|us) (a riddle|a puzzle|something to guess)( please|)?
    (make me think|make my brain work|something to puzzle over|let's solve a riddle|time for a riddle)(.|!|)
    (what is|what's) (your best riddle|a good riddle|a riddle for children)?
""")
GIVE_UP = lines("""
    (I give up|I don't know|no idea|I have no idea|dunno|tell me|what is it|I can't guess|idk|I surrender|
        pass|no clue)(.|?|!|)
    (what is|what's|tell me|say|give me|I want to know) the (answer|solution)( please| then|)(?|.|)
    (I do not know|I don't know|I give up|no idea)(,|.|) (what is it|tell me|you tell me|what's the answer|
        help me|say it)(?|.|)
    (what|what is it|so what is it|and the answer is|solution|answer|well, what is it|it is what)(?|)
    (too hard|that is hard|that's too hard for me|difficult|this is too difficult)(.|!|. Tell me.|)
    (I can't|I cannot) (work|find|figure) it out(.|, tell me.|, what is it?)
    (my brain hurts|I am stumped|you win|I surrender, tell me|beats me|not a clue|I'm out of ideas|
        no more guesses)(.|!|)
    (let me know|reveal|please tell me|just tell me|I want) (the answer|the solution|what it is)(.|!|)
""")
HINT = lines("""
    (a hint|hint|hint please|give me a hint|can I have a hint|a tip|help me|any hint|can you help me|
        a clue)(.|?| please.|)
    (I need|I want|could I have|may I have|can I get|tell me) a (hint|clue|tip)(.|?| please.|)
    (is there|do you have|how about|can you spare) (a|another|any) (hint|clue|tip)( for me| please|)?
    (help|help me out|give me a nudge|point me in the right direction|make it easier|tell me a little)(.|
        !| please.|)
""")
GUESSES = lines("""
    {noun}(?|.|!|)
    {a_noun}(?|.|!|)
    (is it|could it be|maybe it is|maybe|perhaps|it's|it is|I think it is|I guess|it must be|
        I would say) {a_noun}(?|.|!|)
    (the answer is|my guess is|I say|that is|that's|easy,) {a_noun}(.|!|)
    (hm|hmm|well|let me think|oh|ah)(,|...|) {a_noun}(?|)
""")
FACT_ASKS = lines("""
    (tell me|give me|do you know|can you tell me|I want|have you got|share) (a|any|some|one) (fun |
        interesting |random |odd |strange |little |funny |) (fact|facts)(.|?|!| please.|)
    (tell me|teach me|say|do you know) something (interesting|new|I don't know|surprising|curious|strange|odd|
        useful|clever)(.|?|!|)
    (a |) (fun|interesting|random|odd) (fact|facts)( please|)(!|.|)
    (did you know|do you know anything interesting|what is interesting|tell me something I do not know|
        surprise me with a fact)(?|)
    (did I|can I|let me) learn something (new|today)( from you|)(?|.|)
    (make me|I want to be) (cleverer|smarter)(:|,|.) (tell me a fact|a fact please|
        say something interesting)(.|)
    (what|which) (fun |odd |interesting |strange |)fact do you know?
    (what's|what is) (a|an) (fun|interesting|strange|odd|random|surprising) fact?
    (fact|facts|trivia|fact of the day|fun fact)(, please|!|?|.|)
""")
TRUE = lines("""
    (is that|is this|really|is that really|are you sure that is) (true|so|right|a fact|correct)?
    (really|seriously|no way|are you sure|I don't believe it|I can't believe it|sure|honestly|for real)(?|!|)
    (wow|oh|interesting|cool|amazing)(,|) (really|is that true|is it true|are you sure)?
""")
KNOCK = (
    "(knock knock|knock, knock|knock knock!|knock-knock|knock knock.|Knock Knock|toc toc, I mean knock knock)"
)
WHO = "(who's there|who is there|who is it|whos there|who's that)(?|??|)"
