"""What the help desk knows about a request: tokens, how the next is chosen, where an answer ends."""

from training.phrasing import Topic

REQUESTS = {
    "token": Topic(
        "A token is a small piece of text, often a word or a part of one. A model reads and writes tokens.",
        more="The word batching, for example, may be two tokens: batch and ing. Speed is counted in tokens "
        "per second.",
        things="(a token|tokens|the tokens|a token of text|one token|text tokens)",
        asks="""
            how (long|big|many letters) is (a|one) token?
            (is a token|are tokens) (a word|words|the same as a word|letters|syllables)?
            how many (words|letters|characters) (is|are|has|make) (a|one) token?
            how many tokens (has|does|are in) a (word|sentence|page)( have|)?
            (token|tokens)( meaning| what| count|)
            (what|which pieces) does a model (read|write)( in|)?
        """,
    ),
    "tokenizer": Topic(
        "The tokenizer cuts text into tokens and joins tokens to text again. It comes with the model, as "
        "tokenizer.json.",
        things="(the|a|) (tokenizer|tokeniser|tokenization|tokenisation|BPE|tokenizer.json|byte pair "
        "encoding)",
        tasks="(cut|split|turn) (text|a text|words) into tokens",
        asks="""
            (which|what) tokenizer (do you|does it|does tritonchat) (use|have|need)?
            (what|who) (cuts|splits|turns) (the text|text|words) into tokens?
            (what if|what happens if) (a|my) model (has|comes with) no tokenizer?
            (tokenizer|tokeniser|tokenization|bpe)( file| meaning| what| how|)
        """,
    ),
    "temperature": Topic(
        "The temperature sets how random answers are: at 0 the likeliest token is always taken, above that "
        "answers vary.",
        more="0 is best for facts, about 0.8 for stories. The page has a slider for it.",
        things="""
            (the temperature|temperature|sampling temperature|the sampling temperature|temperature 0|the temp)
            (the temperature slider|the temperature parameter|the temperature setting|greedy decoding)
        """,
        tasks="""
            (get|make|have) (more random|more creative|less random|wilder|more varied|more boring) (answers|
                replies|texts)
            (set|change|raise|lower|increase|choose) the temperature
            (make|have) (it|the model|you) (more creative|less random|less wild|more predictable)
        """,
        asks="""
            (which|what) temperature (should I|do I|shall I) (use|take|set|choose)?
            (what is|what's) a good temperature( for stories| for a chat|)?
            (is|are) the answers (too random|too wild|too boring)?
            (temperature|temp)( parameter| setting| slider| value| meaning|)
            (what does|does) a (high|low|higher|lower) temperature (do|mean|change)?
        """,
    ),
    "top_p": Topic(
        "With top_p the next token is chosen among the likeliest that together reach that probability, such "
        "as 0.95.",
        things="(top_p|top p|top-p|the top_p parameter|nucleus sampling|the top p slider|topp)",
        tasks="(set|change|use|choose|lower) (top_p|top p|top-p|nucleus sampling)",
        asks="""
            (which|what) (top_p|top p) (should I|do I|shall I) (use|take|set|choose)?
            (top_p|top p|top-p|nucleus)( parameter| setting| value| meaning| 0.9| 0.95|)
            (what is|what's) a good (top_p|top p)( value|)?
            (what does|does) (a top_p|top p) of (0.9|0.5|0.95|1) (do|mean|change)?
        """,
    ),
    "top_k": Topic(
        "With top_k the next token is chosen among that many of the likeliest. 0 means all of them.",
        things="(top_k|top k|top-k|the top_k parameter|top-k sampling|topk)",
        tasks="(set|change|use|choose|lower) (top_k|top k|top-k|top-k sampling)",
        asks="""
            (which|what) (top_k|top k) (should I|do I|shall I) (use|take|set|choose)?
            (top_k|top k|top-k)( parameter| setting| value| meaning| 40| 50|)
            (what is|what's) a good (top_k|top k)( value|)?
            (what does|does) (a top_k|top k) of (1|10|40|50|0) (do|mean|change)?
        """,
    ),
    "top_p or top_k": Topic(
        "top_k keeps a fixed number of the likeliest tokens, top_p as many as reach a probability. Either "
        "alone will do.",
        things="the difference between (top_p and top_k|top_k and top_p|top p and top k|top k and top p)",
        asks="""
            (top_p or top_k|top_k or top_p|top p vs top k|top-k versus top-p|top k or top p)(?|)
            (should I|do I) (use|take|set) (top_p or top_k|top_k or top_p|top k or top p)?
            (compare|contrast) (top_p and top_k|top_k and top_p|top p with top k)(.|)
            is (top_p|top_k) (better than|the same as|like) (top_k|top_p)?
        """,
    ),
    "penalty": Topic(
        "A repetition_penalty above 1 makes words that were already said less likely, so a model repeats "
        "itself less.",
        things="""
            (repetition_penalty|the repetition penalty|repetition penalty|presence_penalty|frequency_penalty)
        """,
        tasks="""
            (stop|keep) (the model|it) from repeating (itself|words|the same)
            (avoid|prevent|reduce) (repetition|repetitions|repeated words|loops)
            (set|change|use|raise) the (repetition|presence|frequency) penalty
        """,
        asks="""
            (it|the model|my model) (repeats itself|says the same again and again|loops|
                keeps repeating itself)(.|!|)
            why does (it|the model|my model) repeat itself?
            (repetition|presence|frequency) penalty( parameter| setting| value| meaning|)
            (repetitions|repeating|repeats itself|loops forever)
        """,
    ),
    "max_tokens": Topic(
        "max_tokens limits the length of an answer: after so many tokens it is cut. The page has a setting "
        "for it.",
        things="(max_tokens|max tokens|the max_tokens parameter|the max tokens setting|the answer "
        "length|maximum tokens)",
        tasks="""
            (limit|cut|set|change|control|restrict) (the length of an answer|the answer length|max_tokens|
                max tokens)
            (get|have) (longer|shorter|long) (answers|replies)
            (make|have) (answers|the answer|the answers|replies) (longer|shorter)
        """,
        asks="""
            (my|the) (answer|reply|text) (is|was|gets) (cut off|cut|too short|incomplete|truncated)(.|!|)
            why (is|does) (the|my) (answer|text) (cut off|so short|stop in the middle|end too early|cut)?
            how (long|many tokens) (is|can|may) an answer( be| have|)?
            (max_tokens|max tokens|answer length|length limit|maximum length of an answer)
        """,
    ),
    "context": Topic(
        "The context is what a model can see at once, prompt and answer together. The flag --max-context "
        "limits it.",
        tasks="""
            (change|set|limit|increase|raise|lower|reduce) the (context|context length|context size|
                context window)
            (use|have|get) (longer|long) (prompts|conversations|chats|texts)
            (make the context|make my context) (longer|bigger|larger|smaller|shorter)
        """,
        things="""
            (the context|context length|the context window|the context size|the context length|max context)
            (--max-context|the --max-context flag|the max-context option)
        """,
        asks="""
            how long (can|may) (a|my|the) (prompt|conversation|chat|text|question) be?
            how (many|much) (tokens|text) (fit|can it take|can I send|can a prompt have|can the model see|
                can it read)?
            (the|my) (prompt|conversation|chat|text) is too long(.|. What can I do?|, what now?)
            (prompt too long|context too small|context exceeded|too many tokens)( error|)
            how (big|long|large) is (the|your) context( window|)?
            (max|maximum|maximal) (context|prompt length|length of a prompt|length of a conversation)
        """,
    ),
    "stop words": Topic(
        "With the parameter stop an answer ends before the first of the texts you give, up to 16 of them.",
        things="(stop words|stop strings|a stop word|the stop parameter|stop sequences|a stop sequence|stop "
        "texts)",
        tasks="""
            (end|stop|cut) (an answer|the answer|the text) at (a word|a certain word|a line|a string|a sign)
            (set|use|give|add|define) (stop words|stop strings|a stop word|stop sequences|a stop sequence)
        """,
        asks="""
            (are there|do you have|does it support|does it know) (stop words|stop strings|stop sequences)?
            (how many|which) stop (words|strings|sequences) (are allowed|can I give|may I give|can I use)?
            stop( words| strings| sequence| parameter| sequences|)
        """,
    ),
    "cancel": Topic(
        "Press Stop on the page. A program closes the stream, or sends a cancel with the request_id to "
        "chat_control.",
        brief="Press Stop on the page, or close the stream.",
        tasks="""
            (cancel|interrupt|abort|break off|cut short) (an answer|the answer|a request|an answer that runs|
                a reply)
            (stop|end|halt) (an answer|a running answer|the answer|a request|a long answer) (early|
                while it runs|midway)
            (make you|make it) (stop talking|stop writing|stop answering)
        """,
        things="(the Stop button|cancelling|a cancel|cancellation|chat_control|cancelling an "
        "answer|request_id)",
        asks="""
            (is there|where is) (a|the) (stop button|cancel button|way to interrupt an answer)?
            (the answer|it) (is too long|never ends|goes on and on)(.|, how do I interrupt it?|
                . Can I cut it short?)
            (cancel|abort|interrupt)( answer| request| generation| an answer|)
            (can|may) I (interrupt|cancel|stop) (you|an answer|it while it answers|a request)?
            what happens (if|when) (the|a) client (goes away|disconnects|hangs up)?
        """,
    ),
    "system prompt": Topic(
        "A system prompt tells the model how to behave before the chat begins: a first message with the "
        "role system. The page has a field for it.",
        brief="It tells the model how to behave before the chat begins.",
        more="For example: You are a friendly pirate. Answer in one sentence.",
        things="(a system prompt|the system prompt|system prompts|the system message|a system message|the "
        "role system)",
        tasks="""
            (set|use|give|write|change|add|send) (a|the) (system prompt|system message)
            (give you|give the model|set) (a name|a role|a character|rules|
                instructions)( for the whole chat| first|)
            (tell|make) the model (how to behave|who it is|to be brief|to be polite)
        """,
        asks="""
            (where|how) (do I|can I) (put|write|set|enter) (the|a) (system prompt|system message)?
            (does it|do you) (support|have|know|follow) (system prompts|a system prompt|system messages)?
            (system prompt|system message)( field| where| what| how|)
            (what|which) is your system prompt?
        """,
    ),
    "chat template": Topic(
        "The chat template writes the messages of a chat as the one text that a model was trained on. It "
        "comes with the model.",
        things="(a chat template|the chat template|chat templates|the template|chat_template|a prompt "
        "template)",
        tasks="(change|set|use|write|replace) (the|a|another) (chat template|prompt template)",
        asks="""
            (what if|what happens if) (a|my) model (has|comes with) no (chat template|template)?
            (which|what) (chat template|template|prompt format) (does it|do you) use?
            (chat|prompt) (template|templates|format)( what| where| how| meaning|)
            how (are|do) (messages|chats|conversations) (turned into|become|written as) (a prompt|one text|
                text)?
        """,
    ),
}
