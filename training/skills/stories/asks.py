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
    (my|our) (daughter|son|kids|children|nephew|niece|granddaughter|grandson|little one|twins|
        class|pupils|boy|girl|4 year old|six year old) (want|wants|would love|would like|
        asked for|begs for|keeps asking for) STORY BODY.
    (make up|make|invent|write|come up with|tell) something for (my|our) (kid|child|kids|children|daughter|
        son|
        boy|girl|class|niece|nephew|grandchildren) BODY.
    (my|our) (daughter|son|kids|little one|grandson) (can't|won't|doesn't want to) sleep(.|,| and wants|
        , we need|. We need|. I need) STORY BODY.
    (I|we) (promised|owe) (my|the|our) (kids|son|daughter|children|grandchildren) STORY BODY.
    (it's|it is) (bedtime|time for bed|story time|nearly eight|late)(,|.|!) (I need|we need|
        we want|please tell us|read us|how about|may we have) STORY BODY(.|?|)
    (would|could) you (mind telling|be so kind as to tell|be able to make up|have) (me |us |)STORY BODY?
    (is it possible|would it be possible|are you able|do you think you are able) to (tell|write|get|
        hear) (me |
        )STORY BODY?
    (what about|how about|fancy|feel like|up for|ready for|any chance of) (telling (me |us |)|)STORY BODY?
    (I|we) (feel like|am in the mood for|could use|would enjoy|really want|was hoping for|were hoping for|
        came for|am looking for|like) STORY BODY.
    (I'd|I would|we'd) (love|like) (it if you told|you to tell|you to write|
        you to make up) (me |us |)STORY BODY.
    (grandma|grandpa|mum|daddy|the teacher) always told (me|us) STORY BODY. (Can you do|You do) (it|that|
        one|the same)(?|)
    (do|write|give us|gimme|hit me with|let's have|let me have|bring me|show me|get me) STORY BODY(.|!|)
    (I|my friend|my brother) (bet|says|bets|said) (that |)you (can't|cannot|can) (tell|write|
        make up) STORY BODY.
    for (school|homework|my class|the kids|my English class|tonight|my blog)(,|:) (I need|write|we need|
        I want|
        make) STORY BODY.
    (I am|I'm) (learning English|ill in bed|in hospital|on a train|very tired|sad today|home alone)(.|
        , so|, please) (tell|write|give) me STORY BODY.
    (something|a little something|anything|a few lines|a text) BODY(, a story| please|, please|, as a story|
        , for children|, for kids)
    (now|then|and now|so|ok|next|first|today|tonight|this time)(,|:|) (tell me |I want |we want |
        please |)STORY BODY.
    STORY(, please|, pls|,) BODY
    STORY(, nice and short,|, not too long,|, for kids,|, for a child of five,| for children| for kids) BODY
    STORY for (my son|my daughter|toddlers|our little one) BODY
    (you|Tiny)(,|:) (tell|write|make up) (me |us |)STORY BODY(!|.|)
    (let's|let us) (write|make up|invent|do|have) STORY BODY(.| together.|)
    (start|begin) STORY BODY.
    (write|tell|do|make) (me |)STORY for (me|my kid|the kids|my little sister) BODY.
    (any|got any|know any|know a|do you know a|is there a|have you a) (good |nice |)(story|stories|tale|
        bedtime story|fairy tale) BODY?
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
    (story time|storytime|time for a story|bedtime)(!|.|)
    (story|tale|story please|a story|stories)(!|?|, please| now|, now|)
    STORY(,| -|.|!) (any|no matter what|whatever|anything goes|I don't mind|you decide|you pick|up to you|
        about anything)
    (can|could|may|shall) (I|we) (have|hear|get) STORY?
    (my|our) (kids|son|daughter|children|grandchild|baby) (want|wants|would like|need|needs) STORY(.|!|)
    (would you|will you|could you|can you) (tell|read|write|make up) (me|us|my kids) STORY( now| tonight|)?
    (tell|read|write|make up|invent|give) (me|us) STORY( now| tonight| please|, would you|)(.|!|)
    (I want|I need|I'd like|I would love|we want) (to hear |)STORY(.|!| now| please)
    (entertain|amuse) (me|us)(:| with) STORY
    (I don't care|I have no idea|no idea) what (it is about|about)(,|.) (just |)(tell|write) me STORY
    (got|know|have) (any|some) (good |nice |)stories?
    (are you good at|do you like) telling stories? (Tell|Give) me (one|STORY)(.|)
    (let's|let us) (hear|have) (STORY|one of your stories|a story of yours)
    (it's|it is) (raining|bedtime|late|cold outside)(.|,) (tell|read) us STORY
    (how about|what about|fancy|maybe) STORY?
    once upon a time(...|, please go on|, go on|, and then|, continue)
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
        about {hero} (at home|somewhere|all alone|and a friend|
            deep) {place}(,| and| with| who VERB) {object}
        about {object} (that|which) belongs to {hero} {place}
        about {object} of {hero} {place}
        about {object} (that|which) {hero} VERB {place}
        about the day (when |)({hero} VERB {object} {place}|{hero} {place} VERB {object})
        about what happens (when|if) {hero} VERB {object} {place}
        about how {hero}, {place}, VERB {object}
        (where|in which) {place} {hero} VERB {object}
        (where|in which) there is {hero}, {object} and {spot}
        with {hero} {place} and {object}
        with {hero} {place} (who|that|which) VERB {object}
        with {hero} as (the |)hero, {spot} as (the |)(place|setting|
            scene) and {object}( in it| as the object|)
        with {spot}, {hero} and {object}( in it|)
        with {spot}, {object} and {hero}( in it|)
        with {object}, {spot} and {hero}( in it|)
        with {object}, {hero} and {spot}( in it|)
        with {object} (in it,|in it and) {hero} (as the hero|as the main character), {place}
        about {spot}, {object} and {hero}
        about {object}, {spot} and {hero}
        about {hero}. (Place|Setting|Where)(:|?) {place}. (And |)(with|there must be|don't forget|
            also) {object}
        about {hero} {place}, with {object} in it
        about {hero} {place}, and (put|get|bring|have) {object} in( it|)(, too| somewhere|)
        about {hero} {place}, (oh |)and (don't forget|please add|I'd like|there is) {object}( too|)
        about {hero}, and it (plays|happens|takes place|is set) {place}, and (there is|there should be|
            it has|he VERB|she VERB|it VERB) {object}
        about {hero} (who|that) (lives|works|is all alone) {place} and VERB {object}
        about {hero} (who|that) VERB {object} and (lives|works) {place}
        set {place}. (The hero is|The main character is|It is about|It should be about|There is) {hero}(
            , who VERB|. (He|She|It) VERB|, and it has) {object}
        {place}, where {hero} VERB {object}
        {place}. (There|In it)(,|) {hero} VERB {object}
        , (hero|main character) {hero}, (place|setting) {spot}, (object|thing) {object}
        that (takes place|happens|is set|starts|begins|plays) {place}(,| and) (is about|has|
            features) {hero} (and|
            with) {object}
        that (has|mentions|contains|uses) {hero}, {object} and {spot}
        (starring|featuring) {hero}, with {object}, (set |all |){place}
        (involving|containing|combining|mentioning) {hero}, {spot}, and {object}
        (involving|containing|combining|mentioning) {object}, {hero} and {spot}
        starring {hero} (and|with) {object} {place}
        (out of|from|using|with|including) (these|the|these three|the three) (things|words|ingredients|
            ideas)(:|
            ,) {hero}, {spot}, {object}
        (out of|from|using|with) (these|the) (things|words)(:|,) {thing}, {kind}, {spot_bare}
        of {object}, {hero} and {spot}
        of {hero} {place} and (his|her|its|the) {thing}
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
        about {hero} (who|that) (works|lives|is happy|has an adventure|is all alone) {place}
        about {hero} (alone|all alone|at work|on an adventure) {place}
        about {spot} and {hero}
        about how {hero} (lived|lives) {place}
        about the life of {hero} {place}
        about what {hero} (does|did) {place}
        about {hero} (and it happens|and it plays|, the place is|, it plays|, in the story it lives) {place}
        with {hero} (as the hero|as hero|as the main character), {place}
        (that takes place|that happens|set|taking place|all) {place}, (hero|main character|
            with a hero)(:| is|,) {hero}
        (with|featuring|starring|including) {hero} and {spot}( in it|)
        (starring|featuring) {hero} {place}
        (where|in which) {hero} (is|works|has fun|has an adventure) {place}
        (where|in which) there is {hero} {place}
        {place}. (The hero is|It is about|It should be about|The main character is) {hero}
        about {hero}, {place}
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
        about {hero} (and|with) (his|her|its) {thing}
        about {hero} (who|that) (one day|suddenly|always|really|secretly) VERB {object}
        about the day {hero} VERB {object}
        about what happens (when|if) {hero} VERB {object}
        about {hero}, (with|including|plus|and also|and please also) {object}
        about {hero}. (There|It) (should be|must be|is) {object} in it
        about {hero}. (He|She|It) VERB {object}
        about {hero}, (he|she|it|who one day) VERB {object}
        about {object} (that|which) {hero} VERB
        about {object} that belongs to {hero}
        about {object}, (with {hero} as the hero|hero {hero}|the hero is {hero})
        with {hero} (as the hero|as hero|as the main character)(,| and) {object}
        (starring|involving|mentioning) {hero} and {object}
        with {hero}, and (he|she|it) VERB {object}
        (where|in which) {hero} (one day|suddenly|at last) VERB {object}
        (where|in which) there is {hero} and {object}
        of {hero} (who|that) VERB {object}
        (about|with) {hero} plus {object}
    """),
    "po": lines("""
        about {object} {place}
        about {object} and {spot}
        about {spot} and {object}
        with {object}(,|) (set|happening|that is set) {place}
        (set|happening|that plays) {place}(,|) (about|with|featuring) {object}
        (where|in which) somebody VERB {object} {place}
        about {object} (hidden|that is hidden|forgotten|lying) {place}
        about (somebody|someone|a person|a hero) (who|that) VERB {object} {place}
        with {object} and {spot}( in it|)
        with {spot} and {object}( in it|)
        (featuring|including|involving) {object} and {spot}
        (where|in which) (someone|the hero|a child I don't know) VERB {object} {place}
        {place}(,| and) with {object}
        that (takes place|happens|is set) {place} and has {object} in it
        (set|happening) {place}. (It|There) (should|must) be {object} in it
        with (place|setting) {spot} and (object|thing) {object}
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
        about {hero}, (the rest is up to you|you invent the rest|you do the rest|whatever happens|
            and make it nice|
            that's all I want|it's her favourite animal|it's his favourite|she loves those)
        with (hero|main character|protagonist|the hero)(:|,| being) {hero}
        with {hero} as (the |)(main character|protagonist|star|lead)
        (where|in which) {hero} (has an adventure|does something funny|saves the day|makes a friend|is happy)
        (about|on) the (adventures|life|day|dreams) of {hero}
        (about|with) only {hero}
        about {hero} and (his|her|its) (friends|day|adventures|life)
        (involving|including|mentioning|containing) {hero}
        about {hero} (who|that) (has an adventure|is happy|has a good day)
        about, (say|let's say|hmm|well|you know), {hero}
        where the hero is {hero}
    """),
    "p": lines("""
        (set|that is set|happening|that happens|that plays|playing) {place}
        about {spot}
        {place}
        about (life|somebody|someone|people|what happened) {place}
        (where|in which) everything happens {place}
        (that takes place|taking place|that is set|with everything happening|all) {place}
        about (what happens|an adventure|a day|a night|a hero|strange things|a hero you choose) {place}
        (where|in which) (somebody|someone|the hero) (lives|is|works|has an adventure) {place}
        with (place|setting|location|scene|the place)(:|,) {spot}
        with {spot} as (the |)(place|setting|scene|background)
        (about|with) something (strange|funny|nice) {place}
        {place}, (the rest is up to you|you invent the rest|with any hero|whoever is in it|
            you choose the hero)
        (where|in which) the (place|setting) is {spot}
    """),
    "o": lines("""
        about {object}
        about {object}
        with {object}( in it|)
        (where|in which) (somebody|someone|the hero) VERB {object}
        (featuring|that has|including|of) {object}
        about (somebody|someone|a hero|a person) (who|that) VERB {object}
        about how (somebody|someone) VERB {object}
        with (object|thing|item|the thing)(:|,) {object}
        with {object} as (the |)(thing|object|item)( in it|)
        (where|in which) {object} (plays a part|is important|appears)
        about {object}, (you choose the hero|the rest is up to you|any hero|you do the rest)
        (involving|mentioning|containing|using) {object}
        (about|with) nothing but {object}
        (where|in which) the (thing|object) is {object}
    """),
}
# What the hero has to do with the thing, in the present.
VERBS = {
    "found": "(finds|finds|discovers|digs up|comes across|stumbles upon|picks up|has found|spots|trips over)",
    "lost": "(loses|loses|has lost|cannot find|misses|drops|can't find|has mislaid)",
    "wanted": "(wants|looks for|searches for|is looking for|dreams of|wishes for|needs|would like to have)",
    "had": "(has|owns|carries|gets|is given|keeps|holds|receives|got|has got|inherits|is proud of)",
}
# The same of what is over, and after another verb.
PAST = {
    "found": "(found|found|discovered|dug up|came across|stumbled upon|picked up|spotted|tripped over)",
    "lost": "(lost|lost|had lost|could not find|dropped|couldn't find|missed)",
    "wanted": "(wanted|looked for|searched for|was looking for|dreamt of|wished for|needed|longed for)",
    "had": "(had|had|owned|carried|got|was given|kept|held|received)",
}
BASE = {
    "found": "(find|find|discover|dig up|come across|pick up|spot)",
    "lost": "(lose|lose|drop|miss)",
    "wanted": "(want|look for|search for|dream of|wish for|need)",
    "had": "(have|own|carry|keep|get|hold)",
}
