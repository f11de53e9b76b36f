"""What the help desk knows about batches: how many requests are computed together, and in which order."""

from training.phrasing import Topic

BATCHING = {
    "dynamic batching": Topic(
        "Dynamic batching joins requests that arrive at nearly the same time, so that the model "
        "handles them together.",
        more="Triton does it for the model chat. Requests of equal size are joined, so ChatClient pads them.",
        tasks="""
            (use|turn on|switch on|enable|configure) (dynamic batching|the dynamic batcher)
        """,
        things="""
            (dynamic batching|a dynamic batch|the dynamic batcher|Triton's batching|dynamic batches|
                Triton's batcher)
            (the dynamic batching of Triton|Triton dynamic batching|server-side batching|auto-batching|
                automatic batching of requests)
            (putting|joining) requests (together that come at the same time|that arrive together)
        """,
        asks="""
            (is there|do you have|does it do|does it support|do you do|does Triton do) dynamic batching?
            (which|what) requests (are joined|does Triton join|go together|does the dynamic batcher join)?
            dynamic (batching|batcher|batches)( what| how| meaning|)
            why is (it|the batching) called dynamic?
            (who|what|which part) (joins|puts together|collects|groups) (requests|the requests) (that arrive|
                that come) (together|at the same time|at nearly the same moment)?
            what happens (when|if) two (clients|requests) (ask|come|arrive) at the (same moment|
                very same time|same instant)?
            (does|can|will) Triton (join|merge|group|combine|collect) (requests|several requests|my requests|
                questions of several people)?
            (how long|does it|must a request) (wait|does it wait) (for other requests|
                for others)( before it starts| to be joined|)?
            what do I (gain|win|get) (from|by|with) dynamic batching?
            (is|does) dynamic batching (on by default|cost time|make me wait|slow a single request down|
                always on|help one user|help a single user)?
            why does (ChatClient|the client) pad (requests|messages|its requests)?
            (which|what) (model|models) (uses|use|has|have) (dynamic batching|the dynamic batcher)?
            requests (come|arrive) (together|at once) and (then|are computed together)(, how?|?|
                : what is that called?)
            (where|in which file) (is|do I find) (dynamic batching|the dynamic batcher)( set up| configured|)?
            how is dynamic batching (set up|configured|done|implemented)( here|)?
            (max_queue_delay|preferred batch size|max batch size|batcher settings|batching of triton)(?|)
            (the|a) batch made (by the server|by Triton|on the fly)(, what is it?|?|)
            dynamic batching (in one sentence|explained|for what|yes or no|in triton|on or off)(?|)
        """,
    ),
    "continuous batching": Topic(
        "Continuous batching lets requests join and leave a running batch at every token, so none "
        "waits for the longest.",
        more="The engine does it: each step takes one token of every answer, and fills up with new prompts.",
        tasks="""
            (use|turn on|switch on|enable|configure) (continuous batching|in-flight batching)
            (add|put|slip|squeeze) (a request|a new request|my request) into a (running|started|
                half done) batch
        """,
        things="""
            (continuous batching|in-flight batching|inflight batching|iteration level scheduling|
                rolling batches)
            (continuous batches|a continuous batch|iteration-level scheduling|the continuous batcher)
            (token level batching|batching at every token|step by step batching|unlocked batching|
                continuous batching like in vLLM)
            (joining|letting requests join) a batch that (runs|is running|has already started)
        """,
        asks="""
            (is there|do you have|does it do|does it support|do you do) (continuous|in-flight) batching?
            (can|do|may) requests (join|leave) (a running batch|the batch while it runs|at any time|a batch)?
            continuous (batching|batcher|batches)( what| how| meaning|)
            why is (it|the batching) called continuous?
            (does|must) a short (answer|request) wait for (a|the) (long one|longest|longest one)?
            (must|does|do) (I|my request|a new request|a late request) (wait|have to wait) (until|till) (
                the batch is done|the others are done|the running batch ends|others have finished)?
            (somebody|someone|another user|my colleague) (asked for|wants|gets) a (very long|huge|long) (
                answer|story|text)(.|. Do I wait for it?|, must I wait for that?|. Does that block me?)
            (does|will|can) (one|a) (long|huge|endless) (answer|request|chat) (block|hold up|delay|stop) (
                the others|others|everybody|short ones|the rest)?
            what happens (when|if) (a request|one answer|one request) (ends|finishes|is done) (before|
                earlier than|sooner than) the (others|rest)?
            what happens (when|if) (a new request|somebody new|another question) (comes|arrives) while (
                others run|others are being answered|a batch runs)?
            (is|are) (a free place|the place|free places|places) in the batch (filled|taken|used|given away) (
                at once|again|by a new request)?
            (how|why) do (short|quick) (answers|requests) (finish|end|get done) before (long|the long) ones?
            does it (batch|schedule) (like vLLM|like TGI|like Orca|at the iteration level|at token level)?
            what do I (gain|win|get) (from|by|with) continuous batching?
            (static|fixed) or continuous( batching|)?
            a batch (that people can|one can|that requests) (join|leave) (at any time|while it runs)(
                , what is it?|?|)
            (inflight|in-flight|continuous|rolling|iteration level) (batcher|batching|batches) (explained|
                yes or no|like vllm|for what|supported)(?|)
        """,
    ),
    "batching": Topic(
        "Batching computes several requests together. Dynamic batching joins those that arrive "
        "together; continuous batching lets them join and leave at every token.",
        brief="Batching computes several requests together.",
        things="""
            (batching|a batch|request batching|batched requests|batches|a batch of requests)
            the difference between (dynamic and continuous|continuous and dynamic) batching
            (computing several requests together|doing requests together|batch size|the batch size|
                a batch in machine learning|batched inference)
            the (two|different) kinds of batching
        """,
        asks="""
            (dynamic or continuous batching|continuous vs dynamic batching|dynamic versus continuous)(?|)
            (which|what) is better(,|:) (dynamic or continuous|continuous or dynamic) batching?
            how (is|are) (dynamic and continuous|continuous and dynamic) batching different?
            is dynamic batching (the same as|better than|like) continuous batching?
            is continuous batching (the same as|better than|like) dynamic batching?
            (compare|contrast) (dynamic and continuous|continuous and dynamic) batching(.|)
            (which|what) (kinds|sorts|types) of batching (are there|do you have|does it do|exist)?
            why (do you|does a server|does it) (batch|use batches|batch requests|compute requests together)?
            why (is it|does it get) (faster|cheaper|quicker|more efficient) to (compute|answer|do) (several|
                many|a lot of) (requests|questions) (together|at once|in one go)?
            (what|which advantage) (does one get|do I get|is gained|comes) (from|by|
                with) batching( requests|)?
            (which|what) (batching|kind of batching|sort of batching|type of batching) (do you|does it|
                does tritonchat) (use|have|do)?
            (does it|do you|can it|will it) (batch|compute requests together|do batching|use batching|
                batch requests)?
            (how|in what way) (do|are) (several|many) requests (get |)computed together?
            (is|does) batching (good|worth it|important|make it faster|speed it up|cost anything)?
            (dynamic and continuous batching|continuous and dynamic batching)(: same thing?|: the same?|
                , what differs?|, who is who?)
            I (mix up|confuse|always mix up) (dynamic and continuous batching|
                continuous and dynamic batching)(.|)
            (does it|do you) (use|have|do) both (dynamic and continuous|continuous and dynamic|
                kinds of) batching?
            (to batch|batching|a batch of requests)(: what does it mean?| means what?| in simple words?)
            (batching|batches|batch) (explained|for what|why|kinds|types|in one sentence)(?|)
            what (is|would be) the (opposite of|alternative to) batching?
        """,
    ),
    "scheduler": Topic(
        "At every step the engine takes one token of each answer under way and fills up with "
        "prompts, first come, first served.",
        things="""
            (the scheduler|scheduling|request scheduling|the engine's scheduler|the order of requests|
                a step of the engine)
            the part that decides (who comes next|who is next|what is computed next|which request runs)
        """,
        asks="""
            (who|what|which part) decides (what runs next|which request is next|who is served first|
                which request is computed|whose turn it is)?
            (in which|in what) order are (requests|questions|prompts|users) (served|answered|computed|taken|
                handled)?
            (is it|does it go) (first come first served|fair|in order|by priority|FIFO|first in first out)?
            (are there|can I set|can I give|is there) (priorities|a priority|a priority for requests|
                request priority)?
            (who|which request|which user) (is|gets) served first( when many ask|)?
            (who comes first when many ask|which request comes first|which user comes first)?
            what (does|happens in) (the engine do in |)(a|one|each|every) step( of the engine|)?
            how (does|do) (the engine|you) (divide|share out|split) (its time|the time|the work) (among|
                between) (users|requests|many requests)?
            (is|will) (my request|an old request|a user) (be |)(overtaken|starved|left waiting for ever|
                treated fairly)?
            (scheduler|scheduling)( policy| order| how| fair| fcfs|)
            who comes first, (the longest waiting|the newest|the shortest request|the oldest request)?
            (does it|can it) (prefer|put first) (short|new|important|my) (requests|ones|questions)?
        """,
    ),
    "preemption": Topic(
        "When KV memory runs out, the youngest request makes room and is computed again later. "
        "Nothing is lost, and the answer is the same.",
        brief="The youngest request makes room and is computed again later.",
        things="""
            (preemption|preempting requests|a preempted request|evicting a running request|
                recomputation of requests|running out of pages|running out of KV memory)
        """,
        asks="""
            what happens (when|if|once) (the pages run out|there are no free pages|KV memory is full|
                the KV cache is full|there are no pages left|KV memory runs out)?
            (is|will|would) (an answer|a request|my answer|anything) (be |get |)(lost|dropped|thrown away|
                killed) (when|if) (KV memory is full|the pages run out|the KV cache is full|
                there is no free page)?
            (who|which request) (makes room|must give way|has to wait|is put back) when (the pages run out|
                KV memory is full)?
            which request (is preempted|loses its pages)( when the pages run out| when KV memory is full|)?
            (does it|do you|can it) (preempt|evict|swap out|put back|recompute) (requests|running requests|
                a running request)?
            (the KV cache|KV memory|the page pool) (is full|ran full|ran out|is used up|overflows)(.|
                . What now?|, what happens?)
            (no|there are no|it has no) (free pages|pages|KV pages) left(.|. What then?|, now what?)
            (is|are) (a preempted answer|preempted requests|a preempted request) (the same|different|lost|
                computed again|continued)( later|)?
            does (making room|preemption|being put back|recomputing) (change|alter|harm|spoil) (an answer|
                the answer|answers)?
            (preemption|preempted|evicted request|kv cache full|no free pages)( what| what happens| policy|)
            more (chats|conversations|requests) than (KV memory can hold|there are pages for)(?|
                : what happens?)
        """,
    ),
    "chunked prefill": Topic(
        "A long prompt is computed in chunks, beside the answers of others, so nobody waits for the"
        " whole of it.",
        things="""
            (chunked prefill|chunked prefilling|prefill chunking|chunks of a prompt|
                splitting a prompt into chunks|prompt chunks)
            computing a (long|big) prompt (in pieces|in parts|piece by piece)
        """,
        asks="""
            (does|will|can) (a|one) (long|huge|very long) prompt (block|hold up|delay|slow down) (the others|
                others|other answers|everybody|the server)?
            (is|are) (a|the) (long|huge|big) (prompt|prompts) (computed|read|processed) (in one go|in pieces|
                in chunks|at once|in parts)?
            what happens (when|if) (somebody|someone|a user|another user) sends a (huge|very long|
                giant) prompt?
            (somebody|my colleague|another user) (pasted|sent) a (whole book|huge text|very long prompt)(.|
                . Do others wait?|, do I have to wait?)
            (does it|do you) (have|use|do|support) (chunked prefill|prefill in chunks|prompt chunking)?
            why (is|are) (a prompt|prompts|long prompts) (cut|split|divided|computed) in(to|) (chunks|pieces|
                parts)?
            (chunked prefill|prefill chunks|prompt chunks|chunking)( supported| on| size| explained| why|)
            (do|must) (running answers|the other answers|others) (stop|pause|wait) while a (long|
                huge) prompt is (read|computed|processed)?
        """,
    ),
    "prefill": Topic(
        "Prefill computes the prompt, many tokens at once. Decoding then makes the answer, one "
        "token after the other.",
        brief="Prefill computes the prompt, and decoding makes the answer.",
        things="""
            (prefill|the prefill|prefilling|prompt processing|the decode phase|the prefill phase|decoding|
                prompt evaluation)
            the difference between (prefill and decode|decode and prefill|prefill and decoding)
        """,
        asks="""
            (prefill or decode|prefill vs decode|prefill versus decoding|decode vs prefill|
                prompt eval or eval)(?|)
            (what are|which are) the (two phases|phases|stages|steps) of (an answer|a request|generation|
                inference)?
            how (are|is) (prefill and decode|prefill and decoding|reading and writing) different?
            (is|are) the (prompt|words of the prompt|tokens of the prompt) (computed|read) (all at once|
                together|one by one)?
            what (does it do|happens) (first|before the first word comes|before the first token comes)(
                , prefill or decode| when I ask something|)?
            (prefill|decode|decoding|prompt processing) (phase|stage|speed|meaning|explained)
            (compare|contrast) (prefill and decode|prefill with decoding|decode and prefill)(.|)
            why is the (prompt|question) (computed|read|done) (faster|quicker) than the answer (is written|
                is made|comes)?
            why does the answer come (one token at a time|token after token|slower than the prompt is read)?
        """,
    ),
}
