"""Words that rhyme, from families of short words."""

from random import Random

from training.asking import order, question
from training.english import capital, join
from training.names import invent_name
from training.phrasing import lines
from training.talk import Exchange, Talk, words

FAMILIES = tuple(
    words(family)
    for family in lines("""
        cat hat bat mat rat fat flat
        dog frog log fog hog jog
        tree bee sea knee free three tea key
        moon spoon noon soon balloon
        house mouse blouse louse
        day play way say may stay hay clay
        night light kite right bright white bite
        star car far jar bar
        rain train plane chain lane brain
        king ring sing wing spring thing string
        boat coat goat note float
        cake lake snake make bake take
        ball wall fall tall small call hall
        book cook look hook took
        bed red head bread said
        sun fun run one bun done
        blue shoe two new zoo you glue
        bear chair hair pear fair there
        nose rose toes those
        bell shell tell well smell
        sand hand band land stand
        ice mice nice rice dice twice
        fly sky pie why high my dry
        gold cold old told hold
        feet street sweet meat sheet
        round sound ground found
        dream cream team stream
        pen ten hen men then
        hill bill mill will still
        top shop hop stop drop
        bug hug mug rug jug
        duck truck luck stuck
        sock clock rock lock block
        game name same came flame
        fish dish wish swish
        snow go low grow toe slow
        love glove dove above
        heart part art cart start
        time rhyme lime climb
        home comb foam roam
        friend end send bend mend
        pig big wig dig
        box fox socks rocks
        wind tinned pinned grinned
        word bird heard third
        sheep sleep deep keep
        dad sad bad mad glad
        mum drum gum plum thumb
        world curled twirled whirled
    nail tail sail mail pail snail whale
    door more floor four store shore
    town brown crown down clown
    hot pot not dot got spot knot
    leg egg beg peg
    lip ship trip chip tip
    jump bump lump pump
    nut cut hut but shut
    net wet pet jet get let
    back pack black sack track
    cave wave brave save gave
    soup loop group hoop
    shirt dirt skirt hurt
    age page stage cage
    fork pork cork stork
    bank tank thank drank
    tent went cent rent spent
    list fist mist kissed
    letter better sweater wetter
        life knife wife strife
        school cool pool rule tool fool
        smile mile while pile
        face place race space
        stone bone phone alone
        year ear near dear hear
        kitten mitten written bitten
        flower tower power shower
        mother brother other another
        money honey funny sunny bunny
        yellow fellow mellow bellow
    """)
)
# Words for which it knows no rhyme, besides all those that are made up.
LONG = words("""
    orange silver purple month elephant hippopotamus computer banana butterfly helicopter umbrella
    dictionary transformer crocodile television refrigerator bicycle chocolate strawberry adventure wolf
    ninth breakfast kangaroo telephone university spaghetti camera yesterday animal
""")
VERBS = (
    "(find|find me|give me|tell me|say|name|think of|list|look for|suggest|come up with|write down|show me|"
    "help me find|help me with|give us|find us|make|search for|mention)"
)
RHYME = lines("""
    (a rhyme|some rhymes|rhymes|a good rhyme|a rhyming word|rhyming words) (for|with|to) {word}
    (a word|words|some words|something|anything) (that rhymes with|rhyming with|to rhyme with|
        that rhyme with) {word}
    (words|some words|a few words|any words) that (sound like|end like|end the same as|sound similar to|
        have the same ending as) {word}
    (all the rhymes|any rhymes|your best rhymes|easy rhymes|simple rhymes|funny rhymes) (for|with) {word}
    (words|rhymes) I can (use with|rhyme with|put with|pair with) {word}
    (rhymes|rhyming words) (for|with) the word {word}
    (something|words) to go with {word} in a (poem|song|rap|verse)
""")
COUNTED = lines("""
    {count} (rhymes|rhyming words|good rhymes) (for|with|to) {word}
    {count} words (that rhyme with|rhyming with|to rhyme with) {word}
    {count} (words|things|different words|short words|easy words) that rhyme (with|on) {word}
    {count} (rhymes|rhyming words) (for|with) the word {word}
    {count} words that (end|sound) like {word}
""")
SINGLE = (
    "(one|a single|just one|only one) (word that rhymes with|rhyme for|word to rhyme with|rhyme with) {word}"
)
RHYME_ASKED = lines("""
    what (rhymes|would rhyme|could rhyme|can rhyme|words rhyme|word rhymes|sounds like and rhymes) with {word}
    (which|what) (words|word) (rhyme|rhymes|would rhyme) with {word}
    do you (know|have) (a rhyme|a word|any rhymes|something) (for|to rhyme with) {word}
    (is there|what is) (a rhyme|a word that rhymes|a rhyming word) (for|with) {word}
    what (do I|can I|could I) rhyme with {word}
    {word} rhymes with (what|which word)
    {word}(:|,| -) (rhymes|rhyme|any rhymes)
    rhyme {word}
    rhymes (for|with) {word}
    (can you|could you|please) rhyme {word}
    (got|any) rhymes (for|with) {word}
    I am (writing|making) a poem. What rhymes with {word}
    (I'm|I am|we're|we are) (writing|making|working on|stuck with) (a song|a rap|a poem|a verse|
        a birthday card)(.|,|:) (
        What rhymes with|Any rhyme for|I need a rhyme for|I need rhymes for|Give me rhymes for) {word}
    my (line|verse|poem|song|rap) ends (with|in|on) {word}(.|,|:|;) (what rhymes|any rhymes|what could rhyme|
        what rhymes with it|I need a rhyme|help)
    (I need|I want|I'm looking for|I am after|we need|looking for) (a rhyme|rhymes|something that rhymes|
        a word that rhymes|some rhyming words|a word rhyming) (for|with|to) {word}
    (I can't find|I can't think of|I don't know|I know no|there is no) (a rhyme|any rhyme|anything|
        any word) (that rhymes with|rhyming with|to rhyme with) {word}(.|, can you help|, can you|)
    (is there|are there|do you have|have you got) (anything|a word|any words|words|something) (that rhymes|
        that rhyme|rhyming|to rhyme) with {word}
    what (is|would be|could be) (a good rhyme|a rhyme|a rhyming word|the rhyme) (for|with|to) {word}
    (which|what) (words|word) (end|ends|sound|sounds) (like|the same as) {word}
    what (sounds|ends) like {word}
    does anything rhyme with {word}
    {word} rhymes with
    {word}(...|,|:|?) (what rhymes with that|what rhymes with it|a rhyme|does anything rhyme with that|
        which words rhyme|I need a rhyme|find a rhyme)
    (the word is|my word is|here is a word:|take the word|for the word|with the word) {word}(.|:|
        ,) (what rhymes|rhymes|
        which words rhyme with it|find rhymes)
    (a rhyme|rhymes|rhyming words|words that rhyme|rhyme words) (for|with|to|on) {word}
    (how do|how can|how would|can|could) (you|I|one) rhyme {word}
    my (son|daughter|kid|teacher) (needs|wants) (a rhyme|rhymes|rhyming words|a word that rhymes) (for|
        with) {word}
    (let's|let us) rhyme(:|.|!) {word}
    (rhyming|rhyme) (game|time|dictionary)(:|,|!) {word}
    (I say|you hear|if I say) {word}(,|;) (you say|what rhymes|what rhyme do you say)
    (do|would) you know (what rhymes|which words rhyme|something that rhymes|any words that rhyme) with {word}
    (tell|show|give) me (what rhymes|words that rhyme|rhymes) (with|for) {word}
    (for homework|for school|for my poem|for a song|for a card)(,|:) (what rhymes|which words rhyme|
        I need words that rhyme) with {word}
""")
PAIR = lines("""
    (do|would) {word} and {other} rhyme
    does {word} rhyme with {other}
    is {word} a rhyme (for|of|to) {other}
    {word} and {other} rhyme, (right|don't they|do they)
    do the words {word} and {other} rhyme
    (is|are) {word} and {other} a (rhyme|good rhyme|rhyming pair)
    (can|could|may) (I|you|one) rhyme {word} (with|and|to|on) {other}
    {word} (and|with|,|/|-) {other}(:|,| -) (do they rhyme|a rhyme|is that a rhyme|rhyme or not|rhymes)
    (is it true that|am I right that|I think|I believe|my teacher says|my son says|
        would you say) {word} (and {other} rhyme|
        rhymes with {other})
    (tell me|say|check|find out|I wonder|I want to know|not sure|I am not sure) (if|
        whether) {word} (and {other} rhyme|
        rhymes with {other})
    (does|do|would|will) (the word |){word} (really |)rhyme with (the word |){other}
    {word} rhymes with {other}, (right|doesn't it|does it|correct|true or false|yes or no|no)
    (true or false|yes or no|right or wrong)(:|,) {word} (and {other} rhyme|rhymes with {other})
    (does|would) it rhyme(:|,| if I say) {word} and {other}
    (my line ends with|one line ends in|the first line ends with) {word} (and the other|and the next|
        and the second) (with|
        in) {other}. Does that rhyme
    if one line ends (in|with) {word} and (the next|the other) (in|with) {other}, (does it|do they|
        is that a) rhyme
    are {word} and {other} (rhymes|rhyming words|a rhyme|words that rhyme)
    (do|don't) {word} and {other} (sound the same at the end|end the same|rhyme with each other|rhyme at all)
""")
COUNTS = {"2": 2, "two": 2, "a couple of": 2, "3": 3, "three": 3}


def rhyme(rng: Random, talk: Talk) -> list[Exchange]:
    """Words that rhyme with another, or whether two of them do."""
    return [rng.choices((rhymes_for, no_rhyme, pair), (5, 2, 2))[0](rng)]


def rhymes_for(rng: Random) -> Exchange:
    """Three words that rhyme, or as many as are wanted."""
    family = rng.choice(FAMILIES)
    at = rng.randrange(len(family))
    word, *others = family[at:] + family[:at]
    ask, number = ask_rhyme(rng), 3
    slots = {"word": word}
    if rng.random() < 0.2:
        slots["count"], number = rng.choice(list(COUNTS.items()))
        ask = order(rng, f"{VERBS} {rng.choice(COUNTED)}")
    elif rng.random() < 0.12:
        ask, number = order(rng, f"{VERBS} {SINGLE}"), 1
    verb = "rhymes" if number == 1 else "rhyme"
    return Exchange(ask, f"{capital(join(others[:number]))} {verb} with {word}.", slots)


def no_rhyme(rng: Random) -> Exchange:
    """A word outside of all families."""
    word = rng.choice(LONG) if rng.random() < 0.4 else invent_name(rng).lower()
    if any(word in family for family in FAMILIES):
        return no_rhyme(rng)
    return Exchange(ask_rhyme(rng), "I do not know a rhyme for {word}, sorry.", {"word": word})


def ask_rhyme(rng: Random) -> str:
    """A question for rhymes that names no number."""
    if rng.random() < 0.6:
        return question(rng, rng.choice(RHYME_ASKED))
    return order(rng, f"{VERBS} {rng.choice(RHYME)}")


def pair(rng: Random) -> Exchange:
    """Whether two words rhyme."""
    first, second = rng.sample(FAMILIES, 2)
    word, other = rng.sample(first, 2)
    if rng.random() < 0.5:
        other = rng.choice(second)
        answer = f"No, {word} and {other} do not rhyme."
    else:
        answer = f"Yes, {word} and {other} rhyme."
    return Exchange(question(rng, rng.choice(PAIR)), answer, {"word": word, "other": other})
