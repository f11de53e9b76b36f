"""What the help desk knows about language models in general: what is in them, and what they do."""

from training.phrasing import Topic

NETWORKS = {
    "transformer": Topic(
        "A transformer is a network of layers that let every token look back at the earlier ones, "
        "to guess the next.",
        more="Tiny has some layers of it. Big models have dozens, and far wider ones.",
        things="""
            (a|the|) (transformer|transformers|transformer model|transformer network|transformer architecture)
            (the T in GPT|the decoder-only transformer|a decoder-only model|the network inside a chat model|
                transformer layers|transformer blocks)
            (a|the) (neural network|architecture) (of a chat model|of a language model|behind chat models)
        """,
        asks="""
            how do transformers (work|compute|guess|learn)?
            (are you|is Tiny|is your model) a transformer?
            what is (in|inside) a transformer?
            transformer( model| network| architecture| layers| meaning| what|)
            (what is a|what are the) (layer|layers)( of a model| in a transformer| of a transformer|)?
            (what|which) (sort|kind|type) of (network|neural network|architecture) (is|does) (
                a language model|a chat model|it|your model)( use| have|)?
            (is|are) (a transformer|transformers) (the same as|a kind of|better than|newer than) (
                a neural network|an RNN|an LSTM|a network|a language model|recurrent networks)?
            what does (the T in GPT|the word transformer) (mean|stand for)( for a model|)?
            what (does|is) a transformer (layer|block) (do|for|made of)?
            (is|was) (GPT|Llama|Mistral|Qwen|ChatGPT) (a transformer|made of transformers|a transformer too)?
            (what|which part) (looks back at|reads) the earlier (tokens|words) (in|inside) a (model|network)?
            how (does|can) a (network|model) guess the next (token|word) (from|with) its layers?
            I (know|have seen) (the film|the toys|robots in disguise), but what is a transformer (in AI|
                in a model|here)?
            (transformer|transformers) (in ai|explained|simple|in machine learning|in one sentence|
                for language)(?|)
        """,
    ),
    "attention": Topic(
        "Attention lets a token look back at the earlier tokens and take from each what matters to it.",
        more="In this sentence, for example, it should look at sentence to know what it means.",
        things="""
            (attention|self-attention|self attention|the attention mechanism|attention heads|
                an attention head)
            (attention in a transformer|multi-head attention|grouped-query attention|the attention of a model)
            (how a token looks back|looking back at earlier tokens|causal attention|the attention part|
                scaled dot-product attention|GQA|MHA)
            (attention|the attention) (in AI|in a model|in language models|of a transformer)
        """,
        asks="""
            (what|which tokens) does attention (do|look at|compute)?
            why (do models|does a model|do transformers|does a transformer) (need|use|have) attention?
            attention( heads| mechanism| layer| meaning| what|)
            what are (queries, keys and values|attention weights|attention heads)?
            how does (a token|a word|the model|a model) (know|see|find out) (what matters|
                which earlier words matter|what it refers to|what to look at|which words are important)?
            (what|which) part of (a model|a transformer|the model) (looks back|weighs the earlier tokens|
                connects the words|links words)?
            (is|what is) attention (all you need|like attention of people|the heart of a transformer|
                expensive|what makes models good)?
            why (is|does) (attention|self-attention) (so important|so famous|cost so much|
                get slower with long texts)?
            how does (it|a model|the model) know (what it|what "it"|whom "she"|which word) (refers to|means|
                stands for)( in a sentence|)?
            what is a (head|query|key of a token|attention head|
                query vector)( in attention| in a transformer|)?
            (does it|do you|does the engine) (have|use|support) (grouped-query attention|GQA|
                multi-head attention|flash attention|sliding window attention)?
            (what would|could) a (model|transformer) (do|be|work) without attention?
            (multi-head|grouped-query|self|causal) attention (explained|meaning|how|for what)
            (attention|attention mechanism) (explained|in ai|simple|in one sentence|for what|purpose)(?|)
        """,
    ),
    "rope": Topic(
        "RoPE turns queries and keys by an angle that grows with the position, so attention sees "
        "how far apart tokens are.",
        things="""
            (RoPE|rotary embeddings|rotary position embeddings|position embeddings|rope theta|RoPE scaling|
                positional encoding|rotary embedding)
            how (a model|the model|a transformer) knows the (order|position|positions) of (tokens|words)
        """,
        asks="""
            how does (a model|the model|attention|a transformer|it) (know|see|learn) (the order of words|
                where a token stands|the position of a token|which word came first|how far apart words are)?
            (does it|do you|does the engine) (have|use|support) (RoPE|rotary embeddings|RoPE scaling|
                position embeddings|ALiBi)?
            what does RoPE (stand for|mean|do|change)?
            (why|what for) (RoPE|rotary embeddings|position embeddings|do models need positions)?
            (rope|rotary|position|positional) (embedding|embeddings|encoding|scaling|theta)(
                ?| explained| how|)
            is the (order of words|order of tokens|position) (known|given|told) to a model( at all|)?
        """,
    ),
    "embedding": Topic(
        "An embedding is a list of numbers that stands for a token inside a model. Tokens of like "
        "meaning have like numbers.",
        things="""
            (token embeddings|a token embedding|an embedding vector|word vectors|word embeddings|
                the embedding layer)
            the numbers that stand for a (word|token)
        """,
        asks="""
            how does (a model|the model|a network) (turn|change|make) (words|tokens|a token|a word) (into|
                to) numbers?
            (what|which numbers) (stands|stand) for (a token|a word) (inside|in) (a|the) model?
            (is|are) (a word|words|tokens|meanings) (stored|kept|written) as (numbers|vectors) in a model?
            what is the (hidden size|width|embedding size) of a model?
            how can a (computer|network|model) (work|calculate) with (words|meanings)( at all|)?
        """,
    ),
    "language model": Topic(
        "A language model is a network that guesses the next token from the ones before it, again and again.",
        more="It learnt from many texts which token is likely to come next. That is all it does, and it "
        "goes far.",
        things="""
            (a |the |)(language model|LLM|large language model|llms|language models|model of language|
                chat model)
            (the AI behind a chat|a text model|generative AI|a generative model|the model behind a chatbot|
                the L in LLM)
            (a|the) program that (guesses|predicts) the next (word|token)
        """,
        asks="""
            how does (a language model|an LLM|a chat model) (write|answer|make text|know what to say|
                choose words)?
            (what does LLM|LLM, what does it|what does the word LLM) (mean|stand for)?
            (llm|llms|language model|language models)( meaning| basics| what| how|)
            how do (LLMs|language models|chat models|chatbots) (work|write|answer|make sentences)?
            (is|are) (a language model|an LLM|language models) (intelligent|alive|a database|a search engine|
                a brain|able to think|the same as AI)?
            (what|how much) does (a language model|an LLM) (know|understand|remember|learn)( really|)?
            (LLM|a language model) or (AI|a chatbot|a search engine)(: what is the difference|: same thing|)?
            (what is the difference|is there a difference) between (an LLM|a language model) and (AI|
                a chatbot|a search engine|a database|a brain)?
            (where|how) does (a language model|an LLM|a chat model) (get|take|have) (its words|its answers|
                its text|its knowledge) from?
            (why|how) can (a language model|an LLM|a computer|a machine) (write|talk|speak|
                make sentences)( at all| like a person|)?
            how (does|can) (a computer|a program|a machine) (make|write|form) (sentences|text|an answer)?
            (is|does) (an LLM|a language model) (just|only|really) (guess|guessing|autocomplete|predict|
                predicting) (the next word|words|the next token|)?
            (explain|tell me) (how|what) (ChatGPT and the like|chatbots|such models|AI chats) (work|do)(.|)
            (what|which) (models|things) are called (LLMs|language models)?
            what makes (a model|it) a (large|small) language model?
            (llm|large language model|language model) (explained|in one sentence|for dummies|for kids|simple)(
                ?|)
        """,
    ),
    "parameters": Topic(
        "Parameters, or weights, are the numbers that a model learnt in training. More of them can "
        "hold more knowledge.",
        things="""
            (a parameter of a model|the parameters of a model|model parameters|model weights|
                the weights of a model)
            (a weight|parameters in a model|the learnt numbers|a billion parameters|7B|parameter count)
            (the 7B in a model name|the B in 7B|the number in a model's name|billions of parameters|
                model size|the size of a model|1.1B|13B|70B)
            the numbers (inside|in) a model
        """,
        asks="""
            what does (7B|1.1B|13B|70B|a 7B model) mean?
            what (is|are) (in|inside) a (model file|checkpoint)?
            what is a checkpoint?
            why do (big|large|bigger|larger) models (know more|have more parameters|need more memory)?
            what does the (B|number|7B|size) in (a|the) (model name|model's name|name of a model) (mean|
                stand for)?
            is (a bigger model|a 70B model|a 13B model) (better|always better|smarter|slower|worth it)?
            where does a model (keep|store) (its knowledge|what it learnt)?
            where is the knowledge of a model( kept| stored|)?
            what (exactly |)is it that a model (learns|learnt|stores)( in training|)?
            (weights or parameters|parameters or weights|are weights and parameters the same)(?|)
            (what is the difference|difference) between (a small and a big model|a 1B and a 7B model|
                weights and parameters)(?|)
            (what changes|what happens|which numbers change) (in a model |)(when|while) (it learns|
                it is trained)?
            (7B|13B|1B|70B|0.5B|3B)(: what is that?| means what?| parameters?| meaning| model meaning)
            what are (weights|parameters) (of a model|in a model|in a network|of a network)( good for|)?
            (parameter|parameters|weight) (meaning|count meaning|explained|of a model)(?|)
        """,
    ),
    "inference": Topic(
        "Inference is using a trained model to compute answers. Training is making the model; that "
        "comes first and takes far longer.",
        brief="Inference is using a trained model, and training is making it.",
        things="""
            (inference|model inference|the inference phase|inferencing|LLM inference|running a model)
            the difference between (training and inference|inference and training)
        """,
        asks="""
            (training or inference|inference or training|training vs inference|inference vs training)(?|)
            (is|does) (a model|it) (learning|learn|change|changed) (during|in|while) (inference|it answers|
                being used)?
            (does|will) (using|asking|running) a model (change|train|teach) it?
            how (are|is) (training and inference|inference and training) different?
            (why|what for) is it called (inference|an inference engine|an inference server)?
            (inference|inference engine)( meaning| what| explained| definition|)(?|)
            (compare|contrast) (training and inference|inference with training)(.|)
            what (happens|is done) (in|during) inference?
            (which|what) is (harder|slower|more expensive)(,|:) training or inference?
        """,
    ),
    "hallucination": Topic(
        "A model hallucinates when it says what sounds likely but is not true. It guesses words; it"
        " does not look facts up.",
        things="""
            (hallucination|hallucinations|hallucinating|model hallucinations|an AI hallucination|
                invented facts)
            (a model|an AI|a chatbot) that (makes things up|invents facts|tells nonsense)
        """,
        asks="""
            why do (models|language models|LLMs|chatbots|AIs|chat models) (hallucinate|make things up|lie|
                invent things|tell nonsense|get facts wrong)?
            why does (a model|an LLM|a language model|a chatbot|AI) (hallucinate|make things up|lie|
                invent things|invent facts|tell nonsense)?
            (can|do) (big|bigger|all|other) models (hallucinate|make things up|invent things|
                get facts wrong)( too|)?
            what does it mean (that|when|if) a model hallucinates?
            (can|could) (hallucination|hallucinations) be (avoided|stopped|prevented|cured)?
            (hallucination|hallucinations)( meaning| what| why| of models| explained|)(?|)
            why (can one|can I|should I) not (trust|believe) (a language model|language models|an LLM|
                chatbots)?
            (does|do) (a language model|LLMs|chatbots) (know|check) (what is true|if it is true|facts)?
        """,
    ),
}
