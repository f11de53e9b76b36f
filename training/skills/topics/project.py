"""What the help desk knows about the project: its source, who may use it, and what else there is."""

from training.phrasing import Topic
from training.skills.topics.own_models import OWN_MODELS

PROJECT = {
    **OWN_MODELS,
    "source": Topic(
        "model_core is the engine, triton_server the server, streamlit_client the page, and training made "
        "me. The README says more.",
        tasks="""
            (find|read|see|look at|browse|understand) (the source|the source code|the code|your code|
                the code of this)
            find (the file for something|where something is in the code|my way in the code)
            (learn|understand|study) (how the code is built|the structure of the project|the code base)
            (find|look up|open) (the scheduler|the engine|the page|the server|the command line) in the (
                code|source)
        """,
        things="""
            (the source code|the source|the code of tritonchat|the layout of the project|
                the structure of the code)
            (triton_server|streamlit_client|the architecture of tritonchat)
            (the code base|the folders of the project|the repository layout|streamlit_client|
                the directory structure|the packages of the project)
        """,
        asks="""
            (where|in which folder) is (the code|the source|the source code|the engine|the scheduler|
                the server code)?
            (is it|is tritonchat|are you|is this) open source?
            how is (tritonchat|the project|the code|it) (built|structured|organised|laid out|made)?
            (source|source code|code|code structure|repository|repo|github)( where| link| overview|)
            (which|what) (files|folders|packages|modules) (are there|does the project have|
                make up tritonchat)?
            where is (the code for|the file with) (RoPE|sampling|the KV cache|the page|the command line)?
            (I am|I'm) (a developer|a programmer|curious about the code|reading the code)(
                . Where do I begin to read?|. Where is what?|, where is what?)
            (what|which thing) (is|lies|is kept) (where|in which folder) in (the|this) (code|repo|
                repository|source|project)?
            (which|what) (folder|package|directory) (holds|has|contains|is) (the page|the engine|the server|
                the training|the transformer)?
            (can I|may I|is it possible to) (see|read|look at|study|inspect) (the source|the code|your code|
                the source code)?
            (is|are) (tritonchat|the code|the sources|this program) (open|public|closed|open source|secret)?
            (give me|I want) (a tour|an overview|a map) of the (code|source|repository)(.|, please|)
            (folders|directories|packages|modules|code base)( of the project| overview| what is where|)
            (how many|which) (parts|components|packages) (does it have|is it made of|does the code have)?
            (where|in which file) (is|does) (everything|what) (kept|live|lie)( in the code|)?
        """,
    ),
    "licence": Topic(
        "tritonchat and I are under the Apache-2.0 licence: free to use, change and share.",
        tasks="""
            (use|sell|share|copy|change|modify) (tritonchat|it|the code|this project|you) (commercially|
                in my company|in my product|for money|at work|freely|legally)
            (use|put|take) (tritonchat|the code|it) in (a commercial product|my business|my start-up|
                a closed product)
            (earn|make) money with (tritonchat|it|the project)
            (fork|redistribute|publish|give away) (tritonchat|the code|it|a changed version)
        """,
        things="""
            (the licence|the license|your licence|your license|the licence of tritonchat|Apache-2.0|
                Apache 2.0)
            (the terms of use|the copyright|the open source licence|commercial use|the legal terms|
                the price of tritonchat)
        """,
        asks="""
            (which|what) (licence|license) (is it under|does it have|do you have|is it|applies|has tritonchat|
                is this)?
            (is it|is tritonchat|is this) (free|free software|free of charge|gratis|for free)?
            what does (it|tritonchat|this) cost?
            (do I|must I) pay( for it| for tritonchat| anything| for this|)?
            (licence|license|copyright|terms of use)( type| name| of tritonchat|)
            who owns (the code|tritonchat|this|the copyright)?
            (am I|are we|is one) (allowed|permitted) to (use|sell|change|copy|share|fork) (it|tritonchat|
                the code)( at work| commercially|)?
            (is|are) (commercial use|changes|copies|forks|selling it) (allowed|permitted|ok|free|legal)?
            (how much|what) (does|would|will) (it|tritonchat|the software|
                a licence) cost( me| us| for a company|)?
            (is it|is tritonchat|is this software) (proprietary|paid|a trial|shareware|MIT|GPL|Apache|BSD|
                public domain)( software| licensed|)?
            (our lawyer|my boss|our legal department) (asks|wants to know|needs to know) (the licence|
                which licence it has|what the licence is)(.|)
            (free|gratis|no cost|costs|price)(?| or paid?|, really?| of tritonchat)
            (MIT or Apache|GPL or MIT|Apache or GPL)(?|, which licence?)
            (whose|who owns|who has the rights to) (is it|it|the software|the program)(, legally|)?
            (what may I|what am I allowed to) do with the (code|software|source)( under its licence|)?
        """,
    ),
    "contribute": Topic(
        "Change the source, see that make test and make lint pass, and send your change to the project.",
        tasks="""
            (contribute|help the project|take part|join in|send a patch|make a pull request|send a change)
            (contribute to|improve|extend|help with|work on|add a feature to) (tritonchat|the project|
                the code|this project)
            (run|start) (the tests|the test suite|make test|make lint|the linter)
            (report|file) (a bug|an issue|a problem) to the project
            (become|be) (a contributor|a developer of tritonchat|part of the project)
            (fix|repair|mend) (a bug|a typo|an error) in (the code|tritonchat|the readme|the project)
            (submit|offer|propose|hand in) (a change|a patch|a feature|an improvement|a fix)
        """,
        things="""
            (make test|make lint|the tests|the test suite|contributing|pull requests|development)
            (a contribution|a pull request|a patch|the test suite of the project|the linter|
                the development of tritonchat)
        """,
        asks="""
            (are|is) (pull requests|contributions|help|patches|bug reports) (welcome|wanted|ok|accepted)?
            (where|how) (do I|can I) (report|send|file) (bugs|a bug|an issue|a feature request|a patch)?
            (contributing|contribute|contribution|pull request|bug report|run tests|tests|lint)( guide| how|)
            (I found|there is) a bug( in tritonchat| in the code|)(.|. Where do I report it?|. What now?)
            (I want|I have|I would like) a (new feature|feature request|feature)(.|)
            (I|we) (wrote|made|have) (a fix|a patch|an improvement|
                a change)( for tritonchat| for the project|)(. Where do I send it?|. What now?|
                , where does it go?|.)
            (I|we) (found|discovered|noticed) (a mistake|an error|a typo|a flaw) in (the code|the readme|
                tritonchat)(.|. Whom do I tell?|, whom do I tell?)
            (how|in what way) can I (help|support|improve) (the project|tritonchat)?
            (which|what) (tests|checks) (must pass|do I run|are there|have to pass)( before I send a change|
                )?
            (can|may|could) (anyone|anybody|outsiders|I) (contribute|help|join|
                send changes)( to the project|)?
            (is there|where is) (a bug tracker|an issue tracker|a contributor guide|a developer guide)?
            (do I|must I) run (the tests|make test|make lint|ruff)( first| before a change|)?
            (developer|contributor|pull request|patch|bug) (guide|rules|welcome|report|help)(?|)
            (something|a feature|a flag) is missing(. Can I add it?|. Can I write it myself?|
                , may I add it?)
        """,
    ),
    "compare": Topic(
        "llama.cpp and vLLM are bigger projects. tritonchat is small, written in Python, served by Triton, "
        "and gives the same answer to the same request.",
        tasks="""
            (compare|choose between) (tritonchat|it|this) and (llama.cpp|vLLM|Ollama|Transformers|LM Studio)
            (decide|pick|choose) (tritonchat or llama.cpp|between vLLM and tritonchat|
                between Ollama and this)
            (switch|move|change) from (llama.cpp|Ollama|vLLM|LM Studio) to (tritonchat|this|it)
        """,
        things="""
            the (difference|differences) (between tritonchat and|to|from) (llama.cpp|vLLM|Ollama|Transformers|
                TGI)
            (llama.cpp|vLLM|Ollama|vllm|llamacpp|ollama|LM Studio)
            (the advantage over|the advantages over|the comparison with|the benefit compared to) (llama.cpp|
                vLLM|Ollama|Transformers)
            (the strength of tritonchat|the strengths of tritonchat|TGI|Ollama in comparison|
                the competitors of tritonchat)
        """,
        asks="""
            (is it|is tritonchat|are you) (better|faster|slower|smaller) than (llama.cpp|vLLM|Ollama|
                Transformers|OpenVINO)?
            why (not|not use|don't I use|should I not use) (llama.cpp|vLLM|Ollama|LM Studio|
                Transformers)( instead|)?
            (tritonchat|it|this) (or|vs|versus|against|compared to|compared with) (llama.cpp|vLLM|Ollama|
                Transformers)(?|)
            (what is|what's) (special|new|different|better) (about|in|with) (tritonchat|it|this project)?
            (compare|contrast) (it|tritonchat) (with|to) (llama.cpp|vLLM|Ollama|other engines|others)(.|)
            (what|how) (does it|does tritonchat) (do|do it) better than (others|llama.cpp|vLLM|Ollama|
                other servers)?
            is there (an alternative|something like) (to |)(tritonchat|this|it)?
            (I use|I know|I have|we use|I come from) (Ollama|vLLM|llama.cpp|LM Studio|Transformers)(
                . Why should I switch?|. What is different here?|, what is different here?|
                . Is this better?)
            (how|in what) (is|does) (tritonchat|it|this) (different|differ|other|unlike) (from|to|than) (
                Ollama|vLLM|llama.cpp|others)?
            (isn't|is) (this|tritonchat|it) (just |only |)(another|like|the same as|a copy of|
                a wrapper around) (Ollama|vLLM|llama.cpp|TGI)?
            (what|which things) (can|does) (Ollama|vLLM|llama.cpp) (do|have) (that|which) (this|tritonchat|
                it) (can't|cannot|hasn't|doesn't)?
            (which|what) is (better|faster|smaller|nicer)(,|:) (tritonchat or llama.cpp|
                Ollama or tritonchat|tritonchat or vLLM)?
            (why|what for) (another|yet another|one more) (LLM server|chat server|inference engine)?
            (what makes|what is it that makes) (tritonchat|it|this project) (special|different|worth it|
                better)?
            (pros and cons|advantages|strengths)( of tritonchat| against vLLM| over Ollama|)(?|, please|)
            (Ollama|llama.cpp|vLLM|LM Studio) (instead|or this|would do, too|is better)(?|, no?|, right?)
        """,
    ),
}
