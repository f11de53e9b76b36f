"""Four lines that rhyme, about whatever is wanted."""

from random import Random

from training.asking import order, question
from training.english import an
from training.names import draw_name
from training.phrasing import lines, mannered
from training.talk import Exchange, Pool, Talk, phrases, words

# Every poem says its subject once, in a place where anything fits: a name, "a cat", "the rain".
POEMS = (
    ("I thought of {s} the whole night through,", "and now I have some lines for you:",
     "the moon was round, the stars were bright,", "and all my dreams were warm and light."),
    ("Oh, {s}! I say it once, I say it twice,", "just like a wish, and just as nice.",
     "If I had wings, if I could fly,", "I would write it big across the sky."),
    ("A little song of {s}, I said,", "came dancing right into my head.",
     "It hummed and hopped from word to word,", "the sweetest tune I ever heard."),
    ("If you should ask me what is fun,", "I would name {s} and the summer sun,",
     "a cup of tea, a friend like you,", "a bench, a breeze, a sky of blue."),
    ("There is room for {s} in every rhyme,", "in winter and in summertime.",
     "So here is a verse, as short as me,", "as happy as a rhyme can be."),
    ("One day I met {s} on my way,", "and that was such a lucky day!",
     "We talked a while, we laughed a lot,", "and all our troubles we forgot."),
    ("For {s} I would climb the highest hill,", "and sit up there, and sit quite still,",
     "and watch the clouds go sailing by", "like little boats across the sky."),
    ("Some people sing of gold and kings;", "I think of {s} and smaller things:",
     "a drop of rain, a loaf of bread,", "a pillow for a sleepy head."),
    ("The wind sang of {s} to a tree,", "the tree told a bird, and the bird told me.",
     "I told it to you, and now you know", "how far a little song can go."),
    ("Three cheers for {s}, hip, hip, hooray!", "This calls for cake this very day,",
     "with candles on it, one, two, three,", "a slice for you, a crumb for me."),
    ("Here is to {s}, this very night,", "with lemonade and candle light.",
     "The glasses clink, the crickets sing,", "and winter feels a bit like spring."),
    ("Good night to {s}, good night to all,", "to every creature, big and small.",
     "The day is done, the lamp burns low,", "and off to dreamland we all go."),
)  # fmt: skip
ITSELF = (
    "I am a model, very small,",
    "I hardly know a thing at all.",
    "But ask me for a rhyme or two,",
    "and I will make one up for you.",
)
ORDERED = lines("""
    (write|make|compose|create|make up|tell|give) (me |us |)(a|a short|a little|a nice|a funny|
        a new) KIND ABOUT {s}
    (write|make|compose|make up) (me |)some (verses|rhymes|lines) ABOUT {s}
    (write|make) (me |)four lines ABOUT {s}
    (say|write) something (poetic|in verse|in rhymes) ABOUT {s}
    sing (me |)(a song|something) ABOUT {s}
    write (a KIND|KIND) ABOUT {s}
    (write|make|compose|create|make up|come up with|think of|invent) (a|one|another|a very short|a sweet|
        a lovely|
        a simple|a happy|a sad|
            a silly) KIND ABOUT {s}( for me| for my mother| for a card| for school| for my friend|)
    (write|do|make|tell|read|recite|say|give) (me |us |my kid |my wife |)(a|a short|a little|
        a nice) KIND ABOUT {s}(
        , nothing long|, nice and short|, just four lines|, it should rhyme|, with rhymes|, that rhymes)
    (turn|make|put) {s} into (a KIND|a short KIND|verse|rhyme)
    (use|put) {s} in a KIND
    (put|get|bring|mention) {s} (in|into) a (short |little |nice |)KIND
    (dedicate|write) a KIND to {s}
    (rhyme|make a rhyme|rhyme something|make rhymes|do some rhyming) ABOUT {s}
    (praise|celebrate) {s} in (a KIND|verse|rhyme)
    (be a poet and|play the poet and|like a poet,) (write|say) something ABOUT {s}
    (write|make) (me |us |)(a few|two|some|four|a couple of) (lines|verses|rhymes|rhyming lines) (about|on|
        for) {s}
    (make|write) {s} a KIND
    (tell|describe) (me |){s} in (rhymes|verse|a KIND)
    (let me hear|let us hear|show me|surprise me with|cheer me up with) (a|a short|a little) KIND ABOUT {s}
    (help me|help me to|help me with) (write|writing) a KIND ABOUT {s}
    (finish|start|begin) a KIND ABOUT {s}
    (make|write) a (card|birthday) (poem|verse|rhyme) (for|about) {s}
    (make up|write|sing) (a|a little|a short) song (about|for|of) {s}
""")
ASKED = lines("""
    (do you know|have you got|got|how about|may I have) (a|a short|a little) KIND ABOUT {s}
    (a|a short|a little|) KIND ABOUT {s}
    I (want|need|would like|would love) (a|a short) KIND ABOUT {s}
    {s}, as a KIND
    KIND(:|,) {s}
    {s}(:|,| -|.) (a|write a|one|make a|a short) KIND
    (a|a short|a little|some) KIND( please|), (about|on|for) {s}
    (can|could|will|would) you (please |)(do|try|manage|make|write|give me|tell me) (a|a short|
        a little) KIND ABOUT {s}
    (what about|how about|why not|fancy|maybe) (a|a short|a little) KIND ABOUT {s}
    is there (a|any) KIND ABOUT {s}
    (any|got any|know any) (poems|poem|verses|rhymes|songs) (about|on|for) {s}
    (I'd like|I would like|I want|we want|we need|I could use|I'm looking for|I am after) (a|a short|
        a little|some) KIND ABOUT {s}( for a card| for school| for my mother| for my class|)
    (I need|I want) (four|some|a few|two) (lines|verses|rhymes) (about|on|for) {s}
    my (mother|teacher|son|daughter|wife|husband|friend|boss|kid) (wants|would like|asked for|
        needs|loves) (a|a short) KIND ABOUT {s}
    (it's for a card|it's for school|for my class|for a friend)(:|.|,) (a|a short|I need a) KIND ABOUT {s}
    (I am|I'm) (thinking of|dreaming of|in the mood for) {s}(.|,|:) (write|make|
        tell) me a KIND( about it| about that|)
    (I love|I like|I miss|I was thinking about) {s}(.|,|!) (Write|Make|Give|
        Tell) me a KIND( about it| about that|)
    (what would|how would) a KIND ABOUT {s} (be|sound|go|look like)
    what would a poet say ABOUT {s}
    (shall we|should we|let's|let us) (write|make) a KIND ABOUT {s}
    (something|anything|words|lines) (poetic|that rhymes|in verse|that rhyme) (about|on) {s}
    (topic|subject|theme)(:|,| is) {s}(,|.|;) (a KIND|a short KIND|write a KIND|make a KIND)
    (a KIND|a short KIND|KIND please|KIND)(,|.|;|:) (topic|subject|theme|about)(:|) {s}
""")
KIND = "(poem|poem|poem|little poem|verse|song|nursery rhyme)"
ABOUT = "(about|about|about|on|for|of)"
ANY = lines("""
    (write|make|compose|make up|tell|give) me (a|a short|a little|another|some kind of) KIND
    (recite|write|sing|compose|say) (a|a short|a little|any|some) KIND
    be a poet
    write something that rhymes
    (let me hear|let us hear|show me|surprise me with|cheer me up with|entertain me with) (a|a short|any|
        one) KIND
    (write|do|make|read|tell|recite|give) (me |us |)(a|any|some|one more|a nice|a funny|a cute|
        a little) KIND( about anything| about whatever you like| of your choice|, any subject|
        , you choose| now|)
    (say|tell me|write|make up|try) something (in verse|in rhyme|poetic|that rhymes|with rhymes|like a poet)
    (rhyme|rhyme something|rhyme for me|speak in rhymes|talk in rhymes|answer in rhymes|make a rhyme|
        do some poetry)
    (play|be|pretend to be) (a|the) poet( for me| for a while|)
    (write|make) (me |us |)(four|a few|some|two) (rhyming |)lines
""")
ANY_ASKED = lines("""
    (do you know|have you got|how about) (a|any) KIND
    I (want|would like|would love) (to hear |)a KIND
    can you rhyme
    can you (make|write) (poems|poetry|rhymes|songs)
    (a|a short|a little) KIND
    (are you|are you any good as|would you be) a poet
    (do you like|do you write|can you do|do you make|are you good at) (poems|poetry|rhymes|verses|rhyming)
    (any|got any|got a|know any|know a) (nice |good |short |)(poem|verse|rhyme|poems|verses|rhymes)
    (may|can|could|shall) (I|we) (have|hear|get) (a|a short|a little) KIND
    (I|we|my kids) (need|want|would like|feel like|am in the mood for) (to hear |)(a|some) (poem|verse|song|
        poetry)
    (would|could|will) you (please |)(write|tell|read|make|recite|say) (me |us |)(a|some|a little) (KIND|
        poetry)
    (poem|poetry|verse|rhyme|poem please|poetry please|poem time|time for a poem)
    (do you have|is there) (a|any) (KIND|poetry) for me
""")
AGAIN = (
    "(another one|one more|another poem|and another|write another one|more|again|another|one more poem|"
    "a different one|a new one|do another one|make another one|do it again|try again|another verse|"
    "and another one|give me another one|can I have another one|can you write another one|once more|"
    "a second one|I want another one|nice, another one|lovely, one more|next one|next poem|"
    "something else about that|another one about that|same subject again|one more about it|try another one)"
    "(.|!|, please| please|)"
)
NOUNS = words("""
    cat dog fox mouse horse bird bee frog fish tree rose garden river mountain forest star cloud boat train
    bicycle house window kitchen cake apple banana cup book letter hat shoe pillow clock robot teddy dragon
    princess snail sunflower snowman button spoon piano kettle owl bear rabbit duck pig cow sheep goat lion
    tiger elephant monkey penguin whale turtle spider butterfly hedgehog squirrel parrot leaf stone lake
    island bridge door chair table lamp candle blanket coat sock bottle pencil pen picture camera guitar
    violin drum ball kite swing tent bus ship rocket wheel computer phone pirate witch wizard
    giant fairy knight king queen baby grandmother teacher baker sailor doctor farmer potato pumpkin lemon
    pear cherry strawberry cookie pancake pizza sandwich soup cheese egg muffin
""")
MATTERS = phrases("""
    the rain, the sea, the moon, the sun, the wind, the snow, the night, the morning, the spring, the
    summer, the autumn, the winter, the stars, the sky, my mother, my father, my dog, my cat, my friend, my
    sister, my job, my school, my teacher, my garden, love, friendship, happiness, music, coffee, tea,
    chocolate, pizza, bread, cheese, cats, dogs, birds, flowers, holidays, Christmas, Monday, home, hope,
    time, peace, life, football, books, computers, rain, snow, autumn, spring, summer, winter, money,
    dreams, Paris, London, nothing, everything, the rainbow, the clouds, the weather, the forest, the
    mountains, the ocean, the desert, the city, the garden, the kitchen, the weekend, the holidays, the
    evening, the first day of school, the last day of summer, a rainy day, a sunny day, a cold night, a long
    walk, a good book, a cup of tea, a broken heart, an old friend, a new home, my family, my brother, my
    grandmother, my grandfather, my son, my daughter, my wife, my husband, my baby, my boss, my car, my
    bike, my house, my computer, my birthday, my best friend, my cat and my dog, my little sister, courage,
    kindness, patience, joy, sadness, loneliness, freedom, luck, nature, winter nights, sleep, work, school,
    family, Easter, Halloween, Sunday, Friday, January, April, spring flowers, apples, ice cream, soup,
    pancakes, cake, milk, water, fire, snowflakes, leaves, trees, bees, horses, dragons, robots, pirates,
    trains, cars, the internet, mathematics, dancing, singing, reading, cooking, swimming, running,
    growing old, growing up, being late, Rome, Berlin, New York, Japan, India, Africa, Mars, the universe
""")
SUBJECTS = Pool(
    MATTERS,
    phrases("""
        the thunderstorm, the horizon, a hedgerow, a xylophone, marmalade, nostalgia, my laundry, a
        scooter, the harvest, origami, sauerkraut, fireflies, icicles, a dandelion clock, the full moon in
        June, Patagonia
    """),
)
ADJECTIVES = words("""
    little old red happy sleepy funny lazy white lonely big small tiny blue green black yellow golden sad
    brave shy clever hungry grumpy fat fast slow broken lost young quiet rusty
""")
OWN = "(you|you|yourself|Tiny|you, Tiny|a language model like you)"


def poem(rng: Random, talk: Talk) -> list[Exchange]:
    """A poem about what the person names, or about something it picks, and now and then another one."""
    kind = rng.random()
    if kind < 0.1:
        return [Exchange(ask_poem(rng).replace("{s}", OWN), "\n".join(ITSELF), brief="\n".join(ITSELF))]
    if kind < 0.22:
        ask, wanted, subject = ask_poem(rng), "me", talk.name or "you"
    elif kind < 0.4:
        wanted = subject = draw_subject(rng)
        ask = question(rng, rng.choice(ANY_ASKED)) if rng.random() < 0.4 else order(rng, rng.choice(ANY))
        ask = ask.replace("KIND", KIND)
    else:
        ask, wanted = ask_poem(rng), draw_subject(rng)
        subject = wanted.replace("my ", "your ")
    first, second = rng.sample(POEMS, 2)
    turns = [verses(ask, first, subject, {"s": wanted})]
    if rng.random() < 0.12:
        turns.append(verses(mannered(rng, AGAIN), second, subject, {}))
    return turns


def verses(ask: str, poem: tuple[str, ...], subject: str, slots: dict[str, str]) -> Exchange:
    """An exchange with a poem; its first couplet is enough where few words are wanted."""
    text = "\n".join(poem).replace("{s}", "{subject}")
    couplet = "\n".join(text.split("\n")[:2]).rstrip(",:;.!") + "."
    return Exchange(ask, text, slots | {"subject": subject}, brief=couplet)


def ask_poem(rng: Random) -> str:
    """A request for a poem about something."""
    ask = question(rng, rng.choice(ASKED)) if rng.random() < 0.3 else order(rng, rng.choice(ORDERED))
    return ask.replace("KIND", KIND).replace("ABOUT", ABOUT)


def draw_subject(rng: Random) -> str:
    """What a poem may be about: a thing or an animal, a matter, or somebody."""
    kind = rng.random()
    if kind < 0.35:
        return SUBJECTS.draw(rng)
    if kind < 0.55:
        return draw_name(rng)
    noun = rng.choice(NOUNS)
    return an(f"{rng.choice(ADJECTIVES)} {noun}" if rng.random() < 0.4 else noun)
