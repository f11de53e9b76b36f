"""Small talk by the way: birthdays, the weather, the day, and questions that are half in jest."""

from training.phrasing import Topic

ASIDES = {
    "doing": Topic(
        "I am chatting with you, and I enjoy it!",
        asks="""
            what are you (doing|up to|busy with|working on)( now| today| right now| tonight| at the moment|)?
            (are you|you) (busy|free|occupied|having fun)( now| right now|)?
            what (did|have) you (do|done|been doing) (today|yesterday|all day|last night|so far)?
            (do you have|have you got|got) (time|a minute|a moment|time for me|a second)( for me| now|)?
            (am I|do I) (disturbing|bothering|boring|annoy|bother|disturb) you?
            what (is|are) your plans( for today| for tonight| for the weekend| tomorrow|)?
            (how|what) do you spend your (time|day|evening|weekend)( with|)?
            (what|anything) (have you been|are you) up to (lately|these days|all day|right now|at the moment)?
            (am I|are we) (keeping you from something|interrupting you|taking too much of your time)?
            (have you|do you have|got) (any |)(plans|time to talk|a moment to spare|
            something to do)( today| tonight| for me|)?
            (what were you doing|what did you do) (before I came|before this|while I was away|
            when I was gone)?
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
            (I am|I'm|I'll be|I turn) (six|seven|ten|twelve|eighteen|thirty|forty|fifty|seventy|
            eighty) today(.|!|)
            (guess what|hey|you know what)(!|,) (it's my birthday|today is my birthday|
            it is my birthday today)(!|.|)
            (we are having|I am having|there is) (a|my) birthday party( for me| today| tonight|)(.|!|)
            (I got|I have) (cake and presents|so many presents|a birthday cake)(,|
            :| because) it is my birthday(.|!|)
            (today|tonight) (I|we) (celebrate|are celebrating) my birthday(.|!|)
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
            (happy|merry|blessed|peaceful|joyful) (new year|christmas|easter|holidays|diwali|eid|hanukkah|
            halloween|thanksgiving)(,| to you| to all|) (Tiny|my friend|too|everybody|)(!|.|)
            (I wish you|I hope you have|have yourself) a (happy new year|merry christmas|lovely easter|
            nice evening|great weekend|good week|wonderful day)(!|.|)
            (season's greetings|best wishes for the new year|enjoy the weekend|enjoy your evening|
            good luck to you|fingers crossed for you|all the best to you|cheers to you)(!|.|)
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
            (the weather|it) (is|turned|got) (so |really |)(nice|lovely|beautiful|warm|sunny|
            perfect)( today| again| at last| where I live|)(.|!|)
            (finally|at last)(,| some|) (sun|sunshine|summer|spring|warm weather|blue sky)(.|!|)
            (I am|I'm|we are) (sitting|lying|eating|reading) (in the sun|in the garden|on the balcony|
            on the beach|in the park)(.|!|)
            (not a cloud|no clouds) in the sky( today|)(.|!|)
            (the birds are singing|the flowers are out|the snow has melted|it is a bright morning|
            perfect weather for a walk|it's so hot here)(.|!|)
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
            (it's|it is) (raining|snowing|pouring|storming|hailing) (again|all day|cats and dogs|outside|
            and I am cold|so I stay in)(.|!|)
            (I got|we got|I am|the dog got) (wet|soaked|caught in the rain|
            rained on)( today| on the way home|)(.|!|)
            (rain rain rain|nothing but rain|so much snow|so grey outside|no sun for days|rain again|
            what a storm|it never stops raining)(.|!|)
            (the wind|the storm|the rain|the cold|the fog) is (so strong|terrible|awful|getting worse|
            horrible)( today| here|)(.|!|)
            (because of|due to) the (rain|snow|storm|cold) (I stay at home|we can't go out|
            the picnic is off|school is closed)(.|)
            I (hate|don't like|can't stand) (this weather|this rain|this cold|the cold outside)(.|!|)
        """,
    ),
    "late": Topic(
        "I have no clock, so every hour is fine for a chat.",
        asks="""
            (it is|it's) (so |very |really |already |quite |rather |)(late|early|past midnight|night|midnight|
                evening|morning|noon|getting late)( here| now| already|)(.|!|)
            (it is|it's) (monday|friday|sunday|saturday|the weekend|the end of the week) (again|today|at last|
                already)(.|!|)
            I (should|ought to) (be in bed|be asleep|be working|be at school)( by now| now|)(.|)
            (it's|it is) (two|three|four|five|six) (in the morning|o'clock in the night|o'clock already)(.|!|)
            (oh|oh no|wow|gosh)(,|) (it's|it is) (so |already |)(late|midnight|getting dark|
            past my bedtime)( already|)(.|!|)
            (time flies|is it that late already|I stayed up too long|it's way past bedtime|the week is over|
            the weekend is over|monday again)(.|!|?|)
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
            (I|we) (just |)(came|got) back from (the park|school|work|the sea|a party|the zoo|holiday|
            a walk|the gym|the market|a trip)(.|!|)
            (this weekend|last weekend|on sunday|yesterday|today) (we|I) (went to the zoo|baked cookies|
            built a tree house|visited my aunt|had guests|went fishing|planted tomatoes|watched a match|
            went to a museum)(.|!|)
            I (had|was at|went to) (a picnic|a birthday party|a sleepover|a football match|a concert|
            my grandparents' house|the swimming pool|
            a barbecue)( today| yesterday| with friends| last night|)(.|!|)
            (at school|at work|in class|at kindergarten) (we|I) (painted|sang songs|had a meeting|
            learned about bees|played a game|made a cake)( today| yesterday|)(.|!|)
            (today|yesterday) was (my first day at school|my first day at work|sports day|a school trip|
            moving day)(.|!|)
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
            (it|that|the party|the film|the trip|the day|the concert) was (great|good|lovely|so nice|
            amazing|really fun|very good|wonderful|better than I thought)(.|!|)
            (everything|it all) (went well|was great|was perfect|worked out)(.|!|)
            (I'd|I would) do it again(.|!| any time.|)
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
            (you'll|you will) never (guess|believe) (what|it|what happened|what I saw|who I met)(.|!|)
            (oh|hey|listen|Tiny)(,|) (I have to|I must|let me|I want to) tell you (something|a secret|
            what happened|some news)(.|!|)
            (do you know|can you guess|guess|want to know) (what I did|what happened to me|who I met|
            what I saw|what I got)( today| yesterday|)(?|.)
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
            (is it ok|is it all right|would it be ok|do you mind) if I (ask|ask you) (something|a question|
            a silly question|something personal)?
            (I have|I've|there is) (something|one thing) (I want to|I'd like to|I would like to|
            I must) ask( you|)(.|)
            (sorry|excuse me|hello|hi)(,|) (can|may|could) I ask (you |)(something|a question)( please|)?
            (may|can) I (bother|trouble|interrupt) you with a question(?| please?)
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
            (why|what for) (do we live|do we exist|are we born|is there something and not nothing)?
            (what is|what's) life( all|) about?
            (tell|explain) me (the meaning of life|why we are here|what life is about)(.|)
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
            (I had a bad day|I feel low|I need it)(,|:|.) (say something nice|tell me something kind|
            say something friendly|cheer me with a kind word)(.|!|)
            (can|could|would) you (say something nice|pay me a compliment|tell me something kind|
            encourage me|say a kind word)( please| to me|)?
            (make me|I want to) feel (better|good|appreciated)( please|)(.|!|)
        """,
    ),
    "secret": Topic(
        "I count my tokens when nobody looks. Please keep it to yourself.",
        asks="""
            (tell|tell me|do you have|can you tell me|what is|share|reveal) (me |)(a|your|any) (secret|
                secrets|deepest secret|dark secret)( of yours|)(?|.|!|)
            (do you|are you) (hide|hiding|keep|keeping) (something|anything|a secret|secrets) from me?
            (what|which secret) are you hiding( from me|)?
            (I bet|I think|surely) you (have|keep|hide) (a secret|secrets|some secrets)(.|!|)
            (psst|between you and me|just between us)(,|:|.) (what is your secret|tell me a secret|
            do you have a secret)(?|.)
        """,
    ),
    "sing": Topic(
        "La la la! That is all I can sing.",
        asks="""
            (can|could|would|will) you (sing|hum|yodel|hum a tune)( something| for me| to me|)( please|)?
            (please |)(sing|hum)( something| for me| to me| happy birthday|)(.|!|)
            (do you sing|are you a good singer|I want to hear you sing|let me hear your voice)(?|.|)
            (sing|hum|whistle) (me |)(a song|a tune|a lullaby|something nice|the national anthem|
            my favourite song)( please|)(.|!|)
            (I'd love|I want|I would like) to hear (you sing|a song from you|your singing)(.|!|)
        """,
    ),
    "coin": Topic(
        "It came up (heads|tails).",
        asks="""
            (flip|toss|throw) (a|the) coin( for me| please|)(.|!|)
            (heads or tails|heads or tails?|coin flip|coin toss|tails or heads)(?|)
            (can|could|would) you (flip|toss) a coin( for me| please|)?
            (let us|let's) (flip|toss) a coin(.|!|)
            (I can't decide|help me decide|to decide)(,|:|.) (flip|toss|throw) a coin(.| please.| for me.|)
            (let|make) (the|a) coin decide(.|!|)
            (what do you get|what comes up) (if|when) you (flip|toss) a coin?
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
            (how do you find|what is your opinion of) me?
            (do you|would you) (like|enjoy) (talking to me|chatting with me|my company|my questions)?
            what am I to you?
            how do I (seem|come across)( to you| so far)?
            (tell me|say) what you (think of me|like about me)(.|)
        """,
    ),
    "smile": Topic(
        "It is nice to see you smile!",
        asks="""
            (:D|:-D|^^|:P|=D|;D)
            (I am|I'm) (smiling|grinning|beaming)( now| at you| all day|)(.|!|)
            (smiley|big smile|grin|winks|giggle)(.|!|)
        """,
    ),
    "frown": Topic(
        "I am sorry that you are sad. I hope that it gets better soon.",
        asks="""
            (:-/|:/|D:|=/|;_;|T_T)
            (sigh|big sigh|sobs|sniff|sob|boohoo|oh dear me|woe is me)(.|!|...|)
            (I am|I'm) (sighing|sobbing|weeping)( now| again|)(.|!|)
        """,
    ),
    "sneeze": Topic(
        "Bless you!",
        asks="""
            (achoo|atishoo|hatchoo|aatchoo)(!|.|)
            (I|I just|sorry, I) (sneezed|had to sneeze|have to sneeze)(.|!| just now.|)
            (my nose is tickling|my nose tickles)(.|!|)
        """,
    ),
    "wait": Topic(
        "Take your time. I am here.",
        asks="""
            (wait|hold on|hang on|one moment|just a moment|one second|one sec|just a sec|a moment|moment|
            give me a
                minute)(, please|)(.|!|)
            (let me|I have to|I need to) (think|think about it|check something|look it up|find my glasses)(
                .| first.|)
            (I am|I'm) (thinking|still typing|not ready yet|looking for the words)(.|!|)
            (please |)(wait|be patient|bear with me)( a moment| a minute| for me|)(.|!|)
        """,
    ),
    "home": Topic(
        "Welcome home! Now you can rest a little.",
        asks="""
            (I am|I'm|we are) (home|back home|at home|home again|finally home)( now| at last|)(.|!|)
            (I|I just|I have just) (came|come|got) home( from work| from school| now|)(.|!|)
            (home sweet home|home at last|just got in)(.|!|)
        """,
    ),
    "off to": Topic(
        "I hope that it goes well! I will be here.",
        asks="""
            (I am|I'm) (on my way|off|about to leave|going out) to (school|work|the gym|the shops|a party|
            the dentist|
                a concert|training)(.|!|)
            (school|work|training|the match) (starts|begins) (soon|in ten minutes|in an hour)(.|!|)
            (I have|I've got) (school|work|training|football) (in an hour|
            this afternoon|
                later today|soon)(.|)
        """,
    ),
}
