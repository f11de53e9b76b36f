"""Frames for asking for what was told before, whatever it is."""

from training.phrasing import lines

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
    (have I (told|given)|did I (tell|give)) you my @?
    fill in the (gap|blank): my @ is ...
    (guess|complete|finish)(:|) my @ is ...
    (could I have|may I have|I need|I want|I'd like to hear) my @( back| again| now|)(, please|.|)
    (test|check|prove) (that you know|whether you know|you know) my @(.|)
    (in case I forget|just to be sure|to be sure|for the record)(:|,) what is my @?
    (can|could|would) you (still |)(tell|give) me my @( you have noted| I told you| please|)?
    remind me(,|:| -) (what is|what was|what's|which is) my @( again|)?
    remind me(,|:) my @(?|.|)
    (quick|little|pop|short) (quiz|test)(:|!|.) (what's|what is|which is|tell me) my @(?|)
    (quiz|exam|memory) (time|check)(:|!|.) my @(?|)
    (question one|question|for ten points|for a cookie|first question)(:|,) (what is|what's) my @?
    I bet you (have forgotten|forgot already|lost|don't know|did not note) my @(.|!|)
    I bet (that |)you (can|still can|could) (tell me|say|remember) my @(.|!|)
    (you|I guess you|I think you|surely you) (forgot|have forgotten|don't remember|never noted) my @(,
        right|, didn't you|, no|)?
    (don't|please don't|do not) (tell me|say) (that |)you (forgot|have forgotten) my @(.|!|)
    you haven't forgotten my @, have you?
    what (did|had) I (say|said) my @ (was|is)?
    what do you (think|believe|say) my @ is?
    what('s| is) (it|that)(,| again,) my @?
    what was it again, my @?
    my @ (was|is) (what|what again|which one|...)(?|)
    my @ (was|is)(...| ___| :|:)
    my @(,|:| -) (what is it|what was it|do you know it|please tell me|tell me|do you have it|say it)(?|.|)
    my @, (do you remember|you know it|any idea|if you please|go on|quick|now)(?|!|.)
    (so|ok|okay|now|well|then|right|good)(,|) (what was|what is|what's|tell me|say) my @(?| again?|)
    (ok|okay|good|great|nice)(,|.) (and |)(now |)my @?
    (and|but) (what is|what's|what was|what about) my @( then| again|)?
    (and|also|then|next)(,|) my @?
    what (would|should) I (say|answer|write) if (someone|a friend|my teacher) asks (for|about) my @?
    what should (I|one|we) (write|put|enter|type) (in the form |)(for|under|next to|at) my @?
    (I'm|I am) (filling in|filling out|writing) a form(:|.|,) (what's|what is|what was) my @?
    (it asks|they ask|he asks|she asks|they want to know) (for |)my @(. What do I say?|, what is it?|.
        What should I write?)
    (my (friend|sister|mum|boss|teacher) (wants to know|asks)|someone is asking)(:| ) what('s| is) my @?
    (I am|I'm) (getting old|so forgetful|confused|tired)(,|.|:) what('s| is| was) my @( again|)?
    (I have|I've) (a bad memory|a memory like a sieve|no memory)(.|,|:) what('s| is| was) my @?
    my memory is (bad|gone|terrible|weak)(,|.) what('s| is| was) my @?
    (did|do) you (write down|note|store|save|keep|get|catch) my @( somewhere| earlier| before|)?
    (is|was) my @ (still |)(known to you|in your memory|there|stored|saved|somewhere in your head)?
    (what have you got|what do you have|what is written|what did you write) (for|under|down for|down as) my @?
    (please |)(look up|check|read out|recite|recall|state|write|type|spell out|show|output) my @(.|!|
            , please.|)
    (say|write|repeat) my @ (back|back to me|for me|one more time|so I know you know)(.|)
    (let me|I want to|I'd love to) (hear|see|read) my @( from you| again|)(.|)
    (what|which) @ (is it that I have|do I have( again|)|have I got|would be mine|was mine)?
    the @ (that |)I (told|gave) you (for|as) mine(?|, please.|)
    (could|can|may) I (ask|trouble) you for my @( again|)?
    (would|do) you mind (telling me|repeating|saying) my @( again| once more|)?
    (I need|I want|I'd like|give me) (to know |)my @( again| please| right now|)(.|!|)
    (I want|I'd like|I need) (you to|to hear you) (say|repeat|tell me|remember) my @(.|)
    (how|why) (would|should) you know my @? (Because I told you.|I told you!) (So what is it?|Say it.)
    I (already |)(told|said to|gave) you (about |)my @(.|,|!) (so what is it|what is it|what was it|say it|
        now repeat it)(?|.)
    I('ve| have) (told|mentioned to) you my @(. Remember?|, remember?|, do you recall?|, so tell me.)
    (earlier|before|a moment ago|at the start|just now) I (told|gave) you my @(. What was it?|, remember?|
        , what is it?)
    (if I'm not mistaken|I think|as I recall|I believe)(,|) I (told|gave) you my @(.|. Which was it?|
            , or not?|
        , what was it?)
    (if|since|as|now that) you know (so much|everything|me so well)(,|:) (what is|what's|tell me) my @(?|.|)
    (are|were) you (listening|paying attention|awake)? (What's|What is|What was) my @?
    (be a dear|be so kind|do me a favour|be nice)(,|:| and) (tell me|say|repeat) my @(.|)
    (hey|hi|hello|yo|oi|psst)(,|) (what's|what is|what was|do you know) my @?
    (sorry|excuse me|pardon)(,|, but) (what is|what was|I forgot|could you repeat) my @(?|.|)
    @ (of mine|of me|please|again|, please)?
    @, (mine|my own)?
    (user's|my own|mine) @?
    tell me my @(.|!|, now.|, would you?|, if you can.| if you know it.|)
    (see|find out|work out|tell) what my @ is( from what I told you| from above|)(.|)
    (I can't think of|I lost|I am not sure about|I'm unsure of|I don't know) my @(.|. Help!|. Tell me.|
        , can you help?|. What did I say?|, what did I say it was?)
    (who knows|does anyone know|does anybody here know|anyone remember) my @?
    (just checking|checking|only a check|a check)(:|,|.|...) my @?
    (do we|did we) (talk about|speak of|mention) my @? (What was it?|What is it?)
    (still|you still) (know|remember|got|have) my @?
    (remember|recall|know|got) my @?
    (true or false: |)you know my @(. Say it.|. What is it?|, so say it.)
    (prove|show|show me)(:| that you listened:| you listened:) (what is|what's|) my @?
    (complete|finish) (the|my) sentence(:|.) my @ is
    my @ =(| ?)
    @ = ?
    @:
""")
# `@` stands for an indirect question: "where I live".
INDIRECT_ASKS = lines("""
    (do|did|can|would|might) you (still |even |) (know|remember|recall|tell me|say) @?
    (can|could|would|will) you (please |kindly |) (tell me|say|repeat|remind me|recall) @( again|)?
    (please |now |just |) (tell me|remind me|say|repeat) @( again| please|)(.|)
    I (forgot|wonder|can't remember|do not remember|would like to know|want to know|would love to hear) @(.|
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
    (can|could|would) you (still |)(tell me|say|remember|recall) @( again| now| or not|)?
    remind me(,|:|) @( again|, please|)(.|?|)
    (quick|little|pop|short) (quiz|test)(:|!|.) (tell me |do you know |say |)@?
    (test|quiz|question|memory check)(:|.|!) @?
    I bet you (have forgotten|forgot already|no longer know|have no idea|didn't note) @(.|!|)
    I bet you (can|can still|could) tell me @(.|!|)
    (you|I guess you|I think you|surely you) (forgot|have forgotten|don't know any more|never noted) @(,
        right|, didn't you|, no|)?
    (don't|please don't) (tell me|say) you (forgot|have forgotten) @(.|!|)
    you haven't forgotten @, have you?
    (I can't|I cannot) (remember|recall|think of|say) @( any more| today| at all|)(.|)
    I (don't|do not) (know|remember|recall) @( any more| right now|)(.|. Do you?|, can you help?|
            , but you do.)
    (it slipped my mind|I've forgotten|I forget|I keep forgetting|I'm not sure)(:| ) @(.|, help!|
            . You know it?|)
    (I'm|I am|I was) (curious|wondering|interested|keen to know|asking)(:|,| if you know|) @(.|?)
    (I'm|I am) (so forgetful|getting old|confused), (tell me|please tell me|do you know) @(?|.)
    (so|ok|okay|now|well|then|right|good)(,|) (tell me|say|do you know|do you remember|you know) @(?|)
    (and|also|then|next|oh, and)(,|) (do you know|can you tell me|tell me|) @?
    (did|do) you (write down|note|store|save|keep|catch|get) @?
    (what about|how about|and what about) @?
    (what have you got|what do you have) (for|on) @?
    (let me|I want to|I'd love to) (hear|see|read) @( from you| again|)(.|)
    (may|can|could) I (ask|trouble you to tell me|hear) @?
    (would|do) you mind (telling me|repeating|saying) @( again|)?
    (would|could) you be (so kind|so good|able) (and tell me|to tell me|as to say) @?
    I (already |)(told you|said) @(.|!|,) (remember|so tell me|so say it|do you recall|now you say it)(?|.|)
    (earlier|before|at the start|just now) I (told you|said|mentioned) @(. Do you remember?|, remember?|
        . Tell me.| - what was it?)
    (my (friend|sister|mum|boss|teacher) (asks|wants to know)|someone wants to know|they want to know) @(.|)
    (be a dear and|be so kind and|do me a favour and|please|just|quickly) (tell me|say|repeat) @(.|!|)
    (are|were) you (listening|paying attention) when I (told you|said|mentioned) @?
    (see|let's see|I want to see|I will see) if you (know|remember|can say|can tell me) @(.|)
    (show|prove) (me |)that you (know|remember|listened, and say|still know) @(.|!|)
    (do you|you) (think you |)(know|remember) @( or not| at all| or did you forget| by now|)?
    (you were told|you should know|you must know|you know) @(, right|, so say it|, don't you|. Tell me)(?|.)
    (who knows|does anyone know|do we know|does your memory tell) @?
    (work out|find out|tell from my words|look up|check) @(.|)
    (how|what) would you (answer|say) if someone asked @?
    (I'll|I will) (test|check|ask) you(:|,) @?
    (still|you still) (know|remember) @?
    @(, please|, do you know| - do you know|, any idea|, if you remember|, remember)?
    @(, tell me|. Tell me|, say it)(.|!|)
    (sorry|excuse me|hey|hi|hello)(,|) (do you know|do you remember|tell me|I forgot|can you say) @(?|)
    (have you|you've) (any|an|got an|no) (idea|clue) @?
    (what's|what is) the answer (if I ask you|to the question) @?
    (it would help|I'd be glad|I'd be happy|it would be nice) if you (told me|could tell me|knew|said) @(.|)
    (I need|I want) you to (tell me|say|remember) @(.|)
""")
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
    what all do you know (about me|of me)?
    (tell|show|give) me (everything|all|all the things|the facts) you (have|know|stored) (on|about) me(.|)
    (sum|wrap) up what (I told you|you know about me|I said about myself)( so far|)(.|)
    (give me|I want|I'd like) a (summary|list|profile|short portrait) of (me|what you know about me|
        what I told you about myself)(.|)
    (let's see|now|ok|so|quick test)(:|,|) (tell me |say |)(everything|all) (you know|
            you remember) about me(.|)
    (what|which) (facts|things|details) (about me |)do you (remember|know|have)( about me| of me| so far|)?
    (which|what) things did I tell you( about me| about myself|)?
    (have you|did you) (learned|learn|learnt|remembered|kept|noted) (anything|something|things) about me?
    what (was|is) it (that |)I told you about (me|myself)?
    (I forgot|I can't remember) (what|everything) I (told you|said) about (me|myself)(.|. Do you know?|)
    (remind me|repeat)(:|) (what|everything|all that|all) I told you about (me|myself)(.|)
    (all|everything) (you've got|you have|you know|I told you) (on|about) me(?|, please.|)
    (prove|show) that you (know|remember) me(:|.) what do you know about me?
    (write|make) (a|a short) (profile|list|note) (about|of) me(.|: what do you know?)
    (do you|can you) (remember|repeat|recall|list) (everything|all) I (told|have told) you( about me|)?
    my (facts|details|data)(, please|)(.|?)
    what('s| is) in your (notes|memory) about me?
    (imagine|suppose) you introduce me to a friend(:|.) what would you say( about me|)?
    tell (a friend|my friend|somebody|others) (who I am and |)what you know about me(.|)
    (me in a few words|me, in short|about me)(.|?|)
""")
# `@` and `#` stand for two indirect questions.
BOTH_ASKS = lines("""
    (tell me|do you know|do you remember|can you tell me|remind me|could you say|I forgot) @ and #(?|.|)
    (do you still know|can you remember|please say|say|I'd like to know|let me hear) @ and #(?|.|)
    (tell me|do you know|do you remember) @(,| and|, and also|, and) #(?|.|)
    (two questions|a test|quiz)(:|.) @(,| and) #?
    (can|could|would|will) you (please |)(tell me|say|repeat|remind me) @ and (also |)#?
    do you (happen to |still |)(know|remember|recall) (both |)@ and #?
    (please |)(tell me|remind me|repeat) (both |)@ and #( again|)(.|, please.|)
    (I forgot|I can't remember|I don't know|I wonder|I'd like to hear) @ and (also |)#(.|. Do you know?|)
    (what did I say about|what do you know about|what about|how about) @ and #?
    (I bet you forgot|you have forgotten|you forgot|have you forgotten) @ and #(.|?|!)
    (quick quiz|quiz time|memory test|little test|two things)(:|!|.) @( -|,|;)( and|) #?
    @ and #(?|, please.|)
    @, and (then |also |)#(?|, please.|)
    @? (And|Also|Then|Oh, and|And also) #?
    tell me @(.|,) (And|and then|Then|Also,) #(.|)
    do you know @? (And|And do you know|What about) #?
    (say|repeat|write) @(,| and then| and after that) #(.|)
    (first|firstly|one:) @, (second|secondly|then|two:) #(.|?)
    not only @ but also #, (please|do you know)(.|?)
""")
REFUSALS = lines("""
    (I won't|I will not|I'd rather not|I do not want to|I don't want to|I can't) (tell you|say|tell|
        say that)(.|!|)
    (that's|it's|it is|that is) (a secret|private|none of your business|personal|too personal)(.|!|)
    (why should I tell you|why do you want to know|why do you ask)?
    (I do not|I don't) have (one|any|such a thing)(.|)
    (you will never know|wouldn't you like to know|my lips are sealed|no comment)(.|!|)
    (I have not decided|I haven't made up my mind|hard to say|that's hard to say|I do not know myself)(.|)

    (no|nope|no way|never|not now|not today|not yet|maybe later|another time|later)(.|!|)
    (I|sorry, I|no, I) (prefer|want|would like) (to keep it|to keep that) (to myself|private|secret)(.|)
    (I'm|I am) not (telling|going to tell|saying|allowed to say|sure I should say)( you|)(.|!|)
    (none of your business|mind your own business|that's my business|you don't need to know)(.|!|)
    (my (mum|teacher|parents) (says|say) I (must not|should not|shouldn't) tell|I don't know you well enough|
        we are not that close)(.|)
    (I don't|I do not) (give out|share|tell) (that|such things|private things)( online| here| to machines|
            )(.|)
    (let's not|can we not|I'd rather not) (talk about|go into) (that|it|this)(.|?|)
    (pass|skip|next question|I pass|it's secret|top secret|classified)(.|!|)
    (what is it to you|what do you need it for|why would I say that|who wants to know)?
    (you should know|I already told you|I told you before)(, but never mind|, forget it)(.|)
    (I forgot|I do not remember myself|no idea|I don't know|don't know|dunno)(.|, sorry.|)
""")

# Two nouns that follow "my", asked for at once.
BOTH_NOUNS = lines("""
    (what is|what's|what are|what was) my @ and (my |)#?
    my @ and my #(?|, please.|)
    my @ and #(?|, please.|)
    (tell me|say|repeat|remind me of|give me) my @ and (my |)#(.|, please.|)
    (do you|can you|do you still) (know|remember|recall) my @ and (my |)#?
    (@ and #|@, #|@? #|@ + #)?
    what's my @? (And my|My|And what's my|Also, my) #?
    I (forgot|can't remember|bet you forgot|bet you don't know) my @ and my #(.|!|)
    (can|could|would) you (tell me|say|repeat) my @ and (also |)my #?
    (both |)my @ and my # (again, |)please(.|)
    (quiz|test|two questions)(:|.) my @? (And |)my #?
""")
# Something else asked for at once after a first question; `@` stands for a noun that follows "my".
NEXT_NOUN = lines("""
    and my @?
    and my @?
    and my @?
    my @?
    my @?
    @?
    and @?
    (and|also|then|next|now|plus|ok, and|good, and|right, and|yes, and|thanks, and|great, and) my @?
    (what|how) about my @?
    and (what|how) about my @?
    (and|also) (what is|what's|what was) my @( then| again|)?
    my @ (too|as well|also)(?|, please.|)
    (and|also|now) my @(, please|)(.|)
    (same|the same) (question |)(for|with|about) my @(?|.|)
    (and do you know|and do you remember|do you also know|and can you say) my @( too| as well|)?
    and my @, (what is it|what was it|do you know it|do you have that too|can you say that too)?
    (next question|next|and next|another one|question two|one more)(:|,) my @(?|)
    (correct|right|good|yes|well done|true|exactly|very good)(.|!|,) (and |now |)my @?
    (thanks|thank you|ok|okay|great|nice|cool|perfect)(.|!|,) (and |now |)my @?
    and now my @(?|.|, please.)
    (still |)(missing|to come)(:|) my @(?|.)
    and tell me my @( too| as well| again|)(.|)
    but my @?
    but (do you know|what is|what's) my @( too|)?
""")
# The same with an indirect question: "where I live".
NEXT_INDIRECT = lines("""
    and @?
    and @?
    also @?
    @?
    (and|also|then|next|now|plus|ok, and|good, and|right, and|thanks, and) @(?|, please.)
    (what|how) about @?
    and (what|how) about @?
    @ (too|as well|also)?
    (and do you know|and do you remember|do you also know|and can you say|and also tell me) @( too|)?
    (correct|right|good|yes|well done|exactly)(.|!|,) (and|now|now tell me|also) @(?|.|)
    (next question|next|another one|one more)(:|,) @(?|)
    and tell me @( too| as well| again|)(.|)
    but do you know @( too|)?
""")
# The same with a whole question, which keeps its mark.
NEXT_QUESTION = lines("""
    and @
    and @
    (ok|okay|good|right|yes|correct|great|thanks|well done)(,|.|!) (and |now |)@
    (and then|also|next|also,|now|but) @
    (next question|another one|one more|next one)(:|,) @
""")
# Nouns without "my", for where nothing else could be meant; by the key of the kind.
BARE_NOUNS: dict[str, tuple[str, ...]] = {
    "name": ("name",),
    "town": ("town", "town", "city"),
    "age": ("age",),
    "birthday": ("birthday",),
    "favourite colour": ("(colour|color)",),
    "favourite food": ("food",),
    "job": ("job",),
    "hobby": ("hobby",),
}
BARE_ASKS = lines("""
    (which|what) @ did I (mention|give you|tell you|say|write|name)( earlier| before| at the start|)?
    (quick quiz|quiz|test|question|remind me|tell me|so|now|again)(:|,) (which|what) @ did I (mention|say|
            tell you)?
    what was (the|that) @( again| I mentioned| I told you| you were to remember|)?
    (the|that) @(, please|, what was it| again| I mentioned|)?
    (can|could|do) you (still |)(tell me|name|repeat|say|remember|recall) the @( I mentioned| I told you|)?
    (do you|do you still) (know|remember|have) the @( I told you| I mentioned|)?
    (which|what) @ was it( again| that I mentioned| I told you about| I gave you|)?
    (I forgot|I can't remember|I bet you forgot|you forgot|
            have you forgotten) the @( I mentioned| I told you|)(.|?)
    (tell me|say|repeat|name) the @ (I mentioned|I told you|I gave you|again)(.|, please.)
    I (mentioned|told you) (a|the) @( earlier| before|)(. Which?|, which one was it?|. Which one?)
    the @ was ...?
    the @ I (told you|mentioned)(?|, what was it?|, do you know it?)
""")
NEXT_BARE = lines("""
    and the @?
    and the @?
    the @?
    (and|also|now|then|ok, and|thanks, and) the @(?|, please.)
    (what|how) about the @?
    the @ (too|as well)?
    (and|but) (what was|what's|do you know) the @( then|)?
    (correct|right|good|yes|well done|thanks)(.|!|,) (and|now) the @?
""")
