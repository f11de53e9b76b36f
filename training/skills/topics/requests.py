"""What the help desk knows about a request: its tokens, its context, what comes before the chat."""

from training.phrasing import Topic
from training.skills.topics.choosing import CHOOSING
from training.skills.topics.endings import ENDINGS

REQUESTS = {
    "token": Topic(
        "A token is a small piece of text, often a word or a part of one. A model reads and writes tokens.",
        more="The word batching, for example, may be two tokens: batch and ing. Speed is counted in "
        "tokens per second.",
        things="""
            (a token|tokens|the tokens|a token of text|one token|text tokens)
            (what a token is|this word token|the word token|the term token|tokens in AI|
                tokens in a language model)
            the (small pieces|little pieces|bits) (of text|of words) that a model (reads|writes|sees)
            (a million tokens|a thousand tokens|input tokens|output tokens|prompt tokens|a subword|
                word pieces)
        """,
        asks="""
            how (long|big|many letters) is (a|one) token?
            (is a token|are tokens) (a word|words|the same as a word|letters|syllables)?
            how many (words|letters|characters) (is|are|has|make) (a|one) token?
            how many tokens (has|are in) a (word|sentence)?
            how many tokens does a (word|sentence) have?
            (token|tokens)( meaning| what| count|)
            (what|which pieces) does a model (read|write)( in|)?
            (so|ok so|then) a token is (a word|a letter|a syllable|a piece of a word)(, right|, or what|
                , correct|)?
            (everyone|everybody|the readme|the page) (counts|talks of|
                speaks of) tokens(.|, but what are they?|. Tokens of what?)
            why (do you|does a model|do they|does everybody) (count|measure|
                say) (in |)tokens (and not words|instead of words|rather than letters)?
            is (a comma|a space|a full stop|an emoji|a number|a newline|
                punctuation) (also |)a token( too| of its own|)?
            (words|letters|characters) or tokens(?|, what is the difference?|, which is it?)
            (tokens like|do you mean tokens as|are these tokens) (coins|in an arcade|money|crypto|bitcoin)?
            what is the difference between a (word|letter|syllable) and a token?
            does a model (see|read|know) (letters|words|single letters|
                whole words)( or something else| or what|)?
            (one|a) word is (one token|how many tokens|two tokens)(?|, right?|, yes or no?)
            (roughly|about|on average|in general,) how many tokens (is|are in|make) (a word|a page|
                100 words|a book|a tweet)?
            (I|I only) know tokens from (games|the bus|the casino|crypto)(. What are they here?|
                , what are they here?)
            (what is it called|how do you call it|what do you call it) when (text|a word) is (a small piece|
                in small pieces|in bits)?
            in what (unit|units) (is (the |)(text|length|speed) (counted|measured)|does it count text)?
        """,
    ),
    "tokenizer": Topic(
        "The tokenizer cuts text into tokens and joins tokens to text again. It comes with the "
        "model, as tokenizer.json.",
        tasks="""
            (cut|split|turn) (text|a text|words) into tokens
            (tokenize|tokenise|detokenize) (a text|text|a prompt|my text|a string)
            (make|get) (tokens of|tokens from|tokens out of) (a text|my words|a sentence|a prompt)
            (turn|change|join) tokens (back |)(into|to) (text|words|a text)
            (see|find out) (how|in which pieces) my (text|sentence|prompt) is (cut|split|tokenized)
        """,
        things="""
            (the|a|) (tokenizer|tokeniser|tokenization|tokenisation|BPE|tokenizer.json|byte pair encoding)
            (a BPE tokenizer|the model's tokenizer|the tokenizer file|the file tokenizer.json|
                text tokenization|a vocabulary file)
            the (part|thing|program) that (cuts|splits|chops) (text|words|sentences) into (tokens|pieces)
            (tokenizing|tokenising|detokenizing|encoding and decoding text|byte-level BPE|sentencepiece)
        """,
        asks="""
            (which|what) tokenizer (do you|does it|does tritonchat) (use|have|need)?
            (what|who) (cuts|splits|turns) (the text|text|words) into tokens?
            (what if|what happens if) (a|my) model (has|comes with) no tokenizer?
            (tokenizer|tokeniser|tokenization|bpe)( file| meaning| what| how|)
            (do I|must I|should I) (need|bring|supply|install|choose) a tokenizer( myself| of my own| too|)?
            (where|from where) does the tokenizer (come from|lie|live)?
            is the tokenizer (part of|inside|in) the (model|program|server)?
            (does|has) (each|every|my) model (have |got |)(its own|another|a different) tokenizer?
            who (chops|breaks|slices) (up |)my (words|text|sentence|prompt) (into|in) (pieces|tokens|bits)?
            how (does|do) (a text|my words|words|letters) (become|turn into|get to be) tokens?
            how (do|does) (tokens|the token numbers|numbers) (become|turn into) (text|words|letters) again?
            (can|could) I (use|take) (another|a different|my own) tokenizer( with a model|)?
            (tiktoken|sentencepiece|BPE|wordpiece) or (what|something else)(?|, what cuts the text?)
            (there is a|I see a|what is this) file (called |named |)tokenizer.json(.|. What is it for?|
                , do I need it?|?)
            (is|what is) the difference between (a tokenizer and a token|the tokenizer and the model|
                a token and a tokenizer)(?|)
            (can I|may I|what if I) (delete|leave out|lose) (the tokenizer|tokenizer.json)?
            my text (must|has to) be (cut|split) into tokens first(, by what?|. Who does that?|, right?)
        """,
    ),
    "context": Topic(
        "The context is what a model can see at once, prompt and answer together. The flag "
        "--max-context limits it.",
        brief="The context is what a model sees at once, and --max-context limits it.",
        tasks="""
            (change|set|limit|increase|raise|lower|reduce) the (context|context length|context size|
                context window)
            (use|have|get) (longer|long) (prompts|conversations|chats|texts)
            (make the context|make my context) (longer|bigger|larger|smaller|shorter)
            (send|paste|feed|enter|give it) (a long text|a whole book|a very long prompt|a long document|
                many pages)
            (extend|enlarge|double|shrink|restrict) the (context|context window|context length)
            (limit|set|change|choose) how much (text |)(it|the model|a model) (sees|can see|reads at once)
            (fit|get|squeeze) (a long text|a book|a long document|more text) into (the context|a prompt|
                the window)
        """,
        things="""
            (the context|context length|the context window|the context size|the context length|max context)
            (--max-context|the --max-context flag|the max-context option)
            (the context of a model|a context window|context in AI|a long context|the context limit|
                a context of 4096 tokens|the model's window)
            how much (text |)(a model|the model|it) can (see|take in|read|keep in view|look at) at (once|
                a time)
            (num_ctx|n_ctx|max_model_len|the maximum prompt length|the limit of a prompt)
        """,
        asks="""
            how long (can|may) (a|my|the) (prompt|conversation|chat|text|question) be?
            how (many|much) (tokens|text) (fit|can it take|can I send|can a prompt have|can the model see|
                can it read)?
            (the|my) (prompt|conversation|chat|text) is too long(.|. What can I do?|, what now?)
            (prompt too long|context too small|context exceeded|too many tokens)( error|)
            how (big|long|large) is (the|your) context( window|)?
            (max|maximum|maximal) (context|prompt length|length of a prompt|length of a conversation)
            (it|the model|my model) (forgets|forgot|no longer knows) (the beginning|the start|
                what I said first|the first part) of (our chat|a long chat|the conversation|my text)(.|
                , why?|. Why?)
            what happens (if|when) (the context|the window|the context window) (is full|overflows|
                is exceeded|is used up|runs out)?
            what happens (if|when) (my|a) (prompt|text|conversation) is (longer|larger|
                bigger) than the context?
            what happens (if|when) I (set|put|raise|lower) (--max-context|the context length|
                max context)( to 1000| to 4096| low|)?
            (can|could|may) I (paste|send|give it|enter) (a whole book|a long article|a novel|ten pages|
                my thesis|a very long text)?
            (how many|how much) (pages|words|characters|lines|text) (can|may) (I|my prompt|a prompt|my text|
                the question) (paste|have|be|send)( at once|)?
            why would I (limit|set|lower|raise|change) the (context|context length|context window)?
            (does|is) the (answer|system prompt|history|reply) (count|counted|part of|counts) (in|into|to|
                towards|of) the context( too|)?
            (prompt and answer|question and answer|the question plus the answer)( together|)(:|,) (how long|
                how many tokens|what limit)(?| at most?)
            (is there|what is) (a limit|the limit|a maximum) (for|to|on) (a prompt|my question|the input|
                the prompt's length|the length of a conversation)?
            (is|does) a (bigger|longer|larger) context (better|need more memory|slower|cost more memory|
                useful)?
            (context|window) (full|length|size|limit|too short|exceeded|4096|8k)(?|!|)
            how far back (can|does) (it|the model|a model) (see|look|read) in (a chat|the conversation|
                the text)?
            (which|what) (flag|option|switch) (limits|sets|changes) (the context|the context length|
                how long a prompt may be)?
            (what is the difference between|difference between) (context and prompt|
                the context and the prompt|context and max_tokens)(?|)
            how much (text|of our chat|of a text) (can|does) (it|the model|a model) (see|take in|look at|
                keep in view)( at once| at a time|)?
        """,
    ),
    "system prompt": Topic(
        "A system prompt tells the model how to behave before the chat begins: a first message "
        "with the role system. The page has a field for it.",
        more="For example: You are a friendly pirate. Answer in one sentence.",
        brief="It tells the model how to behave before the chat begins.",
        tasks="""
            (set|use|give|write|change|add|send) (a|the) (system prompt|system message)
            (give you|give the model|set) (a name|a role|a character|rules|
                instructions)( for the whole chat| first|)
            (tell|make) the model (how to behave|who it is|to be brief|to be polite)
            (make|have|let) (the model|it|my model) (talk|speak|answer|behave) like (a pirate|a teacher|
                a poet|a butler|a robot|Shakespeare)
            (make|have) (the model|my model|every answer) (always |)(short|polite|funny|strict|brief|
                formal) (in the whole chat|for the whole chat|from the start)
            (give|set|write) (instructions|rules|standing orders|a role|a persona) (for the model|
                to the model|before the chat|for all answers)
            (remove|clear|empty|edit|try|save) (a|the|my) (system prompt|system message)
            (customise|customize|change) (the behaviour|the character|the personality|
                the style) of (the model|a model|my model)
        """,
        things="""
            (a system prompt|the system prompt|system prompts|the system message|a system message|
                the role system)
            (the system role|the role called system|a first message for the model|
                an instruction for the whole chat|the field system prompt|custom instructions)
            the (message|text|instruction|rules) (before the chat|that comes first|
                that the model gets first|at the top of a chat)
            (a persona prompt|a system instruction|system instructions|the system prompt field|
                a standing instruction)
        """,
        asks="""
            (where|how) (do I|can I) (put|write|set|enter) (the|a) (system prompt|system message)?
            (does it|do you) (support|have|know|follow) (system prompts|a system prompt|system messages)?
            (system prompt|system message)( field| where| what| how|)
            (what|which) is your system prompt?
            (what happens|what changes) (if|when) I (set|write|leave out|change|empty|give) (a|
                the) system (prompt|message)?
            why would I (write|use|set|want|need) a system (prompt|message)?
            (what is the difference between|difference between) (a system prompt and a prompt|
                the system role and the user role|a system message and a user message)(?|)
            (what|which) (text|words) (do I|should I|can I) (write|put|type) (in|into) (a|
                the) system (prompt|message)( field|)?
            (do I|must I|should I) (need|write|have|give|set) a system (prompt|message)( at all|)?
            (give|show) me an example of a system (prompt|message)(.|, please.|)
            (I want|I'd like|I need) the model to (always |)(answer like a pirate|play a teacher|
                be polite in every answer|follow my rules|be a butler)(.|, how?|. Where do I say so?)
            (where|in which field|how) do I (tell|say to) the model (who it is|how to behave|its role|
                what role to play)?
            (can|could) (the model|a model|my model) (have|get|play) a (role|character|
                persona)( in the whole chat| from the start|)?
            (can|could) I (give|set) (it|the model|a model) (rules|a role|instructions|
                a personality) (beforehand|before we start|before the chat|at the start)?
            (does|will) (the model|it|a model) (obey|follow|see|remember|keep to) (the|a|my) system (prompt|
                message)?
            (does|will) the system prompt (hold|stay|last|count) for (the whole chat|every message|
                all answers|one message|all chats)?
            (is|can) (my|the|a) system (prompt|message) (be |)(visible|long|short|changed|secret|
                empty)( later| during a chat|)?
            (there is|I see|I found) a (field|box) (called|named|for the|that says) system prompt(.|
                . What is it?|, what do I write there?)
            (role|roles)(:|) (system|system, user and assistant)(, what is that?|?|, meaning?)
            (does|has) (the page|the chat page) (have |got |)a (field|box|place) for (a system prompt|
                a role|standing instructions)?
        """,
    ),
    "chat template": Topic(
        "The chat template writes the messages of a chat as the one text that a model was trained "
        "on. It comes with the model.",
        tasks="""
            (change|set|use|write|replace) (the|a|another) (chat template|prompt template)
            (turn|put|write|join|format) (messages|a chat|the messages|a conversation) (into|as|
                to) (one text|one prompt|a single text|a prompt)
            (see|find|look at|edit) the (chat template|prompt template|chat template of a model)
            (bring|supply|give|add) (a chat template|my own chat template|a template) (with|to|
                for) (a model|my model)
        """,
        things="""
            (a chat template|the chat template|chat templates|the template|chat_template|a prompt template)
            (a template for chats|the model's chat template|the prompt format|the chat format|
                chat_template.jinja|a Jinja template|the file chat_template.jinja)
            (ChatML|the ChatML format|apply_chat_template|special tokens like im_start|
                the im_start and im_end marks)
            the (text|format|form) (into|in) which (messages|chats|the messages) are (put|written|turned)
        """,
        asks="""
            (what if|what happens if) (a|my) model (has|comes with) no (chat template|template)?
            (which|what) (chat template|template|prompt format) (does it|do you) use?
            (chat|prompt) (template|templates|format)( what| where| how| meaning|)
            how (are|do) (messages|chats|conversations) (turned into|become|written as) (a prompt|one text|
                text)?
            (do I|must I|should I) (write|supply|choose|need|set|know) (a|the) chat template( myself|)?
            where (does the chat template (come from|lie)|is the chat template( stored| of a model|))?
            (can|may) I (use|write|take|set) (my own|another|a different) (chat template|prompt format)?
            why (does a model need|is there|would I need|does a chat need) a chat template?
            what happens (if|when) the (chat template|template) is (wrong|missing|another one|broken|
                not there)?
            (does|has) (each|every|my) model (have |got |)(its own|another|a different) (chat template|
                prompt format|chat format)?
            (what is the difference between|difference between) (a chat template and a system prompt|
                the chat template and the prompt)(?|)
            (who|what) (puts|writes|adds) the (marks|special tokens|role names|roles) (between|around|
                in front of) (the |)messages?
            (do I|must I) (write|add|put in|type) (the special tokens|im_start|the marks|the role marks|
                INST) (myself|by hand|in my messages)?
            how does (a model|the model|it) (know|tell|see) (who said what|which message is mine|
                where a message ends|who speaks)?
            (ChatML|Jinja|chatml or llama|the INST format)(, is it supported?| supported?| or what?|
                , do you use it?)
            (is|does) the chat template (applied|used|set|done) (by the server|for me|automatically|
                on its own)?
            (how|in what form) does (my|a) (chat|conversation|message) (reach|get to|look to|
                go to) the model?
        """,
    ),
    **CHOOSING,
    **ENDINGS,
}
