"""What the help desk knows about what the engine keeps, and guesses, to compute less."""

from training.phrasing import Topic

CACHES = {
    "kv cache": Topic(
        "The KV cache keeps the attention keys and values of earlier tokens, so that they are not "
        "computed again for every new token.",
        more="It lies in pages of 16 tokens. The flag --kv-cache-memory says how much memory it may take.",
        things="""
            (the|a|) (KV cache|KV-cache|kvcache|key value cache|key-value cache|cache of keys and values|kv)
            that memory (the model|it|a model) keeps of (earlier|the earlier|previous|past) (words|tokens)
            the (memory|store|table|cache) for (attention keys and values|keys and values|the attention|
                earlier tokens)
            (past_key_values|past key values|the kv-cache|the attention cache|the transformer cache|K and V)
        """,
        asks="""
            what does KV (stand for|mean)( in KV cache|)?
            (what|which things) (does|is) (the|a) KV cache (keep|kept in|store|hold|remember|save)?
            why (do we need|do you need|is there|does a model need|use|have) a (KV cache|key value cache)?
            what (would happen|happens) without (a|the) KV cache?
            (what are|where are|why keep) (keys and values|the keys and values)( kept| of a token|)?
            (kv|key value) cache( what| how| meaning| purpose|)
            how does (the model|it|a model|the engine) (avoid|get around|save itself from) (computing|reading|
                calculating) (everything|the whole text|all earlier tokens|
                the earlier tokens) again( for each word| for every token|)?
            (does|must|will) (the model|it|a model|the engine) (read|compute|go through) (the whole text|
                everything|the whole chat|all the words) again for (each|every) (new |)(token|word)?
            where (does|do) (the model|it|a model|the engine) (keep|store|put|hold) (what it computed for|
                the attention of|the keys and values of|its memory of) (earlier|previous|past) (tokens|words)?
            (the|a) (memory|thing|place) where (the model|it|a model) (keeps|stores|holds) (earlier|past) (
                words|tokens|keys and values)(, what is it called?|: name?|?)
            (is|would) (a model|it|generation) (be |)(slower|slow|possible) without (a|the) (KV cache|
                key-value cache)?
            what is (kept|stored|saved|in there|inside) in the (KV cache|key-value cache|key value cache)?
            (what do|why do|what does) (the letters |)(K and V|KV) (mean|
                stand for)( in the cache| in KV cache|)?
            what (good|use|help|advantage) is (a|the) (KV cache|key-value cache)?
            (does it|do you|does the engine|does tritonchat) (have|use|keep) a (KV cache|key-value cache|
                cache of keys and values)?
            (why|how come) does (generation|a chat|a long chat|each conversation) (need|take|eat) (
                so much |)memory beside the weights?
            (is|does) the KV cache (the same as|like) (RAM|memory|the context|the model's memory|a database)?
            (I keep seeing|everybody talks of|in vLLM there is|in Transformers there is) (a KV cache|
                the KV cache|past_key_values)(.|. What is that?|, what for?)
            (and |so |)(the KV cache|a KV cache) (does|is|means|keeps) what( exactly|)?
            (kv|k/v|kv-cache|key value) (cache explained|cache for what|cache in simple words|
                cache definition|store)(?|)
            (earlier tokens|the past words) are (kept|stored) where?
        """,
    ),
    "paged memory": Topic(
        "KV memory lies in pages of 16 tokens. A request takes pages as it grows and gives them "
        "back, so none is wasted.",
        things="""
            (paged KV memory|paged attention|PagedAttention|a page of KV memory|the paged KV cache|KV pages|
                paging)
            (pages of keys and values|the page pool|paged memory|KV cache pages)
            (paged attention like in vLLM|block tables|KV blocks|a block of KV memory|
                memory pages of the KV cache)
            the (pages|blocks) of the (KV cache|KV memory|key-value cache)
        """,
        asks="""
            why is (the KV cache|KV memory) (in pages|paged)?
            why does (the KV cache|KV memory) (have pages|lie in pages)?
            how (big|large) is a page( of KV memory| of the KV cache|)?
            (does it|do you) (have|use|do) (paged attention|paging|pages|a paged KV cache)?
            (paged|page) (attention|kv|memory|pool|cache|kv cache)( what| how|)
            how (is|does) the (KV memory|KV cache|memory of keys and values) (divided|cut up|organised|
                laid out|handed out|managed|shared out)?
            how many (tokens|positions) (are|fit|lie) (in|on|into) (a|one) (page|KV page|KV block|block)?
            what is the (page size|block size|size of a page|size of a block)( of KV memory|)?
            (does|must) (a request|each request|a chat|every chat) (reserve|take|get|need) (its whole memory|
                all its KV memory|memory for the longest answer) (at once|in advance|at the start|
                before it starts)?
            (is|isn't) (KV memory|memory|any memory) wasted (by|on|for|when) (short answers|short chats|
                answers are short)?
            (who|what) (gives back|frees|returns) the pages( of a request| when an answer ends|)?
            (what|when) (happens to|does a request give back) (its|the) (pages|
                KV pages)( of a request| when it ends|)?
            (does it|do you|does the engine) (have|use|do) (PagedAttention|paged attention|a page pool|
                block tables) (like|as in) (vLLM|other engines)?
            what is the (advantage|use|point|benefit|good) of (pages|paging|KV pages|paged attention|
                paged KV memory)?
            how does (it|the engine) (avoid|prevent|fight) (fragmentation|wasted KV memory|holes in memory)?
            why (16 tokens|sixteen tokens|not 32 tokens|small pages)( a page| per page|)?
            how does (a growing chat|a longer chat|a growing answer|a request) (get|find) more KV memory?
            (16 tokens per page|page size|block size|page pool|pages|kv blocks|paging)(
                ?| explained| how| why|)
        """,
    ),
    "prefix cache": Topic(
        "The prefix cache keeps the work done on the beginning of a prompt, so that requests which "
        "share it start sooner.",
        more="A second turn of a chat, for example, computes only what is new. Least recently used pages"
        " go first.",
        things="""
            (the|a|) (prefix cache|prefix caching|prompt cache|prompt caching|cache of prefixes|prefix-cache)
            (shared prefixes|a shared prefix|cached_tokens|cached tokens)
            (automatic prefix caching|prefix reuse|APC|RadixAttention|radix cache|context caching|
                the prompt's cache)
            (reusing|sharing|keeping) the (beginning|start|work on the beginning) of a prompt
            prefix sharing
        """,
        asks="""
            (is|are) (the|a|my) (system prompt|beginning of a prompt|same prompt|shared prompt) computed (
                again|twice|once)?
            why (does|is) (a|the) second (turn|question|request|message) (start sooner|faster|so fast|
                quicker)?
            (do|does) (requests|prompts|a request) (with the same beginning|that begin alike|
                that share a beginning) (share|reuse|save) (work|anything|time)?
            (does it|do you) (have|use|keep) a (prefix|prompt) cache?
            (prefix|prompt) (cache|caching|reuse)( what| how| meaning|)
            why do we need a prefix cache?
            (many|all my|all our|a hundred) (requests|prompts|questions|users) (have|share|begin with|
                start with) the same (system prompt|beginning|start|text|instructions)(.|
                . Is that computed each time?|. Does that help?|, is it reused?)
            (does|will|must) (the whole chat|the whole conversation|everything before|the history|my chat) (
                be |get |) (computed|read|processed) again (at|for|with|in) (each|every) (turn|new message|
                new question|message)?
            (my|the) (second|next|third) (question|message|turn|request) (is|was|came|gets) (so much |much |)(
                faster|quicker)( than the first|)(.|. Why?|, how come?)
            (how|where) (do I see|can I see|is it shown) (how much|what|how many tokens) (was|were) (reused|
                cached|taken from the cache)?
            what does (cached_tokens|usage.cached_tokens|cached tokens) (mean|say|count|tell me)?
            (can|do|will) (two|several|different|many) (users|chats|requests|clients) share (a|the) (
                system prompt|prompt|beginning|prefix)?
            what is (kept|remembered|reused|stored) (between|from one to the next of) (two requests|requests|
                two turns|turns of a chat)?
            (is|does) (a|the) (prompt|long prompt|long system prompt) (paid for|computed|processed) only once?
            (does it|do you|does tritonchat) (have|support|do|use) (automatic prefix caching|RadixAttention|
                prompt caching like Anthropic|context caching|prefix sharing)?
            (when|how long) (is|does) (a prefix|the prefix cache|a cached prefix) (thrown away|kept|dropped|
                last|forgotten)?
            what (goes|is thrown out|is dropped) first (when|if) the prefix cache is full?
            (does|will) (the same|an identical|a repeated) (prompt|beginning|system prompt) (start|go|be) (
                faster|quicker|sooner) the second time?
            (prefix|prompt) (sharing|caching on|cache hit|cache explained|cache yes or no|
                caching like openai)(?|)
        """,
    ),
    "which cache": Topic(
        "The KV cache serves an answer while it is made. The prefix cache keeps that work for other"
        " requests which begin alike.",
        brief="The KV cache serves one answer, the prefix cache later requests which begin alike.",
        things="""
            the difference between (the |a |)(KV cache and the prefix cache|prefix cache and the KV cache)
            the difference between (KV and prefix caching|prefix and KV caching|the two caches)
            the (difference|differences) between (the two caches|KV cache and prefix cache|
                prefix cache and KV cache)
            the two (caches|kinds of cache)
        """,
        asks="""
            (KV cache or prefix cache|prefix cache vs KV cache|prefix cache or kv cache|
                kv cache vs prefix cache)(?|)
            is the KV cache (the same as|like|different from) the prefix cache?
            is the prefix cache (the same as|like|different from) the KV cache?
            how (is|are) the (KV and the prefix|prefix and the KV|two) (cache|caches) different?
            (compare|contrast) the (KV cache and the prefix cache|prefix cache and the KV cache|two caches)(
                .|)
            (which|what) caches (are there|do you have|does it have|exist)?
            (KV cache and prefix cache|prefix cache and KV cache)(: same thing?|: the same?|, what differs?|
                , are they the same?)
            I (mix up|confuse|always mix up) the (KV cache and the prefix cache|prefix cache and the KV cache|
                two caches)(.|)
            (why|what for) (are there|do you have|does it have) two (caches|kinds of cache)( and not one|)?
            (do I|does one) need (both caches|both the KV cache and the prefix cache|two caches)?
            (isn't|is not) the prefix cache (just|simply|only) (a|the) KV cache?
            (isn't|is not) the KV cache (just|simply|only) (a|the) prefix cache?
            (which|what) of the (two |)caches (is|does|works|keeps) (for what|what|for one answer|
                for many requests)?
            what does the prefix cache (do|have|keep) (that|which) the KV cache (does not|doesn't)?
            what does the KV cache (do|have|keep) (that|which) the prefix cache (does not|doesn't)?
            (is it|are they) one cache or two, the (KV cache and the prefix cache|
                prefix cache and the KV cache)?
            (where|how) does the prefix cache differ from the KV cache?
            (where|how) does the KV cache differ from the prefix cache?
            (kv and prefix cache|prefix and kv cache|two caches|both caches)(?| difference| compared|)
        """,
    ),
    "speculation": Topic(
        "With --speculate 8 it guesses up to 8 tokens ahead from the text so far. That changes the "
        "speed, never the answer.",
        brief="With --speculate 8 it guesses up to 8 tokens ahead, and the answer stays the same.",
        more="It helps most where a text repeats itself, as in quoting, editing and code.",
        tasks="""
            (guess ahead|guess tokens ahead|predict several tokens at once)
            (use|turn on|enable|switch on|try|set) (speculative decoding|speculation|prompt lookup|
                --speculate)
            (get|make) (several|two|more than one|eight) tokens (per step|in one step|at a time)
            (speed up|accelerate) (code|quoting|editing|text that repeats itself|repetitive text|copying)
            (run|start it|load it) with (a draft model|speculation|speculative decoding)
        """,
        things="""
            (speculative decoding|speculation|prompt lookup|prompt lookup decoding|guessing ahead|
                n-gram speculation)
            (--speculate|the --speculate flag|the speculate option|lookahead)
            (lookahead decoding|assisted generation|self-speculation|guessed tokens|drafting|draft tokens|
                speculating)
            (--speculate 8|--speculate 4|--speculate 16)
            guessing (several|a few|some) (tokens|words) (at once|ahead|in advance)
        """,
        asks="""
            (does it|do you|can it) (have|use|do|support) (speculative decoding|speculation|prompt lookup|
                a draft model)?
            (does|will) (speculation|speculative decoding|--speculate|guessing ahead) (change|alter) (
                the answer|answers)?
            when does (speculation|speculative decoding|--speculate) help?
            (speculative decoding|speculate|speculation|prompt lookup|draft model)( flag| how|)
            (can|does|could) (it|the model|the engine) (guess|predict|make|write) (more than one token|
                several tokens|two tokens) (at once|at a time|per step|in one step)?
            (is|are) (the answer|answers|my answers) (worse|different|the same|changed) with (speculation|
                --speculate|--speculate 8|speculative decoding)?
            (do I|does it|must I) need (a draft model|a second model|a small model|
                another model)( for speculation| for speculative decoding|)?
            (does|will|would) (speculation|speculative decoding|--speculate) (help|pay|be worth it|be good) (
                for|with|in) (code|stories|chats|editing|a chat|quoting)?
            (for which|with which|for what) texts (is|does) (speculation|--speculate|speculative decoding) (
                good|help|work best)?
            what happens (when|if) (a guess|a guessed token|the guess|a draft token) is wrong?
            what (number|value) (should I|do I|shall I) (give|take|use) (for|with|to) --speculate?
            (is|why is) (speculation|speculative decoding|--speculate) (off|not on|switched off) (by default|
                at first|)?
            (how much|how many times) (faster|quicker) is it with (speculation|--speculate|
                speculative decoding)?
            (that|the) trick (where|in which) (it|the model|the engine) guesses (ahead|the next words|
                several tokens)(?|, what is it called?|: is that there?)
            (in llama.cpp|in vLLM|elsewhere) there is (a draft model|speculative decoding|prompt lookup)(.|
                . Here too?|, and here?)
            (speculative|speculate|lookahead|assisted|
                draft)( decoding on| yes or no| 8 meaning| worth it| supported| mode)(?|)
        """,
    ),
}
