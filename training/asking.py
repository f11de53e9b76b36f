"""Ways to ask for an answer, for something to be done, or a whole question: frames as templates."""

from random import Random

from training.phrasing import lines, mannered

# `@` stands for what is wanted: "the sum of 3 and 4". The plain question is as likely as all others together.
WANTING = lines("""
    (can|could|would) you (please |)(tell|give) me @?
    (do|would) you (happen to |)know @?
    (give|tell) me @(, please|.|)
    (I need|I want|I'd like|I would like) (to know |to hear |)@(.|)
    (I was wondering|I am wondering|I wonder|I'd like to know|I forgot|I don't know) what @ (is|might be)(.|)
    (any idea|do you know|can you tell me|could you tell me|please tell me|tell me|say) what @ (is|might be)?
    (what would|what might|what could) @ be?
    (what do you think|what would you say) is @?
    (now|so|and|then|but|ok,) (what is|what's) @?
    (what is|what's) @( again| now| then| exactly| in your opinion|)?
    (what's|whats|what is|wat is|waht is) @
    @(, please|, pls| please|, what is it?|, do you know it?| = ?|...)
    (I have to find|I must know|I am looking for|help me find|find|find out|show me|name|state) @(.|)
    (my (son|daughter|teacher|friend|boss|kid) (asks|asked|wants to know)|we need to know)(:|) (what is|
        ) @(.|)
    (let me test you|a test|quiz|quiz time|easy one|here is one|homework)(:|.) what is @?
    (what is|what's) @?
    @?
    @ (is|would be|makes|comes to) what?
    @ is(...|:| ...?|?)
    @(, what is it| - what is it|: what is that|, what is that|? Do you know|? Anyone|, do you know)(?|)
    @? (I forgot.|Quick!|I don't know.|Tell me.|No idea.)
    (does|would) (anyone|anybody|somebody) know @?
    (I'm|I am) (not sure about|looking for|trying to find|after|asking for|curious about) @(.|)
    (hit me with|let's have|let's hear|let me have|let me hear|I'd like|I'll have|out with) @(.|, please.|!|)
    (can|could|would|will) you (work out|find|find out|name|say|state|look for|figure out) @( for me|
        , please|)?
    (figure out|determine|get me|please find|please give me|please say|name me) @(.|)
    (I can't|I cannot|I can never|I never) (remember|recall|work out|find|think of) @(.|, can you?|
        . Can you?|)
    (I've forgotten|I have forgotten|it slipped my mind:|remind me of|remind me:|I keep forgetting) @(.|)
    (what|what on earth|what the heck|so what|and what) (is|would be) @?
    what('s| is) @(, if I may ask|, if you know|, if any|, would you say|, do you think|, genius|, my friend)?
    (what do|would) (you|people|we) (get|have|say|call|answer) (if asked |)for @?
    (how about|what about|and|and what about|now what about) @?
    (you know|you surely know|you must know|do you even know|I bet you know|you don't know) @(, right|
        , don't you|)?
    (do you|could you) (by any chance |possibly |even |actually |)know what @ is?
    (I was|we were|I have been|we have been) (asked for|wondering about) @(.|. What is it?|, what is it?|)
    (our|my|the) (teacher|homework|exercise|crossword|sheet|puzzle|quiz) (asks for|wants|says) @(.|
        . What is it?|, help.|)
    (we need|they want|she needs|he wants|everyone wants) (to know |)@(.|, what is it?|)
    (I say you can't|I bet you can't|see if you can|try to) (tell me|find|give me|work out) @(.|!|)
    (tell|give|show) (us|my son|the class|my little girl|me quickly|me once more) @(.|, please.|)
    (the question is|my question is|question|the task|next question|first question)(:|,) (what is |)@(?|)
    (the answer to|the result for|your answer for) this, please: @(.|)
    (if I asked you for|if somebody asks for|asked for|when asked for) @, what would you say?
    (I think I know|I should know|I ought to know|I once knew) @(, but what is it?|, but I'm not sure.)
    (tell me|say it|quick|go on|come on|please|now)(,|:) @(.|!|?|)
    (tell me|say|show me)(,|:) what is @?
    (my head hurts|I'm tired|I'm too lazy|I'm stuck|my brain is slow today)(,|:|.) what('s| is) @?
    (before I forget|just to check|to be sure|for the record|just for fun|out of interest)(,|
        :) what('s| is) @?
    what @ is(, that is the question|, I don't know|, I forgot|, please|, tell me)(.|)
    (let's see if you know|let's see|let me think|hmm|tell me if you know)(,|:|...) @(?|...|)
    (I'd|I would) be (glad|happy|grateful) (to know|for|to hear|to get) @(.|)
    (is it possible to|may I|can I|could I|can we) (know|have|get|hear|ask for) @(, please|)?
    @ (is wanted|is what I need|is what I want|is needed here|would be nice|would help me)(.|)
    @(, if you please|, go|! Go|, fast|, now|, tell me|. Tell me|, come on|, bot| wanted| needed)(.|!|)
""")
# `@` stands for something to do: "count to ten".
ORDERING = lines("""
    (can|could|would|will) you (please |maybe |kindly |)@( for me|)?
    (can|could|would) you @, please?
    please(,|) @(.|!|)
    @(,|) (please|pls|plz|for me|now|if you can|will you)(.|)
    (I want|I need|I'd like|I would like) you to @(.|)
    (try to|go ahead and|now|then|ok, now|so|just|quickly) @(.|!|)
    (are you able to|do you know how to|are you any good at this:) @?
    (I wonder|let's see|let me see|I'd like to see|show me) (if|whether) you can @(.|)
    (help me|help me to|help us) @(.|)
    (my (son|daughter|teacher|friend|boss|kid) (wants|asks) you to|I dare you to|
        it would help me if you could) @(.|)
    (would you be so kind as to|would you be able to|is it possible for you to) @?
    (I bet you can't|I bet you cannot|you can't|surely you can|you can) @(.|!|?|)
    (next|ok|right|exercise|task|question|another one|test)(:|,) @(.|)
    @(.|!|)
    @(.|!|)
    (do me a favour|do me the favour|be a dear|be so good|be nice|be a good bot|help me out)(,| and|:) @(.|!|)
    (it would be|that'd be|it'd be) (great|nice|lovely|cool|kind|wonderful) if you (could|would|can) @(.|)
    (I'd be|I would be) (glad|happy|grateful|delighted) if you (could|would) @(.|)
    (could|can) I (get|ask|trouble|bother) you to @?
    (any chance|is there any chance|what are the chances) (that |)you (could|can|will) @?
    (your turn|your task|your job|your mission|task|job|order|request|instruction|the task)(:|,) @(.|)
    (your task|your job|your mission|what you do now|all you have to do|the task) is to @(.|)
    (do you|don't you) think you (could|can) @?
    (think|reckon|suppose) you can @?
    (why don't you|why not|how about you|won't you|would you not) @?
    (is it|would it be|is that) (too much to ask you|too hard for you|possible for you|
        difficult for you) to @?
    (would you mind|do you mind|may I dare to ask you|I'd ask you|I ask you|I beg you)(:|, just) @(.|?|)
    (I'd love|I would love|I'd love it for) you to @(.|, please.|!|)
    (I'd like|I want|I need|I was hoping for|I hope for) you to (please |just |quickly |)@(.|)
    (I was hoping|I hope|I trust|I believe|I am sure|I know) you (can|could|will) @(.|)
    (hey|yo|oi|you there|bot|computer|robot|dear computer|my friend|hey you|Tiny|hey Tiny)(,|:|!) @(.|!|)
    @(, my friend|, bot|, computer|, robot|, Tiny|, dear|, buddy|, will you|, can you|, could you|
        , would you)(.|?|)
    @(, as a favour|, if you don't mind|, if it's no trouble|, if you know how|, just for fun|, for once)(.|)
    @(. Thanks!|. Thank you!|. Can you do that?|. Is that possible?|. Quick!|. I'll wait.|. That's all.|. Go!)
    @(, as fast as you can|, quickly|, quick|, right now|, at once|, chop chop|, go on|, go|, come on)(.|!|)
    @ (so I can check|because I can't|because I'm bored|since I asked nicely|to show me|to cheer me up)(.|)
    (I'm bored|we are bored|I can't sleep|we have a bet|I'm testing you|my kids are here)(,|.|:|, so) @(.|)
    (for|as) (my homework|a test|fun|practice|a game|the kids|an exercise|a warm-up)(,|:) @(.|)
    (to test you|just to check|to warm you up|to check on you)(,|:) @(.|)
    (come on|go on|alright|alright then|let's go|ready?|here we go|ok bot|well then|quick)(,|:|.) @(.|!|)
    (first|first of all|to start|to begin with|after that|finally|last thing|as a last thing)(,|:|) @(.|)
    (once more|again|one more time|another time)(,|:) @(.|)
    (my|our) (mum|mom|dad|gran|grandson|wife|neighbour|class|colleague|little one) (wants|would like|asks|
        begs) you to @(.|)
    (someone|my boss|the teacher|my friend|a child) (told me to ask you to|said you can|said you could) @(.|)
    (is it true|I heard|they say|I read|somebody said) that you can @(?|. Show me.|. Please do.)
    (what if I asked you|suppose I asked you|what would happen if I asked you|let me ask you|
        I'd ask you) to @(?|.)
    (I need|I want|I'd like) (some help|your help|a hand|help)(:|.|,) @(.|, please.|)
    (help me out|lend me a hand|assist me|give me a hand)(:|,| and) @(.|)
    (you should|you must|you have to|you need to|you shall|you may) (now |)@(.|!|)
    (make an effort|do your best|give it a try|try hard|think hard|focus)(,| and|:) @(.|)
    (I command you|I order you|I tell you|I am telling you|I want to see you try) to @(.|!|)
    (let's|let us) (see you|have you|watch you) @(.|!|)
    (me wants|me want|I wish|it is my wish)(:|) you @(.|)
    (please|kindly|just|simply) @ for (me|us)(.|, thanks.|)
    kindly @(.|, please.|)
    (are you|would you be) (good enough|clever enough|ready|willing|free|in the mood) to @?
    (show me|prove|prove to me|let me see|I doubt) that you can @(.|!|)
    (how would|how do) you @? (Do it.|Show me.|Please do it.|Try.)
""")
# `@` stands for a whole question without its mark.
QUESTION = lines("""
    (tell me|please tell me|can you tell me|do you know|say|guess)(,|:) @?
    @(, please|, pls| please|, do you know|, any idea|, what do you think)?
    (ok|so|now|and|well|right|then|but)(,|) @?
    (can I ask you something?|may I ask?|riddle me this:|let me test you:|an easy one:|another one:|quiz:) @?
    (my (son|daughter|teacher|friend|boss|kid) (asks|asked|wants to know)|I need to know|we wonder)(:|,) @?
    @?
    @?
    (hmm|well|hey|um|listen|excuse me|sorry|by the way|please|oh|say|yo|quick)(,|:|) @?
    (I'd like to ask|I want to ask|let me ask|I must ask|I wanted to ask|may I ask|I ask you)(,|:|) @?
    @? (I forgot.|I can't remember.|I don't know.|I have no idea.|No idea.|I never know.|I always forget.)
    @? (Thanks.|Thank you!|Please.|Quick!|Tell me.|Anyone?|Do you know?|Any idea?|You tell me.|Say it.)
    @? (It's for|That's for|I need it for|I ask for) (my homework|school|a quiz|a bet|a crossword|my son)(.|)
    @? (My daughter|My son|My class|My friend|Our teacher|My gran) (asks|wants to know|asked me)(.|)
    @(, if you know|, if I may ask|, genius|, bot|, Tiny|, would you say|, I wonder|, just curious|, help me)?
    (so|and|but|ok|now)(,|) (tell me|tell us|say|do you know)(,|:) @?
    (question|question for you|a question|quiz question|my question|trivia|riddle|puzzle|next one)(:|.|,) @?
    (here's one|here is a question|try this one|try this|answer this|answer me this|answer|solve this)(:|.|
        ,) @?
    (can|could|would|will) you (answer|solve|help with|tell me) (this|that|me this|this one)(:|?) @?
    (just checking|just to check|for fun|just for fun|out of interest|a test|testing you)(:|,|.) @?
    (bet you don't know|I bet you know|you surely know|surely you know|you must know)(:|,|) @?
    (I have been asked|I was asked|somebody asked me|someone asked me|my kid asked|they asked me)(:|,) @?
    (I'm|I am) (not sure|unsure|wondering|confused|curious|stuck)(:|,|.) @?
    (I can't remember|I forgot|I keep forgetting|remind me|help me out|help|I don't know)(:|,|.) @?
    (think|think hard|think well|careful now|let me think|let's see)(:|,|.|...) @?
    my (mum|mom|dad|gran|wife|husband|neighbour|class|colleague|little one|grandson) (asks|wonders|
        wants to know)(:|,) @?
    (we're having an argument|we have a bet|settle this for us|we play a quiz|it's for a quiz)(:|.|,) @?
    (once more|again|one more time|sorry, again|I ask again)(:|,) @?
    (first question|second question|last question|next question|final question|easy question)(:|,|.) @?
    @? (Come on.|You know it.|Think!|Easy, right?|Go on.|Just curious.|Just checking.|That's a test.)
    @ (please|pls|thanks|anyone|quick|do you know|tell me)
    (the|my) (question|thing I want to know|thing) is(:|,) @?
    (what do you say|what would you say|what is your answer|what do you think)(:|,) @?
    (dear|hello|hi|hey) (Tiny|bot|computer|friend|robot)(,|!) @?
""")


def want(rng: Random, thing: str) -> str:
    """A question for a thing that a noun names."""
    plain = "(what is|what is|what is|what's|what's|whats|) @?"
    return framed(rng, thing, plain, WANTING)


def order(rng: Random, task: str) -> str:
    """A request to do something."""
    return framed(rng, task, "@.", ORDERING)


def question(rng: Random, text: str) -> str:
    """A whole question, given without its mark."""
    return framed(rng, text, "@?", QUESTION)


def framed(rng: Random, words: str, plain: str, frames: tuple[str, ...]) -> str:
    """The words in a plain frame or one of the others, with whatever manners people have."""
    frame = plain if rng.random() < 0.5 else rng.choice(frames)
    return mannered(rng, frame.replace("@", words))
