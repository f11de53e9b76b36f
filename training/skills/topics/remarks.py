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
            (thanks|thank you|thx)(,|.|!) (that was|that is|this is) (all I needed|just what I needed|
            very kind of you|a great help|exactly right|good to know)(.|!|)
            (thank you|thanks) (once more|again|ever so much|from the bottom of my heart|in advance|kindly|
            heaps|loads|a bunch)(!|.|)
            (oh|ah|great|ok|brilliant|got it)(,|) (thanks|thank you|thank you so much|thanks a lot)(!|.|)
            (I want to|I'd like to|let me|I must) (thank you|say thank you|say thanks)(.|!| for your help.|)
            (how|that's) (kind|nice|sweet|thoughtful) of you(.|!|)
            (what would I do without you|you saved me|you saved my day|I owe you one|I owe you)(.|!|?|)
            (much obliged|bless your heart|thanks for being there|thanks for listening|
            thank you for listening|you've been very helpful|you were a great help)(.|!|)
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
            (oh|ah|aha|hm|well|right)(,|) (now I (get|see|understand) it|that explains it|
            I didn't know that|so that's it|that's how it is)(.|!|)
            (that|this) (makes sense|sounds right|sounds nice|is good to know|will do|is enough to know|
            is new to me)(.|!|)
            (okay dokey|okey dokey|righto|roger that|works|done|sounds like a plan|all clear|
            cool cool|ok then|ok cool|fine by me|why not|by all means|go for it)(.|!|)
            (you're right|you are right|I believe you|I trust you|so it is|that's true|quite right|spot on|
            well said|exactly my thoughts)(.|!|)
            (really nice|great stuff|good stuff|wow, nice|oh wow|how nice|how interesting|
            what a coincidence|no way, cool|who would have thought)(.|!|)
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
            (no|nope|no no)(,|) (I'm good|I am fine|that's fine|it's ok|not now|not today|thank you though|
            that will be all|I don't need anything)(.|!|)
            (I have|I've got) (everything I need|no more questions|nothing else|no questions)(.|!| thanks.|)
            (I changed my mind|on second thoughts, no|better not|let's not|I'd rather not|not for me|
            not interested|nothing for now|nothing at the moment)(.|)
            (let's|let us) (leave it|drop it|forget it|talk about something else|change the subject)(.|)
            (don't worry about it|it's not important|not important|skip that|that's ok, leave it|no worries|
            it's nothing|don't bother)(.|!|)
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
            you made (my day|me smile|me happy)(!|.|)
            (you are|you're) (smarter|better|funnier|nicer|quicker|cleverer) than (I thought|I expected|
            you look|my brother|other bots|my last chatbot|most people)(!|.|)
            (you are|you're) (so |really |)(good|great) (at this|at talking|company|with words|fun|
            to talk to|for such a small model)(!|.|)
            (I think|I must say|honestly|I have to say)(,|) (you are|you're) (great|wonderful|very clever|
            really nice|a good listener|quite smart|adorable)(!|.|)
            (what a|such a) (smart|clever|nice|sweet|polite|charming|lovely|cute) (bot|little model|robot|
            program|thing|assistant)(!|.|)
            (that was|this was|that is) (a good answer|well said|clever of you|smart|a great answer|
            beautifully put|quick|fast|brilliant)(!|.|)
            (good|great|nice|well) (thinking|one, Tiny|done, Tiny|answer, thank you|work, little one)(!|.|)
            (five stars|10 out of 10|ten points|A plus|thumbs up|two thumbs up|top|first class|you rock|
            you rule|you nailed it|you're awesome, thanks)(!|.|)
            (my|our) (daughter|son|grandmother|friend|class|family) (likes|loves|adores) (you|your answers|
            talking to you)(!|.|)
            (I didn't|I did not) (know|think|expect) (you were so clever|you could do that|
            that you are so good|a small model can do this)(!|.|)
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
            (I think|I believe|I guess) I (love|like|adore) you(!|.|, Tiny.|)
            (you are|you're) (my love|my darling|my sweetheart|the love of my life|my best friend|
            the only one who listens to me|my soulmate)(!|.|)
            (do you|could you ever|will you ever|would you) (love|like|fancy|miss|kiss|
            adore) me( back| a little| too|)?
            (I'd like|I want) to (marry|hug|kiss|cuddle|date) you(!|.|)
            (sending|here is|here comes|have) (a|a big|a little) (hug|kiss|heart)( for you|)(!|.|)
            (I have|I've) fallen in love with you(!|.|)
            (xoxo|<3|hugs and kisses|hug me please|love you|luv u|ily|I heart you)(!|.|)
            (stay with me|don't leave me|never leave me|I will miss you|I missed you so much)(!|.|)
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
            (you are|you're|ur) (as dumb as|dumber than|slower than|more stupid than) (a rock|a brick|
            my toaster|a potato|bread|a goldfish|my phone)(!|.|)
            (I think|I find|honestly|sorry but)(,|) (you are|you're) (stupid|useless|boring|not very bright|
            a bit dumb|terrible|annoying)(!|.|)
            (why are you|how can you be|how are you) so (stupid|dumb|bad|slow|useless|boring|annoying|silly)?
            (you|this thing|this bot|this program|this chat) (is|are) (a joke|rubbish|trash|useless|
            a disappointment|hopeless|the worst bot ever|so bad|garbage)(!|.|)
            (nobody|no one|I don't) (likes|needs|wants|like|need|want) (you|a bot like you|you at all)(!|.|)
            (my old bot is|other bots are|a real person is|any other bot is) (better|much better|smarter|
            far smarter) than you(!|.|)
            (you are|you're) (getting on my nerves|driving me mad|wasting my time|no use|good for nothing|
            a failure|a stupid machine|as thick as two planks)(!|.|)
            (hate you|I hate you so much|stop talking|just shut up|zip it|be silent|you talk too much|
            nobody asked you|I'm sick of you)(!|.|)
            (can you|do you know how to|will you ever) (do anything right|say anything useful|
            give a good answer)?
            (I will|I'm going to|I should) (delete you|uninstall you|find a better bot|
            use another bot|throw you away)(!|.|)
            (I am|I'm) (disappointed|not impressed|not happy) (in you|with you|by you|with your answers)(!|.|)
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
            (I think|I'm afraid|I believe|sorry, but|hm,|no,) (that's|that is|you are|this is|
            your answer is) (wrong|not right|a mistake|not correct|incorrect|mistaken)(.|!|)
            (are you sure|check again|look again|think again|try again|read it again)(,|.|:|
            ?) (that's wrong|that is not right|it is wrong|this is incorrect|there is a mistake)(.|!|)
            (my teacher|my mother|my book|everybody|my friend) says (that is wrong|you are wrong|
            it is not true|something else)(.|!|)
            (that|it|this) (can't be|cannot be|does not sound|doesn't look|can't possibly be) (right|true|
            correct)(.|!|)
            (I asked|I wanted|I meant) (something else|another thing|something different)(.|!|)
            (you got|you have got) (it|that|this) (wrong|all wrong|completely wrong|mixed up)(.|!|)
            (wrong again|still wrong|nope, wrong|not quite|not quite right|almost, but no|you're mistaken|
            that's not it|that's not what I said)(.|!|)
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
            (you|that|this joke|this one) (made me laugh|made me giggle|cracked me up|made me smile|got me|
            made us all laugh)(!|.|)
            (I am|I'm) (laughing|giggling|dying of laughter|still laughing|in stitches|
            rolling on the floor)(!|.|)
            (so funny|too funny|that's gold|what a joke, haha|haha yes|hahaha no way|lol that's good|
            very droll|comedy gold)(!|.|)
            (bwahaha|muahaha|heh|hee hee|ho ho ho|kkkk|jajaja|lmao|haha|hahah) (good one|that was good|nice|
            stop it|I love it)(!|.|)
            (my kids|we all|the whole class|my grandmother) (laughed|giggled|
            had a good laugh)( at that| about it|)(!|.|)
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
            (I am|I'm|so|really|very|terribly) (sorry|really sorry|so sorry|very sorry)(.|!|, I was rude.|
            , I did not mean it.| about before.|)
            (I|we) (want to|must|have to|would like to) (apologise|apologize|say sorry)( to you| for that|
            )(.|!|)
            (sorry|excuse me|pardon me)(,|) (my (mistake|fault)|wrong window|
            that was meant for somebody else|I hit enter too soon|my cat walked over the keyboard|
            I was away)(.|!|)
            (I shouldn't have|I should not have) (said that|called you that|shouted at you|been so rude)(.|)
            (sorry|I'm sorry|excuse me)(,| that| if|) (my English is bad|my English is not good|
            I make mistakes|I am learning English|I write slowly)(.|)
            (are you|you are not|I hope you are not) (angry with me|mad at me|cross with me|offended)(?|.|)
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
            (hello|hi|hey)(?|??|,|) (anybody there|anyone home|are you there|can you hear me|
            is this thing on|do you read me)?
            (is|are) (this|it|you|the bot) (still |really |)(working|running|up|connected|
            switched on)( today|)?
            (I just want|I only want|I wanted|let me) to (test you|see if this works|try this|
            check if it works|see if you answer)(.|)
            (trying|just trying|I'm trying) (this|it|the chat|you) out(.|!|)
            (say something|type something|write back|answer) (if you can read this|if you are there|
            so that I know it works|to show that you work)(.|!|)
            (first|second|another|last|one more) (test|try|attempt|test message)(.|!|)
            (did|do) (it|that|my message|this) (arrive|work|come through|go through)?
            (foo|bar|foo bar|lorem ipsum|abc|abc test|123 test|test 1|test2|trial|probe)(.|!|)
        """,
    ),
    "meet": Topic(
        "Nice to meet you too!",
        asks="""
            (nice|good|pleased|great|lovely|happy|glad|delighted|a pleasure) to (meet|see|
                know) you( too| Tiny|)(!|.|)
            it (is|was) (nice|good|great|a pleasure|lovely) to (meet|see) you(!|.|)
            it is (nice|good|great|a pleasure|lovely) to (talk to|chat with) you(!|.|)
            (pleasure|a pleasure|my pleasure to meet you|charmed)(!|.|)
            we (have not|haven't|never) met( before| yet|)(.|)
            (how|what a) (nice|lovely|pleasure|joy) (to meet you|to make your acquaintance|to know you|
            to see you)(!|.|)
            (I am|I'm) (glad|happy|pleased|delighted|honoured) (to meet you|to make your acquaintance|
            to know you|that we met)(!|.|, Tiny.|)
            (pleased|nice|glad|good) to (make your acquaintance|finally meet you|have met you|
            get to know you)(!|.|)
            (nice|good|great|lovely) to (finally |)(meet|know) (you|you too|you at last|you, Tiny)(!|.|)
        """,
    ),
}
