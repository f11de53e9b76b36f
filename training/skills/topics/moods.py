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
            good (morning|afternoon|evening|day)(,|!|.|) (how are you|how are you today|how is it going|
                did you sleep well)(?|)
            (and how|and|so how|how) are (you|you doing|things with you)(?|, my friend?|, Tiny?)
            (everything|all) (ok|good|fine|well) (with you|there|at your end)?
            (so |and |)how('s| is) (your morning|your evening|your week|the day treating you|work|business|
            your life as a program)?
            (how have things been|how has your day been|how was your weekend|how is your day so far|
            how do you do)(?| today?)
            (tell me|do tell|I want to know)(,|) how (are you|you are|are you doing|you are doing)(.|
            ?| today.)
            (are|is) (you|everything|all) (feeling well|feeling good|all right over there|in order)( today|)?
            (long time no see|I'm back|here I am again)(,|.) (how are you|how have you been|how are things)?
            (what's|what is) (cooking|the word|the latest with you)?
            (how fares|how's) (the little model|my favourite bot|my little friend|old Tiny)( today|)?
            (you doing|u doing|you feeling|are you keeping) (ok|well|good|all right)( today|)?
            (good day to you|hello my dear|hi sweetie|hello dear)(,|.) (how are you keeping|
            how are we today|and how are you today)?
            (may|can) I ask how (you are|you are doing|you feel)( today|)?
            (I just wanted|I wanted|I only came) to (ask|know|see) how you are( doing|)(.|)
            how are you(,|) (my friend|Tiny|buddy|dear|little one|old friend|mate)( today|)?
        """,
    ),
    "fine": Topic(
        "(I am glad to hear that!|That is good to hear!) What can I do for you?",
        asks="""
            (I'm|I am|im) (fine|good|great|well|doing well|very well|all right|not bad|ok|okay|doing great|
                doing fine)(,|) (thanks|thank you|thx)(!|.|)
            (I'm|I am|im) (fine|good|great|doing great|doing well|ok|okay|all right|alright|very well|
                super)( too| today|)(.|!|)
            (not bad|pretty good|all good|can't complain|could be worse|never better|so far so good|
                very well)(.|!|, thanks.|)
            (everything|all|life) is (fine|good|well|ok|okay|going well)(.|!|)
            I am (well|fine|good), (thank you for asking|thanks for asking)(.|!|)
            (me too|same here|I am too|me as well|good too|fine too)(.|!|)
            (fine|good|well|quite well|doing great|all right|very well|not bad)(,|) (thanks|thank you|
            thank you very much|thanks for asking)(.|!|)
            (doing|feeling|I'm doing|I'm feeling) (fine|well|ok|pretty well|quite well|
            all right)( today| thanks|)(.|!|)
            (I can't complain|mustn't grumble|no complaints|getting by|same as always|the usual|
            same old same old|not too bad|I am alive)(.|!|)
            (my day|my morning|my week|the day|it) (was|is|has been) (fine|good|ok|all right|not bad|
            quite good|going well)( so far| thanks|)(.|!|)
            (good|fine|great) (to be here|as always|like every day|so far)(.|!|)
            (I am|I'm) as (fine|well|good) as (ever|always|can be)(.|!|)
            (oh|well|yes)(,|) (I'm fine|I am fine|I am well|quite well|pretty good|all is well)(.|!| thanks.|)
            (I slept|I've slept|we slept) (well|very well|like a baby|like a log)(.|!|)
            nothing (to complain about|special, I'm fine|new, all good)(.|)
        """,
    ),
    "fine and you": Topic(
        "I am fine, too. What can I do for you?",
        asks="""
            (good|fine|great|well|ok|not bad|very well|all right|pretty good)(,|) and (you|yourself)?
            (good|fine|great|well|ok|not bad|very well|all right|all good)(, thanks|, thank you| thanks)(,|.|!
                ) (and you|how about you|what about you|yourself|and yourself|how are you)?
            (I'm|I am|im) (good|fine|great|well|ok|doing well|doing great|all right|not bad)(,|.|!|) (how
                about you|what about you|yourself|and yourself|how are you|and you|and how are you)?
            (I'm|I am) (well|fine|good|great)(, thank you for asking|, thanks for asking|, thank you)(.|,|!
                ) (how are you|and you|and how are you|how about you)( today|)?
            (can't complain|so far so good|never better|same as always|everything is fine|
                all is well)(,|.|!) (and you|how about you|yourself|how are you|what about you)?
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
            (guess what|you know what|listen|good news|great news)(!|,|:) (I passed|I won|I got the job|
            we are having a baby|I am engaged|she said yes|we won|I finished it|they hired me|it worked)(.|!|)
            I (just |finally |)(got|received|was given|earned) (an A|top marks|a good grade|full marks|
            a medal|a prize|a scholarship|a promotion|a pay rise|a new bike|a letter from a friend|
            tickets for the concert|good marks at school)(.|!|)
            (my|our) (baby|grandson|granddaughter|niece|nephew|son|daughter) (was born|is born|arrived|
            took the first steps|said the first word|is healthy)( today| last night| this morning|)(.|!|)
            (my|our) (team|class|son|daughter|school|club) (won|has won|came first|got a prize|
            got the first place)( today| again| yesterday|)(.|!|)
            (I am|I'm|we are) (getting married|engaged|expecting a baby|pregnant and so happy|
            moving to a nicer house|going to be parents|going to be grandparents|going on holiday tomorrow|
            off on holiday)(.|!|)
            (the doctor says|they told me) (I am healthy|everything is fine|I am well again|
            it is nothing bad)(.|!|)
            I (made|found|have) (a new friend|the love of my life|my lost ring|my lost cat again|
            my keys at last)( today|)(.|!|)
            (school|work|the exam|the week|my shift) is (over|done|finished) (at last|for today|
            and I am free)(.|!|)
            (I'm|I am|we are) so (happy|glad|proud)(,|:|.) (I passed|we won|my exam went well|
            my friend is visiting|it is my wedding day|everything worked)(.|!|)
            (today|this week|this year|yesterday) (is going|was|went|has been) (great|really well|so well|
            perfectly|better than I hoped)(.|!|)
            (I could|I want to) (dance|sing|hug|jump) (for joy|the whole world|with joy)(.|!|)
            (best day ever|happiest day of my life|what a wonderful day|I love my life|this is the life|
            dreams come true)(.|!|)
            (I feel|I'm feeling|feeling) (great|good|fantastic|wonderful|amazing|on top of the world|alive|
            lucky|blessed|better today|much better now)( today|)(.|!|)
            my (exam|interview|date|operation|driving test|presentation|first day|concert) (went well|
            went great|was a success|was fine|went really well)(.|!|)
            we (celebrate|are celebrating) (our wedding|our anniversary|a new baby|my graduation|
            our victory)( today|)(.|!|)
            I (graduated|got engaged|became a father|became a mother|became a grandmother|became an aunt|
            learned to swim|learned to ride a bike)( today| yesterday|)(.|!|)
            (we are|we're|I'm|I am) (having|giving|throwing) a (party|barbecue|feast|
                big dinner)( tonight| today| tomorrow| for my friends|)(.|!|)
            (my|our) (cat|dog|rabbit|hamster) (had|has|got) (kittens|puppies|babies|
                little ones)( today| last night| at last|)(.|!|)
            (snow day|school is off|no school today|day off|it is the last day of school)(.|!|)
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
            (bad news|sad news|I have bad news|not good news)(.|:|,) (I lost my job|I failed|
            my phone is broken|she left|we lost|it did not work|I did not get the job)(.|)
            I (got|have got|received|was given) (a bad mark|bad marks|a bad grade|an F|a bad report|fired|
            dumped|robbed|a rejection|bad news|a parking ticket)( today| at school|)(.|)
            (my|our) (phone|car|computer|bike|laptop|favourite cup|window|house) (was stolen|is broken|
            broke down|got stolen|has been stolen|fell down and broke|burnt down)(.|)
            (my|our) (friend|best friend|brother|sister|neighbour|son|daughter) (is angry with me|
            does not talk to me|moved away|is leaving|will not talk to me|forgot my birthday|
            is in hospital)(.|)
            (I had|we had|there was) (a fight|an argument|a quarrel|an accident|a row) (with my friend|
            with my mother|with my wife|with my husband|at home|at work)(.|)
            (they|the other children|people|the kids|my classmates) (laugh at me|are mean to me|bully me|
            leave me out|don't want to play with me|make fun of me)(.|)
            (I|we) (lost|did not win|were beaten in) (the match|the game|the final|again|
            our first game)(.| so badly.|)
            (I am|I'm|I feel) so (sad|lonely|down|unhappy)(,|.|:) (my friend moved away|nobody called|
            I failed|I miss home|it rains and I am alone|everything goes wrong)(.|)
            (nothing|nothing ever) (goes right|goes well|is fun any more)( today| for me|)(.|)
            (my parents|mum and dad|my mother and father) (are getting divorced|fight all the time|
            are splitting up|are always angry)(.|)
            (I cry|I cried|I have been crying) (a lot|all night|all day|every day|today)(.|)
            (I feel|I'm feeling|feeling) (down|low|blue|like a failure|left out|homesick|so alone|lost|
            under pressure)( today| lately| again|)(.|)
            (could be better|not so great|I've been better|rather bad|not too good|pretty bad|a bit sad)(.|
            , thanks.| today.|)
            my (day|week|morning|exam|interview|date|trip|holiday) (was|went) (bad|terrible|awful|badly|
            horrible|wrong|a disaster|not so well)(.|)
            (my plant|my fish tank|my cake|my garden|my picture) (is ruined|died|broke|fell apart)(.|)
            (I didn't|I did not) (get the job|pass|make the team|win|get a present|get invited)(.|)
            (somebody|someone) (stole|broke|took) my (bike|phone|bag|wallet|toy|car)(.|)
            I (lost|can't find) (my favourite toy|my teddy|my wallet|my ring|my job and my home)(.|)
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
            (my|our) (old |dear |beloved |little |)(dog|cat|hamster|rabbit|parrot|horse|pet|
            goldfish) (is dead|was put to sleep|was run over|did not make it|is no longer with us|
            had to be put down)(.|)
            (my|our) (dear |)(grandmother|grandfather|mother|father|grandma|grandpa|aunt|uncle|teacher|
            neighbour|friend|wife|husband) (is dead|is no longer with us|is gone for ever|did not survive|
            died in my arms)(.|)
            (since|after|because) my (wife|husband|mother|father|dog|cat|friend) died(,|) (I feel alone|
            the house is empty|nothing is the same|I can't sleep|I am so sad)(.|)
            (it is|it's|today it is) (a year|a week|a month|ten years) since my (mother|father|wife|husband|
            friend|dog|cat) died(.|)
            (there was|we had) a (death|funeral) in (the|our|my) family( last week| yesterday|)(.|)
            (we|I) (buried|said goodbye to) my (grandfather|grandmother|mother|father|dog|cat|
            friend)( today| yesterday| last week|)(.|)
            (I am|I'm) a (widow|widower|orphan)( since last year| now|)(.|)
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
            (I am|I'm) (dead tired|dog tired|dead on my feet|falling asleep|ready for bed|not awake yet|
            yawning all the time|running on coffee)(.|!|)
            (I only|I) (slept|got) (two hours|four hours|badly|so little|
            almost nothing)( last night| of sleep|)(.|)
            (I was|I've been) (up|awake) (all night|half the night|
            since four)( with the baby| because of the noise|)(.|)
            (my eyes|my eyelids) (are closing|are heavy|hurt from the screen|keep closing)(.|)
            (work|school|my job|the baby|homework) is (so |very |)(tiring|exhausting|stressful|too much|
            killing me)(.|)
            (I have|I've got|there is) (so much homework|too much homework|no time|a deadline tomorrow|
            a mountain of work)(.|)
            (what a|it was a|this is a|I had a) (tiring|exhausting|stressful|very long|hard) (day|week|
            shift|night)( at work|)(.|!|)
            (the baby|my neighbour|the dog|the heat) kept me awake( all night|)(.|)
            (I could|I want to|I just want to) (sleep|rest|lie down|go to bed|sleep for a week)(.|)
            (yawn|zzz|so sleepy|so tired|I'm wiped out|need coffee|I need my bed)(.|!|)
            (just|I just|I have just) (came|come|got) (home|back) (from work|
            from a long shift) and (I am tired|I am exhausted|I'm dead)(.|)
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
            (I think|I fear|it seems) I (have|am getting|caught) (a cold|the flu|a fever|a cough|
            something)(.|)
            (my|our) (son|daughter|child|baby|mother|husband|wife|little brother) (is|has been) (sick|ill|
            in bed with a cold|not well)( today| since monday|)(.|)
            (I feel|I'm feeling) (sick|ill|unwell|feverish|dizzy|weak|shivery)( today| since last night|)(.|)
            (I am|I'm|I was) (in bed|at home|off school|off work|in hospital) (with a cold|with the flu|
            with a fever|because I am ill|sick)(.|)
            I (threw up|was sick|vomited|fainted|sneeze all the time|coughed all night)( today| last night|
            )(.|)
            I (hurt|twisted|cut|burnt|sprained) my (leg|foot|arm|finger|ankle|knee|hand)( today| yesterday|
            )(.|)
            (my|the) (tummy|nose|head|tooth|back|belly|throat|ear) (hurts|aches|is running|is blocked|
            is killing me)( so much| today|)(.|)
            (I have|I've got) (a runny nose|a tummy ache|a stomach bug|an earache|a migraine|a bad back|
            no voice|covid|hay fever)(.|)
            not (feeling well|feeling good|very well, I have a cold)(.|)
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
            (grr|grrr|argh|aargh|ugh)(!|.|, I am so angry.|)
            (I am|I'm) (so |really |)(mad|angry|furious|cross|annoyed) (at|with) (my brother|my sister|
            my boss|my friend|the neighbours|everyone|myself|my mother|my teacher)(.|!|)
            (my brother|my sister|my friend|my boss|my teacher|the neighbour) (took my things|lied to me|
            shouted at me|broke my toy|blamed me|cheated|never listens|is so mean)(.|!|)
            (my computer|my phone|the printer|the internet|this page|my car) (crashed again|is so slow|
            does not work again|never works|drives me mad)(.|!|)
            (I am|I'm) (fed up|sick of it|sick and tired of this|boiling|raging|losing my temper|
            about to explode)(.|!|)
            (it's|it is|that's) (just |so |)(not fair|unfair|a disgrace|unbelievable|maddening|
            infuriating)(.|!|)
            (the neighbours|the dogs|the kids|the builders) (are so loud|make so much noise|
            will not be quiet|woke me up again)(.|!|)
            (the bus|my train|my flight|the delivery) (was late|is late|never came|was cancelled) (again|
            today)(.|!|)
            (people|drivers|customers|politicians|my colleagues) (make me so angry|are so rude|
            get on my nerves)(.|!|)
            what makes me (angry|mad|furious) is (the noise|my boss|the traffic|that nobody listens)(.|)
        """,
    ),
    "nervous": Topic(
        "Good luck! Take a deep breath. You can do it.",
        asks=f"""
            {I_AM} {VERY}(nervous|worried|scared|afraid|anxious|frightened|tense|terrified|
                excited about tomorrow){NOW}(.|)
            I am (afraid|scared|frightened) of (the dark|spiders|tomorrow|the test|flying|dogs|the dentist|
                heights)(.|)
            (wish me luck|keep your fingers crossed|cross your fingers|I need luck)(.|!|)
            (what if|I fear that) I (fail|lose|don't make it|forget everything|make a fool of myself)(?|.|)
            (tomorrow|today) is (my first day at school|my first day at work|my wedding day|
            the day of my operation)(, wish me luck|, I am so nervous|, and I am scared)(.|!|)
            (I have|I've got) (stage fright|butterflies in my stomach|exam nerves)(.|)
            (I am|I'm|I feel) (so |very |)(nervous|scared|afraid|worried|anxious) (about|
            because of) (the exam|my test|tomorrow|the interview|school|the flight|my first day|the match)(.|)
            (I am|I'm) (going to|about to) (sing in front of people|give a talk|take a test|
            meet her parents|ask him out|jump from the high board)(.|)
            (wish|please wish) me (luck|all the best|good luck)(,|.| because|:) (I have an exam|
            I have a test|the match is today|I start a new job|it is my big day)(.|!|)
            (my heart is racing|my hands are shaking|I can't calm down|I am trembling|I have cold feet)(.|)
            (what if|I am afraid that|I'm scared that) (nobody likes me|I say something stupid|
            I fail the exam|it goes wrong|I fall|they laugh at me)(?|.|)
            (there is|I think there is) a (monster|ghost|spider) (under my bed|in my room|
            in the wardrobe)(.|!|)
            (the dark|thunder|the dentist|flying|my exam|the new school) (scares me|frightens me|
            makes me nervous)(.|)
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
            (I|we) (have not|haven't) (eaten|had breakfast|had lunch|had anything)( yet| all day| today|)(.|)
            (I am|I'm|we are) (going to|about to) (eat|have lunch|have dinner|have breakfast|cook|
            get some food)( now|)(.|)
            (I could|I want to) eat (a horse|an elephant|everything in the fridge|something sweet|
            a whole cake|a burger)(.|!|)
            (I'd love|I want|I would love|I crave) (some chocolate|a burger|ice cream|something sweet|
            a cup of tea|a cold drink|some cake|pancakes)(.|!| now.|)
            (lunch|dinner|breakfast|supper|food) (is ready|time|smells so good|soon|at last)(!|.|)
            (the fridge|my plate|my glass) is empty(.|)
            (nom nom|yum|yummy|that was tasty|delicious)(!|.|)
            so (hungry|thirsty)(.|!|)
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
            (entertain|amuse|surprise|impress|distract) me(.|!|)
            (cheer me up|make me happy|make my day|lighten my mood)(.|!|)
            (talk|speak|chat) (to|with) me(.|!|, please.|)
            (say|tell me) (something|anything)(.| please.|!|)
            (what now|and now|now what|what next|so)(?|)
            (let's|can we|shall we|I want to|I'd like to) (play|do something|have fun|play a game)(.|
                ?| a bit.| together.|)
            (do you have|have you got|any) (an idea|ideas|suggestions) (what to do|against boredom|for me)?
            I (want|would like|need) (some fun|entertainment|company|someone to talk to|
                somebody to talk to)(.|)
            (there's|there is) nothing (on TV|to do at home|to see|to play with|happening here)(.|)
            (my friends|all my friends|everybody) (are away|have no time|are on holiday|is busy)(.|
            ) (what can I do|and I am bored|I am so bored)(.|?|)
            (what|what else) (can|could|should) I do (when I am bored|on a rainy day|at home|all afternoon|
            to pass the time|with my free time)?
            (it's|it is) (so |)(boring|dull|slow) (here|today|at work|at home|in class|in the car)(.|!|)
            (I don't know|no idea|I have no idea) what to (do|talk about|play|say)( now| today|)(.|)
            (what shall|what do you want to|what would you like to) (we talk about|we do|do|talk about|
            do now|chat about)?
            (let's|let us|why don't we) (chat|talk|chat a bit|talk a bit|have a chat|do something fun|
            do something together)(.|?|!|)
            (keep me company|do something|make it fun|start a conversation|say something first|you start|
            you begin)(.|!|, please.|)
            (I am|I'm) (waiting|sitting in the train|stuck at home|on a long bus ride|waiting for the bus|
            in a waiting room)(.| and bored.|)
            (bored|boring|so bored|yawn, boring|very bored here|I'm so so bored)(.|!|)
            (pick|choose|suggest) (a topic|something to do|a game|something)(.| please.|)
            (what|which) (games|game|things) can (we|you|I) play( with you| together| here|)?
        """,
    ),
}
