"""How stories are asked for, and what is asked about them afterwards."""

from training.phrasing import lines
from training.talk import phrases

# What people call a story of each tone.
KINDS = {
    "": phrases("""
        a story, a story, a story, a short story, a little story, a nice story, a good story, a new story,
        a tale, a fairy tale, some story
    """),
    "adventure": phrases("""
        an adventure story, an exciting story, an adventure, an exciting adventure story, a thrilling tale
    """),
    "funny": phrases(
        "a funny story, a silly story, a hilarious story, a crazy story, a funny tale, a joke story"
    ),
    "bedtime": phrases("""
        a bedtime story, a bed time story, a good night story, a goodnight story, a calm story, a sleepy story
    """),
}
HEADS = lines("""
    (tell|tell|tell|write|give|read|make|spin|invent) me STORY BODY.
    (tell|write|read) (us|me and my friend|my son|my daughter|the children|everyone) STORY BODY.
    (please|pls|plz) (tell|write|make up|invent) (me |us |)STORY BODY.
    (tell|write|invent) (me |)STORY BODY please.
    (can|could|would|will) you (please |maybe |)(tell|write|make up|invent|think of|read) (me |us |
        )STORY BODY?
    (I want|I'd like|I would like|I need|I would love|we want|I wish for|I fancy) (to hear |)STORY BODY.
    (make up|invent|create|compose|write|tell|think of|come up with) STORY BODY.
    STORY BODY.
    STORY BODY(, please| please| pls|, if you can| now)
    (how about|what about|maybe|next|now|time for) STORY BODY?
    (do you know|have you got|do you have|can I have|may I have|can I hear|could I get) STORY BODY?
    (let's|let me|let us) hear STORY BODY.
    (my (son|daughter|kid|little brother|little sister|grandson)|my child) (wants|would like|
        asks for) STORY BODY.
    (entertain me with|surprise me with|cheer me up with|help me sleep with|I am in the mood for) STORY BODY.
    (I can't sleep|I'm bored|it is bedtime|it is late|it is raining). (Tell|Read) me STORY BODY.
    is there STORY BODY?
    (story|stories|tale) BODY
    (story|tale|short story) BODY please
    (story time|storytime|a request|task|challenge)(:|!) STORY BODY.
""")
NO_BODY = lines("""
    story
    story please
    tell stories
    once upon a time
    (I'm bored|I can't sleep)(.|,) (tell|read) me STORY(.|)
    do you (know|tell) (any |)(good |)stories?
    can you tell (me |)(stories|a story)?
    I (love|like) stories(.|!) (tell me one|do you know one|tell me one, please)(.|?|)
    STORY about (anything|whatever you like|something|anything you want)
    tell me STORY, (you choose|your choice|any will do|it doesn't matter which)
    surprise me with STORY
""")
ABOUT_THEME = "(about|on) (THEME|THEME|the power of THEME)"
# Which of hero, place and object are named; `VERB` is what the hero does with the object.
BODIES = {
    "hpo": lines("""
        about {hero} {place} (who|that|which) VERB {object}
        about {hero} (who|that) VERB {object} {place}
        about {hero} (living|that lives|who lives|somewhere) {place} (who|and) VERB {object}
        about {hero} and {object} {place}
        about {hero} with {object} {place}
        about {hero}, {object} and {spot}
        about {hero}, {spot} and {object}
        about {object} and {hero} {place}
        about {object}, {hero} and {spot}
        about {spot}, {hero} and {object}
        about how {hero} VERB {object} {place}
        about {hero} {place}. (It|The story|There) (should|must|has to) have {object} in it
        about {hero}. It (should|must|has to|could) (happen|be set|play) {place} and (have|include|
            contain) {object}
        about {hero}, (set|playing|happening) {place}, (with|including|featuring|that has) {object}
        about {hero}, {place}, {object}
        about {hero} {place}, {object} (should|must|has to) (be in it|appear|be there|play a part)
        with {hero}, {object} and {spot}( in it|)
        with {hero}, {spot} and {object}( in it|)
        with {hero} and {object}(,|) (set|that is set|playing|happening|that happens|that plays) {place}
        with {object} and {hero}(,|) (set|playing|happening|all) {place}
        (set|that is set|happening|that plays) {place}(,|) (about|with|starring|featuring) {hero} and {object}
        (set|happening) {place}(,|) where {hero} VERB {object}
        {place}(,|) (about|with|starring|featuring) {hero} and {object}
        (where|in which) {hero} VERB {object} {place}
        (where|in which) {hero} {place} VERB {object}
        of {hero} and {object} {place}
        of {hero} (who|that) VERB {object} {place}
        (including|featuring|that has|containing|using|which has) {hero}, {spot} and {object}
        (from|out of|using|with) (these words|the words|these three|three words)(:|
            ) {kind}, {spot_bare}, {thing}
        (for|) {kind}, {spot_bare}, {thing}
    """),
    "hp": lines("""
        about {hero} {place}
        about {hero} (living|that lives|who lives) {place}
        about {hero} and {spot}
        about {hero}, (set|happening|playing) {place}
        (set|happening|that plays) {place}(,|) (about|with|starring) {hero}
        with {hero} {place}
        {place}(,|) (about|with) {hero}
        (where|in which) {hero} lives {place}
        of {hero} {place}
        about {hero}. It (should|must) (happen|be set) {place}
    """),
    "ho": lines("""
        about {hero} (who|that|which) VERB {object}
        about {hero} and {object}
        about {hero} with {object}
        about {object} and {hero}
        about how {hero} VERB {object}
        with {hero} and {object}( in it|)
        with {object} and {hero}( in it|)
        (where|in which) {hero} VERB {object}
        of {hero} and {object}
        about {hero}. It (should|must|has to) have {object} in it
        (featuring|including|that has) {hero} and {object}
    """),
    "po": lines("""
        about {object} {place}
        about {object} and {spot}
        about {spot} and {object}
        with {object}(,|) (set|happening|that is set) {place}
        (set|happening|that plays) {place}(,|) (about|with|featuring) {object}
        (where|in which) somebody VERB {object} {place}
    """),
    "h": lines("""
        about {hero}
        about {hero}
        about {hero}
        with {hero}( in it| as the hero| as hero|)
        of {hero}
        (starring|featuring|for) {hero}
        (where|in which) {hero} is the hero
        that has {hero} in it
        all about {hero}
    """),
    "p": lines("""
        (set|that is set|happening|that happens|that plays|playing) {place}
        about {spot}
        {place}
        about (life|somebody|someone|people|what happened) {place}
        (where|in which) everything happens {place}
    """),
    "o": lines("""
        about {object}
        about {object}
        with {object}( in it|)
        (where|in which) (somebody|someone|the hero) VERB {object}
        (featuring|that has|including|of) {object}
    """),
}
WHOLE = lines("""
    (story|story please|a story|short story|tell me a story|tale)(:| -|,) {kind}, {spot_bare}, {thing}
    (story|story please|a story|tell me a story)(:| -|) {kind}, {thing}, {spot_bare}
    {kind}, {spot_bare}, {thing}(:| -|,|.) (story please|a story|make a story|tell me a story|write a story|
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
""")
VERBS = {
    "found": "(finds|finds|discovers|digs up|comes across|stumbles upon|picks up|has found|spots)",
    "lost": "(loses|loses|has lost|cannot find|misses|drops|can't find)",
    "wanted": "(wants|looks for|searches for|is looking for|dreams of|wishes for|needs|would like to have)",
    "had": "(has|owns|carries|gets|is given|keeps|holds|receives|got)",
}
WHO = "(he|she|it|they|{name}|the hero|the {kind})"
# Questions about what became of the object, by what the hero has to do with it.
WHAT_OF_IT = {
    "found": lines(f"what did {WHO} (find|discover|come across|pick up)( in the story| there|)?"),
    "lost": lines(
        f"what (did {WHO} lose|was lost|went missing|was {{name}} looking for|did {WHO} look for)?"
    ),
    "wanted": lines(f"what did {WHO} (want|wish for|look for|need|dream of|get)( in the story|)?"),
    "had": lines(f"what did {WHO} (have|own|use|carry|get)( in the story|)?"),
}
FOLLOW_UPS = {
    "name": lines("""
        (what was|what is|what's|tell me) the name of the (hero|{kind})( again|)?
        what was (the hero's|his|her|its|their) name( again|)?
        (what was|how was) the (hero|{kind}) called( again|)?
        which name did the (hero|{kind}) have?
        and the (name|hero's name)?
        what did you call the (hero|{kind})?
    """),
    "who": lines("""
        who was (it|the story|this|that) about( again|)?
        who (is|was) in (the|that|this) story?
        (who|what kind of animal or person) was (the hero|the main one)( again|)?
        about whom was (it|the story|that)?
        what kind of hero was it?
    """),
    "where": lines("""
        where (did|does) (it|this|that|the story|all this|everything) (happen|take place|play)( again|)?
        where was (it|that|the story|{name}|the hero|the {kind})( again|)?
        where (did|does) (he|she|it|they|{name}|the {kind}) live?
        (at|in) which place (was it|did it happen|was that)?
        (what|which) place was (it|that)?
        (where exactly|and where|and the place)?
    """),
    "what": lines("""
        (what|which) (thing|object) was (it|that|in it|in the story)( again|)?
        what was (the thing|the object|that thing|that object)( again|)?
        (what|which) thing played a part( in it|)?
        and the (thing|object)?
    """),
    "shorter": lines("""
        (make|can you make|could you make) it (shorter|short|a bit shorter)(?|.|)
        (shorter|much shorter|too long|that was too long|way too long)(.|, please|!|)
        (the|a|give me the|give me a) (short|shorter) version(.|, please|)
        (sum it up|summarize it|summarise it|shorten it|sum up the story|summary)(.|, please|)
        (in one sentence|in short|in a nutshell|tldr|tl;dr|briefly)(.|, please|)
        (can|could) you (shorten|summarize|sum up) (it|that|the story)?
    """),
    "continue": lines("""
        (continue|go on|please go on|please continue|keep going|more|tell me more|carry on|don't stop)(.|!|
            , please|)
        (and then|and then what|then what|what then|and what happened then)?
        what (happened|happens|comes) (next|then|after that|afterwards|later)?
        (part two|part 2|next part|next chapter|chapter two|a sequel)(.|, please|)
        (is there|can you tell|tell me) (more|a second part|the next part|a part two|a sequel)(?|.)
        how does it (go on|continue)?
        (continue|go on with) (it|the story|this story)(.|)
    """),
    "another": lines("""
        (another|another one|one more|one more story|another story|a different one|a new one)(.|!|
            , please| please|)
        (next story|more stories|a different story)(.|!|, please| please|)
        (tell|give|write) me (another one|another|another story|one more|a different one|a new story)(.|
            , please|)
        (can|could|may) I (hear|have|get) (another one|one more|another story)?
        (do you know|got) (another one|any other stories|any more)?
    """),
}
PRAISE = lines("""
    (nice|great|lovely|good|beautiful|sweet|wonderful|cute|cool|what a nice|I like that|
        I liked this) story(!|.|)
    (that was|this was|it was) (a |)(nice|great|lovely|good|beautiful|wonderful|funny|cute)( story|)(!|.|)
    (I|we) (loved|liked|enjoyed) (it|that|this|the story)(!|.|)
    (haha|wow|aww|bravo|well told)(!|, nice story|)
""")
YES = "(yes|yes|yeah|sure|yep|of course|oh yes|ok|okay|yes, I would|please|why not)(!|.|, please| please|)"
INSTEAD = lines("""
    (now |)(the same |the same story |the same again |again |once more |again, but |that story |but )CHANGE
    (tell|write) (it|that|the story|me that story) (again |once more |)(but |)CHANGE
    (can|could) you (tell|write) (it|the same story|that) (again |)CHANGE?
    and (now |)CHANGE?
    CHANGE
""")
# What is asked to be replaced, by the part of the cast.
CHANGES = {
    "hero": "(with {new} (instead|as the hero|as hero|instead of the hero)|about {new} instead|with {new})",
    "place": "({new} instead|set {new}|but {new}|happening {new})",
    "thing": "(with {new} (instead|in it)|with {new}|but with {new})",
}
