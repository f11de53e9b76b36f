"""What the help desk knows about choosing the next token: how random, among how many, how often again."""

from training.phrasing import Topic

CHOOSING = {
    "temperature": Topic(
        "The temperature sets how random answers are: at 0 the likeliest token is always taken, "
        "above that answers vary.",
        more="0 is best for facts, about 0.8 for stories. The page has a slider for it.",
        tasks="""
            (get|make|have) (more random|more creative|less random|wilder|more varied|more boring) (answers|
                replies|texts)
            (set|change|raise|lower|increase|choose) the temperature
            (make|have) (it|the model|you) (more creative|less random|less wild|more predictable)
            (make|have|get) (answers|the answers|it|the model|its replies) (a bit |much |)(more|
                less) (random|creative|wild|boring|varied|chaotic|predictable)
            (turn|crank|dial) (the temperature|the randomness|the creativity) (up|down)
            (turn off|switch off|reduce|remove|get rid of) (the |)randomness
            (always|only) (take|pick) the (likeliest|most likely|most probable) (token|word)
            (use|turn on|get|force) (greedy decoding|greedy search|temperature 0|temperature zero)
            (get|have) (stricter|soberer|crazier|bolder|safer) (answers|replies|texts)
        """,
        things="""
            (the temperature|temperature|sampling temperature|the sampling temperature|temperature 0|
                the temp)
            (the temperature slider|the temperature parameter|the temperature setting|greedy decoding)
            (temperature in AI|the temperature of a model|temperature 1|temperature 0.7|temperature zero|
                the randomness setting|a low temperature)
            the (setting|slider|knob|number) (for|that sets) (how random|how creative|how wild) (it is|
                answers are|the answers are)
            (randomness|the randomness|creativity|the creativity|the creativity setting) of (answers|
                the answers|its answers)
        """,
        asks="""
            (which|what) temperature (should I|do I|shall I) (use|take|set|choose)?
            (what is|what's) a good temperature( for stories| for a chat|)?
            (is|are) the answers (too random|too wild|too boring)?
            (temperature|temp)( parameter| setting| slider| value| meaning|)
            what does a (high|low|higher|lower) temperature (do|mean|change)?
            does a (high|low|higher|lower) temperature (change much|change the answers|help)?
            (make it|I want it|I need it|it should be) (less random|more random|more creative|less creative|
                wilder|more varied)(.|, please.|, how?|. How?)
            (it|the model|my model) (talks|writes|makes up|says) (nonsense|wild things|crazy stuff|
                random stuff|gibberish)(.| Which setting helps?|, which slider?|. What do I set?)
            (its|the) (answers|stories|texts) are (dull|boring|dry|too tame|too wild|too random|
                all over the place)(.|, what can I set?|. What do I change?)
            what happens (if|when) I (set|put|turn|move) the temperature (to 0|to 1|to zero|up|down|
                very high|to 2|higher|lower)?
            why (would I|would anyone|should I) (raise|lower|change|touch|set) the temperature?
            is (a temperature of |temperature |)(0|0.7|0.8|1|2) (good|fine|too high|too low|ok|
                a lot)( for stories| for facts| for code|)?
            (which|what) temperature (is best |is right |is good |)for (code|facts|stories|poems|homework|
                translation|a chat)?
            is there (a setting|a knob|a slider|something|an option) (for|that changes) (creativity|
                randomness|how random it is|how creative it is)?
            (can|could) I (decide|choose|set|control) how (creative|random|wild|free) (it is|
                the answers are|the model is)?
            (high|low|hot|cold) temperature(:| -|,|) (what changes|good or bad|what does it do|meaning)?
            (high or low|0 or 1|zero or one|0.2 or 0.8)(, which|:| for the) temperature(?| is better?)
            does (the |)temperature (change|affect|influence) (how creative it is|the answers|the style|
                what it writes)?
            (has|does) temperature (have |got |)(something|anything) to do with (heat|the weather|degrees|
                how hot the computer is)?
            (there is|I found|I see) (a slider|a setting|a field) (called|named|
                that says) temperature(. What is it?|.|, what does it do?)
            (my nephew|my friend|someone) (says|said|told me) I should (lower|raise|
                change) the temperature(.|. Of what?|, what does that mean?)
            (what if|can) the temperature (is|be) (zero|0|negative|above 1|over 2)?
            I need (sober|factual|dry|strict|creative|playful) answers(, what temperature?|
                . Which temperature?|: temperature?)
        """,
    ),
    "top_p": Topic(
        "With top_p the next token is chosen among the likeliest that together reach that "
        "probability, such as 0.95.",
        tasks="""
            (set|change|use|choose|lower) (top_p|top p|top-p|nucleus sampling)
            (raise|increase|turn off|disable|reduce|adjust|tune|leave out) (top_p|top p|top-p|
                nucleus sampling)
            (choose|pick|draw) (only |)among (tokens|words) that reach a probability (together|in sum|
                in total)
            (pass|send|give) (top_p|top p|top-p) (in a request|with a request|over the API|to the model)
        """,
        things="""
            (top_p|top p|top-p|the top_p parameter|nucleus sampling|the top p slider|topp)
            (this top_p|top_p sampling|top-p sampling|the top_p setting|top_p 0.9|the nucleus|
                nucleus decoding|a low top_p|a high top_p)
            the (slider|setting|field|number|option) (top p|top_p|called top p|named top_p)
        """,
        asks="""
            (which|what) (top_p|top p) (should I|do I|shall I) (use|take|set|choose)?
            (top_p|top p|top-p|nucleus)( parameter| setting| value| meaning| 0.9| 0.95|)
            (what is|what's) a good (top_p|top p)( value|)?
            what does (a top_p|top p) of (0.9|0.5|0.95|1) (do|mean|change)?
            does (a top_p|top p) of (0.9|0.5|0.95|1) (change much|help)?
            what happens (if|when) I (set|put|move|turn) (top_p|top p|top-p) (to 1|to 0.5|to 0.1|down|up|
                very low|lower|to 0)?
            why (would I|should I|would anyone) (set|use|change|lower|need) (top_p|top p|top-p)?
            (does it|do you|can it|does the server|does the API) (have|support|know|take) (top_p|top p|
                top-p|nucleus sampling)?
            is (top_p|top p|top-p) (of |)(0.9|0.95|1|0.5|0.1) (good|ok|fine|too low|too high|
                the same as off)?
            (top_p|top p|top-p) (or|and|vs) temperature(?|, which one?|, what is the difference?)
            (is|are) (top_p and temperature|temperature and top_p|top p and temperature) the same( thing|)?
            does (top_p|top p|top-p) (change|affect|matter for) (the answers|the speed|the style|
                what it writes)?
            (there is|I see|I found) a (slider|field|number|setting) (called|named|that says) (top p|
                top_p)(.|. What is it?|, what does it do?)
            what (does the p (stand for|mean) in|is the p in) (top_p|top p|top-p)?
            (top_p|top p|top-p)(:| -|,) (leave it|high or low|keep or change|yes or no|good value)(?|)
            (can I|may I|should I) (leave|ignore|forget|skip) (top_p|top p|top-p)( alone| as it is|)?
            (which|how many) (words|tokens) (are left|remain|are dropped|stay) (with|at|under) (a top_p|
                top p|top_p) (of 0.9|of 0.5|0.95)?
        """,
    ),
    "top_k": Topic(
        "With top_k the next token is chosen among that many of the likeliest. 0 means all of them.",
        tasks="""
            (set|change|use|choose|lower) (top_k|top k|top-k|top-k sampling)
            (raise|increase|turn off|disable|reduce|adjust|tune|leave out) (top_k|top k|top-k)
            (choose|pick|draw) (only |)among the (40|ten|50|five) (likeliest|most likely|best) (tokens|
                words)
            (pass|send|give) (top_k|top k|top-k) (in a request|with a request|over the API|to the model)
            (limit|restrict) the (choice|number of choices) to (ten|40|a few|some) tokens
        """,
        things="""
            (top_k|top k|top-k|the top_k parameter|top-k sampling|topk)
            (this top_k|top_k 40|the top_k setting|top_k of 1|a low top_k|a high top_k|the top k slider|
                top_k sampling|the k in top_k)
            the (setting|field|number|option) (top k|top_k|called top k|named top_k)
        """,
        asks="""
            (which|what) (top_k|top k) (should I|do I|shall I) (use|take|set|choose)?
            (top_k|top k|top-k)( parameter| setting| value| meaning| 40| 50|)
            (what is|what's) a good (top_k|top k)( value|)?
            what does (a top_k|top k) of (1|10|40|50|0) (do|mean|change)?
            does (a top_k|top k) of (1|10|40|50|0) (change much|help)?
            what happens (if|when) I (set|put|move|turn) (top_k|top k|top-k) (to 1|to 0|to 100|down|up|
                very low|lower|to zero)?
            why (would I|should I|would anyone) (set|use|change|lower|need) (top_k|top k|top-k)?
            (does it|do you|can it|does the server|does the API) (have|support|know|take) (top_k|top k|
                top-k|top-k sampling)?
            is (top_k|top k|top-k) (of |)(1|10|40|50|100|0) (good|ok|fine|too low|too high|the same as off|
                too many)?
            (top_k|top k|top-k) (or|and|vs) temperature(?|, which one?|, what is the difference?)
            does (top_k|top k|top-k) (change|affect|matter for) (the answers|the speed|the style|
                what it writes)?
            what (does the k (stand for|mean) in|is the k in) (top_k|top k|top-k)?
            (top_k|top k|top-k)(:| -|,) (leave it|high or low|keep or change|yes or no|good value|
                zero means what)(?|)
            (can I|may I|should I) (leave|ignore|forget|skip) (top_k|top k|top-k)( alone| as it is|)?
            what (does (top_k|top k|top-k) (0|zero) mean|is (top_k|top k|top-k) (0|zero))?
            (a friend|my son|a tutorial|the internet) (says|told me|recommends) (top_k|top k|top-k) (40|50|
                20)(.|. What does it do?|, why?)
        """,
    ),
    "top_p or top_k": Topic(
        "top_k keeps a fixed number of the likeliest tokens, top_p as many as reach a "
        "probability. Either alone will do.",
        brief="top_k keeps a fixed number of tokens, top_p a probability, and either will do.",
        tasks="""
            (choose|decide|pick) between (top_p and top_k|top_k and top_p|top p and top k|top-p and top-k)
            (combine|mix|use together) (top_p and top_k|top_k and top_p|top p and top k|top-p with top-k)
            (tell|keep) (top_p and top_k|top_k and top_p|top p and top k) apart
        """,
        things="""
            the difference between (top_p and top_k|top_k and top_p|top p and top k|top k and top p)
            the (relation|comparison|choice) (between|of) (top_p and top_k|top_k and top_p|top-p and top-k|
                top p and top k)
            (top_p versus top_k|top-k versus top-p|top p compared with top k|top_k compared to top_p|
                top_p and top_k together)
            (both top_p and top_k|top_p as well as top_k|using top_p and top_k at once)
        """,
        asks="""
            (top_p or top_k|top_k or top_p|top p vs top k|top-k versus top-p|top k or top p)(?|)
            (should I|do I) (use|take|set) (top_p or top_k|top_k or top_p|top k or top p)?
            (compare|contrast) (top_p and top_k|top_k and top_p|top p with top k)(.|)
            is top_p (better than|the same as|like) top_k?
            is top_k (better than|the same as|like) top_p?
            (can|may|should|must) I (set|use|combine|need|send) both(,|) (top_p and top_k|top k and top p|
                top-k and top-p)?
            (do I|does one) need (top_k|top k) (if|when) I (have|set|use) (top_p|top p)( already|)?
            (do I|does one) need (top_p|top p) (if|when) I (have|set|use) (top_k|top k)( already|)?
            (which|what) is (better|more useful|stronger|simpler)(,|:) (top_p or top_k|top_k or top_p|
                top p or top k)?
            (I|I always) (confuse|mix up) (top_p and top_k|top_k with top_p|top p and top k)(.|, help!|
                . Which is which?)
            (top_p and top_k|top k and top p|top-p and top-k) (do the same|sound alike|seem the same to me|
                are twins)(, no|, right|)(?|.)
            how (is (top_p|top-p|top p) different|does (top_p|top-p|top p) differ) from (top_k|top-k|top k)?
            how (is (top_k|top-k|top k) different|does (top_k|top-k|top k) differ) from (top_p|top-p|top p)?
            (one of|either|both of|just one of) (top_p and top_k|top_p or top_k|top k or top p)(?|
                , or both?|, is that enough?)
            is (one|either) of (top_p and top_k|top k and top p|top-k and top-p) (enough|better|older|
                needed)?
            why (are there|do you have|have) (two settings,|both) (top_p and top_k|top p and top k|
                top-k and top-p)?
        """,
    ),
    "penalty": Topic(
        "A repetition_penalty above 1 makes words that were already said less likely, so a model "
        "repeats itself less.",
        tasks="""
            (stop|keep) (the model|it) from repeating (itself|words|the same)
            (avoid|prevent|reduce) (repetition|repetitions|repeated words|loops)
            (set|change|use|raise) the (repetition|presence|frequency) penalty
            (stop|keep|prevent) (a model|my model|it|the answer) (from looping|from going in circles|
                from saying a word again and again)
            (get rid of|fight|lower|cure) (repetition|repetitions|repeated words|repeated sentences|loops|
                endless loops)
            (make|have) (it|the model|my model) (repeat itself less|use other words|say a thing only once|
                loop less)
            (break|get out of|escape) (a loop|an endless loop|the loop) (in an answer|in the text|
                of the same words)
            (lower|turn off|disable|choose|adjust) the (repetition penalty|repeat penalty)
        """,
        things="""
            (repetition_penalty|the repetition penalty|repetition penalty|presence_penalty|
                frequency_penalty)
            (a penalty for repetition|the penalty|a repetition penalty of 1.1|penalties for repeated words|
                the repetition_penalty parameter|the repetition penalty slider)
            the (setting|slider|option|parameter) (against|for fewer|that stops) (repetitions|loops|
                repeated words)
            (repeat penalty|the repeat penalty|penalising repetition|penalizing repeated words|
                anti-repetition)
        """,
        asks="""
            (it|the model|my model) (repeats itself|says the same again and again|loops|
                keeps repeating itself)(.|!|)
            why does (it|the model|my model) repeat itself?
            (repetition|presence|frequency) penalty( parameter| setting| value| meaning|)
            (repetitions|repeating|repeats itself|loops forever)
            (it|the model|my model|the text) (gets stuck in a loop|goes round in circles|
                is stuck on one word|loops forever|writes one sentence over and over)(.|, what helps?|
                . Which setting?|!)
            (the|an) answer (has|contains) the same (sentence|word|line) (ten times|over and over|
                many times|three times)(.|, why?|. What helps?|!)
            why (does|is) (it|the model|my model) (loop|stuck in a loop|
                use the same words all the time in one text|repeat its words)?
            (it repeats itself|the text repeats itself|too many repetitions)(, which setting helps?|
                , what can I set?|. What do I set?|, help.)
            what happens (if|when) I (set|put|move) the repetition penalty (to 1|to 1.1|to 1.5|to 2|up|
                higher|too high)?
            (which|what) (repetition penalty|repeat penalty) (should I|do I|shall I) (use|take|set|choose)?
            (what is|what's) a good (repetition penalty|repeat penalty|repetition_penalty)( value|)?
            is (a |)repetition penalty (of |)(1|1.1|1.2|1.5|2) (good|ok|too high|too strong|off|too much)?
            why would I (set|use|need|raise|want) (a|the) (repetition penalty|penalty)?
            (is there|do you have|does it have|does it support) (a penalty|something|a setting|
                a parameter) (for|against) (repetition|repeating|loops|repeated words)?
            (does it|do you) (have|support|know) (repetition_penalty|presence_penalty|frequency_penalty|
                a repetition penalty)?
            (same|the same) (word|words|sentence) (again and again|over and over) in (one|my|the) (answer|
                text|story)(.|, how do I stop that?|. Any setting?)
            (like a broken record|it sounds like a broken record|it's a broken record)(.|
                , it repeats every sentence.| - which setting helps?)
            (can|could) I (punish|penalise|penalize) (it|the model) for (repeating words|repetition|
                repeating itself)?
            what (does (the|a) penalty (punish|do to words)|is (the|a) penalty for repeated words)?
        """,
    ),
}
