"""Frames for telling something of oneself, for adding to it, and for putting it right."""

from training.phrasing import lines

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
    (hi|hello|hey|hi there|hey there|good evening)(,|!|) (so|well|just to say|first of all,) @(.|!|)
    @, (by the way|btw|you know|just so you know|in case you wonder|if you want to know|remember that|ok?)
    @. (Please |)(remember|keep|note|don't forget|memorise) (that|it|this)(.|!|)
    @. (Can you remember that?|Will you remember that?|Got it?|Did you get that?|Remember!|Okay?|Clear?)
    @(.|!|...) (That's me.|That is all.|Just saying.|I tell you because I may ask later.|
        I will ask you later.)
    (as I said|as you may know|honestly|to be honest|truth be told|believe it or not|if you must know)(,|
        :) @(.|)
    (before we start|before we begin|before I forget|before I ask anything|while I think of it)(:|,) @(.|)
    (ok so|okay so|well so|so yeah|so basically|yeah so|right so)(,|) @(.|!|)
    (here's|here is) (something|a fact|one thing|a bit|a little) (about me|for you to remember|to know)(:|
        .) @(.|)
    (can|could|will|would) you (please |)(remember|keep in mind|note|store|make a note)( that|:) @?
    (I'd like|I want|I need) you to (remember|know|note|keep in mind)( that|:) @(.|)
    (I'm going to|I'll|let me) tell you (something|a secret|a fact|a bit about me)(:|.) @(.|)
    (make a note|mark my words|take note|remember this|for later|keep this|note to you|memo)(:|.|,) @(.|!|)
    (you'll|you will) need (this|that) later(:|.) @(.|)
    (I'll|I will|I might|I'm going to) ask you about (this|it) later(:|.|, so listen:) @(.|)
    @. (I'll|I will|I might) (ask|check|test you|quiz you) (on that |about that |)later(.|!|)
    @. (I thought you should know.|In case you were wondering.|So now you know.|There you go.|Not much else.)
    @(.|,) (so please keep it in mind|so don't forget|and don't you forget it|and that's a fact|for real)(.|)
    (I don't know if I said|I'm not sure I said|I forgot to say|I forgot to mention|
        I never told you)( it| this|)(,| but|:) @(.|)
    (not that it matters|not that you asked|since you never asked|you didn't ask|nobody asked)(, but|:|
        ...) @(.|)
    (my friends know|everyone knows|the whole world knows|not many know|my mum will tell you)( that|) @(.|)
    (what you should know|what you need to know|the thing|the first thing|all you need to know) (is|is that|
        about me is that|about me:) @(.|)
    (fun fact|little fact|true story|random fact|important|info|news|breaking news|secret)(:|!) @(.|!|)
    (thanks|thank you|great|nice|cool|ok|okay|I see|good)(.|!|,) @(.|)
    (I have|I've got) (some news|something to tell you|a thing to say|a bit of news)(:|.) @(.|!|)
    (you and I should get to know each other|let's get to know each other|we should be friends)(.|:|!) @(.|)
    (I'm|I am) (happy|proud|glad|sorry) to (say|tell you)( that|) @(.|)
    (it's|it is) (no secret|a fact|the truth|good to know|important) that @(.|)
    (since|now that|as) we're (talking|chatting|friends)(,|:) @(.|)
    (I bet you didn't know|bet you did not know|you would never guess|you won't believe it|who knew)( that|
        :|,) @(.|!|)
    (sorry|excuse me|pardon)(,|, but) I should (say|mention|add)( that|:|) @(.|)
    (hm|hmm|um|uh|er|let's see|let me think|what can I tell you)(,|:|...) @(.|)
    (test|a test|memory test|let's test your memory|memory game)(:|.) @(. I'll ask again soon.|.|)
    (remember|memorise|learn|store) the following(:|.) @(.|)
    @ (and I want you to remember that|and I hope you can remember it|and that's important)(.|)
    (as for me|me|about me|personally|for my part)(,|:) @(.|)
""")
# Several statements in one message, by their number: two, or three.
JOINED = (
    (
        "{}\n{}",
        "{}.\n{}.",
        *lines("""
        {} and {}
        {} and {}
        {} and {}
        {}, {}
        {}. {}
        {}. {}
        {}, and {}
        {}. Also, {}
        {}; {}
        {}. And {}
        {}, also {}
        {} and also {}
        {} - and {}
        {}! {}
        {}... {}
        {}, plus {}
        {}. Oh, and {}
        {}. By the way, {}
        {}. What else? {}
        {}. Another thing: {}
        (first|firstly|one), {}(,|.|;) (second|secondly|two), {}
        two things(:|.) {} and {}
        (let me introduce myself|about me|some facts)(:|.) {}(,|.) {}
        {}. Besides, {}
        {} by the way, and {}
        {}, oh and {}
        {}, what's more, {}
        both are true: {} and {}
        {}. Then there is this: {}
    """),
    ),
    (
        "{}\n{}\n{}",
        *lines("""
        {}, {} and {}
        {}, {}, {}
        {}. {}. {}
        {}. {}. {}
        {} and {} and {}
        {}, {}. {}
        {}. {} and {}
        {}. Also, {} and {}
        {}, {}, and {}
        {}. And {}. And {}
        {}; {}; {}
        {}. {}. Oh, and {}
        {} and {}. By the way, {}
        three things(:|.) {}, {} and {}
        (first|one), {}. (second|two), {}. (third|three), {}
        (let me introduce myself|about me|some facts about me)(:|.) {}. {}. {}
        {}! {}! {}
        {} and also {}, plus {}
    """),
    ),
)
# One more statement, in a message of its own.
ADDING = lines("""
    and @(.|)
    and @(.|)
    also(,|) @(.|)
    oh, and @(.|!|)
    (one more thing|another thing|something else|next|more about me|what else)(:|,|?) @(.|)
    plus(,|) @(.|)
    @, (too|as well|also|by the way)(.|)
    (I forgot to say|I forgot to mention|I should add|let me add|I didn't say it yet)(:|,|) @(.|)
    (ok|okay|good|great|thanks|nice)(,|.|!) (and |also |)@(.|)
    and (by the way|for the record|just so you know)(,|) @(.|)
    and you should also know that @(.|)
    and remember(:|,| that) @(.|)
    (now|next) (remember|note|keep in mind)( this|)(:|) @(.|)
    besides(,|) @(.|)
    @(.|)
    @(.|)
    and now (something|one|a fact) more(:|.) @(.|)
    (you can|could you) also (remember|note) that @(.|)
    (that's not all|there's more|it goes on|wait, there's more)(:|.|!) @(.|)
    in addition(,|) @(.|)
""")
# What comes before or after a statement that takes the place of an earlier one; `{old}` was told before.
CORRECTING = lines("""
    (actually|no|sorry|wait|oops|correction)(,|:) @(.|!|)
    (actually|no|sorry|wait|oops|correction)(,|:) @(.|!|)
    (oops|sorry|whoops|oh no|my bad|ah|argh|damn)(,|!) I (meant|meant to say|mean|wanted to say)(:|) @(.|)
    (sorry|no|oh)(,|:) (wrong|that was wrong|that's wrong|not right)(:|.|,) @(.|)
    (actually|oh|please|no|wait)(,|) (scrap|forget|cancel|delete|ignore|strike) that(,|:|.) @(.|)
    (forget|ignore|never mind) what I (said|told you|wrote)( before| earlier|)(,|:|.) @(.|)
    (let me correct that|let me correct myself|I have to correct myself|a correction)(:|.) @(.|)
    I (made a mistake|got that wrong|told you wrong|mixed that up|misspoke|lied)(,|:|.) @(.|)
    I (was joking|was only testing you|didn't tell the truth)( before|)(,|:|.) @(.|)
    (it's not|it isn't|not) {old}(,|:|!) @(.|)
    @, (not {old}|and not {old}|rather than {old}|it isn't {old})(.|)
    (when I said|where I wrote|I know I said) {old}, (that was wrong|I was wrong|it was a slip)(:|.|,) @(.|)
    @. (Sorry for the mix-up.|I was wrong before.|I got it wrong before.|Please correct that.)
    (can|could|would) you (please |)(correct|change|update|fix) (that|this)(?|:) @(.|)
    (please |)(correct|change|update|fix) (that|what you know|your notes)(:|.) @(.|)
    (that|this|it) (has changed|is out of date|is no longer true|is different now|isn't true any more)(:|.|
        ,) @( now|)(.|)
    (things have changed|there's been a change|news|update)(:|.|!) @(.|)
    (on second thought|come to think of it|if I think about it|truth is)(,|:) @(.|)
    (you got|you have|you've got|you wrote) (that|it) wrong(:|,|.) @(.|)
    {old}? (No|Wrong|Not at all|Not any more)(!|,|.) @(.|)
    not {old}(.|,|!) (I said|I mean|I meant) @(.|)
    (strike|scrap|forget) {old}(,|.|:) @(.|)
""")
# The same at once after the thing was told or answered, so that the new value alone will do.
SLIPS = lines("""
    (no|sorry|oops|wait|I meant|I mean|correction|wrong|not quite)(,|:) (I meant |it's |) {value}(.|!|)
    (no|sorry|oops|wait|I meant|I mean|correction|wrong|not quite)(,|:) (I meant |it's |) {value}(.|!|)
    (oops|sorry|whoops|oh|ah|argh)(,|!|) I (meant|mean|meant to say|wanted to say) {value}(.|!|)
    (sorry|oh|no)(,|) (wrong|that's wrong|that was wrong|that's not right)(:|.|,) (it's |it is |) {value}(.|)
    (actually|oh|please|no|wait)(,|) (scrap|forget|cancel|delete|ignore|strike) that(,|:|.) (it's|make it|
        it is|I meant) {value}(.|)
    (make|change) that (to |) {value}(.|, please.|!|)
    (make it|I meant|should be|it should be|that should be|better:|rather|it's really) {value}(.|)
    not {old}(,|.|!) {value}(.|!|)
    not {old}(,| but|.) (it's|I meant|I mean|) {value}(.|!|)
    {value}, not {old}(.|!|)
    {value}(,|) I (mean|meant|should say|should have said)(.|)
    (I made a mistake|I got that wrong|I mistyped|typo|my mistake|my bad|slip of the finger)(:|,|.) (it's|
        it is|) {value}(.|)
    I (said|wrote|typed) {old}(,| but) (I meant|it's|it should be) {value}(.|)
    did I say {old}? I meant {value}(.|!|)
    {old}? (No|Sorry|Oh no|I was wrong)(,|!|.) (it's|I meant|make that) {value}(.|)
    (let me correct that|let me correct myself|correction|I have to correct that)(:|.) {value}(.|)
    it's {value}( actually|, actually|, sorry| and not {old}|, not {old}|, my mistake|, I was wrong|)(.|)
    (that is|that's|it's) wrong(,|.|!) (it's|it is|I said|I meant) {value}(.|)
    (replace|swap) {old} (by|with|for) {value}(.|, please.|)
    (can|could) you (change|correct) (that|it) to {value}( please|)?
    (wait|hang on|hold on|one moment)(,|:|.) (it's|I think it's|I mean|it is) {value}(.|!|)
    (I lied|just kidding|only joking|I was joking|joke)(,|:|!|.) (it's|it is) (really |){value}(.|)
    (nope|nah|no no|no no no|hm no)(,|.|!) {value}(.|!|)
    on second thought(,|) (it's|make it|) {value}(.|)
""")
