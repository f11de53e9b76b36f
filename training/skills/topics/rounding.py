"""What the help desk knows about bits: how the weights of a model are kept and rounded."""

from training.phrasing import Topic

ROUNDING = {
    "quantisation": Topic(
        "Quantising stores the weights in 8 or 4 bits instead of 16 or 32. The model becomes "
        "smaller and faster, and a little less exact.",
        more="Try --weights int8 while loading, or write a smaller model once with tritonchat quantize.",
        things="""
            (quantization|quantisation|quantizing|quantising|weight quantization|rounding the weights)
            a quantized model
            (model compression|weight compression|low-bit weights|fewer bits per weight|compressed weights|
                storing weights in fewer bits|quants|the quantization of a model)
            (making|squeezing) the numbers of a model (smaller|shorter|coarser)
        """,
        asks="""
            why (would I|should I|do people|do you) (quantize|quantise) (a model|models|weights|the weights)?
            (what happens|what changes) (when|if) (a model|my model) is (quantized|quantised)?
            (is|are) (quantized|quantised) models (worse|less exact|faster|smaller|as good)?
            what does (it mean to quantize|quantise mean|quantize mean|quantising mean)( a model|)?
            (does|will) (quantization|quantisation) (hurt|make it worse|cost quality|make it faster|
                lose quality)?
            (how|by what trick) (can|does|do) (a model|models|a big model) (fit|get) (in|into) (less|half the|
                so little|little) (memory|space|RAM)?
            (what does it cost|what do I lose|what is the price|what is lost) (when|if) (I quantize a model|
                the weights are rounded|weights get fewer bits|a model is quantized)?
            (is|does|will) a (quantized|quantised|rounded|compressed) model (still good|as good as before|
                dumber|stupid|any good|faster|smaller|answer the same)?
            (what is the|any) (advantage|disadvantage|downside|benefit|drawback|catch) of (quantization|
                quantisation|quantized models|rounding weights)?
            why (are|would) (8|4|fewer) bits (enough|be enough|faster|be faster)?
            why does (rounding|quantizing|quantising) (the weights |)(make it faster|save memory|help|
                hurt so little)?
            (is|what is) (quantization|quantisation) (the same as|like) (compression|zipping|pruning|
                distillation)?
            (someone|a colleague|the forum) (says|said|told me) (I should|to) (quantize|quantise) (my model|
                it)(.|. What does that mean?|. Why?)
            (does|will) it (lose|cost) (quality|accuracy|exactness|precision) (to quantize|to quantise|
                with fewer bits)?
            (quantized|quantised) or (full|not|full precision|unquantized)(?|)
            (to quantize|to quantise|quantized model|quantised weights|quants)(
                : what does it mean?| means what?|: good or bad?| explained| why)
            (difference|what is the difference) between a (normal|full) and a (quantized|quantised) model(?|)
            (should|must|may) I (quantize|quantise)( at all| or not| or leave it|)?
            (I have heard of|I know|in llama.cpp there are) (Q4 and Q8|quants|AWQ and GPTQ)(.|
                . Is there such a thing?|. Here too?)
        """,
    ),
    "quantize": Topic(
        "Run tritonchat quantize MODEL OUT --weights int4: it writes a smaller model to the folder "
        "OUT and says what that cost.",
        more="For example: tritonchat quantize ./my-model ./my-model-int4 --weights int4",
        tasks="""
            (quantize|quantise|compress|shrink) (a|my|the|my own) (model|checkpoint|LLM)
            (make|write|save|store|create|produce) (a|the|my) (quantized|quantised|smaller|4 bit|8 bit|
                compressed) (model|copy of a model|version of my model)
            (convert|round) (a|my|the) (model|checkpoint|weights) to (int8|int4|4 bits|8 bits)( once|)
            (make|have) (a|my|the) model smaller( on disk|)
            (turn|make) (my|a|the) (big|large|float16|bfloat16) model (into|to) a (small|smaller|quantized|
                4 bit|8 bit) one
            (reduce|shrink|cut|halve) the (size|file size|disk size) of (my|a|the) (model|checkpoint)
            (save|keep|store) (the quantized weights|the rounded weights|a quantized model|the int4 weights) (
                on disk|for later|in a folder)
            (export|publish|pack) a (quantized|quantised|compressed|smaller) model
        """,
        things="""
            (tritonchat quantize|the quantize command|the command quantize)
        """,
        asks="""
            (which|what) command (quantizes|quantises|shrinks|compresses|makes) (a|my|the) (model|
                smaller model)?
            (quantize|quantise) (command|model|a model|my model|how)( please|)
            can (tritonchat|it|you) (quantize|quantise|compress|shrink) (models|a model|my model)?
            (must I|do I have to) (quantize|quantise) (every time|at each start|again and again)?
            (loading|each start|the start) (with --weights int4|with rounding) takes (long|too long|ages)(.|
                . Can I store the result?|, can I do it once?)
            (can|could) I (store|save|keep) (the|a) (quantized|quantised|rounded|small) (model|weights|
                one)( on disk| to disk| for next time|)?
            where (does|will) (tritonchat quantize|the quantize command|the quantized model) (write|go|put it|
                put the model)?
            what (does|will) tritonchat quantize (do|write|print|say|need)?
            (my model|the model file|my checkpoint) is too (big|large) (on disk|for my disk)(.|
                . Can it be made smaller?|, how do I shrink it?)
            (is there|do you have) a (tool|command|way|script) (that quantizes|for quantizing|to quantise|
                that shrinks) (models|a model|my model)?
            (how|which command) do I (get|make) a (4 bit|8 bit|small|quantized) (copy|version|
                one) of my model?
            (in llama.cpp I use|I know) llama-quantize(.|, what is it here?|. And here?)
            (quantize|quantise) (once|to disk|and save|offline|command line|my own model)( how| please|)(?|)
            (a smaller copy|a quantized copy|a 4 bit copy) of my model(?|, please| please|: how?)
            (can|does) it (quantize|quantise) (once|and keep it|to a folder|to a file)( for all| for good|)?
        """,
    ),
    "int8": Topic(
        "int8 keeps each weight in 8 bits: half the memory of 16 bits, and nearly the same answers."
        " Use --weights int8.",
        brief="--weights int8 keeps each weight in 8 bits, with nearly the same answers.",
        more="For example: tritonchat up --model ./my-model --weights int8",
        tasks="""
            (use|get|take|turn on|load with|switch to|round to) (int8|8 bits|8 bit weights|8-bit quantization|
                INT8)
            (halve|cut in half) the (memory of the weights|memory of my model|size of the weights in memory)
            (round|load|keep) (the weights|my model|weights|a model) (in|to|with) (8 bits|int8|eight bits)
        """,
        things="""
            (int8|8 bit weights|8-bit weights|int8 weights|--weights int8|8 bit quantization|INT8|
                eight bit weights)
            (eight bits|weights of one byte|one byte per weight|Q8_0|Q8|8 bit mode|W8)
            (weights|a model) (in|of) (8 bits|int8|eight bits)
        """,
        asks="""
            (how good|how fast|how exact|how small) is (int8|8 bit)?
            (does|will) int8 (work|help|be faster|hurt|make it faster|lose much)?
            (int8|8 bit|8bit|8-bit)( weights| model| mode| flag|)
            (what do I|what does one) (gain|lose|save|get) with (int8|8 bits|8 bit weights)?
            (is|are) (int8|8 bits|8 bit weights|eight bits) (enough|good enough|safe|exact|ok|worth it|
                any good)?
            how much (memory|quality|exactness|RAM) (do I|does it|does one) (save|lose|need|cost) (with|in) (
                int8|8 bits)?
            does (int8|8 bit) (change|spoil|alter) (the answers|my answers|quality|what it says)?
            (which|what) flag (gives|is for|turns on|loads) (8 bits|int8|8 bit weights)?
            (how|can) I (load|run|start) (my model |it |)(in|with) (int8|8 bits|8 bit)?
            (I know|in llama.cpp I take) (Q8_0|Q8|load_in_8bit)(.|, what is it here?|. And here?)
            (int8|8 bit|8-bit) (yes or no|explained|quality|loss|memory|worth it|how to)(?|)
            (do|can) you (do|support|have|load) (int8|8 bits|8 bit weights|8-bit models)?
            (8|eight) bits per weight(?|: what then?|, how?)
        """,
    ),
    "int4": Topic(
        "int4 keeps each weight in 4 bits: the smallest and often the fastest, but less exact. Use "
        "--weights int4.",
        brief="--weights int4 keeps each weight in 4 bits, which is smallest but less exact.",
        more="For example: tritonchat up --model ./my-model --weights int4",
        tasks="""
            (use|get|take|turn on|load with|switch to|round to) (int4|4 bits|4 bit weights|4-bit quantization|
                INT4)
            (get|make|have) the (smallest weights|smallest model in memory|least memory for the weights)
            (round|load|keep) (the weights|my model|weights|a model) (in|to|with) (4 bits|int4|four bits)
        """,
        things="""
            (int4|4 bit weights|4-bit weights|int4 weights|--weights int4|4 bit quantization|INT4|
                four bit weights)
            (four bits|weights of half a byte|Q4_0|Q4_K_M|Q4|4 bit mode|W4)
            (weights|a model) (in|of) (4 bits|int4|four bits)
        """,
        asks="""
            (how good|how fast|how exact|how small) is (int4|4 bit)?
            (does|will) int4 (work|help|be faster|hurt|make it faster|lose much)?
            (int4|4 bit|4bit|4-bit)( weights| model| mode| flag|)
            (what do I|what does one) (gain|lose|save|get) with (int4|4 bits|4 bit weights)?
            (is|are) (int4|4 bits|4 bit weights|four bits) (enough|good enough|safe|exact|ok|worth it|
                any good|too coarse|too few)?
            how much (memory|quality|exactness|RAM) (do I|does it|does one) (save|lose|need|cost) (with|in) (
                int4|4 bits)?
            does (int4|4 bit) (change|spoil|alter) (the answers|my answers|quality|what it says)?
            (which|what) flag (gives|is for|turns on|loads) (4 bits|int4|4 bit weights)?
            (how|can) I (load|run|start) (my model |it |)(in|with) (int4|4 bits|4 bit)?
            (I know|in llama.cpp I take) (Q4_K_M|Q4_0|Q4|load_in_4bit)(.|, what is it here?|. And here?)
            (what is the|which are the) (fewest|smallest number of|least) bits (a weight can have|it can do|
                possible)?
            (int4|4 bit|4-bit) (yes or no|explained|quality|loss|memory|worth it|how to)(?|)
            (do|can) you (do|support|have|load) (int4|4 bits|4 bit weights|4-bit models)?
            (4|four) bits per weight(?|: what then?|, how?)
        """,
    ),
    "int8 or int4": Topic(
        "int8 is nearly exact. int4 takes half the memory of int8 and loses a little more. If in "
        "doubt, take int8.",
        tasks="""
            (choose|decide|pick) between (int8 and int4|int4 and int8|8 and 4 bits|4 and 8 bits)
            (find out|know|see) (whether int8 or int4 is better|which of int8 and int4 to take|
                whether to take 8 or 4 bits)
            (choose|pick|decide on|settle) the number of bits( for the weights| for my model|)
        """,
        things="""
            the (difference|differences|choice) between (int8 and int4|int4 and int8|8 and 4 bits|
                4 bit and 8 bit)
            (int8 against int4|int4 against int8|8 bit against 4 bit|the choice of bits|
                the best number of bits)
        """,
        asks="""
            (int8 or int4|int4 or int8|8 or 4 bits|4 bit or 8 bit|int8 vs int4|int4 vs int8|int8 versus int4)(
                ?|)
            (should I|do I|shall I|would you) (take|use|choose|pick) (int8 or int4|int4 or int8|4 or 8 bits)?
            (which|what) is (better|faster|best|more exact|smaller)(,|:) (int8 or int4|int4 or int8|
                8 or 4 bits)?
            is (int8|int4|8 bit|4 bit) (better|faster|worse|smaller|more exact|slower) than (int4|int8)?
            (compare|contrast) (int8 and int4|int4 and int8|int8 with int4|8 bit with 4 bit)(.|)
            how (many|few) bits (should I|do I|shall I) (take|use|choose)?
            (I can't|I cannot|can't) (decide|choose) between (int8 and int4|int4 and int8|8 and 4 bits)(.|)
            (int8 and int4|int4 and int8|8 and 4 bits|4 and 8 bits)(: what differs?|, which one?|
                : what is the difference?| compared|, how do they differ?)
            how much (worse|smaller|less exact|faster) is int4 (than int8|compared to int8|against int8)?
            how much (better|bigger|more exact|slower) is int8 (than int4|compared to int4|against int4)?
            how do (int8 and int4|int4 and int8|8 bits and 4 bits) (differ|compare)?
            (8|eight) bits or (4|four)(?| bits?|, which?|: what do you advise?)
            (when|for what|why) (should I|do I|would I) (take|use|prefer) (int4 and not int8|
                int8 and not int4|int8 rather than int4|int4 rather than int8)?
            (which|what) (bits|number of bits|quantization) (do you recommend|is best|should I start with|
                is the best)?
            (are|is) (4 bits|int4) (really |)(so much |much |)(worse|less exact|faster) than (8 bits|int8)?
            (if in doubt|to begin with|in general)(,|:) (int8 or int4|8 or 4 bits)?
            Q4 or Q8(?|, which one?|: which is better?)
        """,
    ),
    "gptq": Topic(
        "GPTQ chooses 4-bit weights with the help of a text, which loses less than rounding. Use "
        "tritonchat quantize with --weights int4 and --calibration TEXT.",
        brief="GPTQ chooses 4-bit weights with the help of a text.",
        tasks="""
            (use|apply|run|do) (GPTQ|calibration|calibrated quantization|a calibration text)
            (quantize|quantise) (with|by|using) (GPTQ|calibration|a text)
            (lose less|get better quality|keep more quality) (with int4|in int4|at 4 bits|with 4 bit weights)
            (make|have) (a better int4 model|int4 more exact|4 bits more exact|better 4 bit weights)
            (calibrate|tune) (the int4 weights|the quantization|4 bit weights)( with a text| on my texts|)
            (give|use|choose) (a text|some text|sample text) for (calibration|the quantization)
        """,
        things="""
            (GPTQ|gptq quantization|--calibration|the --calibration flag|calibration|GPTQ here|
                a calibration text)
            (calibrated int4|calibrated 4-bit weights|quantization with a text|careful 4 bit rounding|AWQ|
                error-correcting quantization)
            better int4 (weights|rounding|models)
        """,
        asks="""
            (is there|do you have|does it support|do you support|can you do) (GPTQ|calibration)?
            why is GPTQ (better|more exact|good)( than rounding|)?
            (gptq|calibration)( flag| command| int4| how|)
            what (text|calibration text) (do I need|is needed|should I take) for (calibration|GPTQ)?
            (my int4 model|the int4 model|the 4 bit model) is (too bad|much worse|stupid|not exact enough|
                too coarse)(.|. What can I do?|, how do I get it better?)
            (is there|do you have|is there any) (something better than rounding|a better way to make int4|
                a better 4 bit quantization)(?| than rounding?)
            (does|will|would) (GPTQ|calibration) (help|be better|be worth it|lose less|
                take long)( at int4| than rounding|)?
            what (does|would) (GPTQ|calibration|a calibration text) (do|change|bring|need)( for int4|)?
            (rounding or GPTQ|GPTQ or rounding|GPTQ vs rounding|rounding vs GPTQ|GPTQ or AWQ)(?|)
            (do I|does it|does GPTQ) need (a text|a data set|data|a calibration set|
                sample text)( for int4| for GPTQ|)?
            (does it|do you|can it) (support|have|know|do) (AWQ|GPTQ|calibrated quantization|
                calibration with a text)?
            why (does|would) (it|one|quantize) (need|want|take) a (calibration text|text to quantize)?
            (which|what) flag (gives|takes|is for) the (calibration text|calibration|text for GPTQ)?
            how (does|can) a text (help|make) (int4|rounding|4 bit weights|choosing weights)( better|)?
            (gptq|calibration) (explained|yes or no|supported|better|how to|for what|in one sentence)(?|)
        """,
    ),
    "perplexity": Topic(
        "Perplexity says how much a text surprises a model: less is better. tritonchat quantize "
        "prints what rounding cost in it.",
        brief="It says how much a text surprises a model: less is better.",
        tasks="""
            (see|measure|know|find out) (what quantizing cost|what rounding cost|
                how much worse the int4 model is|the loss of quality|how much quality was lost|the perplexity)
            (compare|check) the quality of a (quantized|rounded|quantised) model (with the original|
                and the original|)
        """,
        things="""
            (perplexity|the perplexity|ppl|the perplexity of a model|a perplexity of 10|
                the loss in perplexity|perplexity loss)
            the number that tritonchat quantize (prints|says) (at the end|about the cost)
        """,
        asks="""
            how (do I|can I|does one) (see|know|tell|measure) (what the quantization cost|
                how good a quantized model is|how much worse it got|how much was lost by rounding)?
            (is|what is) a (high|low|good|bad) perplexity( good| bad| better|)?
            (what|how much) does (2%|5%|a percent|+5.5%) (more |)(perplexity|in perplexity) mean?
            (does|will) (it|quantize|tritonchat quantize) (say|tell me|print|show) (what was lost|
                what it cost|the loss|how good it is|the perplexity)?
            (perplexity|ppl)( meaning| what| low or high| of my model| explained| good value|)(?|)
            should perplexity be (high|low|high or low|small|large)?
            how is the (quality|exactness) of a (quantized|quantised) model measured?
        """,
    ),
    "weights": Topic(
        "Weights are kept as the model stores them. --weights float32, bfloat16, float16, int8 or "
        "int4 changes that.",
        tasks="""
            (use|run in|compute in|load in|choose) (bfloat16|float16|float32|bf16|fp16|half precision|
                full precision)
            (set|change|choose) the (precision|data type|dtype|type of the weights|number format)
            (load|keep|have) (the weights|my model|it) (in|as) (float16|bfloat16|float32|half precision|
                full precision|fp16|bf16|fp32)
            (turn|convert) (float32|float16|the weights) (to|into) (bfloat16|float16|float32)
            (keep|leave) the weights (as they are|as stored|untouched|in full precision)
            (select|force|pick) (a dtype|the dtype|a precision|a data type)
        """,
        things="""
            (--weights|the --weights flag|bfloat16|float16|float32|bf16|fp16|the precision|the dtype|
                --weights auto)
            (fp32|half precision|full precision|the data type of the weights|torch_dtype|
                the number format of the weights|16-bit floats)
            how (the weights|weights) are (kept in memory|stored in memory)
        """,
        asks="""
            (in which|which|what) (precision|data type|dtype|number format) (does it use|are the weights|
                is used)?
            (does it|do you) (support|use|run in) (bfloat16|float16|bf16|fp16|float32|half precision)?
            (bf16|fp16|bfloat16|float16|precision|dtype)( flag| support| weights|)
            are the weights (changed|converted|rounded|kept as they are)?
            (bfloat16 or float16|float16 or float32|bf16 vs fp16|bfloat16 or float32|fp16 or fp32|
                bf16 or fp16)(?|)
            (what|which) values (does|can|may) --weights (take|have|be)?
            (what|which) (weights|types|data types|precisions|dtypes) (are possible|can I choose|are there|
                does it know)?
            what (does|is) --weights (auto|do|default|for)( mean|)?
            (is|are) (my float16 weights|bfloat16 weights|the weights|float32 weights) (turned|converted|
                changed)( into something else| to float32| while loading|)?
            (what is the|which is the) (default|usual) (precision|dtype|data type|
                number format)( of the weights|)?
            how many (bits|bytes) (has|is) (a|each) weight (by default|without a flag|normally|as stored)?
            (I know|in vLLM I use|in Transformers I set) (--dtype|torch_dtype|dtype)(.|, what is it here?|
                . And here?)
            (which|what) flag (sets|changes|is for) the (precision|dtype|type of the weights|data type)?
            (fp16|bf16|fp32|float16|bfloat16|float32) (possible|ok|how|yes or no|weights|please)(?|)
            (does|will) it (run|compute|work) in (bfloat16|float16|float32|half precision|bf16|fp16)( too|)?
        """,
    ),
}
