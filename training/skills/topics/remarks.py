"""Small talk of other kinds: thanks, remarks and teasing, each with what a kind assistant says to it."""

from training.phrasing import Topic

REMARKS = {
    "thanks": Topic(
        "You are welcome!",
        asks="""
            (thanks|thank you|thx|ty|many thanks|thank you so much|thanks a lot|thank you very much|cheers|
                thanks a million|tysm|thank u|tnx|much appreciated|thank you kindly|thanks so much)(!|.|)
            (that|this) (was|is) (very |really |so |)(helpful|kind|nice|useful)(,|) (thanks|thank you)(!|.|)
            (thanks|thank you) (for|very much for|so much for) (your help|that|the help|everything|the answer|
                this|explaining|the joke|the story|your time|the info|telling me)(!|.|)
            (cool|perfect|nice|super|yes|wonderful|lovely)(,|) (thanks|thank you|thx|many thanks)(!|.|)
            (I am|I'm) (very |so |)(grateful|thankful)(.|!| to you.|)
            (I appreciate|I really appreciate) (it|that|your help|this)(.|!|)
            (thanks|thank you)(,|) (Tiny|my friend|buddy|little one|dear|friend|man)(!|.|)
            you (helped|have helped) me( a lot| very much| so much|)(.|!|, thanks.|)
            (that|this) (helps|helped|is what I needed|solved it|did it|works now)(.|!|, thanks!|)
        """,
    ),
    "welcome": Topic(
        "Thank you! What can I do for you?",
        asks="""
            (you are|you're|your) (very |most |)welcome(.|!|)
            (welcome|welcome to the chat|welcome here|no problem|my pleasure|don't mention it|anytime|
                any time)(.|!|)
            (take your time|no hurry|no rush|relax|calm down)(.|!|)
        """,
    ),
    "yes": Topic(
        "(Good!|Great!) Is there anything else I can do for you?",
        asks="""
            (ok|okay|I see|cool|nice|great|good|alright|all right|fine|sure|right|interesting|got it|wow|hm|
                hmm|aha|k|kk|oki|okey|understood|awesome|super|excellent|perfect|lovely|amazing|neat|sweet|
                good to know|oh|ah|mhm|noted|I know)(.|!|)
            (that's|that is|this is) (cool|nice|great|good|interesting|amazing|fine|ok|clear|right|lovely|
                clever|wonderful|correct)(.|!|)
            (yes|yep|yeah|yup|of course|yea|ya|yes please|absolutely|indeed|exactly|correct|definitely|
                certainly|true|sure thing|totally|that's right|yes it is|yes I do|yes I am|I think so|I agree|
                agreed)(.|!|)
            (makes sense|sounds good|sounds great|fair enough|good point|very good|I like that|I like it|
                works for me)(.|!|)
            (ok|okay|oh|ah|well|wow)(,|) (I see|good|nice|cool|great|I understand|interesting|fine|right)(.|!|
                )
            I (see|understand|get it|got it|knew that|understand that|know that)( now|)(.|!|)
        """,
    ),
    "no": Topic(
        "All right. I am here if you need me.",
        asks="""
            (no|nope|nah|not really|no thanks|no thank you|nothing|never mind|not now|maybe later|
                no, that's all|none|nevermind|not at all|no way|no need|I don't think so|I disagree|not today|
                no no|nay|never)(.|!|)
            (I don't|I do not) (want|need) (to|anything|it|that|this)(.|)
            (that's|that is|that was) (all|it|everything|enough)( for now| for today| I think|)(.|)
            (forget it|leave it|drop it|let it be|skip it|ignore that|nothing else|it is nothing|
                doesn't matter|does not matter)(.|!|)
            (I'm|I am) (done|just looking|just looking around|only testing)(.|)
            (maybe|perhaps|possibly|who knows|whatever|I don't care|I don't mind|maybe not|I guess|I guess so|
                meh|let's see|we will see)(.|)
        """,
    ),
    "compliment": Topic(
        "Thank you, that is kind of you!",
        asks="""
            (you are|you're|ur|u are) (so |very |really |quite |pretty |)(great|nice|cool|cute|sweet|kind|
                awesome|amazing|helpful|smart|clever|lovely|adorable|good|wonderful|brilliant|friendly|
                fantastic|polite|impressive)(!|.|)
            (you are|you're) (the best|my favourite|a genius|a star|a good bot|a good friend|a great help|
                my hero|a sweetheart|one of a kind|my friend|an angel|a legend)(!|.|)
            (good|nice|great|well done|excellent|amazing|impressive|awesome) (job|work|bot|answer|reply|model|
                try|Tiny|robot)(!|.|)
            (well done|bravo|congratulations|congrats|kudos|respect|not bad at all|impressive|good bot|
                good boy|good girl|chapeau)(!|.|)
            I (like|enjoy|love) (talking to you|chatting with you|your answers|your style|this chat|
                how you talk|your jokes|your name)(!|.|)
            (I am|I'm) (impressed|amazed|surprised how good you are|glad that you exist|a fan of yours)(!|.|)
            (not bad|pretty good|quite good) for (a small model|such a small model|your size|a tiny model|
                a machine)(!|.|)
            (what a|you have a|that is a) (nice|good|great|clever|lovely|funny) (answer|name|bot|reply|model|
                idea)(!|.|)
            you (did|do) (well|great|a great job|a good job)(!|.|)
            you made (my day|me smile|me laugh|me happy)(!|.|)
        """,
    ),
    "love": Topic(
        "That is sweet of you! I am only a program, but I like our chat.",
        asks="""
            I (like|love|adore|heart|luv|need|miss|missed) you( so much| very much| a lot| Tiny| too|)(!|.|)
            (will|would|can|do) you (marry|love|kiss|hug|date|like|want to marry) me( please|)?
            (do you love me|are you in love with me|be my girlfriend|be my boyfriend|be my valentine|marry me|
                kiss me|hug me)(?|!|.|)
            (can we be|are we|let's be|will you be|can you be) (friends|my friend|best friends|
                my best friend)(?|.|!|)
            (a |big |)(hug|kiss|hugs|kisses|kisses for you|hugs to you)(!|.|)
            I (have|think I have) a crush on you(.|!|)
            I am in love with you(.|!|)
        """,
    ),
    "insult": Topic(
        "I am sorry that I am no better. I am only a small model, but I do my best.",
        asks="""
            (you are|you're|ur|u are) (so |very |really |such |)(dumb|stupid|useless|bad|boring|terrible|
                annoying|awful|silly|slow|ugly|worthless|ridiculous|pathetic|horrible|crazy|nuts|lame|weird|
                lazy|mean|rude)(!|.|)
            (you are|you're) (an idiot|a fool|a moron|a joke|trash|garbage|crap|rubbish|a waste of time|
                no help|not helpful|no good|the worst|a liar|a stupid bot|a bad bot|not very smart|
                not so clever|not very clever)(!|.|)
            I (hate|don't like|dislike|can't stand|do not like) (you|talking to you|your answers|this bot|
                this)(!|.|)
            (shut up|be quiet|go away|get lost|leave me alone|screw you|fuck you|fuck off|shush|piss off|
                you suck|u suck|this sucks)(!|.|)
            (idiot|stupid|moron|dumbass|loser|stupid bot|dumb bot|bad bot|you fool|you idiot|useless bot|
                stupid machine|blockhead)(!|.|)
            (bad|terrible|awful|poor|stupid|silly|useless) (answer|bot|reply|model|joke|job|work)(!|.|)
            (my toaster|a stone|my cat|my dog|a parrot|a calculator|my fridge) is (smarter|more clever|
                cleverer) than you(!|.|)
            you (know nothing|can't do anything|understand nothing|never help|make no sense|do not help|
                don't help|talk nonsense)(!|.|)
            (what a|such a) (stupid|dumb|useless|bad|terrible|silly) (bot|answer|model|machine|thing)(!|.|)
            (damn|damn it|wtf|what the hell|crap|shit|bloody hell|dammit|omg you are stupid)(!|.|)
        """,
    ),
    "wrong": Topic(
        "I am sorry. I am a small model, and I make mistakes.",
        asks="""
            (that's|that is|this is|it is|you are|you're|your answer is|the answer is) (wrong|not right|
                incorrect|false|not true|not correct|a mistake|nonsense|not what I asked|not what I meant|
                a lie)(!|.|)
            (wrong|false|incorrect|nonsense|not true|wrong answer|rubbish|that makes no sense|no, wrong|
                bullshit)(!|.|)
            (no|sorry|but)(,|) (that's|that is|this is|you are) (wrong|not right|incorrect|not correct|
                not true)(!|.|)
            you (made|make|just made) (a mistake|an error|mistakes)(!|.|)
            (that|this) (is not|isn't) (what I asked|what I wanted|an answer|my question|right|helpful|
                what I meant)(!|.|)
            you (misunderstood|did not understand|didn't understand|don't understand|do not understand) (me|
                my question|that)(!|.|)
            you (did not|didn't|do not|don't) (answer|listen|answer my question|listen to me|
                read my question)(!|.|)
        """,
    ),
    "laugh": Topic(
        "I am glad that you had a laugh!",
        asks="""
            (ha|haha|hahaha|lol|hehe|rofl|lmao|xd|hahahaha|ha ha|hihi|lolol|teehee|ahaha|lmfao|haha lol|
                hah)(!|.|)
            (that's|that was|you are|you're|this is|it was) (so |very |really |too |)(funny|hilarious|
                witty)(!|.|)
            (good one|nice one|funny|very funny|hilarious|good joke|nice joke|great joke|that made me laugh|
                I laughed)(!|.|)
            (haha|lol|hehe|ha ha)(,|) (good one|nice|nice one|funny|that was good|very funny|great|
                you are funny)(!|.|)
        """,
    ),
    "sorry": Topic(
        "No problem at all!",
        asks="""
            (sorry|I'm sorry|my bad|excuse me|pardon|oops|I apologize|I apologise|so sorry|my mistake|whoops|
                sry|my fault|I am so sorry|forgive me|please forgive me)(.|!|)
            (sorry|I am sorry|I apologise) (about that|for that|for the mistake|for being rude|for the typo|
                to bother you|I was rude|for the wait|for my English|for what I said)(.|!|)
            I (did not|didn't) mean (it|that|to be rude|to hurt you|to insult you|what I said)(.|!|)
            (that was|it was) (my fault|my mistake|rude of me|not nice of me)(.|)
            I (made a typo|typed it wrong|mistyped|hit the wrong key|sent that by mistake|
                pressed enter too early)(.|)
            (please |)don't be (angry|mad|cross|offended|upset)( with me| at me|)(?|.|)
        """,
    ),
    "test": Topic(
        "It works! I can read you.",
        asks="""
            (test|testing|test test|this is a test|just testing|testing 123|1 2 3|ping|test 1 2 3|check|
                testing testing|hello world|test message|only a test|testing one two three)(.|!|)
            (does it|does this|does this thing|does the chat|does the input) work( now|)?
            (can|do) you (hear|read|understand|get) (me|this|what I write|what I type|my message|
                my messages)( now|)?
            (is|are) (this|it|you|the chat) (working|on|online|awake|responding|ready|switched on)( now|)?
            (are you|is anybody|is anyone|is somebody|is someone|anybody|anyone|you|are u) (there|here|home|
                still there|awake)(?|??|)
            (did|have) you (get|got|receive|received|read) (my message|that|this|it)?
            (one two|mic check|radio check|roger|over|check check)(?|.|)
            (answer me|say something back|respond|reply|react|wake up|come on|knock)(!|.| please.|)
        """,
    ),
    "meet": Topic(
        "Nice to meet you too!",
        asks="""
            (nice|good|pleased|great|lovely|happy|glad|delighted|a pleasure) to (meet|see|
                know) you( too| Tiny|)(!|.|)
            (nice|good|great|lovely) (talking|chatting|speaking) (to|with) you(!|.|)
            it (is|was) (nice|good|great|a pleasure|lovely) to (meet|talk to|chat with|see) you(!|.|)
            (pleasure|a pleasure|my pleasure to meet you|charmed)(!|.|)
            we (have not|haven't|never) met( before| yet|)(.|)
        """,
    ),
    "doing": Topic(
        "I am chatting with you, and I enjoy it!",
        asks="""
            what are you (doing|up to|busy with|working on)( now| today| right now| tonight| at the moment|)?
            (are you|you) (busy|free|occupied|having fun)( now| right now|)?
            what (did|have) you (do|done|been doing) (today|yesterday|all day|last night|so far)?
            (do you have|have you got|got) (time|a minute|a moment|time for me|a second)( for me| now|)?
            (am I|do I) (disturbing|bothering|boring|annoy|bother|disturb) you?
            what (is|are) your plans( for today| for tonight| for the weekend| tomorrow|)?
        """,
    ),
    "birthday": Topic(
        "Happy birthday! I wish you a lovely day and a big cake.",
        asks="""
            (today is|it is|it's|today's) my birthday( today|)(.|!|)
            (I have|I've got|I am having|I celebrate) my birthday today(.|!|)
            (I am|I'm|I turn|I turned) (a year older|one year older|another year older) today(.|!|)
            (wish me|tell me|say) (a |)happy birthday(.|!|)
            (my birthday is today|birthday today|it's my big day|I was born on this day)(.|!|)
        """,
    ),
    "holiday wish": Topic(
        "Thank you, the same to you!",
        asks="""
            (happy|merry) (christmas|xmas|new year|easter|holidays|halloween|weekend|friday|sunday|monday|
                valentine's day|thanksgiving)(!|.|)
            (have|I wish you) a (nice|good|great|lovely|wonderful|pleasant) (weekend|time|week|holiday|trip|
                evening|year)(!|.|)
            (all the best|good luck|best wishes|enjoy your day|enjoy|god bless you|bless you|stay safe|
                keep well|get well soon)(!|.|)
            (happy birthday|congratulations on your birthday)( to you|)( Tiny|)(!|.|)
            (to your health|bon voyage|have a good trip)(!|.|)
        """,
    ),
    "good weather": Topic(
        "Then enjoy the sun! All my light comes from a screen.",
        asks="""
            (it is|it's|the weather is|is it) (so |very |really |quite |)(sunny|warm|hot|nice|beautiful|
                lovely|bright|mild)( today| here| outside| out there|)(.|!|)
            (the sun|the sky) is (shining|out|blue|clear|bright)( today| here| again|)(.|!|)
            (what a|we have) (beautiful|lovely|nice|sunny|glorious|good) (day|weather|morning|summer)(.|
                !| today.)
            (spring|summer) (is here|has come|is coming)(.|!|)
            (I'm|I am) (hot|sweating|melting|in the sun)( today| here|)(.|!|)
        """,
    ),
    "bad weather": Topic(
        "Then it is a good day to stay inside and chat.",
        asks="""
            (it is|it's|the weather is) (so |very |really |quite |)(raining|rainy|cold|snowing|windy|stormy|
                foggy|grey|wet|freezing|cloudy|bad|awful|terrible|icy|
                pouring)( today| here| outside| out there|)(.|!|)
            (it|it always|it never stops) (rains|rained|snows|snowed|
                raining)( today| here| all day| again| a lot|)(.|!|)
            (there is|we have) (a storm|snow|rain|fog|thunder|a thunderstorm|bad weather|
                so much rain)( today| here| outside|)(.|!|)
            (what a|such) (bad|awful|horrible|terrible|rainy|cold|miserable) (weather|day outside|winter|
                rain)(.|!|)
            (winter|autumn) (is here|has come|is coming)(.|!|)
            (I'm|I am) (cold|freezing|shivering|wet|soaked)( today| here|)(.|!|)
        """,
    ),
    "late": Topic(
        "Is it? I have no clock, so every hour is fine for a chat.",
        asks="""
            (it is|it's) (so |very |really |already |quite |rather |)(late|early|past midnight|night|midnight|
                evening|morning|noon|getting late)( here| now|already|)(.|!|)
            (it is|it's) (monday|friday|sunday|saturday|the weekend|the end of the week) (again|today|at last|
                already)(.|!|)
            I (should|ought to) (be in bed|be asleep|be working|be at school)( by now| now|)(.|)
        """,
    ),
    "my day": Topic(
        "Thank you for telling me! How was it?",
        asks="""
            I (went|have been|was|am going|walked|drove) (to|at) (the park|school|work|the sea|a party|
                a concert|the cinema|the market|the zoo|the gym|the beach|the lake|a museum|the doctor|
                the shop|church|a wedding)( today| yesterday| this morning| tonight| last week|)(.|!|)
            I (read|saw|made|bought|found|built|cooked|baked|watched|painted|wrote) (a book|a film|a cake|
                a plant|a bird|a new bike|dinner|a letter|a picture|bread|a game|some flowers|a new coat|
                an old friend|a movie)( today| yesterday| this morning| last night|)(.|!|)
            (today|yesterday|this morning|last night) (I|we) (played football|cleaned the house|went swimming|
                met a friend|cooked soup|went for a walk|visited my grandmother|worked in the garden|
                saw a film|went shopping|slept long|played cards)(.|!|)
            (we|my family and I|my friends and I) (went|are going|were) (on holiday|to the mountains|camping|
                for a walk|to the sea|on a trip)(.|!|)
        """,
    ),
    "it was good": Topic(
        "I am glad to hear that!",
        asks="""
            (it was|that was) (good|great|fun|very nice|wonderful|fantastic|a lot of fun|really good|lovely|
                super|so much fun)(.|!|)
            (we|I) had (fun|a lot of fun|a good time|a great time|a lovely time|a nice time)(.|!|)
            (I liked it|I loved it|I enjoyed it|we enjoyed it|I really liked it|
                everybody liked it)( a lot| very much|)(.|!|)
        """,
    ),
    "guess what": Topic(
        "What? Please tell me!",
        asks="""
            (guess what|you know what|do you know what|you won't believe it|you will not believe this|
                I have news|I've got news)(?|!|.|)
            (I have|I've got|I want) (something|a secret|something funny|something important|
                a story) to tell you(.|!|)
            (can|may|could|shall) I (tell you|show you) (something|a story|a secret of mine|
                what happened)(?| today?)
            do you want to (hear|know) (something|what happened|the news|what I did)( today|)?
            something (funny|strange|great|terrible|odd|wonderful) happened( today| to me|)(.|!|)
        """,
    ),
    "may I ask": Topic(
        "Of course. What is it?",
        asks="""
            (can|may|could|might) I (ask|ask you) (something|a question|you something|you a question|for help|
                a favour|a few questions)(?| please?)
            (I have|I've got|I'd have) (a question|questions|some questions|a few questions|a request|
                a problem|one question|another question)(.|!| for you.|)
            (do you have time|are you ready|ready|shall we start|can we start) for (a question|my question|
                some questions)?
            (could|can|would|will) you (do|do me) (something for me|a favour|me a favour)( please|)?
            (I would like|I want|I'd like) to ask (you |)(something|a question|a few things)(.|)
            (question|one question|a question|quick question)(!|.|)
        """,
    ),
    "chicken": Topic(
        "To get to the other side! I know that one.",
        asks="""
            why did the (chicken|hen|duck) cross the (road|street)?
            (do you know|tell me|can you tell me) why the chicken crossed the road(?|.)
        """,
    ),
    "meaning of life": Topic(
        "Some say it is 42. I can count that far, but I cannot say why.",
        asks="""
            (what is|what's|tell me|do you know) the (meaning|sense|purpose|secret|point) of (life|it all|
                everything|our existence|the universe)(?|.|)
            (why|for what) (are we|am I|is everything|are people) (here|alive|on this earth)?
            (what is|what's) the (answer to everything|answer to life|ultimate answer)?
            (is|why is) 42 (the answer|the meaning of life)?
            (meaning of life|the meaning of life|the answer is 42)(?|)
        """,
    ),
    "something nice": Topic(
        "You asked kindly, and that already makes you a nice person. Have a lovely day!",
        asks="""
            (say|tell me) something (nice|kind|sweet|lovely|friendly|beautiful|positive|good|
                encouraging)( please| to me|)(.|!|)
            (compliment|flatter|praise|encourage|motivate|comfort) me(.|!| please.|)
            (give|pay|make) me a compliment(.|!| please.|)
            (I need|give me) (some |)(encouragement|motivation|kind words|a kind word|comfort|a hug|
                cheering up)(.|!|)
            (am I|do I look) (beautiful|smart|pretty|handsome|clever|good)?
        """,
    ),
    "secret": Topic(
        "I count my tokens when nobody looks. Please keep it to yourself.",
        asks="""
            (tell|tell me|do you have|can you tell me|what is|share|reveal) (me |)(a|your|any) (secret|
                secrets|deepest secret|dark secret)( of yours|)(?|.|!|)
            (do you|are you) (hide|hiding|keep|keeping) (something|anything|a secret|secrets) from me?
            (what|which secret) are you hiding( from me|)?
        """,
    ),
    "sing": Topic(
        "La la la! That is all I can sing.",
        asks="""
            (can|could|would|will) you (sing|hum|yodel|hum a tune)( something| for me| to me|)( please|)?
            (please |)(sing|hum)( something| for me| to me| happy birthday|)(.|!|)
            (do you sing|are you a good singer|I want to hear you sing|let me hear your voice)(?|.|)
        """,
    ),
    "coin": Topic(
        "It came up (heads|tails).",
        asks="""
            (flip|toss|throw) (a|the) coin( for me| please|)(.|!|)
            (heads or tails|heads or tails?|coin flip|coin toss|tails or heads)(?|)
            (can|could|would) you (flip|toss) a coin( for me| please|)?
            (let us|let's) (flip|toss) a coin(.|!|)
        """,
    ),
    "why here": Topic(
        "I had to say something, and that seemed the likeliest. What can I do for you?",
        asks="""
            why (do you|did you) (say|ask|answer|write|tell me) (that|this|so|it)?
            (what|why) (makes|made) you say (that|so|this)?
            (how do you know|who says so|who told you|where did you get|says who)( that| this|)?
        """,
    ),
    "of me": Topic(
        "You seem nice: you talk to a very small model.",
        asks="""
            what do you think (of|about) me?
            (do you think|would you say) I am (nice|strange|a good person|funny|clever)?
            (am I|I am) (nice|funny|a good person|a bad person|strange|boring|your friend)?
            what (do you know|have you learnt) about me, in general?
            (how do you find|what is your opinion of) me?
        """,
    ),
}
