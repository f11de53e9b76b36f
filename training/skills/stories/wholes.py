"""Requests for stories that fit no frame: lists, labels, several sentences, beginnings to go on with."""

from random import Random

from training.phrasing import lines
from training.skills.stories.asks import BASE, PAST, VERBS

# By what is named; `VERB`, `PAST` and `BASE` are what the hero does with the object.
WHOLE = {
    "hpo": lines("""
        (story|story please|a story|short story|tell me a story|tale)(:| -|,) {kind}, {spot_bare}, {thing}
        (story|story please|a story|tell me a story)(:| -|) {kind}, {thing}, {spot_bare}
        {kind}, {spot_bare}, {thing}(:| -|,|.) (story please|a story|make a story|tell me a story|
            write a story|
            story)
        {kind}, {thing}, {spot_bare}(:| -|,|.) (story please|a story|make a story|tell me a story|story)
        {kind} {spot_bare} {thing} story
        story {kind} {spot_bare} {thing}
        {kind} + {spot_bare} + {thing} = story
        (story with |)hero: {kind}(,|;) place: {spot_bare}(,|;) (object|thing): {thing}(. story please|)
        (story with |)hero: {hero}(,|;) place: {place}(,|;) (object|thing): {object}(. story please|)
        the hero is {hero}, the place is {spot}(,| and) the (thing|object) is {object}. (Tell|Write) me STORY.
        (there is|there was|I imagine|imagine) {hero} {place} with {object}. (What happens|Tell me the story|
            Go on).
        {hero} {place} VERB {object}(.|:) (tell me the story|make a story of that|write that story|
            what happens)(.|)
        {hero} VERB {object} {place}(.|:) (tell me the story|make a story of that|write that story|
            what happens)(.|)
        (tell|give|read|make) (me|us) STORY(.|:|,) {hero} VERB {object} {place}(.|)
        STORY(, please|, maybe|)(:|.) {hero} {place} VERB {object}(.|)
        (write|tell me|make up something) about {hero} {place} and {object}
        (write|tell me something) about {hero} {place} with {object}
        (use|take|put) {hero}, {spot} and {object} (for|in|into) STORY.
        (use|take) (these|the words|these words) (for|in) STORY: {kind}, {spot_bare}, {thing}
        (make|let) {hero} (find|lose|have|meet) {object} {place} (in|and make it) STORY.
        put {hero} {place} and give (him|her|it|them) {object}. Now tell me STORY.
        {place} there (is|was|lives|lived) {hero} (with|who has|and) {object}. (Continue|Go on|Tell me more|
            What happens).
        what happens (when|if) {hero} VERB {object} {place}?
        who is {hero} {place} with {object}? Tell me STORY.
        {spot_bare}, {kind}, {thing}(:| -|,|.) (story please|a story|make a story|tell me a story|story|go)
        {thing}, {kind}, {spot_bare}(:| -|,|.) (story please|a story|make a story|tell me a story|story|go)
        (story|tale|a story please)(:| -|,) {spot_bare}, {kind}, {thing}
        (story|tale|a story please)(:| -|,) {thing}, {spot_bare}, {kind}
        (story|tale|write one|make one up)(:| with|,) {kind} + {thing} + {spot_bare}
        {kind} / {spot_bare} / {thing} - story(!| please|)
        {kind}(,| and) {spot_bare}( and|,) {thing}(...|.|!|?) (can you make|please make|make|
            turn that into) STORY
        {hero}, {spot} and {object}(:|...|.) (can you make|please make|make|write|now tell) STORY(?|.| of it)
        {hero}(.|,) {spot}(.|,) {object}(.|:|!) (Make|Tell|Write|Invent) STORY(.|!|)
        (I've got|I have|here are) three (words|things|
            ideas)(:| for you:) {kind}, {thing}, {spot_bare}. (Tell|Write|
            Make) STORY(.|)
        (my|our) three (words|things|wishes) are {hero}, {spot} and {object}
        (the words|your words|the three words|
            three words)(:| are) {kind}, {spot_bare}, {thing}. (Story please|
            Tell STORY|Make STORY|Go|A story)(.|!|)
        (can you|could you|will you) (put|fit|get|bring|pack) {hero}, {spot} and {object} into STORY?
        (can you|could you|will you) make STORY (out of|from|of) {hero}, {object} and {spot}?
        (make|build|knit) STORY (out of|from|around) {hero}, {spot} and {object}
        (take|use) {hero}. Put (him|her|it) {place}. (Give|Hand) (him|her|it) {object}. (Go|Story please|
            And go|
            Now tell)(!|.|)
        (I want|I'd like|we want|please use|let it have) {hero} as (the |)hero, {spot} as (the |)(place|
            setting) and {object} (as the object|in it|somewhere in it). (It's for STORY|For STORY|
            STORY please).
        once upon a time(,|) {hero} {place} PAST {object}(...|.|,) (go on|continue|and then|please go on|
            what then|
            carry on|finish it|tell the rest)(.|?|)
        once upon a time(,|) {hero} PAST {object} {place}(...|.|,) (go on|continue|please continue|
            tell the rest)(.|)
        once upon a time there (was|lived) {hero} {place}, (who|and it|and she|and he) PAST {object}(...|
            .) (Go on|
            Continue|And then|Please go on)(.|?|)
        once upon a time (there was|there lived|there once was) {hero} (who|
            that) lived {place} and PAST {object}(...|.|)
        (it starts like this|it begins like this|the beginning|here is the beginning|
            first sentence)(:|) {hero} {place} PAST {object}. (Go on|Continue|Now you|Your turn)(.|!|)
        (one day|one morning|one night|long ago|last night|yesterday)(,|) {hero} PAST {object} {place}(...|
            .) (Go on|
            Continue|Tell me the rest|And then|What then|Finish the story)(.|?|)
        (one day|one morning|long ago)(,|) {place}(,|) {hero} PAST {object}(...|.) (Go on|Continue|
            Tell the story|
            And then)(.|?|)
        (continue|finish|go on with|complete) (this|this story|the story)(:|
            ) {hero} {place} PAST {object}(...|.|)
        did you hear (about|of) {hero} {place} (who|that) PAST {object}? Tell me (the story|STORY|all of it).
        (have you heard|do you know|tell us) (the one|the tale|the story) (about|
            of) {hero} {place} and {object}?
        tell me how {hero} {place} PAST {object}(.|)
        (tell me|write|let me hear) (what happened when|about the day when|about the time when|
            how) {hero} PAST {object} {place}(.|)
        let {hero} BASE {object} {place}(.|, please|) (Make it STORY|I want STORY|STORY)(.| please|)
        (make|let) {hero} BASE {object} {place}, (as|in) STORY(.|)
        (there should be|there must be|it should have|it needs|
            it must have) {hero}, {spot} and {object} in (STORY|
            the story)(.|)
        my (daughter|son|kid|niece|nephew|grandson) (is crazy about|likes|loves|asked for|
            wants) {hero} {place} with {object}. (Can you|Could you|Please) (write|tell|make up) STORY(?|.|)
        my (daughter|son|kid|niece|nephew|grandson) (drew|painted|dreamt of|
            is thinking of) {hero} {place} with {object}(.|,) (Make|Now make|Please make|
            can you make) (STORY of it|that STORY|STORY)(.|?|)
        I (dreamt|had a dream) (about|of) {hero} {place} with {object}. (Make STORY of it|
            Tell me STORY about that)(.|)
        (we're|we are|I'm) (playing a game|doing a word game)(:|.) {kind}, {thing}, {spot_bare}. (Tell STORY|
            STORY
            please|Make STORY)(.|)
        there's this {kind} {place} who PAST {object}. (Go on|Tell me the story|STORY please)(.|)
        (write|tell) (it|a tale|one|something|a short one) where {hero} {place} VERB {object}(.|)
        (write|tell me|make up) something (short|nice|sweet|for kids) (about|
            with) {hero}, {spot} and {object}(.|)
        (I'm|I am) (bored|tired|sad)(.|,) (write|tell) (me |)(something|a tale) (about|
            with) {hero} {place} and {object}
        {hero}(!|.) {place_up}(!|.) (With|And) {object}(!|.) (STORY please|Tell me|Tell STORY|Go)(!|.|)
        {hero} {place} with {object}(, story|, please tell| - story please|: STORY| STORY please)
        {hero} and {object} {place}(, story please|: tell STORY| - write STORY|, go on|. Story)(.|)
        who (PAST|VERB) {object} {place}? {hero}! (Tell me that story|Tell STORY|Story please)(.|)
        where did {hero} BASE {object}? {place_up}! (Tell me that story|Tell STORY|Story please)(.|)
    """),
    "hp": lines("""
        (story|tale|story please|tell me a story)(:| -|,) {kind}, {spot_bare}
        {kind}, {spot_bare}(:| -|,|.) (story please|tell me a story|story|make a story)
        {hero} {place}(:|,|.) (story please|STORY please|tell me the story|make it STORY)
        once upon a time(,|) (there was|there lived) {hero} {place}(...|. Go on|. Continue|, go on|
            . What then?|)
        once upon a time {hero} lived {place}(...|. Go on|. Continue|, and then|)
        (there is|imagine|think of|picture) {hero} {place}. (Tell me STORY|What happens|Make STORY of it)(.|
            ?|)
        the hero is {hero}, the place is {spot}. (Tell|Write) me STORY.
        (use|take|put) {hero} and {spot} (for|in|into) STORY.
        what (happens to|does) {hero} {place}( do|)? Tell me STORY.
        my (daughter|son|kid|niece) (loves|likes) {hero} {place}. (STORY please|Tell us STORY|Any story)(.|?|)
        put {hero} {place} and (tell|write|make) STORY
        tell me what happened to {hero} {place}(.|)
    """),
    "ho": lines("""
        (story|tale|story please|tell me a story)(:| -|,) {kind}, {thing}
        {kind}, {thing}(:| -|,|.) (story please|tell me a story|story|make a story)
        {hero} and {object}(:|,|.) (story please|STORY please|tell me the story|make it STORY)
        {hero} VERB {object}(:|,|.) (story please|STORY please|tell me the story|make it STORY|go on)
        once upon a time(,|) {hero} PAST {object}(...|. Go on|. Continue|, go on|. What then?|)
        once upon a time there was {hero} (who|that) PAST {object}(...|. Go on|. Continue|, go on|)
        (one day|one morning|long ago)(,|) {hero} PAST {object}(...|. Go on|. Continue|. And then?|
            . Tell the rest.)
        (imagine|think of|picture) {hero} with {object}. (Tell me STORY|What happens|Make STORY of it)(.|?|)
        the hero is {hero}(,| and) the (thing|object) is {object}. (Tell|Write) me STORY.
        (use|take|put) {hero} and {object} (for|in|into) STORY.
        what happens (when|if) {hero} VERB {object}? (STORY please|Tell me STORY|Tell me).
        (let|make) {hero} BASE {object} in STORY
        give {hero} {object} and tell me STORY
        tell me how {hero} PAST {object}(.|)
    """),
    "po": lines("""
        (story|tale|story please)(:| -|,) (place|setting) {spot_bare}, (object|thing) {thing}
        (place|where)(:| is) {spot_bare}(,|;) (object|thing)(:| is) {thing}(,|;|.) (you choose the hero|
            any hero|STORY|
            story please)
        somebody PAST {object} {place}(...|. Go on|. Continue|. Tell me the story|. Tell STORY|)
        once upon a time(,|) somebody PAST {object} {place}(...|. Go on|. Continue|)
        who VERB {object} {place}? Tell me STORY(.|)
        the place is {spot}(,| and) the (thing|object) is {object}. (Tell|Write) me STORY(.|
            , you pick the hero.)
    """),
    "h": lines("""
        (story|tale|story please|tell me a story)(:| -|,) {kind}
        {kind} story( please|)
        {kind}(:| -|.|,) (story please|tell me a story|make a story|a story)
        the hero is {hero}. (Tell|Write) me STORY.
        hero(:| is| =) {hero}. (Tell|Write|STORY please|Story)(.|)
        once upon a time(,|) there (was|lived) {hero}(...|. Go on|. Continue|, go on|. What then?|)
        (my|our) (daughter|son|kid|baby|niece|grandson) (loves|likes|is crazy about|
            has a thing for) {hero}. (STORY please|
            Tell us STORY about that|Do you have STORY like that)(.|?|)
        what did {hero} do? (Tell me STORY|STORY please)(.|)
        (I want|I'd like|give me) {hero} in STORY
        (use|take|put) {hero} (for|in|into) STORY.
        can {hero} be (in it|the hero|in the story)? (Tell me STORY|STORY please)(.|)
    """),
    "p": lines("""
        (story|tale|story please)(:| -|,) (place|setting|where)(:|) {spot}
        it (should|must|has to) (happen|be|play|take place) {place}. (Tell|Write) me STORY.
        the (place|setting) is {spot}. (Tell|Write) me STORY.
        {place}, (a story|story please|STORY please|there once lived|once upon a time)(...|.|)
        let STORY (happen|take place|begin|play) {place}(.|)
        once upon a time, {place}(...|. Go on|, go on|. Continue)
        what happened {place}? (Tell me STORY|STORY please|Tell me the story)(.|)
    """),
    "o": lines("""
        (story|tale|story please)(:| -|,) (object|thing|with)(:|) {object}
        there (should|must|has to) be {object} in it. (Tell|Write) me STORY.
        the (object|thing) is {object}. (Tell|Write) me STORY.
        {object}, (make|turn|put) it (into|in) STORY(.|)
        (use|take|put) {object} (for|in|into) STORY.
        somebody PAST {object}(. Tell me STORY|... go on|. Go on|. STORY please)(.|)
    """),
}
# Labels of the three in lists such as `hero: a snail, place: the moon, thing: an umbrella`.
LABELS = {
    "h": (
        "(hero|hero|hero|main character|the hero|character|who|about|protagonist|star)",
        "(is|shall be|will be|should be|must be|=)",
        ("{hero}", "{hero}", "{kind}"),
    ),
    "p": (
        "(place|place|place|setting|the place|where|location|scene|background)",
        "(is|shall be|will be|should be|must be|=)",
        ("{place}", "{spot}", "{spot}", "{spot_bare}"),
    ),
    "o": (
        "(object|thing|thing|object|the thing|the object|item|with|must have|needs|in it)",
        "(is|shall be|will be|should be|must be|=)",
        ("{object}", "{object}", "{thing}"),
    ),
}
# Labels after which there is no verb.
VERBLESS = ("about", "with", "must have", "needs", "in it", "where", "who")
LIST_HEADS = lines("""
    STORY(:|!|.|,| with| please:| please.| -)
    (story|tale|bedtime story|story please|story for my kid|one story|a story, please|new story)(:|!|.|,| -)
    (tell|write|make up|give|read) (me|us) STORY(:|!|.|,| -| with| please:)
    (can|could|will) you (tell|write|make up) (me |us |my kid |)STORY?
    (make up|write|invent) something for (my|our) (kid|daughter|son|child|kids|class|niece)(:|,|.|!)
    (I need|I want|I'd like|we'd like|my son wants|my daughter wants) STORY(:|.|,)
    (please|ok,|now|so,) STORY(:|!|.|,)
    (here is what I want for|these are the details of|the plan for|my order for) STORY(:|)
""")
LIST_TAILS = lines("""
    (STORY|story|a story|tell me STORY|write STORY|make STORY|go|now tell it|make it up)( please|)(.|!|)
    (can|could|will) you (tell|write|make up) STORY( from that| with that| of it|)?
    (please |)(make|write|tell) (me |us |)STORY (with|from|of|out of) (that|it|this)(.|)
""")
# How the name of a hero is told afterwards.
NAMED_AFTER = lines("""
    (His|Her|Its) name is {called}.
    (He|She|It) is called {called}.
    (Call|Name) (him|her|it) {called}(.|, please.)
    The hero's name (is|should be|must be) {called}.
    The hero is called {called}.
    (He|She|It|The hero) should be called {called}.
    (Oh, and|And|By the way,) (his|her|its|the hero's) name is {called}.
    Name(:| of the hero:) {called}.
    {called} is (his|her|its|the hero's) name.
    (The name is|And the name:|With the name) {called}.
""")
# What is said first and taken back at once.
TAKEN_BACK = lines("""
    WRONG( -|...|,|.) (no|no wait|sorry|wait|oh no|or no|no no)(,|) RIGHT
    WRONG( -|...|,) (I mean|sorry, I meant|no, I meant|er|or rather|no, better) RIGHT
    not WRONG but RIGHT
    RIGHT(,| -) not WRONG
    RIGHT (instead of|rather than) WRONG
""")


def labelled(rng: Random, named: str) -> str:
    """A list of what is named, each with what it is to be, in any order."""
    parts = list(named)
    if rng.random() < 0.5:
        rng.shuffle(parts)
    style, mark = rng.random(), rng.choice((": ", ": ", ": ", " = ", " - ", ":", " "))
    rows = []
    for part in parts:
        labels, verbs, values = LABELS[part]
        label, value = rng.choice(labels.strip("()").split("|")), rng.choice(values)
        said = style < 0.3 and label not in VERBLESS
        rows.append(f"{label} {verbs} {value}" if said else f"{label}{mark}{value}")
    text = rng.choice((", ", ", ", "; ", ". ", ". ", " / ", ", and ", "\n", " ")).join(rows)
    if rng.random() < 0.7:
        return f"{rng.choice(LIST_HEADS)} {text}(.|!|)"
    return f"{text}(.|,|!|:) {rng.choice(LIST_TAILS)}"


def with_verbs(ask: str, relation: str) -> str:
    """The request with what the hero does."""
    for mark, verbs in ("VERB", VERBS), ("PAST", PAST), ("BASE", BASE):
        ask = ask.replace(mark, verbs[relation])
    return ask
