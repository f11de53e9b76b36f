"""What is asked about a story that has been told, and what people want changed in it."""

from training.phrasing import lines

WHO = "(he|she|it|they|{name}|the hero|the {kind})"
# Questions about what became of the object, by what the hero has to do with it.
WHAT_OF_IT = {
    "found": lines(f"""
        what did {WHO} (find|discover|come across|pick up)( in the story| there|)?
        (what|which thing) was found( in the story|)?
        (tell me|remind me|I forgot|I can't remember) what {WHO} found(.|)
        {WHO} found(...| what?)
    """),
    "lost": lines(f"""
        what (did {WHO} lose|was lost|went missing|was {{name}} looking for|did {WHO} look for)?
        (tell me|remind me|I forgot|I can't remember) what {WHO} (lost|was missing)(.|)
        {WHO} lost(...| what?)
        (what|which thing) was gone( in the story|)?
    """),
    "wanted": lines(f"""
        what did {WHO} (want|wish for|look for|need|dream of|get)( in the story|)?
        (tell me|remind me|I forgot|I can't remember) what {WHO} (wanted|wished for)(.|)
        {WHO} (wanted|wished for)(...| what?)
        (what|which thing) was it that {WHO} wanted( so much|)?
    """),
    "had": lines(f"""
        what did {WHO} (have|own|use|carry|get)( in the story|)?
        (tell me|remind me|I forgot|I can't remember) what {WHO} had(.|)
        {WHO} had(...| what?)
        (what|which thing) did {WHO} have( with it| all the time|)?
    """),
}
FOLLOW_UPS = {
    "name": lines("""
        (what was|what is|what's|tell me) the name of the (hero|{kind})( again|)?
        what was (the hero's|his|her|its|their) name( again|)?
        (what was|how was) the (hero|{kind}) called( again|)?
        which name did the (hero|{kind}) have?
        and the (name|hero's name)?
        what did you call the (hero|{kind})?
        (who|what) was (he|she|it|the hero|the {kind}) called?
        (tell me|remind me|I forgot|I can't remember|I didn't catch|I missed) (the name of the (hero|{kind})|
            the hero's name|what the (hero|{kind}) was called|what the hero's name was|
            how the hero was called)(.|)
        (do you|can you) (still |)(know|remember|tell me) (the name of the (hero|{kind})|
            what the hero was called|
            the hero's name)?
        (sorry, |wait, |)what was the name( again|)?
        (the|and the) name of the (hero|{kind})(?|, please?| again?)
        (the|and the) (hero|{kind}) was called(...|?| what?)
        (did|does) the (hero|{kind}) have a name?
        (my daughter|my son|the kid|my kid) (asks|wants to know)(:|,| ) what (was|is) the (hero|
            {kind}) called?
    """),
    "who": lines("""
        who was (it|the story|this|that) about( again|)?
        who (is|was) in (the|that|this) story?
        (who|what kind of animal or person) was (the hero|the main one)( again|)?
        about whom was (it|the story|that)?
        what kind of hero was it?
        who was the (hero|main character|star)( of it| of the story|)?
        (tell me|remind me|I forgot|I can't remember|I missed) who (it|the story|that story) was about(.|)
        what was (it|the story|that story) about( again|)?
        (who|what) (was|is) the (story|tale) about?
        (do you|can you) (remember|still know|tell me) who (it|the story) was about?
        (and |)whose story was (it|that)?
        the story was about(...|?| whom?| who?)
        (which|what) (animal|person|creature|hero) was (it|that) about?
    """),
    "where": lines("""
        where (did|does) (it|this|that|the story|all this|everything) (happen|take place|play)( again|)?
        where was (it|that|the story|{name}|the hero|the {kind})( again|)?
        where (did|does) (he|she|it|they|{name}|the {kind}) live?
        (at|in) which place (was it|did it happen|was that)?
        (what|which) place was (it|that)?
        (where exactly|and where|and the place)?
        (tell me|remind me|I forgot|I can't remember|I missed) where (it|the story|that story|
            all that) (happened|
            was set|took place|was)(.|)
        (do you|can you) (remember|still know|tell me) where (it|the story) (happened|was set|took place)?
        (in|at) (what|which) (sort of |kind of |)place (did it happen|did it take place|did it play|
            was it set)?
        where (was|is) (the story|it|that story) set?
        (where|whereabouts) was (that|all that|the hero|{name})( again|)?
        (what|which) was the (place|setting)( again| of the story|)?
        the (place|setting) of the (story|tale)?
        (it|the story) happened where?
        (sorry, |)where did you say it (happened|was|took place)?
    """),
    "what": lines("""
        (what|which) (thing|object) was (it|that|in it|in the story)( again|)?
        what was (the thing|the object|that thing|that object)( again|)?
        (what|which) thing played a part( in it|)?
        and the (thing|object)?
        (tell me|remind me|I forgot|I can't remember) (what|which) (thing|object) (it was|was in it|
            was in the story)(.|)
        (what|which) (thing|object) (did|does) (the story|it) (have|mention|talk about)?
        (do you|can you) (remember|tell me) (the (thing|object)|which (thing|object) it was)( in the story|)?
        (which|what) (thing|object) (was|is) (important|special)( in the story| in it|)?
        the (thing|object) in the story was(...|?| what?)
    """),
    "shorter": lines("""
        (make|can you make|could you make) it (shorter|short|a bit shorter)(?|.|)
        (shorter|much shorter|too long|that was too long|way too long)(.|, please|!|)
        (the|a|give me the|give me a) (short|shorter) version(.|, please|)
        (sum it up|summarize it|summarise it|shorten it|sum up the story|summary)(.|, please|)
        (in one sentence|in short|in a nutshell|tldr|tl;dr|briefly)(.|, please|)
        (can|could) you (shorten|summarize|sum up) (it|that|the story)?
        (that's|that is|that was|it is|it's) (too long|a bit long|very long|long)(.|,|!) ((a |)shorter( one|
            |)( please|)|make it shorter|in one sentence(,|) please|can you shorten it)(.|?|)
        (tell|say|give) (me |us |)(it|that|the story) in (one sentence|a few words|short|brief)(.|, please|)
        (now |and now |)(the same |that |it |the story |)in (one sentence|a single sentence|a few words|
            brief)(.|
            , please|)
        what (was|is) the (story|tale) in (one sentence|short|a nutshell)?
        (I have no time|I'm in a hurry|hurry up|I'm tired)(,|.|:) (short version|make it shorter|shorter|
            in short)(.|
            , please|)
        (cut it|keep it) (short|shorter|down)(.|, please|)
        (I need|I'd like|do you have|is there) (the|a) (short|shorter) version(.|?|)
        (my son|my daughter|the kid) wants it shorter(.|)
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
        (what|and what) (does|did) (he|she|it|the hero|the {kind}|{name}) do (next|then|after that|
            afterwards)?
        (I|we|my kid|the kids|they) (want|wants|would like) (to hear |to know |)(more|what happened next|
            how it goes on|the next part|the rest|part two)(.|!|, please|)
        (tell|give) (me|us) (the next part|the next chapter|what happened next|what happens next|
            how it goes on)(.|
            , please|)
        (and |ok, and |so, |)what (happened|happens) (next|then|
            after that)( to {name}| to the {kind}| to the hero)?
        (is that all|is that it|is this the end|is that the end)? (Go on|Tell me more|More|Continue)(.|!|
            , please.|)
        (please don't|don't|you can't) (stop|end) (now|there|here|it there)(.|!| yet.|)
        (write|make up|invent|tell) (a sequel|a second part|part two|the next part|the next chapter)(.|
            , please|)
        (yes|ok|nice|good|and|wow)(,|) (go on|continue|keep going|carry on|what next)(.|?|)
        (next|go|more please|a bit more of it|yes, more)(.|!|)
        (can|could|would|will) you (please |)(continue|go on|carry on|keep going|
            tell us more)( with it| with the story|)?
        (how|and how) (did|does) (it|the story) (end|continue|go on) (after that|then|next)?
        what about the next (day|morning|year)?
    """),
    "another": lines("""
        (another|another one|one more|one more story|another story|a different one|a new one)(.|!|
            , please| please|)
        (next story|more stories|a different story)(.|!|, please| please|)
        (tell|give|write) me (another one|another|another story|one more|a different one|a new story)(.|
            , please|)
        (can|could|may) I (hear|have|get) (another one|one more|another story)?
        (do you know|got) (another one|any other stories|any more)?
        (can|could|will|would) you (tell|write|read|make up) (me |us |)(another one|another story|one more|
            one more story|a new one|a different story)( please|)?
        (I|we|my kids|the kids) (want|wants|would like|need) (another one|another story|one more story|
            a new story|
            a different one)(.|!|, please|)
        (now|and now|ok, now) (another one|another story|one more|a different story|a new one)(.|!|, please|)
        (how about|what about|is there|do you have) (another one|another story|one more story|
            a different story)?
        (something|tell me something) (different|else), (a new story|another story)(.|, please|)
        (one|a) (last|more) story(.|!| please|, then bed.|, then I sleep.|)
        (that was|it was) (too sad|boring|silly|short)(.|,) (another one|another story|a new one)(.|!|
            , please|)
    """),
}
PRAISE = lines("""
    (nice|great|lovely|good|beautiful|sweet|wonderful|cute|cool|what a nice|I like that|
        I liked this) story(!|.|)
    (that was|this was|it was) (a |)(nice|great|lovely|good|beautiful|wonderful|funny|cute)( story|)(!|.|)
    (I|we) (loved|liked|enjoyed) (it|that|this|the story)(!|.|)
    (haha|wow|aww|bravo|well told)(!|, nice story|)
    (my|our) (son|daughter|kids|children|kid|little one) (loved|liked|enjoyed|adored) (it|that|the story)(!|
        .|)
    (that|this|it|the story) (made|really made) (me|us|my kid|my day) (smile|laugh|happy|better)(!|.|)
    (what|such) a (nice|lovely|great|sweet|funny|beautiful|cute|good|wonderful) (story|tale|one|ending)(!|.|)
    (you are|you're) (a good|a great|a wonderful) (storyteller|story teller|narrator)(!|.|)
    (you tell stories well|you tell good stories|nicely told)(!|.|)
    (I|we|he|she|they) (really |)(loved|liked|enjoyed) (your|the|this|that) (story|tale|ending)(!|.|)
""")
YES = (
    "(yes|yes|yeah|sure|yep|of course|oh yes|ok|okay|yes, I would|please|why not|yes, one more|"
    "sure, go ahead|gladly|absolutely|I would love that|I'd love to|yes, we would|definitely|all right|"
    "go ahead|oh yes, please do|certainly|yup|tell me|one more, yes)(!|.|, please| please|)"
)
INSTEAD = lines("""
    (now |)(the same |the same story |the same again |again |once more |again, but |that story |but )CHANGE
    (tell|write) (it|that|the story|me that story) (again |once more |)(but |)CHANGE
    (can|could) you (tell|write) (it|the same story|that) (again |)CHANGE?
    and (now |)CHANGE?
    CHANGE
    no, CHANGE
    (no|oh no|no no|wait|sorry|hmm|hm|actually|well)(,|...|) CHANGE(.|, please|)
    (no|wait|sorry|oh)(,|) (I meant|I said|I mean|make it|it should be|I wanted it|I want it) CHANGE
    (I'd rather|I would rather|I'd prefer to) (have|hear) it CHANGE
    (please |)(tell|write|do|make|try) (it|that|the story|this) (again |once more |over |anew |
        )CHANGE(, please|)
    (the same|same|same story|same again)(,|) (but |only |just |please |)CHANGE
    (nice|good|great|ok|cool|lovely)(,|!|.) (now |and now |but now |but )CHANGE
    (could|can) we have (it|that|the same) (again |)CHANGE?
    (one more time|again|once again)(,|) CHANGE
    (my son|my daughter|my kid|she|he) wants (it|the same|that) CHANGE
    (is it possible|would it work|can it be) CHANGE?
    (that's not what I wanted|that's wrong|not like that|not quite)(.|,|:) CHANGE(.|, please|)
""")
# What is asked to be replaced, by the part of the cast.
CHANGES = {
    "hero": "(with {new} as the hero|with {new} as hero|with {new} instead of the hero|about {new} instead|"
    "with {new} instead of {old_the}|with {new} as the main character|about {new}, not about {old_the}|"
    "about {new} and not {old_the})",
    "place": "({new} instead|set {new}|but {new}|happening {new}|{new}, not {old}|{new} instead of {old}|"
    "set {new} this time|{new} this time|only {new}|taking place {new})",
    "thing": "(with {new} in it|with {new} as the (thing|object)|with {new} instead of {old_the}|"
    "with {new}, without {old_the}|but with {new} in it instead of {old_the})",
    "name": "(with the name {new}|but the hero is called {new}|but the hero's name is {new}|"
    "with a hero called {new}|with {new} as the hero's name)",
}
# The same in few words, for what everybody knows to be a hero or a thing.
KNOWN_CHANGES = "(with {new} instead|with {new}|with {new} this time|but with {new}|with {new}, please)"
# Whole sentences that ask for the same.
CHANGED = {
    "hero": lines("""
        (make) (the hero|the main character|{old_the}) {new}(.|, please|)
        (change|turn) (the hero|{old_the}) (to|into) {new}(.|, please|)
        (replace|swap) {old_the} (with|by|for) {new}(.|, please|)
        what if (the hero|{old_the}) (was|were|had been) {new}?
        (I want|I'd like|let's have|use|take) {new} (as the hero|as hero|instead of {old_the}|
            and not {old_the})(.|, please|)
        (no|sorry|wait)(,|) the hero (is|was|should be|must be) {new}(.|!|)
        (no|sorry|wait)(,|) (I meant|I said|I wanted) {new}, not {old}(.|!|)
        not {old}(,|) (but |){new}(.|!|)
        the hero (should|must) be {new}(, not {old}|)(.|!|)
        {new} instead of {old_the}(.|, please|)
    """),
    "place": lines("""
        (let|make) (it|the story|all that) (happen|be|take place|play) {new}(.|, please|)
        (move|change|set|put) (it|the story) {new}(.|, please|)
        (no|sorry|wait)(,|) (it should|it must|it has to|let it) (happen|be|take place|play) {new}(.|!|)
        what if it (happened|was|had happened|took place) {new}?
        (no|sorry|wait)(,|) I (meant|said|wanted) {new}(, not {old}|)(.|!|)
        not {old}(,|) (but |){new}(.|!|)
        (and |)what would happen {new}?
        I want it (to happen |to be |){new}(.|, please|)
    """),
    "thing": lines("""
        (replace|swap) {old_the} (with|by|for) {new}(.|, please|)
        (change|turn) {old_the} (to|into) {new}(.|, please|)
        (no|sorry|wait)(,|) the (thing|object) (is|was|should be|must be) {new}(.|!|)
        (no|sorry|wait)(,|) (I meant|I said|I wanted) {new}, not {old}(.|!|)
        not {old}(,|) (but |){new}(.|!|)
        (I want|I'd like|let's have|use|take) {new} (instead of|and not|in place of) {old_the}(.|, please|)
        what if {old_the} (was|were|had been) {new}?
        the (thing|object) (should|must) be {new}(, not {old}|)(.|!|)
        {new} instead of {old_the}(.|, please|)
    """),
    "name": lines("""
        (call|name) (him|her|it|the hero) {new}( instead| this time|)(.|, please|)
        (no|sorry|wait)(,|) (the hero|he|she|it) (is|was|should be|must be) (called|named) {new}(.|!|)
        (change|turn) (the name|the hero's name|{name}) (to|into) {new}(.|, please|)
        (no|sorry|wait)(,|) (his|her|its|the hero's) name (is|should be) {new}(.|!|)
        (rename|replace) {name} (to|as|with|by) {new}(.|, please|)
        not {name}(,|) (but |){new}(.|!|)
        {new} instead of {name}(.|, please|)
        (can|could) the hero be called {new}( instead|)?
        what if the hero was called {new}?
        my (son|daughter|kid) wants the hero to be called {new}(.|)
    """),
}
