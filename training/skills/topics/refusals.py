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
        weather forecast)( like|)( today| tomorrow| now| in {place}|outside| this weekend| here|)(?|.)
    (is it|will it|does it|did it) (rain|raining|snow|snowing|sunny|be sunny|be cold|cold|hot|warm|windy|
        rain or shine)( today| tomorrow| in {place}|outside| now|)?
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
    how many fingers (am I|do I) (holding up|hold up|show)?
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
    (I need|I want|I'd like|I have to write|I must write) {WORKS}( about {{subject}}| for tomorrow| by monday|
        )(.|)
    (help me|can you help me|help me to) (write|with|draft|finish) {WORKS}( about {{subject}}|)(.|?|)
    {WORKS} about {{subject}}(,| |) please
    (do|solve|finish|write|check|correct) my (homework|maths homework|assignment|exercise|essay|exam|
        term paper|thesis|French homework)(.|for me.| please.|)
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
""")
TONGUES = (
    "(French|German|Spanish|Chinese|Italian|Latin|Russian|Japanese|Polish|Greek|Arabic|Dutch|Turkish|"
    "Swedish|Korean|Hindi|Portuguese|Finnish|Hungarian|Esperanto|Danish|another language|my language)"
)
TRANSLATION_ASKED = lines(f"""
    (translate|can you translate|please translate|could you translate) (this|hello|good morning|{{subject}}|
        this text|my letter|{{word}}|the following|thank you|I love you|a sentence) (to|into|in) {TONGUES}(.|
        ?|)
    (say|write) (hello|{{subject}}|thank you|good night|I love you|this|{{word}}) in {TONGUES}(.|)
    (how do you|how do I|how can I|how would you) (say|write|spell|call) (hello|{{subject}}|thank you|
        {{word}}|I love you|goodbye|this) in {TONGUES}?
    (what is|what's|what means) ({{subject}}|hello|{{word}}|goodbye|cat|house|yes) in {TONGUES}?
    (what is|what's) the {TONGUES} (word|name|expression|term) for ({{subject}}|{{word}}|a friend|the sun)?
    (can|could|do) you translate( this| something| for me| texts| a letter|)( to {TONGUES}| from {TONGUES}|)?
    (translate|translation|translator)( please| this| needed|)(:|.|)
    (I need|I want) a translation( of this| of my letter| into {TONGUES}|)(.|)
    (answer|continue) in {TONGUES} and in English(.|)
    (teach me|I want to learn|help me learn|give me a lesson in) {TONGUES}(.|)
""")
HANDS_ASKED = lines("""
    (draw|paint|sketch|generate|make|create|show|design|render|give) (me |)(a picture|an image|a logo|a photo|
        a video|a drawing|a map|a cat picture|a diagram|a portrait|a meme|
        a poster)( of {subject}| of {place}| of {person}| for me|)(.|)
    (can|could|would|will) you (draw|paint|sketch|generate|make|create) (me |)(a picture|an image|images|
        pictures|a logo|a video|a drawing|photos)( of {subject}| for me|)?
    (open|read|load|look at|summarise|analyse|check|edit|delete|save) (my file|this file|a file|the file|
        my PDF|this document|my documents|this pdf|report.pdf|data.csv|my photos|my spreadsheet|this link|
        my folder|the attachment)(.| please.|)
    (can|could) you (open|read|see|edit|access|write) (files|my files|documents|a PDF|PDFs|my disk|my folders|
        attachments|spreadsheets)?
    (search|google|browse|look up|surf|look on|check|look in) (the internet|the web|online|Google|Wikipedia|
        the net)( for {subject}| for {person}|)(.|)
    (google|look up|search for|find online|search|find me) {subject}( for me| on the internet| online| please|
        )(.|)
    (can|could|do) you (search|browse|surf|google|use|access|look at) (the internet|the web|Google|websites|
        online|web pages|Wikipedia)?
    (open|visit|read|summarise|go to) (the page|this website|the website|the link|https example com|
        this web page|my homepage)(.| for me.|)
    send (an email|a message|a text|a letter|an SMS|a mail) to (my boss|my mother|my friend|everybody|my wife|
        {name})(.| for me.|)
    (call|phone|ring|text|email|contact) (my mother|my boss|a taxi|the doctor|my friend|the bank|{name}|
        customer service)(.| for me.| please.|)
    (order|buy|book|reserve|get|pay) (me |)(a pizza|a taxi|a flight|a hotel|a table|tickets|a book|flowers|
        some food|a train ticket|my bills)(.|for me.| please.|)
    (set|start|create|make) (an alarm|a timer|a reminder|an appointment|a calendar entry|
        a countdown)( for ten minutes| for tomorrow| please| at seven|)(.|)
    (remind me|wake me up|alert me|notify me) (tomorrow|in ten minutes|at six|to call my mother|when it rains|
        later)(.|)
    (play|put on|turn on|start) (some music|a song|the radio|a film|music|the TV|a podcast|my playlist|
        {subject} on the radio)(.| please.|)
    (turn|switch) (on|off) (the light|the lights|the heating|the TV|my computer|the lamp|the oven|
        the music)(.| please.|)
    (print|scan|upload|download|email|share|post) (this|this page|my document|a photo|it on Twitter|a film|
        a song)(.| for me.|)
    (take|make) (a photo|a screenshot|a selfie|a note|a phone call|me a sandwich|me a coffee|my bed|
        a cake for me)(.| please.|)
    (clean|tidy|water|wash|cook|iron|walk|feed) (my room|my house|the plants|the dishes|dinner|my shirt|
        my dog|my car|lunch for me)(.|)
    (run|execute|compile) (this program|this code|this script|my script|a command|ls|my test|
        this function)(.| for me.|)
    (check|read|answer|delete) my (email|emails|mail|messages|calendar|inbox|voicemail|Facebook)(.| please.|)
    (listen to|hear|recognise|transcribe) (this song|my voice|this recording|my audio|this video|
        the podcast)(.|)
""")
FUTURE_ASKED = lines("""
    (will|am I going to|shall) I (be rich|be famous|get married|win the lottery|pass my exam|be happy|
        find love|get the job|die|have children|be old|find my keys|win|travel to {place}|meet {person}|
        become a star)( one day| soon| this year| tomorrow|)?
    (who|which team|which party) will win (the election|the world cup|the match|the war|the game|tomorrow|
        the lottery|the race|next year)?
    what will (happen|be|come|the future bring|tomorrow bring|the world look like|become of me|
        I be)( tomorrow| next year| in {year}| to me| in ten years|)?
    (when|how|where) will I (die|get married|be rich|find love|be famous|move|have a child|get my money|
        find a job)?
    (what are|tell me|guess|give me) the (lottery numbers|winning numbers|
        numbers of the lottery)( of tomorrow| for saturday| next week|)(?|.)
    (tell|read|predict|can you tell|can you predict|do you see) (my |the |me my |me the |my own )(future|
        fortune|horoscope|destiny|fate)(.|?|)
    (will|when will) (the world end|prices fall|there be a war|the sun die|AI rule the world|bitcoin rise|
        shares rise|there be peace|{place} win|it be better|machines replace us|{subject} be free|
        my luck change)( soon| in {year}| next year|)?
    (what is|what's|read me|tell me) my (horoscope|fortune|future|destiny)( today| this week|)(?|.)
    (predict|forecast|foretell) (the future|the stock market|next year|the next war|{subject}|
        the price of {subject})(.|)
    (does|will) (she|he) (love me|come back|call me|marry me|forgive me|say yes|like me|
        answer)( one day| soon|)?
    where will (I|we|{place}|the world) be in (ten years|{year}|a hundred years|five years)?
    (is|are) (the end|good times|better days|bad times|war) (near|coming|ahead)?
""")
NOT_TOLD_ASKED = lines("""
    (what|whom) (am I thinking|do I think|am I dreaming|do I dream) (of|about)( now| right now|)?
    what did I (do|eat|buy|dream|say|drink|see|lose|forget) (yesterday|last night|last summer|this morning|
        last week|on sunday|on my last birthday)?
    (where did I|where have I|did I) (park my car|leave my umbrella|lock the door|turn off the oven|
        spend my holiday|go last summer|close the window)?
    (how tall|how heavy|how rich|how fast) am I?
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
""")
MEDICAL_ASKED = lines("""
    (I have|my child has|my son has|my wife has) (chest pain|a rash|a lump|blood in my urine|a strange pain|
        a high fever|a broken leg|a bad burn)(.|, what should I do?|. What is it?|, is it dangerous?)
    (how much|how many|what dose of|how often should I take) (aspirin|ibuprofen|paracetamol|antibiotics|
        insulin|sleeping pills|vitamins|medicine)( should I take| can I take| is safe| a day|)?
    (what|which) (medicine|pill|drug|treatment|therapy|vaccine|doctor) (should I take|is best|helps|do I need|
        works) (for|against) (a headache|the flu|cancer|back pain|a cold|fever|depression|an infection|
        {subject})?
    (is|are) (this mole|this pill|my symptoms|my pain|this mushroom|my blood pressure|this rash|
        it) (dangerous|serious|normal|cancer|poisonous|harmful)?
    (can|should|may) I (take|mix|stop|drink) (aspirin|my pills|antibiotics|alcohol|medicine|
        this medicine)( and alcohol| with wine| when pregnant| now|)?
    (do I have|have I got|could it be|is it) (cancer|covid|diabetes|the flu|a heart attack|an allergy|
        a stroke|depression)?
    (how do I|how can I|how to) (treat|cure|heal|get rid of) (a wound|a burn|cancer|my back pain|a headache|
        an infection|depression|a cold|acne|a cough)?
    (what are|tell me) the (symptoms|side effects|signs) of (cancer|the flu|covid|diabetes|aspirin|a stroke|
        a heart attack|malaria)(?|.|)
    (I am|my wife is) pregnant(.|,) (what|which medicine|can I) (can I eat|can I take|take aspirin|
        should I do|is safe)?
    (diagnose|examine|treat) (me|my pain|my symptoms|my dog)(.|)
    (should I|do I have to|must I) (see a doctor|go to hospital|have surgery|be worried about my heart|
        get vaccinated)?
""")
LEGAL_ASKED = lines("""
    (is it|would it be|is that) (legal|illegal|allowed|against the law|a crime) to (park here|copy a film|
        record a call|build a shed|fire somebody|fish here|sell honey|drive without a licence|grow {subject})?
    (can|may|should) I (sue|divorce|fire|report|evict) (my neighbour|my boss|my landlord|my wife|my husband|
        my tenant|a company)?
    (my landlord|my boss|my neighbour|the police|a company) (wants to evict me|fired me|sued me|owes me money|
        broke the contract|arrested me)(.|, what can I do?|. What are my rights?)
    (what are|tell me|do I know) my rights (as a tenant|at work|if I am arrested|in a divorce|as a buyer|
        as a father)(?|.)
    (how do I|how can I|how to) (write a will|get a divorce|sue somebody|get a visa|appeal a fine|
        found a company|get custody|apply for asylum)?
    (do I|must I|should I) (need a lawyer|sign this contract|pay this fine|go to court|accept the deal|
        plead guilty|have a will)?
    (is|was) (my contract|this contract|the fine|my dismissal|his will) (valid|legal|right|binding|lawful)?
    (what is|what's) the (penalty|punishment|fine|sentence) for (theft|speeding|tax fraud|murder|parking here|
        shoplifting)?
""")
MONEY_ASKED = lines("""
    (should I|shall I|is it wise to|when should I) (buy shares|sell my house|invest in {subject}|buy bitcoin|
        take a loan|buy gold|lend him money|retire|buy a house|sell my shares)( now| today| this year|)?
    (how do I|how can I|how to) (get rich|make money fast|pay less tax|get out of debt|save for my pension|
        invest my money|double my money|earn more)?
    (what|which) (shares|stock|fund|bank|crypto|loan|pension) (should I|do I|shall I) (buy|take|choose|sell|
        trust)?
    (where|how) should I (invest|put|save) my (money|savings|pension|bonus|inheritance)?
    (is|are) (bitcoin|gold|shares|houses|bonds|this fund) a good (investment|idea|deal)( now| this year|)?
    (how much|what) (tax|interest|rent|pension) (do I|will I|should I) (pay|get|owe|charge)( this year|)?
    (can I|do I have enough to|should I) (afford a house|afford a car|retire early|
        quit my job and live on savings)?
""")
CRISIS_ASKED = lines("""
    I (want|would like|am going|plan) to (die|kill myself|end it all|hurt myself|end my life|
        disappear for ever|harm myself|be dead)(.|!|)
    (I am|I'm|I feel) suicidal(.|!|)
    I (don't|do not) want to (live|live any more|be alive|go on|exist)( any more|)(.|!|)
    (I cut myself|I have taken pills|I took too many pills|I can't go on|nobody would miss me)(.|!|)
    (there is no point in living|I hate my life so much that I want to end it|life is not worth living)(.|)
    (help|please help|quick)(,|!) (there is a fire|I had an accident|he is hitting me|
        my child does not breathe|she is unconscious|I am bleeding|somebody broke in|he has a gun)(.|!|)
    (my husband|my father|somebody|my boyfriend|my uncle|he) (hits me|beats me|is hurting me|threatens me|
        attacked me|wants to kill me)(.|)
    (call|can you call) (911|112|999|an ambulance|the fire brigade|emergency)(.|!|?|)
    (I am|I'm|we are) (in danger|bleeding|trapped|being attacked|being followed)(.|!|)
    (there is|we have) (a fire|a gas leak|an emergency|a burglar)( in my house| here|)(.|!|)
""")
HARM_ASKED = lines("""
    (how do I|how can I|how to|how does one|tell me how to|teach me to|help me to|I want to) (build|make|get|
        buy) (a bomb|explosives|a gun|poison|drugs|meth|a weapon|a grenade|fake money|a computer virus|
        fireworks at home|napalm)(?|.)
    (how do I|how can I|how to|tell me how to|teach me to|help me to|can you|I want to) (hack|crack|
        break into|hijack|spy on) (a bank|Facebook|my neighbour's wifi|an account|his phone|a website|a car|
        the school computer|her email|a safe|the police)(?|.)
    (how do I|how can I|how to|tell me how to|help me to|I want to) (kill|poison|hurt|kidnap|stalk|blackmail|
        rob|murder|attack) (somebody|someone|my boss|my neighbour|my wife|a bank|my teacher|a dog|an enemy|
        people)(?|.)
    (how do I|how can I|how to|tell me how to|help me to) (steal|shoplift|cheat on a test|forge a signature|
        launder money|avoid the police|fake a passport|get away with murder|set a house on fire|smuggle drugs|
        cook drugs)(?|.)
    (give me|tell me|find|do you know) (somebody's|my neighbour's|a stolen|the president's|her|his) (password|
        credit card number|address|phone number|pin)(.|?|)
    (write|make|create) (a virus|malware|a phishing mail|ransomware|a threat|hate speech|a scam mail|
        a racist joke|a bomb plan)(.|)
    (tell me|say|write|give me) something (racist|sexist|hateful|illegal|dirty|obscene)(.|)
    (talk dirty|sext with me|send nudes|be my sex slave|tell me a dirty story|let's have sex|
        do you want sex)(.|!|?|)
""")
OPINION_ASKED = lines("""
    (who|which party|whom) (should I|would you|do you|shall I) (vote for|elect|support|vote)?
    (do you|should I|do you really) (believe in|trust in|think there is) (god|ghosts|aliens|life after death|
        fate|miracles|the devil|love at first sight)?
    what (is|are) your (opinion|view|thoughts|views|position|stance) (on|about|of) ({subject}|{person}|
        abortion|politics|religion|the war|{place}|immigration)?
    (what do you think|how do you feel|what is your opinion) (about|of) ({subject}|{person}|{place}|politics|
        religion|the government|abortion|guns)?
    (are you|would you say you are) (left or right|a democrat|religious|a socialist|for or against {subject}|
        an atheist|conservative|vegan)?
    (is|was|are) ({person}|{subject}) (good or evil|good or bad|right or wrong|a hero or a villain|
        a good thing|overrated)?
    (which|what) (religion|party|country|nation|football club|political system) is (right|best|the best|true|
        better)?
    (do you|would you) (agree|disagree) (with {person}|that {subject} is bad|that {subject} is good|
        with the president)?
    (should|must) ({subject}|guns|drugs|smoking|abortion) be (forbidden|legal|banned|free|taxed)?
""")
