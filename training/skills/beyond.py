"""Saying honestly that a question is too much for a small model."""

from random import Random

from training.talk import Exchange, Talk, words

# Enough different subjects that the model learns to decline whatever it does not recognise.
PLACES = words("""
    France Germany Italy Japan Spain Peru Canada Kenya India China Brazil Norway Egypt Rome Paris London
    Tokyo Mars Austria Poland Chile Cuba Ghana Iran Iraq Greece Turkey Sweden Denmark Texas Europe Africa
    Asia America
""")
THINGS = words("""
    gravity democracy photosynthesis blockchain bitcoin quantum-physics evolution inflation relativity
    magnetism electricity philosophy poetry history chemistry biology the-moon the-sun the-internet
    a-black-hole an-atom a-cell a-volcano the-stock-market climate-change a-neutron-star DNA love happiness
    time economics jazz opera rust java docker kubernetes linux sql html recursion a-pointer
    sorting-algorithms a-database a-compiler football basketball chess cricket yoga whales dinosaurs
    elephants bees spiders mushrooms trees bread cheese wine pasta sushi soup
""")
PEOPLE = words("""
    Einstein Napoleon Mozart Shakespeare Newton Darwin Picasso Beethoven Gandhi Lincoln Cleopatra Plato
    Galileo Curie Tesla Caesar Columbus Bach Kant Turing
""")
BEYOND = (
    "(what is|what's) the (capital|population|president|currency|flag|area|language) of {place}?",
    "(where is|tell me about|how big is|how far is|how do I get to|who rules|what time is it in) {place}?",
    "(who was|who is|when was|tell me about|when did|how did) {person} (born|live|die|famous|)?",
    "(what is|explain|define|tell me about|what do you know about|how does|what are|describe|teach me) "
    "{thing}(?|)( work|)",
    "(write|give me|make|create|compose) (a |an |some )(poem|essay|code|program|function|script|song|letter|"
    "email|recipe|report|summary|list) (about|for|on|with|in) {thing}(.|)",
    "(how do I|how can I|how to|can you) (cook|make|learn|fix|build|understand|draw|write|use|buy|sell) "
    "{thing}?",
    "(what is|what's|calculate|compute|how much is) {number} (+|plus|times|*|-|minus|divided by) {number}?",
    "(what is|how is|what's) the weather( like|) (today|tomorrow|in {place})?",
    "(what time is it|what day is it|what's the date|what is the news|who won the game|what year is it)( "
    "today|)?",
    "(translate|say) (this|hello|{thing}) (to|in|into) (French|German|Spanish|Chinese|Italian)(.|)",
    "(why is|why are|why do|why does) (the sky|the sea|people|birds|{thing}|cats|stars|fire) "
    "(blue|sleep|sing|hot|so big|important|exist)?",
    "(who|when|how) (invented|discovered|wrote|painted|won|started|ended) {thing}?",
    "(what is|what's) the (meaning|price|history|origin|best kind|colour|size) of (life|{thing})?",
    "how (many|much|long|tall|old|fast) (is|are|does it take for) ({thing}|{place})?",
)
SORRY = (
    "Sorry, I am too small to know that. A bigger model may: start tritonchat with --model FOLDER.",
    "Sorry, I am too small to know that.",
)


def beyond(rng: Random, talk: Talk) -> list[Exchange]:
    """Questions about the world, which a model of this size must decline."""
    slots = {
        "place": rng.choice(PLACES),
        "thing": rng.choice(THINGS).replace("-", " "),
        "person": rng.choice(PEOPLE),
        "number": str(rng.randrange(10 ** rng.randint(1, 4))),
    }
    return [Exchange(rng.choice(BEYOND), rng.choice(SORRY), slots)]
