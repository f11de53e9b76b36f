"""Frames for telling something and for asking for it later, whatever it is."""

from training.phrasing import lines
from training.skills.facts import AGE, HOME, NAME, ORIGIN
from training.skills.likings import JOB

# `@` stands for a noun that follows "my": "favourite colour".
NOUN_ASKS = lines("""
    (what is|what's|whats|what was|what's) my @( again| please| now|)?
    (what is|what's|whats) my @?
    (which|what) (is|was) my @?
    (tell me|say|give me|name|repeat|show me) my @( again| please| once more|)(.|)
    (do|did|can|will) you (still |even |) (know|remember|recall) my @?
    (can|could|would|will) you (please |kindly |) (tell me|say|repeat|name|remember|recall|
        give me) my @( again|)?
    (and|so|now|well|right) my @( is| was|)?
    my @( is| was|, please| again|)(?|)
    @?
    which @ (is mine|do I have|did I tell you|did I give you|did I mention|did I say|have I told you)?
    (what|which) @ (did I (say|tell you|mention|give you)|have I)?
    what did I (say|tell you|call|write) my @ (is|was)?
    what did I (say|tell you) about my @?
    (I forgot|I've forgotten|I can't remember|I keep forgetting|I do not recall|I have no idea about) my @(.|
        , what is it?| - what was it?|. Do you remember it?|. Can you help?|. Do you?|, do you know it?|)
    remind me (of|about) my @(, please|, would you|)(.|?|)
    (please |)remind me what my @ (is|was)(.|)
    I (told|gave) you my @( earlier| before| a while ago|). (What was it|What is it|Can you repeat it|
        Which was it)?
    (what was|what's) (the|that) @ (I told you|I mentioned|I gave you|of mine)( about| again|)?
    (have|did|surely) you (forget|forgotten|forgot) my @( already| by now|)?
    I (hope|trust|bet) you (still know|remember|have not forgotten|know) my @(.|?|)
    I bet you (forgot|do not know|can't remember|can't tell me) my @(.|!|)
    (a |quick |small |) (test|quiz|question|check|memory test)(:|.|!| -) (what is|what's|) my @?
    (let's|let us|I want to|let me) see (if|whether) you (remember|know|still know|can recall) my @(.|)
    (any idea|do you happen to know|would you know|any clue|are you sure) what my @ (is|was)?
    what do you (have|know|remember) (as|about) my @?
    (would|do) you happen to (know|remember) my @?
    (how about|what about|and what about|and how about) my @?
    (are you able to|is it possible to|can you) (recall|remember|say|tell me) (what |)my @( is|)?
    you (know|remember) my @(, right|, don't you|)?
    (I'm curious|Just curious|Tell me|Be honest|Out of interest)(:|,) (what is|do you know|can you say) my @?
    if (someone|somebody|anyone) asked you (for|about) my @, what would you say?
    from what I (told you|said|wrote), what is my @?
    (have I|did I) (tell|told|mention|mentioned|give|given|say) you my @?
    fill in the (gap|blank): my @ is ...
    (guess|complete|finish)(:|) my @ is ...
    (could I have|may I have|I need|I want|I'd like to hear) my @( back| again| now|)(, please|.|)
    (test|check|prove) (that you know|whether you know|you know) my @(.|)
    (in case I forget|just to be sure|to be sure|for the record)(:|,) what is my @?
""")
# `@` stands for an indirect question: "where I live".
INDIRECT_ASKS = lines("""
    (do|did|can|would|might) you (still |even |) (know|remember|recall|tell me|say) @?
    (can|could|would|will) you (please |kindly |) (tell me|say|repeat|remind me|recall) @( again|)?
    (please |now |just |) (tell me|remind me|say|repeat) @( again| please|)(.|)
    I (forgot|wonder|can't remember|do not remember|would like to know|want to know|'d love to hear) @(.|
        , help me|. Do you know it?|. Do you?|?|)
    (I was wondering|I wonder|I'd like to know|let's see|let me see) (if|whether) you (still |)(know|
        remember) @(.|?|)
    (I was|I am|I'm|I've been) wondering @(.|)
    (have|did) you (forget|forgotten|keep|noticed|remembered) @?
    (have I|did I) (told|tell|mention|mentioned|said|say) (to you |)@?
    (any idea|any clue|you know|you remember|remember|know) @?
    what did I (say|tell you|write) about @?
    I (told|wrote to) you @( earlier| before|), (didn't I|remember|do you still know|right)?
    (I hope|surely|I trust) you (know|remember|did not forget) @(.|?|)
    I bet you (forgot|don't know|don't remember|can't say) @(.|!|)
    do you happen to (know|remember) @?
    are you (able to say|sure you know|still aware of|aware of) @?
    (a |quick |small |) (test|quiz|question|check)(:|.|! ) do you know @?
    (if somebody asked you|imagine someone asks you) @, what would you (say|answer)?
    you (know|remember) @, (right|don't you|no)?
    @?
""")
# `@` stands for a statement: "I live in Bern".
TELLING = lines("""
    (by the way|btw|fyi|for your information|just so you know|in case you wonder|oh|you know|well)(,|:) @(.|)
    (please |)(remember|note|keep in mind|don't forget|do not forget|memorise|write down|store)( that|:|
        ) @(.|)
    (you should know|I want you to know|let me tell you|I'd like to tell you|I must tell you)( that|:|) @(.|)
    (guess what|listen|look|so|ok|right|also|one more thing|another thing|first of all|to begin with)(,|
        :) @(.|!|)
    (something|a fact|some news|a little|a word) about me(:|,) @(.|)
    (let me introduce myself|about myself|let me tell you about me|here is what you should know)(:|.) @(.|)
    did (you know|I mention|I tell you|I say)( that|) @?
    (I think you should know|it may help you to know|it is true)( that|) @(.|)
    (hi|hello|hey|hi there|good morning|good evening|hey Tiny|hi Tiny)(,|!|.) @(.|!|)
    @, (by the way|btw|you know|just so you know|in case you wonder|if you want to know|remember that|ok?)
    @. (Please |)(remember|keep|note|don't forget|memorise) (that|it|this)(.|!|)
    @. (Can you remember that?|Will you remember that?|Got it?|Did you get that?|Remember!|Okay?|Clear?)
    @(.|!|...) (That's me.|That is all.|Just saying.|I tell you because I may ask later.|
        I will ask you later.)
    (as I said|as you may know|honestly|to be honest|truth be told|believe it or not|if you must know)(,|
        :) @(.|)
""")
JOINED = (
    ("{} and {}", "{}, {}", "{}. {}", "{}, and {}", "{} and {}", "{}. Also, {}", "{}; {}", "{}\n{}"),
    ("{}, {} and {}", "{}, {}, {}", "{}. {}. {}", "{} and {} and {}", "{}, {}. {}", "{}. {} and {}"),
)
# Several kinds of facts in few words; the slots of each kind bear its number.
COMPACT = (
    (
        (NAME, ORIGIN),
        lines("""
            (I'm|I am|my name is|this is|it's) {value0} from {value1}
            {value0} from {value1}( here|)
            (hello|hi|greetings) from {value1}, (I'm|I am|my name is) {value0}
        """),
    ),
    (
        (NAME, HOME),
        lines("""
            (I'm|I am|my name is) {value0}(,| and I'm| and) (living|based|at home) in {value1}
            (I'm|I am|my name is) {value0} and (I |) live in {value1}
            {value0}, (I live in|living in|resident of) {value1}
        """),
    ),
    (
        (NAME, AGE),
        lines("""
            (I'm|I am|my name is) {value0}, {value1}( years old|)
            (I'm|I am|my name is) {value0} and I'm {value1}( years old|)
            {value0}, {value1}( years old|)
            {value0} here, {value1} years old
        """),
    ),
    (
        (NAME, JOB),
        lines("""
            (I'm|I am|my name is) {value0}, {a_value1}
            (I'm|I am|my name is) {value0} and (I'm|I work as) {a_value1}
            {value0} here, {a_value1}
        """),
    ),
    (
        (NAME, AGE, ORIGIN),
        lines("""
            (I'm|I am|my name is) {value0}, {value1}(,| and| years old and|) from {value2}
            {value0}, {value1}, {value2}
        """),
    ),
    (
        (NAME, JOB, ORIGIN),
        lines("""
            (I'm|I am|my name is) {value0}, {a_value1} from {value2}
            (I'm|I am) {a_value1} from {value2}(, my name is|, called|. I'm) {value0}
        """),
    ),
    ((AGE, JOB), lines("(I'm|I am) a {value0} year old {value1}\n{value0} years old, {value1}")),
    (
        (AGE, HOME),
        lines("(I'm|I am) {value0} and (I |)live in {value1}\n{value0} years old, living in {value1}"),
    ),
    (
        (JOB, HOME),
        lines("(I'm|I am|I work as) {a_value0} in {value1}\nI work as {a_value0}, I live in {value1}"),
    ),
    ((JOB, ORIGIN), lines("(I'm|I am) {a_value0} from {value1}\n{a_value0} from {value1}, that's me")),
)
# What may be told at once with a name, beginning with a place for the name.
INTRODUCTIONS = lines("""
    {value} here(.|!|)
    (hi|hello|hey|good morning|good evening)(,|!|) {value} here(.|!|)
    (this is|it's|it is) {value}(.|!|)
    (hi|hello|hey)(,|!|) (this is|it's) {value}(.|!|)
    (I'm|I am) {value}, (nice to meet you|pleased to meet you|hello|good morning|and I am new here)(.|!|)
    (I'm|I am|my name is) {value}(.|!|,) (I need your help|can you help me?|let's talk|shall we chat?|
        I have a question)
    let me introduce myself(:|,|.) (I am|I'm|my name is) {value}(.|)
    (I am the one and only|they know me as|the name's|name's|name:|my name =|username:) {value}(.|)
    (it is me|it's me|me)(,|:) {value}(.|!|)
    (nice|pleased|good) to meet you, (I'm|I am|my name is) {value}(.|!|)
""")
GREETED = "((hi|hello|hey|good morning|good day)(,|!|.) |)(I'm|I am|my name is) {value}(.|!|,) "
WITH_QUESTION = (
    (GREETED + "(how are you(doing|)( today|)?|how's it going?)", " I am well, thank you!"),
    (
        GREETED + "(what's yours?|and yours?|what is your name?|who are you?|and you?|what's your name?)",
        " I am Tiny.",
    ),
)
EVERYTHING = lines("""
    what do you know about me( so far| now| already|)?
    what do you (remember|recall|know) (about|of) me?
    (tell me|say|list|repeat|write down|summarise|sum up|recall) (everything|all|what|
        all that) you know about me(.|)
    (tell me|can you tell me|do you know) (something|anything|a bit|more) about (me|myself)(.|?|)
    what (have|did) I (tell|told) you( so far| about me| about myself| until now|)?
    what have you (learned|learnt|found out|heard|noted|stored) about me?
    (describe|introduce|summarise|characterise) me(.|, please|)
    (can|could) you (describe|introduce|summarise|list) (me|what you know about me|all you know of me)?
    do you (know|remember) anything about me?
    (who am I and|so) what do you know about me?
    what (information|facts|data|things) do you have (about|on) me?
    list (all |) (the |my |) (facts|things) (you know|I told you|about me)(.|)
    (let's see|a test|a question|quiz)(:|,) what do you know about me?
    how well do you know me?
    what did I (say|tell you|mention) about myself?
    everything (you know|about me|you remember)(, please|?|)
""")
# `@` and `#` stand for two indirect questions.
BOTH_ASKS = lines("""
    (tell me|do you know|do you remember|can you tell me|remind me|could you say|I forgot) @ and #(?|.|)
    (do you still know|can you remember|please say|say|I'd like to know|let me hear) @ and #(?|.|)
    (tell me|do you know|do you remember) @(,| and|, and also|, and) #(?|.|)
    (two questions|a test|quiz)(:|.) @(,| and) #?
""")
REFUSALS = lines("""
    (I won't|I will not|I'd rather not|I do not want to|I don't want to|I can't) (tell you|say|tell|
        say that)(.|!|)
    (that's|it's|it is|that is) (a secret|private|none of your business|personal|too personal)(.|!|)
    (why should I tell you|why do you want to know|why do you ask)?
    (I do not|I don't) have (one|any|such a thing)(.|)
    (you will never know|wouldn't you like to know|my lips are sealed|no comment)(.|!|)
    (I have not decided|I haven't made up my mind|hard to say|that's hard to say|I do not know myself)(.|)
""")
LAST_MESSAGE = lines("""
    what did I (just |)(say|write|type|ask|tell you)( just now| before| last|)?
    (what was|what's|what is) my (last|previous) (message|question|sentence|line|text)?
    (repeat|say|tell me|quote) what I (just |)(said|wrote|typed)( before| last|)(.|)
    repeat my (last|previous) (message|question|words)(.|)
    (can|could) you (repeat|quote|tell me) (what I just said|my last message|what I said last|
        what I just wrote)?
    what were my last words?
    what have I just (said|written|asked)?
    do you (remember|know) what I just (said|wrote|asked)?
    quote me(.|)
    which words did I just use?
""")
LAST_ANSWER = lines("""
    what did you (just |)(say|write|answer|reply)( just now| before|)?
    (say|repeat|tell me) that (again|once more|one more time)(, please|.|)
    (what was|what is) your (last|previous) (answer|message|reply|sentence)?
    repeat (your last answer|what you said|what you just said|yourself|your last message)(.|, please|)
    (can|could|would) you (repeat|say) (that|it|what you said|your answer)( again| once more|)( please|)?
    (again, please|once more, please|come again?|say again?)
    I (did not|didn't) (get|catch|hear|read) that(, can you repeat it?|. Again, please|. Once more?|
        . Say it again)
    what have you just (said|written)?
""")
REPEAT = lines("""
    (please |)(repeat|say|echo|write|type|print)(:|) {list}(.|)
    (repeat after me|say after me|say it back|repeat this|echo this|copy this|now say this|(please |)say)(:|
        ,|) {list}(.|)
    (can|could|would|will) you (please |)(say|repeat|write|echo) {list}(?| for me?| please?)
    (say|repeat|write) {list}(, please| for me| once|, ok?|)
    (I want you|I'd like you|try|you have|I ask you) to (say|repeat|write) {list}(.|)
    (say|repeat|write) "{list}"(.|)
    (please |)(say|repeat|write|echo) (the (words|word|names|name|text)|the following|these words)(:|
        ) {list}(.|)
    just (say|write|answer|reply)(:|) {list}(.|)
""")
