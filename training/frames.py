"""The frames in which people ask for a thing or a task, and what they say before and after it; as tables."""

# `@` stands for a noun: "the KV cache". Plain forms stand there more than once: they are usual.
WHAT = """
    (what is|what's|whats|what are|wat is) @?
    (what is|what's|what exactly is|what really is|what on earth is|now what is) @( exactly| then| anyway|)?
    (explain|define|describe|clarify) @( please| to me| for me| simply|)(.|)
    (can|could|would|will) you (please |)(explain|describe|define) @( to me| for me|)?
    (tell me|teach me|talk to me|say something|let me know) about @(.|)
    (tell me|can you tell me|please tell me|do you know|explain) what @ (is|are|means|does)(.|?|)
    (can|could) you tell me (something |a little |a bit |more |)about @?
    what does @ (mean|do|stand for)?
    what is meant by @?
    what do you mean by @?
    (what is|what's) the (meaning|definition|idea|purpose|point|use|sense) of @?
    (what is|what's) @ (for|good for|used for|about|all about)?
    how (does|do) @ work( exactly| here|)?
    (explain|tell me|show me|please explain) how @ (works|work)(.|)
    @?
    @( please|)
    @(,|:| -|) (what is it|what's that|what is that|what|how does it work)?
    @(,|:| -|) (meaning|definition|explained|explain|explanation)
    (meaning|definition|explanation|purpose) of @
    (I don't|I do not|I still don't|I don't really) (understand|get|know) @(.|)
    I (don't|do not) (know|understand|get) what @ (is|are|means)(.|)
    I have never heard of @(.|. What is it?|, what is it?)
    I (keep reading|keep hearing|heard|read|just read) about @(.|. What is it?|, what is that?)
    (someone|a friend|my colleague|the readme) (mentioned|mentions|spoke of) @(.|. What is that?|
        , what is it?)
    (I was wondering|I am wondering|I wonder|I'd like to know) what @ (is|are|means|does)(.|)
    I (would like to know|want to know|need to know) what @ (is|are|means|does)(.|)
    I('d like to| would like to| want to| need to|'m trying to) (learn about|understand|hear about) @(.|)
    help me (to |)understand @(.|)
    (any idea|got any idea|do you know|do you understand|do you happen to know) what @ (is|means)?
    (and |so |now |)what about @?
    (have you heard|do you know|what do you know|what can you tell me) (of|about) @?
    (give me|I need|I'd like) (a definition|an explanation|a simple explanation|a description) of @(.|)
    (why do (we|you|people|I) (need|use|want)|why use|why is there|why have) @?
    who needs @?
    is @ (important|useful|something I need|good)?
    @ for (beginners|dummies|a beginner|someone new)(.|?|)
    (I'm|I am) (confused|curious|asking) about @(.|)
    (question|my question is|something) about @(.|:|) what (is it|does it do|does it mean)?
    in (simple|plain|other|easy) words(,|) what (is|are) @?
    what (is|are) @ in (simple|plain|easy) (words|terms|English)?
    (what is|what's|what are) @?
    (what is|what's|what are) @?
    (what is|what's|what are) @?
    tell me about @(.|)
    explain @(.|)
    what does @ do?
    what's (the deal|the story|the matter|up) with @?
    (so |and |but |ok so |) (what|what exactly) does @ do for (me|us|you|people)( exactly|)?
    (everyone|everybody|the whole internet|my team) (talks|keeps talking|goes on) about @(, why?|. Why?|
        , but what is it?|. What's that?)
    @( -| --|:|,|...) (never heard of (that|it)|no clue|no idea what that is|what's that supposed to be?|
        any idea?|sounds strange to me|what's this about?|please explain)(.|)
    @(?|...|, eh?|, huh?) (What's that|What is that|Tell me|Never heard of it|Explain|Please explain)(.|?|)
    @ (is|means|does) what( exactly|)?
    @ is (what|...|what kind of thing)?
    @ (means|is supposed to be|would be) what?
    what (sort|kind) of (thing|animal|beast|stuff) is @?
    what (on earth|the heck|in the world|the hell|in heaven's name) (is|are|does) @( mean|)?
    what would you (say|tell me|answer|tell a child) (if I asked|when asked) about @?
    how would you (explain|describe|define) @( to me| to a child| to my gran| to a friend|)?
    explain @ (like I'm five|to a child|to my grandmother|to an old man|as if I knew nothing|
        to a beginner)(.|)
    (I|we) (stumbled|came) (upon|across|over) @(.|
        , what is it?| and have no idea what it is.| somewhere. What's that?)
    I saw @ (somewhere|in a text|on a page|in the menu|on a sign)(.|, what is it?|. What does it mean?)
    (there is|there's|it says) @ (here|in the text|on the page|on the screen)(.|, what's that?|. What is it?)
    (the|our|my) (teacher|professor|doc|manual|book|boss|friend) (talked|spoke|told us|
        says something) about @(.|. What is it?|, and I did not follow.|, but I don't get it.)
    I (should|ought to|must|have to) (know|understand|learn) (what @ is|about @)(.|, but I don't.|, help me.|)
    (could|can|would) (someone|somebody|anyone|anybody) (explain|tell me about|describe) @( to me|)?
    (does anyone know|can anybody say|can somebody tell me) what @ (is|are|means)?
    (got a minute?|a moment please.|quick one:|small question:|help me out:) what('s| is) @?
    (what do people|what do they|what do experts) (mean|want to say) (by|with|when they say) @?
    when (people|you|they|others) (say|talk about|speak of|mention) @, what do (you|they) mean?
    (where does|where do) @ come in?
    what (role|part) does @ play?
    what do I (need|want|have|get|gain) (from |)@( for|)?
    (why would|why should|why do) (I|anyone|anybody|someone) (care about|need|bother with|want|care for) @?
    why @(?|, actually?|, of all things?)
    what's (so special|so great|interesting|new|important) about @?
    (what makes|what is it that makes) @ (special|so important|useful)?
    (is there|do you have|have you got) (any |some |)(information|info|documentation|something) (on|about) @?
    (info|information|details|facts|some words|a few words) (on|about) @(, please|?|.|)
    (more|a bit|something|anything) about @(, please|?|.|)
    (what information|what|how much) do you have (on|about) @?
    (I'd|I would) (love|like|be happy|be glad) to (hear|know|learn|read) (more |something |a bit |)about @(.|)
    (I'm|I am) (interested in|reading about|learning about|trying to grasp|looking into|new to) @(
        , what is it?|. Can you explain?|. Where do I begin?)
    (I'm|I am) (not sure|unsure|unclear) (about @|what @ is|what @ does)(.|, help?|)
    my (question|problem) is (about |)@(.|: what is it?|)
    (please |) (enlighten|educate|inform|brief) me (on|about) @(.|)
    (fill me in|bring me up to speed) on @(.|, please.|)
    (walk|take|guide) me through @(.|, please.|)
    (break|boil) @ down for me(.|, please.|)
    (start|begin) with @(.|: what is it?|, please.)
    let's (talk|chat|speak) about @(.|, what is it?|)
    let us (discuss|look at|take a look at) @(.|)
    (next|new) (topic|question|term|word)(:|,| -) @(.|?|)
    (term|topic|keyword|search|question)(: | - )@
    (the (word|term|words|notion) |the meaning of |the idea of |
        )@(, what does it mean?| - what does that mean?| is new to me.| puzzles me.| confuses me.|
        , I don't get it.)
    @ (is|are) (all |)(Greek|new|strange|a mystery|a riddle) to me(.|, please explain.|, help.|)
    I (read|hear|see) @ (everywhere|all the time|a lot|every day)(.|, but what is it?|. What is it?)
    (so|ok|right)(,|) @(.|?) (Go.|What is it?|Tell me.|Shoot.|I'm listening.|Please explain.)
    (do|could|can) you (happen to |)know (anything|something|a bit|a lot|much) about @?
    (are you|is this bot) familiar with @?
    (ever|have you ever|you ever) (heard of|come across|read about) @?
    (what's|what is) your (definition|explanation|understanding|description) of @?
    how (is|are) @ (defined|explained|described)?
    what (can|should|must|do) I (know|remember|understand) about @?
    (what's there|what is there|is there anything|is there something) to (know|say|learn) about @?
    (before I start|before we begin|first of all|first|to begin with)(,|:) what('s| is) @?
    I asked (my friend|my son|a colleague|my sister) about @(, but he did not know.|, nobody knew.|
        . No answer. Do you know?)
    (nobody|no one) (can|could|wants to|would) (tell|explain to) me what @ is(.|. Can you?|, maybe you can?|)
    (I used to know|I once knew|I forgot|I can't remember|I keep forgetting|remind me) what @ (is|means|
        does)(.|)
    (is|are) @ (a thing|a program|a tool|something to eat|a person|a place|a setting|
        a kind of magic)(, or what?| or what?|, or what is it?)
    if I (may|can|could) ask, what('s| is) @?
    (don't|do not) laugh(,|, but|:) what (is|are) @?
    I'm (embarrassed|ashamed|afraid|sorry) to ask(,|, but|:) what (is|are) @?
    (a|one|the) (short|simple|quick|brief|clear|good|one-line) (explanation|description|definition|summary|
        introduction|overview) of @(, please| please|?|.|)
    (basics|introduction|intro|overview|summary|beginner's guide)(:| to| of|) @(?|)
    (give|write|send|show) me (the basics|a summary|an overview|an idea|an introduction|
        the short version) of @(.|)
    (I can't|I cannot|I can not) (make sense|make head or tail) of @(.|)
    what @ (is|does|means)(, I don't know| is a mystery to me|, do you know?|?)
    (you|you guys|people here) (mentioned|said something about|talk about) @(.|. What is it?|, what's that?|)
    (tell|explain) (my friend|my mother|us|the class|a newbie) (what @ is|about @)(.|)
    @(? Please explain.|? Explain.|? Meaning?|? Means what?|? And in simple words?)
    (can we|could we|may we) talk about @(?| for a moment?| a bit?)
    where can I (read|learn|hear|find something|find out) (more |)about @?
    (how come|how is it that) (everyone|everybody) (uses|likes|knows|wants) @?
    what is (it|that)(,|:) @?
"""

# `@` stands for a task: "load my own model".
HOW = """
    how (do|can|would|could|should|must) (I|you|we|one) @?
    (how to|howto|how 2) @(?|)
    how (does one|do people|is it possible to|would I go about it to) @?
    (can|could|may) (I|we|you) @( somehow| here| too|)?
    (is it possible|am I able|is there a way|is there any way|is there some way) to @?
    I (want|need|would like|wish|have|am trying|tried|am going) to @(.|)
    (I'd like|I'm trying|I want) to @(.|, how?|. How?|, what do I do?|. What should I do?|. Any hints?)
    (I don't know|I do not know|I can't figure out|not sure|no idea|I wonder|I forgot) how to @(.|)
    (tell me|show me|explain|teach me|please explain|please tell me|describe) how to @(.|)
    (tell me|show me|explain|please explain) how (I can|I could|to|you) @(.|)
    (can|could|would|will) you (tell|show|teach|explain to) me how (to|I can) @?
    (what is|what's) the (command|way|best way|easiest way|right way|trick|flag|option) to @?
    (which|what) (command|flag|option|commands) (do I need|should I use|do I use|can I use|lets me use) to @?
    (which|what) (command|flag|option) to @?
    what (do I|should I|must I|can I) (do|type|run|enter|write|change) to @?
    what (do I|should I) do (if I want to|in order to|to) @?
    @
    @( please|, please|, how|, how?| how|)
    (help me|help me to|I need help to|please help me) @(.|)
    (any idea|any hints|any tips|do you know|got an idea) how to @?
    (the |)(command|steps|instructions|way|flag) to @(?|)
    (I was wondering|I wonder|I am wondering|I'd like to know) how (to|I can|I could|one can) @(.|)
    I (want to know|would like to know|need to know) how (to|I can) @(.|)
    where (do|can|should) I @?
    is there a (command|flag|option|setting|switch) to @?
    (suppose|say|let's say|imagine) I want to @(.|. What then?|. How?)
    what if I want to @?
    (do you know|would you know) how (I can|I could|to|one can) @?
    (trying|want|need|wanting|going) to @(.|)
    (does|will|would) tritonchat (let me|allow me to|help me) @?
    what is needed to @?
    how (do|can) I @?
    how (do|can) I @?
    how to @?
    I want to @(.|)
    @( -| --|...|:|,) (possible|can I|doable|how|how so|is that possible|allowed|any way)?
    is (it|that) (hard|easy|difficult|complicated|a lot of work|allowed|ok|fine|worth trying) to @?
    (got a minute?|do you have a minute?|a moment please.|help!|quick one:|excuse me.) I (need|want|
        have) to @(.|)
    my (goal|aim|plan|task|problem|question|wish|idea|job today) is (to|how to) @(.|. How?|, what do I do?|)
    what (would|does|will) it take to @?
    (walk|talk|guide|lead|take) me through (how to |how I |the steps to |the way to )@(.|, please.|)
    (step by step|in simple steps|in a few words|in short|simply)(,|:) how (do|can) I @?
    how (do|can) I @(, step by step|, in simple words|, as a beginner|, quickly|, if at all)?
    (someone|my boss|my teacher|my friend|a colleague|my wife) (told|asked|wants|expects) me to @(.|. How?|
        , but how?|, and I have no idea how.)
    I was (told|asked|supposed|hoping|planning|about) to @(.|, how?|. How does one do that?|, but how?)
    (we|our team|my class|my son and I) (want|need|would like|are trying) to @(.|. How?|, any idea?|)
    I('ve| have) (been trying|tried) to @ (all day|for an hour|all morning|since yesterday|forever)(.|
        , no luck.|, help!|. What am I missing?|)
    I (tried|wanted|attempted) to @(,|) but (it did not work|nothing happened|I failed|I got stuck|
        I don't know how)(.|, help.|. How do I do it?|)
    (I|we) (can't|cannot|can't seem to|don't manage to|fail to) @(.|, how does it work?|, help!|. What now?|)
    (failed|unable|not able) to @(.|, help|)
    (does anyone|does anybody|do you people|do you guys) know how (to|I can) @?
    (can|could) (someone|somebody|anyone|anybody) (tell|show|explain to) me how to @?
    (who|what) (can tell|tells) me how to @?
    (if I wanted|if I want|when I want|suppose I wanted|assuming I want|supposing I want) to @(,|
        ) (what would I do|what do I do|what should I type|how would I do that|how|what then)?
    (in order |) to @(,|) (what do I (do|type|need|press)|I (do|type|need|press) what|what is the command|
        what must I do)?
    (what's|what is) (involved in|the first step|the procedure|the process|the method|the secret|needed) to @?
    where (do|should) I (start|begin|look|go|click) (to|if I want to|when I want to) @?
    where (do I find|can I read|is it written|does it say|is it explained) how to @?
    (instructions|guide|tutorial|manual|recipe|how-to|documentation|help)(:| on| for|) how to @(?|.|, please|)
    (I need|give me|I'd like|show me) (a guide|instructions|the steps|a short guide|a hint|some hints|
        some help) (on how |)to @(.|)
    (best|easiest|fastest|quickest|simplest|right|proper|any) way to @?
    (what's|what is) (a|the) (quick|simple|good|proper|clean|usual) way to @?
    (ways|a way|some way|steps|method|trick|hints) to @(?|, please|)
    (there must be|there has to be|surely there is) (a|some) way to @(.|, right?|, what is it?|)
    do (I|we|users) (have to|need to) do (anything|something|anything special) to @?
    (do I need|is there) (anything|anything special|something|something special|a tool|a special tool) to @?
    how (would|does|should|could) (a beginner|somebody|someone|a normal person|an old man like me|one|you|
        anyone) @?
    how might (I|one|we) @?
    how (am I|are we|is one) (supposed|expected|meant) to @?
    how (did|do) (you|others|other people|they) (manage to |)@?
    how (easy|hard|difficult) (is it|would it be) to @?
    how('d| would) I go about (it if I wanted|things if I want|this: I want) to @?
    (is it|would it be) (possible|ok|fine|feasible|doable) (for me |for us |for one |)to @(?|, and how?)
    would it be (possible|much work) to @?
    (am I|are we|is one|are users) (allowed|permitted|able) to @?
    (may|might|could) one @?
    (is there|isn't there|do you have|have you got) (a button|some trick|an option|anything|a simple way|
        a command or so|an easy way) to @?
    (I'm|I am|we are) (looking|searching) for (a|the|some) (way|command|option|method|trick) to @(.|)
    (I'm|I am) (struggling|desperate|stuck trying|here|hoping|eager|unable|new and would like|
        not able) to @(.|, please help.|. Help!|)
    (what|which) (steps|tools|things|settings) (do I need|are needed|are necessary|are there) to @?
    what comes first (if|when) I want to @?
    (wanna|gotta|gonna|need to|have to|must|time to|about to) @(. How?|, how?|, help|)
    (next|now|then|after that|finally|today) I (want|need|have|would like|plan) to @(.|)
    (next|now|then|after that|finally) how do I @?
    (I|we) (must|should|really must|have to|really need to|urgently need to) @(.|, and quickly.|, but how?|)
    (since|as|because) I (want|need|have) to @(,|) (what do I do|what should I do|how do I begin|
        can you help)?
    I (want|need|would like) to @(,| and|, but) (I have no idea how|don't know how|I can't find out how|
        nobody tells me how|don't know where to begin)(.|)
    (I'd love|I would love|I hope|I dream|I intend|I mean|I plan|it's time) to @(. How?|.|
        , how do I do that?|)
    (all I want is|the only thing I want is|what I want is|what I need is|what I'm after is) to @(.|)
    (how about|what about) (it: I want|this: I want|the following: I need) to @(.|)
    @(,| -) (I|we) (want|need|would like) (that|it|this)(.|. How?|, please.)
    @(. How|. How do I do that|. Is that possible|. What do I type|. What is the command|. Can you help|
        , but how)?
    @(!|. Now!|. Quick!|. Help!|, help!|, help me|, tell me how)
    (remind me|I forgot|I keep forgetting|what was it again) how (to|I can|I) @(.|)
    (once more|again|sorry|one more time)(,|:) how (do|can) I @?
    (I know it's possible to|they say it is possible to|I heard one can|they say I can|I read that one can|
        supposedly I can) @(. How?|, how?|, but how?)
    (teach|train|instruct|advise) me (how |)to @(.|)
    lend me a hand, I (want|need|have) to @(.|)
    (give me a hand|give me a hint|help me out|I could use help|I need a hand)(:|,|.) (how do I|I want to|
        I need to) @(.|?|)
    (can|could|would|will) you help me( to|) @?
    (can|could) you (help|assist) (us|a beginner|an old lady|my son) (to |) @?
    (what's|what is) the (easiest thing|least I have to do|trick) if I want to @?
    question(:|,|.) (how do I|how to|can I) @?
    (I'm|I am) (asking|wondering|curious|trying to find out) how to @(.|)
    (no one|nobody) (explains|tells me|could tell me) how to @(.|. Can you?|)
    (explain|spell out) (in detail|clearly|slowly|to a beginner|to me) how to @(.|)
    (what|which) (word|key|button) (do I|must I|should I) (type|press|enter) to @?
    what (exactly |) (do I|must I) (do|type|enter) (when I want|if I need|so as|in order) to @?
    (make it so that I can|let me|allow me to|enable me to) @(.|)
    say (I'd like|I wanted|we want) to @(, what then?|. How?|. What would I do?)
"""

# What people put before and after a question without changing what they ask. None of it is a fact to be kept.
BEFORE = """
    (hi|hello|hey|hi there|hello there|good morning|good evening|hi Tiny|hey Tiny)(!|,|.)
    (I'm|I am) (new here|a beginner|new to this|just starting|not an expert)(.|,|:)
    (quick question|question|one question|next question|another question|one more question)(:|.|,)
    (I have|I've got) (a|another|one more|a quick|a little|one) question(.|:)
    (sorry|excuse me|pardon me|sorry to ask|forgive me)(,|.|, but)
    (maybe|perhaps) a (silly|stupid|simple|strange) question(:|, but)
    (thanks|thank you|great|nice|cool|ok|okay|good|perfect|fine|I see|interesting)(.|!|,)
    (one more thing|something else|by the way|btw|also|next|now|then|just curious|out of curiosity)(:|,)
    (listen|look|say|tell me|right|oh|oh wait|hmm|hm|er|well then|alright)(,|:)
    (can you help me?|can I ask something?|help!|help me:|I need help.|I need some help.)
    (my friend wants to know|my boss asks|someone asked me|I was asked)(:|,)
    (hi|hello|hey|yo|howdy|hiya|greetings|ahoy|evening|morning|g'day|heya|hullo)( again| once more|)(!|,|.|)
    (hi|hello|hey|dear|hey there|oh|listen|yo)(,|) (Tiny|bot|computer|robot|AI|my friend|friend|buddy|
        machine)(!|,)
    (I'm|I am) (a bit|a little|totally|completely|quite) (lost|stuck|confused|tired today|out of my depth)(.|
        ,|:)
    (I was|I've been|I have been|I am) (thinking|wondering|pondering)(:|,|...)
    my (mum|mom|dad|wife|husband|kid|neighbour|gran|son|daughter|teacher|grandson) (wants to know|asks|
        is asking|keeps asking)(:|,)
    (hold on|wait|wait a moment|one moment|before I forget|before I go|while I am at it|while you are here|
        since you are here|now that I have you)(:|,|...)
    (ok|okay|right|fine|good|so)(,|) (new|next|another|different) (topic|subject|question|thing)(:|.)
    (let's talk about something else|on to something else|change of subject|different topic)(:|.|,)
    (I hope you can help|hope you can help me|I hope this is the right place|hope this makes sense)(:|.)
    (sorry|apologies|forgive me|excuse me) for (my English|bothering you|my typing|my spelling|asking again|
        this|the trouble)(.|, but|:)
    (my English is not good|English is not my first language|I write with one finger|
        I am typing on my phone)(.|,)
    (you know what?|serious question:|dumb question:|honest question:|real question:|weird question:|random:|
        random question:|tell you what:)
    (anyway|anyhow|so anyway|moving on|back to business|right then|now then|well now|enough of that)(,|:|.)
    (that's|that is|this is) (good|great|nice|clear|fine|enough|helpful)(. Now|. And|, but|, and|. So|.)
    (got it|understood|makes sense|fair enough|alright then|good to know|noted|wow|haha|oh dear|aha|ah|yes|
        yeah)(.|,|!)
    (if I may ask|if you don't mind|if it is no trouble|with your permission|when you have a moment)(,|:)
    (can|could|may|might) I (ask|bother you with) (a question|something|something quick|one thing)?
    (be honest|tell me honestly|come on|help me out|do me a favour|be so kind|be nice)(,|:|, and tell me:)
    (a question|asking|question) (from|for|by) (my|a) (friend|neighbour|class|colleague|cousin)(:|,)
    (help|please|pls|hello?|anyone there?)
    (well|erm|uh|umm|hmm ok|so yeah|ya know|like|I mean|um so|ok then|okay so)(,|...|)
    (I have to ask|I must ask|I'd like to ask you|let me ask you|let me ask|
        I need to ask)(:| this:| something:|,)
    (not sure if you know, but|you may not know, but|this may sound strange, but|don't laugh, but|
        I know it is late, but|I know you are busy, but|I may have asked before, but)
    (good|nice|lovely) to (see|meet|have|find) you(.|!|,)
    (I asked before, but|once again|again|as I said|like before|same as before)(:|,)
"""
AFTER = """
    (, please| please| pls| plz|, pls)
    (, Tiny|, my friend|, buddy|, dear|, mate)
    (, do you know|, can you tell me|, any idea|, could you explain)
    ( again| now| exactly| then)
    (, sir|, love|, darling|, bot|, robot|, computer|, genius|, pal|, bro|, dude|, ma'am)
    (, if I may ask|, if you know|, if you don't mind|, I wonder|, just wondering|, will you|, by any chance)
    (, thanks|, thank you|, cheers|, ta|, by the way| btw|, though|, eh|, huh|, you know|, quick| quickly)
    (, I forgot|, I can't remember|, I keep forgetting|, help me out|, tell me|, say)
"""
# The same where a question has ended with its mark.
ADDED = """
    (I am new here.|I'm a beginner.|I really want to know.|I have no idea.|Just curious.)
    (Thanks!|Thank you!|thanks|thanks in advance|thank you)
    (Can you help?|Please help.|Any help is welcome.|Please tell me.)
    (Take your time.|No rush.|No hurry.|Whenever you can.|Be quick.|asap|It's urgent.)
    (Asking for a friend.|My friend wants to know.|My kids want to know.|It's for a friend.|We have a bet.)
    (I hope you know.|I hope you can help.|That would help me.|That's my question.|That is all.)
    (Sorry for asking.|Sorry if that's a silly question.|Sorry to bother you.|Don't laugh.|I know, I know.)
    (Cheers!|Ta!|Much appreciated.|Kind regards.|Best wishes.|Bless you!|You are the best.|xx)
    (My memory is bad.|I'm getting old.|I'm so tired.|It's late here.|I'm bored.|I was just thinking.)
    (Go!|Go on.|Now, please.|Your turn.|Well?|So?|Hm?|Hello?|Come on.)
"""
