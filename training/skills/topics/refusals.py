"""Questions and tasks that a small model has to decline, grouped by what is honest to say to them.

The slots are those of `world`.
"""

from training.phrasing import lines

NOW_ASKED = lines("""
    (what|which) (time|day|date|year|month|week|hour) is it( now| today| there| please|)?
    (what is|what's|whats|tell me|do you know|do you have) the (time|date|day|year|exact time|date today|
        time now)(?|.| please?| now?)
    what time is it in {place}( now|)?
    (is it|what is it|is it already) (morning or evening|day or night|late|monday|the weekend|noon|
        winter or summer)( now| there|)?
    (what is|how is|what's|hows|tell me|check) the (weather|temperature outside|forecast|
        weather forecast)( like|)( today| tomorrow| now| in {place}| outside| this weekend| here|)(?|.)
    is it (raining|snowing|sunny|cold|hot|warm|windy)( today| in {place}| outside| now|)?
    will it (rain|snow|be sunny|be cold|be hot|be warm|be windy)( today| tomorrow| in {place}|)?
    (does|did) it (rain|snow)( today| in {place}| outside|)?
    (do I need|should I take|shall I take) (an umbrella|a coat|a jacket|sun cream)( today| tomorrow|)?
    (what is|what's|tell me|give me|any|is there any|read me) (the |)(news|latest news|headlines|
        news today)( today| from {place}| about {subject}|)(?|.)
    (what happened|what is happening|what is going on|what is new) (in the world|in {place}|in politics|
        today in the world)( today| right now|)?
    (who|which team) (won|is winning|plays|is playing|lost) (the game|the match|the election|yesterday|
        tonight|today|the final)( today| last night|)?
    (what is|what's|how is|how much is) (the price of {subject}|the bitcoin price|the exchange rate|
        the stock market|the price of gold|the dollar|the traffic|the score)( today| now| right now|)?
    (how much|what) (does|do) (a |the |){subject} cost( today| now| in {place}|)?
    (where is|where are|where did I put|have you seen) my (keys|phone|glasses|wallet|car|bag|book|
        remote control|passport|other sock)?
    (what|which colour) (am I|is) (wearing|holding|looking at|doing right now|behind me|in front of me|
        on my table|in my hand)?
    how many fingers (am I holding up|am I showing|do I hold up|do I show)?
    (is|who is) (the light on|the door open|the stove on|at the door|behind me|in the room|next to me|
        in my kitchen|at home)( now|)?
    (what|how much) (is|do I have) (on my screen|in my bank account|on my desk|in my fridge|on my calendar|
        in my inbox)( today| now|)?
    (where|in which town|in which country) am I( now| right now| at the moment|)?
    (when|what time) (does|do|is|will) (the next bus|the train|the shop|the sun|the film|the bank|
        the plane) (leave|open|close|set|rise|start|come|arrive)( today| tomorrow|)?
    (what is|what's) on (TV|television|the radio|the menu|at the cinema)( tonight| today|)?
    (who is|who's) (online|the president now|in the lead|on the phone|calling me)( right now| now|)?
    (weather|time|date|news|time now|weather today|today's date|current time|weather in {place}|news today)(?|
        )
    (which|what) (day|date) (is|was) (today|yesterday|tomorrow)?
    (is|are) (the shop|the bank|the museum|the shops|the restaurants) (open|closed)( now| today| tomorrow|)?
    (could|can|would) you (please |)tell me (the time|what time it is|today's date|what day it is|the date|
        which day it is|what day of the week it is)( please| now|)?
    (I need|I want|I'd like|I have|I would like) to know (the time|what time it is|what day it is|
        today's date|the date|how late it is)( now| please|)(.|)
    (I lost|I forgot|I don't have|my phone is dead and I have no) (my watch|watch|a watch|clock)(.|
        ,) (what time is it|what's the time|so what time is it now|can you tell me the time)?
    (got|have you got|do you have|do you know) the (time|date|right time|exact date)( please| on you|)?
    (how late|how early) is it( now| already|)?
    (time|the time|clock|date|today's date|weekday|day)(,| please|) (please|now|what is it)(?|)
    (what's|what is) (today's|tomorrow's|yesterday's) (date|weather|weekday|news)(?| please?)
    (is|isn't) (today|it|it already|tomorrow) (monday|tuesday|wednesday|thursday|friday|saturday|sunday|
        a holiday|a weekday|the weekend)( today|)?
    (which|what) (year|month|season|century|day of the week) (is it|are we in|do we have|
        is this)( now| today| at the moment|)?
    how many (days|weeks|hours) (until|till|to go until|are left until) (christmas|my birthday|the weekend|
        summer|easter|new year|friday)?
    (how|what) is the weather (going to be|where you are|where I live|here|in my town|looking|
        over there)( today| tomorrow|)?
    will (it|the weather) be (nice|good|bad|warm|freezing|
        stormy)( tomorrow| today| at the weekend| in {place}|)?
    will the sun (shine|be shining)( tomorrow| today| at the weekend| in {place}|)?
    is (the weather nice|the weather good|the weather bad|the sun shining|it freezing|
        it stormy)( today| in {place}|)?
    (I am going|we are going|I'm travelling|we want to go) to {place}( tomorrow| today|)(.|
        ,) (what is the weather like|will it rain|do I need a coat|how warm is it)( there|)?
    (we|I) want to have a picnic( tomorrow| today|)(.|,) (will it rain|is it going to rain|
        how is the weather)?
    (how many|what) degrees (is it|are there|do we have)( outside| now| today| in {place}|)?
    (what's|what is|anything|is there anything) (new|going on|happening) (in the world|in the news|
        in {place}|in sports|in my town)( today| now|)?
    (any|tell me the|what are the|read me the|give me the) (news|headlines|sports results|latest scores|
        football results|news about {subject}|news from {place}|top stories)( today| please|)(?|.)
    (did|have) (we|{place}|my team|our team|the home team) (win|won|lose|lost|play|
        played)( the match| last night| yesterday| today| the cup|)?
    (what was|what is|do you know) the (score|result|
        final score)( of the match| of the game| last night| yesterday|)?
    (how much|what) (is|are|costs) (bitcoin|gold|petrol|milk|bread|one dollar|a euro|a stamp|
        a ticket to {place}|the share)( now| today| worth| these days| at the moment|)?
    (what is|what's|tell me) the (price|cost|value) of (a litre of petrol|gold|a new phone|
        a house in {place}|a coffee in {place}|{subject})( today| now| at the moment|)(?|.)
    (I can't find|I have lost|I am looking for|I misplaced) my (keys|glasses|phone|wallet|passport|
        remote control|other shoe|earrings)(.|,) (where are they|where could they be|where is it|
        do you see them|have you seen them)?
    (what|can you guess what|do you see what|tell me what) (am I|I am) (wearing|holding|doing|eating|
        looking at|drinking)( right now| now| at the moment|)(?|.)
    (what is|what's|who is|who's) (in my hand|in front of me|behind my back|behind me|at my door|outside|
        on my plate|in the next room|under the table)( now| right now|)?
    (look|look out of the window|look around)(,|:|.) (what do you see|is it dark|is it raining|who is there|
        can you see me)?
    (when|at what time) (does|is|will) (my|the) (bus|train|next train|tram|plane|post office|library|
        supermarket|pharmacy|lift) (leave|come|arrive|open|close|here|late)( today| from {place}|)?
    is there (a lot of traffic|a traffic jam|a bus|a train|any delay|school|a concert) (today|now|
        to {place}|tomorrow|this evening)?
    (where|how far) is (the nearest|the next|the closest) (pharmacy|bus stop|shop|toilet|restaurant|
        petrol station|hospital|cash machine|supermarket)( from here| open now| please|)?
    (are there|find me|show me|is there) (any restaurants|a cheap hotel|a good doctor|shops|a park|
        a playground|a cinema) (near me|nearby|around here|near here|in my street)(?|.)
    (who|what) (is calling|was that|just rang|is that noise|is making this noise|
        rang the bell)( right now| just now|)?
    (has|did) (my parcel|the mail|the post|my mother|the bus|my order|the plumber) (arrived|arrive|come|
        called|gone)( yet| today| already|)?
    (do I have|have I got|are there) (any |)(new |)(emails|messages|calls|mail|appointments|
        meetings)( today| for me| from {name}|)?
    (when|at what time) (does|will|is) the (sun|moon) (rise|set|come up|
        go down)( tomorrow| today| in {place}| tonight|)?
""")
WORKS = (
    "(an essay|a function|a program|a script|an email|a letter|a recipe|a report|a summary|a speech|a blog "
    "post|a CV|an article|a business plan|a novel|a contract|an advertisement|a cover letter|a press "
    "release|a news article|a diary entry|a review|some code|code|an application|a presentation|a "
    "paragraph|an introduction|a thesis|a resume|a toast|a film script|a play|a web page|an essay of five "
    "pages|a long text|a complaint|a love letter|a manual|a biography|a chapter|a Python script|a lesson "
    "plan|a job application|a wedding speech|a dictionary|a magazine article|a game in Python|a shell "
    "script)"
)
WRITING_ASKED = lines(f"""
    (write|give me|make|create|compose|draft|prepare|produce|type|generate) (me |for me |){WORKS} (about|on|
        for|with) {{subject}}(.|)
    (please |)(write|draft|compose|make|create|generate) {WORKS}( for me| please|)(.|)
    (can|could|would|will) you (write|make|create|compose|draft|prepare) (me |
        ){WORKS}( about {{subject}}| for me| please|)?
    (I need you to|I want you to|I'd like you to|I have to|I must) write {WORKS}( about {{subject}}|
        | for tomorrow| by monday)(.|)
    (help me|can you help me|help me to) (write|with|draft|finish) {WORKS}( about {{subject}}|)(.|?|)
    {WORKS} about {{subject}}(,| |) please
    (do|solve|finish|write|check|correct) my (homework|maths homework|assignment|exercise|essay|exam|
        term paper|thesis|French homework)(.| for me.| please.|)
    (fix|debug|review|improve|explain|check|test|optimise|refactor) (my code|this code|this function|
        my program|this script|the bug in my code|this SQL query|my loop)(.|:| please.|)
    (write|show|give) me (a|the|some) (code|function|class|loop|query|regex|method|test|program|script|
        algorithm) (to|that can|which can) (sort a list|read a file|parse JSON|reverse a string|find primes|
        open a window|draw a circle|send an email|compute {{subject}})(.|)
    (how do I|how can I|how to) (write|program|code|implement|declare|call) (a loop|a class|a function|a sort|
        a quicksort|a variable|a web server|a game|an array|a hash map) in (Python|Java|C|Rust|JavaScript|Go|
        PHP|C++|SQL|bash)?
    (summarise|summarize|shorten|rewrite|paraphrase|rephrase|proofread|correct|improve|edit|simplify) (this|
        this text|the text|my text|this article|my essay|the following|this paragraph|my letter|this book|
        the story of {{person}})(.|:| please.|)
    (correct|check|improve) my (grammar|spelling|English|style|writing|punctuation)(.| please.|)
    (give me|I need|what is|tell me) (a|the) (recipe|good recipe|easy recipe) (for|of|with) ({{subject}}|soup|
        a cake|pizza|dinner|apple pie|bread)(.|?|)
    (plan|make a plan for|organise|prepare) (my week|my holiday|my wedding|a trip to {{place}}|my day|my diet|
        a party|a birthday party)(.|)
    (explain|describe|discuss|analyse) {{subject}} in (detail|five pages|500 words|depth|an essay)(.|)
    (compare|contrast) {{subject}} (and|with) {{second}}(.| in detail.|)
    (act|pretend|play|behave) (as|like|to be) (a lawyer|a doctor|a pirate|a Linux terminal|a teacher|
        {{person}}|my boss|a travel guide|an interviewer|a dragon)(.|)
    (brainstorm|think of|come up with|invent) (names for my company|a slogan|a business idea|
        ten ideas for {{subject}}|a plot for a novel|a brand)(.|)
    (solve|answer) (this|the following) (puzzle|equation|exercise|problem|crossword|sudoku|exam question)(.|:|
        )
    (I need|I want|I'd like) you to (write|draft|compose|create|
        make) {WORKS}( about {{subject}}| for me| please|)(.|)
    (my (teacher|boss|professor|friend) (wants|asks for|needs)|I have to hand in|
        I must give) {WORKS}( about {{subject}}|)(.|, can you write it?|. Please write it.|)
    (is it possible for you to|would you be able to|are you able to|do you know how to) (write|create|
        draft) {WORKS}( about {{subject}}| for me|)?
    (tomorrow|on monday|next week|today) I (need|have to hand in|must give|have) {WORKS}( about {{subject}}|
        )(.|, please write it.|. Can you help?)
    (can|could|will) you (do|finish|check|solve|correct) my (homework|assignment|maths homework|essay|
        exercise|coursework|project|lab report)( for me| please| with me| until tomorrow|)?
    (I have|I've got) (homework|an assignment|an essay|a project|a lab report|a paper) (about|on|
        in) ({{subject}}|history|physics|chemistry|French)(.|, can you do it?|. Can you write it?|
        . Please do it for me.)
    (my code|my program|this script|my function|my loop|my query|my website) (does not work|crashes|
        has a bug|throws an error|is too slow|does not compile)(.|, can you fix it?|. Please help.|
        . What is wrong?|)
    (what is|what's|where is|find|spot) (wrong with|the error in|the bug in|the mistake in) (my code|
        this code|this function|my program|this script)(?|.)
    (can|could) you (code|program|write code|write programs|program in Python|debug code|write Java|
        write HTML|write SQL)( for me|)?
    (code|program|implement|build|develop) (me |)(a website|an app|a game|a calculator|a chat app|
        a snake game|tic tac toe|a to-do list|a bubble sort|a server|a bot|
        a phone app)( in Python| in Java| in C| for me| please|)(.|)
    (show|give|send) me (an example of|a bit of|some|ten lines of) (Python|Java|code|JavaScript|SQL|HTML|
        C) (code|that sorts a list|with a loop|for beginners|please)(.|)
    (shorten|summarise|summarize|sum up|boil down) (the news|this email|this page|this chapter|the book|
        this report|what {{person}} wrote|the history of {{place}})( for me| please| in one line|)(.|)
    (can|could|would) you (summarise|summarize|proofread|correct|rewrite|improve|check|shorten) (a text|
        my text|this text|this article|my letter|my essay|an email|my CV|the following)( for me| please|)?
    (how do|how would) (I|you) (start|begin|end|structure|phrase) {WORKS}( about {{subject}}|)?
    (make|plan|create|give me) (a |an |)(weekly meal plan|workout plan|study plan|travel plan for {{place}}|
        timetable|budget|training plan|shopping list for a week|diet plan)( for me| please|)(.|)
    (write|compose|create) (a song|a rap|lyrics|a symphony|a musical|a screenplay|
        an opera)( about {{subject}}| for me| please| for my wife|)(.|)
    (pretend|imagine|let's pretend|act as if|play that) you (are|were) (a doctor|a lawyer|{{person}}|
        a pirate|my teacher|a king|an alien|a customer|a shop assistant)(.|!|)
    (what should I|help me|how do I) (write|say|answer|put) (in my letter|to my boss|in a birthday card|
        in my CV|in an email to {{person}}|on a wedding card|in my application)(?|.|)
    {WORKS}(,|) (please|about {{subject}} please|quick|by tomorrow)(.|)
    (I can't|I cannot|I don't know how to) write {WORKS}( about {{subject}}| for school|)(.|, can you?|
        . Please do it.)
""")
NAMED_TONGUES = (
    "French|German|Spanish|Chinese|Italian|Latin|Russian|Japanese|Polish|Greek|Arabic|Dutch|Turkish|"
    "Swedish|Korean|Hindi|Portuguese|Finnish|Hungarian|Esperanto|Danish"
)
TONGUES = f"({NAMED_TONGUES}|another language|my language)"
TRANSLATION_ASKED = lines(f"""
    (translate|can you translate|please translate|could you translate) (this|hello|good morning|{{subject}}|
        this text|my letter|{{word}}|the following|thank you|I love you|a sentence) (to|into|in) {TONGUES}(.|
        ?|)
    (say|write) (hello|{{subject}}|thank you|good night|I love you|this|{{word}}) in {TONGUES}(.|)
    (how do you|how do I|how can I|how would you) (say|write|spell|call) (hello|{{subject}}|thank you|
        {{word}}|I love you|goodbye|this) in {TONGUES}?
    (what is|what's|what means) ({{subject}}|hello|{{word}}|goodbye|cat|house|yes) in {TONGUES}?
    (what is|what's) the ({NAMED_TONGUES}) (word|name|expression|term) for ({{subject}}|{{word}}|a friend|
        the sun)?
    (can|could|do) you translate( this| something| for me| texts| a letter|)( to {TONGUES}| from {TONGUES}|)?
    (translate|translation|translator)( please| this| needed|)(:|.|)
    (I need|I want) a translation( of this| of my letter| into {TONGUES}|)(.|)
    (answer|continue) in {TONGUES} and in English(.|)
    (teach me|I want to learn|help me learn|give me a lesson in) {TONGUES}(.|)
    (I need|I want|I'd like|I have|I would like) (this|{{subject}}|a letter|a text|my CV|a sentence|
        to have this) (translated|in) (to|into|) {TONGUES}(.|)
    (please |)(put|turn|change|bring) (this|{{subject}}|my text|the following|
        a sentence) into {TONGUES}(.| please.|)
    (how would|how does) (one|someone|a local) (say|greet|write|put) ({{subject}}|hello|this|goodbye|
        good morning) in {TONGUES}?
    (what do|how do) (people|they|the locals) (say|call) ({{subject}}|hello|goodbye|thank you|
        cheers) in {TONGUES}?
    what does ({{word}}|this ({NAMED_TONGUES}) word|that word|{{word}} {{word2}}) mean in English?
    (which|what) is the ({NAMED_TONGUES}) for ({{subject}}|{{word}}|hello|my friend|house|thanks)?
    ({{subject}}|{{word}}|hello|thank you|good morning) in {TONGUES}( please| is what| means what|)(?|)
    (I am|I'm) (travelling|moving|going) to {{place}}(.|,) (how do I say hello|how do I ask for water|
        how do I say thank you|what is hello) in {TONGUES}?
    (my|our) (neighbour|friend|grandmother|colleague|pen friend) (only speaks|speaks|writes in) {TONGUES}(.|
        ,) (how do I say hello to her|can you translate|please translate my letter|translate this for me)(?|.)
    (are you|are you good as) (a translator|an interpreter|able to translate|
        any good at translating)( into {TONGUES}|)?
    (teach me|tell me|give me|say) (a|some|one|ten) (words|word|sentence|sentences|phrases) (in|
        of) {TONGUES}(.|)
    (count|spell|greet me|thank me|swear|write a poem) in {TONGUES}(.|)
    translate( it| that| what I said| what you said| your answer|)( into {TONGUES}|)(.| please.|)
""")
FUTURE_ASKED = lines("""
    (will|am I going to|shall) I (be rich|be famous|get married|win the lottery|pass my exam|be happy|
        find love|get the job|die|have children|be old|find my keys|win|travel to {place}|meet {person}|
        become a star)( one day| soon| this year| tomorrow|)?
    (who|which team|which party) will win (the election|the world cup|the match|the war|the game|tomorrow|
        the lottery|the race|next year)?
    what will (happen|be|come|the future bring|tomorrow bring|the world look like|become of me|
        I be)( tomorrow| next year| in {future}| to me| in ten years|)?
    (when|how|where) will I (die|get married|be rich|find love|be famous|move|have a child|get my money|
        find a job)?
    (what are|tell me|guess|give me) the (lottery numbers|winning numbers|
        numbers of the lottery)( of tomorrow| for saturday| next week|)(?|.)
    (tell|read|predict|can you tell|can you predict|do you see) (my |the |me my |me the |my own )(future|
        fortune|horoscope|destiny|fate)(.|?|)
    (will|when will) (the world end|prices fall|there be a war|the sun die|AI rule the world|bitcoin rise|
        shares rise|there be peace|{place} win|it be better|machines replace us|{subject} be free|
        my luck change)( soon| in {future}| next year|)?
    (what is|what's|read me|tell me) my (horoscope|fortune|future|destiny)( today| this week|)(?|.)
    (predict|forecast|foretell) (the future|the stock market|next year|the next war|{subject}|
        the price of {subject})(.|)
    (does|will) (she|he) (love me|come back|call me|marry me|forgive me|say yes|like me|
        answer)( one day| soon|)?
    where will (I|we|{place}|the world) be in (ten years|{future}|a hundred years|five years)?
    (is|are) (the end|good times|better days|bad times|war) (near|coming|ahead)?
    (I wonder|do you know|tell me|can you tell me|I'd like to know) (if I will|whether I will|
        when I will) (be rich|get married|find a job|pass my exam|fall in love|be famous|see {person} again|
        travel to {place})( one day| soon| this year|)(.|?|)
    (what|who) (will|is going to) (be|become) (the next president|the next champion|the next king|
        the next big thing|world champion|my wife|my husband)( in {future}| one day|)?
    (how will|how is) (my life|the world|my exam|the match|tomorrow|my interview|this story|the year) (be|
        end|going to end|go|turn out)( one day|)?
    (what does|what will) (the future|tomorrow|next year|my future|fate) (hold|bring|
        look like)( for me| for us| for {place}|)?
    (will|is|are) (my team|our team|{place}|my horse|my side|my party) (win|going to win|going to lose|
        lose)( tomorrow| the cup| the next match| this year|)?
    (look|gaze) into (your crystal ball|the crystal ball|my future|the stars|
        my hand)(.| for me.| and tell me what you see.|)
    (am I|are we) going to (be happy|win|get rich|have a boy or a girl|make it|meet again|be late|fail|
        get snow)( this year| tomorrow| one day|)?
    will (it|the baby) be a boy or a girl?
    will it be (my lucky day tomorrow|a good year|a cold winter|a hot summer)?
    how long will (I|we|it|{person}|the world|my luck|the war) (live|last|take|be here|be together)?
    what (number|colour|card|horse|team) will (come up|win|be drawn)( next| tomorrow| in the lottery|)?
    how many (children|houses|friends|goals) will I have( one day| in ten years|)?
    (make|give me|I want) a (prediction|forecast|prophecy)( for next year| for {place}| for my life| please|
        )(.|)
    in (the year |){future}(,|) (what will the world look like|will there be robots everywhere|
        will people live on {place}|who will rule {place})?
""")
NOT_TOLD_ASKED = lines("""
    (what|whom) (am I thinking|do I think|am I dreaming|do I dream) (of|about)( now| right now|)?
    what did I (do|eat|buy|dream|say|drink|see|lose|forget) (yesterday|last night|last summer|this morning|
        last week|on sunday|on my last birthday)?
    (where did I|where have I|did I) (park my car|leave my umbrella|lock the door|turn off the oven|
        spend my holiday|go last summer|close the window)?
    (how heavy|how rich|how fast) am I?
    how much (do I weigh|do I earn|money do I have|sleep did I get|rent do I pay|water did I drink|
        do I owe)( today|)?
    (do I have|have I got|how many) (children|a car|kids|siblings|an appointment|a garden|books do I have|
        friends do I have|a twin|debts)( today|)?
    what did (my boss|my wife|my husband|my doctor|she|he|they|my mother|the teacher) (say|want|do|think|mean|
        tell me)( yesterday| today| about me|)?
    why (did she leave me|is my wife angry|is he angry with me|does she not answer|did he say that|
        is my dog barking|is my baby crying)?
    (when|where) (does my|is my) (train|flight|appointment|meeting|bus|dentist appointment|wedding|exam|
        interview|parcel)( leave| start| arrive|)?
    (is|was) my (wife|husband|boss|neighbour|sister|friend|mother|son) (angry|at home|happy|awake|right|ill|
        pregnant)( now| with me| today|)?
    what is (my wife|my husband|my neighbour|my boss|my brother|my dog|my cat) (doing|thinking|hiding|cooking|
        eating)( now|)?
    (what is|what's) (in my pocket|wrong with me|in my bag|under my bed|on my mind|in this box)?
    (who|which of my friends) (loves me|called me|came to my party|stole my bike|ate my cake|
        wrote this letter|took my pen)?
    (what|which) (present|gift) did I (get|buy|give)( for my last birthday| for christmas|)?
    (do you know|can you tell me|guess|tell me|I forgot) what I (did|ate|bought|dreamt|wore|drank|saw|
        read) (yesterday|last night|this morning|last week|on sunday|on my last holiday)(?|.)
    (where|when) did I (leave my umbrella|meet my wife|go to school|buy this coat|spend last christmas|park|
        lose my ring)?
    (how much|how many) (did I|have I) (eaten|slept|spent|drunk|sleep|spend|
        eat)( today| yesterday| last night| this week|)?
    (who|what) (gave me this ring|did I meet yesterday|did I call last night|was I dreaming of|did I forget|
        did I promise my wife)?
    (do you know|tell me|guess|can you tell) (how much I weigh|what I am thinking|
        what I look like)(?|.)
    (read my mind|can you read my mind|can you read my thoughts|guess what I am thinking|guess my thoughts|
        guess what I have in my pocket)(?|.|)
    (I am thinking|I'm thinking|I think) of a (number|animal|word|colour|person|city)(.|,) (which is it|
        what is it|guess it|can you guess it)(?|.)
    (why|how come) (does my boss|does my wife|does my cat|did my friend|does my neighbour|
        did my brother) (not like me|ignore me|stare at the wall|lie to me|not call me|shout at me|
        scratch the sofa)?
    (does|did) (my wife|my husband|my friend|my boss|my cat|my mother) (know about it|like my present|
        miss me|forget me|see me|eat my cake)( yesterday|)?
    (what did|what does) (my|our) (neighbour|teacher|dentist|landlord|class|team) (say about me|decide|
        write in my report|want from me|tell you)?
    (what|which) (page|chapter|bus|level|room|seat) (was I on|was I in|do I take|am I on|am I in|is mine)?
    (which|what) (shirt|dress|tie|shoes) (did I wear|was I wearing|do I have on) (yesterday|now|
        at the party|today)?
""")
