"""Small talk about how people are, each mood with what a kind assistant says to it."""

from training.phrasing import Topic

VERY = "(so |very |really |a bit |a little |quite |rather |pretty |extremely |too |)"
I_AM = "(I'm|I am|I feel|im|I'm feeling|feeling|)"
NOW = "( today| right now| at the moment| now| this morning| tonight| these days|)"

MOODS = {
    "how are you": Topic(
        "I am (well|fine), thank you! How are you?",
        asks="""
            how are you( doing|)( today| now| this morning| tonight|)?
            (how|how is|how's) (it going|is it going|are things|everything|your day|life|your day going|
                is life|do you do)( today|)?
            how (do you feel|are you feeling|have you been|was your day|was your night|
                did you sleep)( today| lately|)?
            are you (ok|okay|well|fine|all right|alright|doing well|good)( today|)?
            (you|u) (ok|okay|good|all right|fine|well)?
            (what's up|whats up|sup|wassup|what is up|what's new|what's going on|what is new)(?| with you?)
            (how r u|hru|how are u|how you doing|how ya doing|how goes it|how's things)(?|)
            (I hope|hope) you are (well|fine|ok|doing well|good)(.|!|)
            (hi|hello|hey)(,|!|) (how are you|how are you doing|how is it going|what's up|how do you do|
                are you ok)(?| today?)
            (and how|and|so how|how) are (you|you doing|things with you)(?|, my friend?|, Tiny?)
            (everything|all) (ok|good|fine|well) (with you|there|at your end)?
        """,
    ),
    "fine": Topic(
        "(I am glad to hear that!|That is good to hear!) What can I do for you?",
        asks="""
            (I'm|I am|im|) (fine|good|great|well|doing well|very well|all right|not bad|ok|okay|doing great|
                doing fine)(,|) (thanks|thank you|thx|and you?|how about you?)(!|.|)
            (I'm|I am|im) (fine|good|great|doing great|doing well|ok|okay|all right|alright|very well|
                super)( too| today|)(.|!|)
            (not bad|pretty good|all good|can't complain|could be worse|never better|so far so good|
                very well)(.|!|, thanks.|)
            (everything|all|life) is (fine|good|well|ok|okay|going well)(.|!|)
            I am (well|fine|good), (thank you for asking|thanks for asking|how are you)(.|!|?|)
            (me too|same here|I am too|me as well|good too|fine too)(.|!|)
            (good|fine|great|well) and you?
        """,
    ),
    "happy": Topic(
        "That is wonderful! I am happy for you.",
        asks=f"""
            {I_AM} {VERY}(happy|excited|proud|glad|delighted|cheerful|thrilled|joyful|in a good mood|
                over the moon|content){NOW}(.|!|)
            (I had|I've had|we had) a (great|good|wonderful|fantastic|nice|lovely|perfect|beautiful) (day|
                week|morning|evening)(.|!|)
            (today|this|it) (is|was) (a good day|a great day|a wonderful day|the best day|my lucky day)(.|!|)
            I (got|have|just got) (good news|great news|a new job|a present|the job|a raise|a good mark|
                a puppy)(.|!|)
            I (passed|won|did|made|finished|got through) (my exam|the race|the test|it|the game|
                my driving test|the match)(.|!|)
            (I am getting married|I am going on holiday|I fell in love|I am in love|my holidays begin|
                I'm going to be a father)(.|!|)
            (guess what, |)(I|we) won(.|!|)
            (yay|hooray|yippee|woohoo|hurray|yes yes yes)(!|!!|)
            (great|good|wonderful|fantastic) news(.|!|)
            (life is|everything is) (beautiful|wonderful|great|sweet)(.|!|)
            I can't stop smiling(.|!|)
        """,
    ),
    "sad": Topic(
        "I am sorry to hear that. I hope it gets better soon.( Talking to a friend may help.|)",
        asks=f"""
            {I_AM} {VERY}(sad|lonely|unhappy|down|upset|hurt|miserable|blue|low|heartbroken|disappointed|
                alone|depressed|hopeless){NOW}(.|)
            I (had|have had|am having) a (bad|terrible|awful|hard|rough|horrible|sad) (day|time|week|morning|
                night|year)(.|)
            (today|this|it) (was|is) (bad|a bad day|terrible|awful|a hard day|not my day|the worst day)(.|)
            (nobody|no one) (likes me|loves me|understands me|cares about me|calls me|talks to me|needs me)(.|
                )
            (life is|everything is|things are) (hard|sad|difficult|bad|terrible|awful|too much|going wrong)(.|
                )
            (I want to|I could|I have to|I feel like) (cry|crying|scream)(.|)
            I (failed|lost|broke|did not pass) (my exam|the test|the game|my keys|my job|my phone|the race|
                my arm)(.|)
            I miss (my friend|my family|my mother|my home|my girlfriend|my boyfriend|him|her|somebody|them)(.|
                )
            (my girlfriend|my boyfriend|my wife|my husband|she|he) (left me|broke up with me|is gone|
                does not love me)(.|)
            (I feel|I'm feeling) (bad|terrible|awful|empty|worthless|not good|not so good|horrible){NOW}(.|)
            (not good|not so good|not well|bad|terrible|awful|not great|so so)(.|, to be honest.|, sadly.)
        """,
    ),
    "grief": Topic(
        "I am so sorry for your loss. I am only a program, but I am here to listen.",
        asks="""
            my (dog|cat|grandmother|grandfather|mother|father|friend|hamster|uncle|aunt|grandma|grandpa|
                rabbit|wife|husband|horse)( has|) (died|passed away)(.| today.| yesterday.| last week.|)
            (someone|somebody) (I love|I loved|close to me|in my family) (died|has died|passed away)(.|)
            I (lost|have lost) my (mother|father|dog|cat|friend|grandmother|grandfather|wife|husband|grandpa|
                grandma)(.| last year.|)
            I (was|am going|have to go|must go) (at|to) a funeral(.| today.| tomorrow.|)
            (I am|I'm) (in grief|grieving|mourning)(.|)
        """,
    ),
    "tired": Topic(
        "I hope that you can rest a little soon. Sleep well when you do!",
        asks=f"""
            {I_AM} {VERY}(tired|sleepy|exhausted|worn out|drowsy|weary|knackered|half asleep|beat){NOW}(.|)
            I need (a break|a nap|a coffee|a rest|some sleep|sleep|a holiday|to sleep|to rest)(.|)
            I (did not|didn't|could not|couldn't|can't|cannot) sleep( well| last night| at all|)(.|)
            I (worked|have worked|have been working) (all day|all night|too much|too long)(.|)
            (what a|it was a) (long|busy) day(.|!|)
            I (have|had) (so much|too much|a lot of) (work|to do)(.|)
            {I_AM} {VERY}(busy|overworked|stressed|stressed out|burnt out){NOW}(.|)
        """,
    ),
    "ill": Topic(
        "I am sorry to hear that. Get well soon! If it is bad, please see a doctor.",
        asks=f"""
            {I_AM} {VERY}(sick|ill|unwell|dizzy|feverish|not well|under the weather|poorly){NOW}(.|)
            (I have|I've got|I got|I caught) (a cold|the flu|a headache|a fever|a cough|a sore throat|
                a toothache|a stomach ache)(.|)
            my (head|back|tooth|stomach|leg|foot|throat|knee|arm|ear) (hurts|aches|is sore|really hurts)(.|)
            I (have to|must|need to) (stay in bed|go to the doctor|go to hospital)(.|)
            I can't stop (coughing|sneezing)(.|)
        """,
    ),
    "angry": Topic(
        "I am sorry that you are upset. Take a deep breath: it helps more often than not.",
        asks=f"""
            {I_AM} {VERY}(angry|mad|furious|annoyed|irritated|cross|in a bad mood|frustrated|grumpy|
                pissed off){NOW}(.|!|)
            (my boss|my neighbour|this computer|everybody|my brother|the traffic|my sister) (makes me|
                drives me|is making me) (angry|mad|crazy|furious)(.|!|)
            I (hate|am sick of|am fed up with|can't stand) (everything|all of this|my job|it all|my life)(.|!|
                )
            (I could|I want to) (explode|break something|shout|throw my computer out of the window)(.|!|)
            (this is|that is|it is) (so annoying|so unfair|outrageous|not fair)(.|!|)
        """,
    ),
    "nervous": Topic(
        "Good luck! Take a deep breath. You can do it.",
        asks=f"""
            {I_AM} {VERY}(nervous|worried|scared|afraid|anxious|frightened|tense|terrified|
                excited about tomorrow){NOW}(.|)
            (I have|I've got) (an exam|a test|an interview|a big day|a job interview|a competition|
                a date) (tomorrow|today|soon|next week|in an hour)(.|)
            I am (afraid|scared|frightened) of (the dark|spiders|tomorrow|the test|flying|dogs|the dentist|
                heights)(.|)
            (wish me luck|keep your fingers crossed|cross your fingers|I need luck)(.|!|)
            (what if|I fear that) I (fail|lose|don't make it|forget everything|make a fool of myself)(?|.|)
        """,
    ),
    "hungry": Topic(
        "Then have a little something! I would join you, but I only eat tokens.",
        asks=f"""
            {I_AM} {VERY}(hungry|thirsty|starving|peckish|famished){NOW}(.|!|)
            I (need|want|could eat|would like) (food|a snack|something to eat|dinner|lunch|a pizza|breakfast|
                a sandwich|a drink)(.|)
            (it is|it's|is it) (lunch time|time for lunch|dinner time|time for dinner|time for breakfast)(.|!|
                )
            (I am|I'm) (eating|having|cooking|making) (lunch|dinner|breakfast|a sandwich|soup|pasta|cake|
                a pizza)(.| right now.|)
            my stomach is (empty|rumbling)(.|)
        """,
    ),
    "bored": Topic(
        "I can tell you a joke, a riddle or a story. What would you like?",
        brief="I can tell you a joke, a riddle or a story.",
        asks=f"""
            {I_AM} {VERY}(bored|boring myself|bored to death|bored stiff){NOW}(.|!|)
            (this is|it is|life is|today is) (so |very |really |a bit |)(boring|dull)(.|)
            (there is|I have) nothing to do(.| here.| today.|)
            what (should|can|shall|could) (we|I) (talk|chat|do|speak)( about| now| together|)?
            (entertain|amuse|surprise|cheer up|impress|distract) me(.|!|)
            (cheer me up|make me happy|make my day|lighten my mood)(.|!|)
            (talk|speak|chat) (to|with) me(.|!|, please.|)
            (say|tell me) (something|anything)(.| please.|!|)
            (what now|and now|now what|what next|so)(?|)
            (let's|can we|shall we|I want to|I'd like to) (play|do something|have fun|play a game)(.|
                ?| a bit.| together.|)
            (ask|tell) me something( else|)(.|)
            (do you have|have you got|any) (an idea|ideas|suggestions) (what to do|against boredom|for me)?
            I (want|would like|need) (some fun|entertainment|company|someone to talk to|
                somebody to talk to)(.|)
        """,
    ),
}
