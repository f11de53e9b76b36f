"""What the help desk knows about the project: where it runs, for how many, of what, and who may use it."""

from training.phrasing import Topic

PROJECT = {
    "system": Topic(
        "The server needs Linux, because Triton runs only there. tritonchat complete is plain Python and "
        "may work on Windows or a Mac.",
        tasks="""
            (run|use|install|start) (it|tritonchat|the server|this) on (Windows|a Mac|macOS|my Mac|my PC|
                Linux|Ubuntu|a Raspberry Pi|FreeBSD|WSL|Debian|a Windows PC)
        """,
        things="(Windows support|Mac support|macOS support|Linux|WSL|the operating system|Windows|macOS)",
        asks="""
            (does it|does tritonchat|will it|can it) (run|work) on (Windows|a Mac|macOS|Linux|Ubuntu|WSL|
                my Mac|Debian)?
            (which|what) (operating system|operating systems|OS|platforms|systems) (do I need|work|
                are supported|is needed)?
            (I have|I use|I am on|I work on) (Windows|a Mac|macOS|Windows 11|an Apple computer)(.|
                . Does it work?|, ok?)
            (windows|mac|macos|linux|wsl|ubuntu|operating system|os)( support| version| supported| possible|)
            why (only|does it need) Linux?
            is there a (Windows|Mac) version?
        """,
    ),
    "users": Topic(
        "Yes, many can use it at once: 64 requests are computed together, and more wait in a queue. "
        "--max-concurrency changes that.",
        more="For example: tritonchat up --max-concurrency 16 --max-queue 100",
        tasks="""
            (serve|have|support|handle|answer) (several|many|multiple|more|a hundred|more than one) (users|
                people|clients|chats|requests)( at once| at a time| at the same time|)
            (send|make|ask) (several|many|parallel) (requests|questions) (at once|at the same time|
                in parallel)
        """,
        things="(--max-concurrency|the --max-concurrency flag|concurrency|parallel requests|concurrent "
        "users)",
        asks="""
            (can|may) (several|many|multiple|more than one|two|ten) (users|people|clients|persons) (use it|
                chat|ask|be served)( at once| at the same time| together|)?
            how many (users|people|clients|requests|chats|streams) (at once|can it serve|can it handle|
                are possible|at the same time)?
            (does it|can it) (serve|handle|support) (several|many|multiple|parallel) (users|clients|requests|
                chats)?
            (several|many|multiple|concurrent|parallel) (users|clients|requests|chats|people)( at once|)
            (do|must) users wait for each other?
        """,
    ),
    "several models": Topic(
        "A server serves one model. For a second model, start a second server on other ports.",
        more="For example: tritonchat serve --model ./second --grpc-port 9001 --http-port 9000 "
        "--metrics-port 9002 --api-port 9080",
        tasks="""
            (serve|run|load|have|use|offer) (two|several|many|multiple|three|more than one) (models|
                LLMs)( at once| together|)
            (run|start|have) (two|several|a second) (servers|server|tritonchats) on (one|the same) machine
        """,
        asks="""
            (can|does) (it|the server|a server|tritonchat) (serve|run|load|have|hold) (two|several|many|
                multiple) models?
            how many models (can it|does it|can a server) (serve|run|load|hold)( at once|)?
            (several|two|multiple|many) models( at once| at a time| together| per server|)
            (can I|may I) (switch|change) (between models|models) while it runs?
        """,
    ),
    "production": Topic(
        "Run tritonchat serve on each machine, put a load balancer in front, and watch /metrics on port "
        "8080.",
        tasks="""
            (run|use|deploy|put|take) (it|tritonchat|this) (in|into|to|for) (production|a cluster|
                a data center)
            (scale|scale out|spread|distribute) (it|tritonchat|the server|
                the load)( to many machines| over machines|)
            (use|run it on|run on|add) (several|more|two|many|multiple|more than one) (machines|nodes|
                computers)
        """,
        things="(production use|scaling out|load balancing|a cluster|more than one "
        "machine|production|scaling)",
        asks="""
            (is it|is tritonchat|is this) (ready|good|fit|made|stable enough) for (production|real use|
                many machines)?
            (can it|does it) (run|work|scale) (on|over|to|across) (several|many|multiple|more) (machines|
                nodes|servers)?
            (production|scaling|scale out|cluster|kubernetes|load balancer|
                several machines)( setup| use| deployment|)
            (do you|does it) (support|run on) (Kubernetes|clusters|several machines)?
            how do I (grow|get more capacity|serve a thousand users)?
        """,
    ),
    "offline": Topic(
        "A network is needed only to set it up and to fetch a model from the hub. After that it works "
        "offline.",
        tasks="""
            (use|run) (it|tritonchat) (offline|without internet|without a network|without the internet|
                on a plane)
        """,
        things="(offline use|offline mode|working offline|an internet connection for tritonchat)",
        asks="""
            (does it|does tritonchat|do I|will it) (need|require) (the internet|internet|a network|
                an internet connection)?
            (does it|can it|will it) (work|run) (offline|without internet|without the internet|
                without a network)?
            (offline|no internet|without internet|air gapped)( mode| use| possible|)
            is (the internet|internet|a network) (needed|required|necessary)( to run it| for it|)?
            does tritonchat (phone home|send data|send telemetry|call the cloud|talk to the internet)?
        """,
    ),
    "train": Topic(
        "Run python -m training --out FOLDER: it generates the text and trains me from nothing.",
        tasks="""
            (train|retrain|re-train|rebuild|reproduce) (you|this model|the embedded model|the built-in model|
                Tiny)
            (make|build|create) (the embedded model|a model like you|my own Tiny|you again)
            (teach you|teach Tiny|train you to say) (something new|new things|new answers|something else)
        """,
        things="(python -m training|the training command|the training recipe|the training folder|training/)",
        asks="""
            (which|what) command (trains|made|makes|builds) (you|the embedded model|this model)?
            (can I|may I) (train|retrain|change) (you|the embedded model|Tiny)( myself|)?
            how long does (training you|the training|it take to train you|your training) (take|last)?
            (train|training)( command| recipe| the model| this model| tiny|)
            is the training (open|included|in the source|part of the project)?
        """,
    ),
    "fine-tune": Topic(
        "tritonchat runs models but does not train yours. Fine-tune it with another program, then load the "
        "folder with --model.",
        tasks="""
            (fine-tune|finetune|fine tune|train|adapt) (my own|my|a bigger|another|a Llama|a Mistral|a) model
            (train|fine-tune|finetune) (a model|it|my model) on my (own |)(data|texts|documents|files|chats)
            (use|load|apply|train) (LoRA|a LoRA|adapters|a LoRA adapter)
        """,
        things="(fine-tuning|finetuning|fine tuning|LoRA|training on my own data|LoRA adapters)",
        asks="""
            (can it|can tritonchat|does it|does tritonchat) (fine-tune|finetune|train) (models|my model|
                a model)?
            (does it|do you) (support|do|have|load) (LoRA|fine-tuning|adapters|finetuning)?
            (fine-tuning|finetune|fine tune|lora|qlora)( support| how| possible| my model|)
            I want you to (learn|know) my (documents|data|files)(.|. How?|, how?)
        """,
    ),
    "trust": Topic(
        "No code from a model folder is run, and pickle files are not read. A damaged file is named and "
        "refused.",
        tasks="""
            (trust|load safely|safely load|safely use) (a model from a stranger|a strange model|
                a downloaded model)
            (check|know|see) (if|whether) a model (is safe|is damaged|can be trusted|has a virus)
        """,
        things="(the safety of model files|model safety|malicious models|an unsafe model|trust_remote_code)",
        asks="""
            (is it|would it be) (safe|dangerous|risky|secure) to (load|use|run|download) (any|a strange|
                a downloaded) model?
            (can|could) a model (harm|damage|infect|attack|hack) my (computer|machine|system|files)?
            (does it|will it|do you) (run|execute) (code|Python|scripts) from (a model|the model|
                a model folder|the hub)?
            (are|can) (model files|models|checkpoints) (dangerous|hold viruses|be infected|contain malware|
                be harmful)?
            (model|file) (safety|security|virus|malware|damaged)( check|)
            (the file|my model|a file) is (damaged|corrupt|broken|incomplete)(.|)
            what (happens|does it do) (with|if|when) a (model file|file|checkpoint) is (damaged|corrupt|
                cut short)?
        """,
    ),
    "source": Topic(
        "model_core is the engine, triton_server the server, streamlit_client the page, and training made "
        "me. The README says more.",
        tasks="""
            (find|read|see|look at|browse|understand) (the source|the source code|the code|your code|
                the code of this)
            find (the file for something|where something is in the code|my way in the code)
        """,
        things="""
            (the source code|the source|the code of tritonchat|the layout of the project|
                the structure of the code)
            (triton_server|streamlit_client|the architecture of tritonchat)
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
        """,
    ),
    "licence": Topic(
        "tritonchat and I are under the Apache-2.0 licence: free to use, change and share.",
        tasks="""
            (use|sell|share|copy|change|modify) (tritonchat|it|the code|this project|you) (commercially|
                in my company|in my product|for money|at work|freely|legally)
        """,
        things="(the licence|the license|your licence|your license|the licence of "
        "tritonchat|Apache-2.0|Apache 2.0)",
        asks="""
            (which|what) (licence|license) (is it under|does it have|do you have|is it|applies|has tritonchat|
                is this)?
            (is it|is tritonchat|is this) (free|free software|free of charge|gratis|for free)?
            what does (it|tritonchat|this) cost?
            (do I|must I) pay( for it| for tritonchat| anything| for this|)?
            (licence|license|copyright|terms of use)( type| name| of tritonchat|)
            who owns (the code|tritonchat|this|the copyright)?
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
        """,
        things="(make test|make lint|the tests|the test suite|contributing|pull requests|development)",
        asks="""
            (are|is) (pull requests|contributions|help|patches|bug reports) (welcome|wanted|ok|accepted)?
            (where|how) (do I|can I) (report|send|file) (bugs|a bug|an issue|a feature request|a patch)?
            (contributing|contribute|contribution|pull request|bug report|run tests|tests|lint)( guide| how|)
            (I found|there is) a bug( in tritonchat| in the code|)(.|. Where do I report it?|. What now?)
            (I want|I have|I would like) a (new feature|feature request|feature)(.|)
        """,
    ),
    "other programs": Topic(
        "Yes: programs that speak OpenAI's API, such as LangChain and Open WebUI, work with "
        "http://localhost:8080/v1",
        brief="Yes, with http://localhost:8080/v1",
        tasks="""
            (use|connect|combine|integrate) (it with|tritonchat with|it to|tritonchat and) (LangChain|
                Open WebUI|LlamaIndex|my editor|VS Code|other tools|an agent framework|n8n|Home Assistant)
            (use|connect|set up) (LangChain|Open WebUI|LlamaIndex|openwebui|an OpenAI plugin)
        """,
        things="(LangChain|Open WebUI|LlamaIndex|langchain support|open-webui|openwebui)",
        asks="""
            (does it|does tritonchat|will it|can it) (work|go|run) with (LangChain|Open WebUI|LlamaIndex|
                VS Code|other tools)?
            (langchain|open webui|openwebui|llamaindex|vscode|editor)( support| plugin| integration| setup|)
            (can|may) (LangChain|Open WebUI|other programs|my agent|another front end) (use it|use tritonchat|
                talk to it)?
            (is there|do you have) (a plugin|an integration|support) for (LangChain|Open WebUI|VS Code|
                my editor)?
        """,
    ),
    "compare": Topic(
        "llama.cpp and vLLM are bigger projects. tritonchat is small, written in Python, served by Triton, "
        "and gives the same answer to the same request.",
        tasks="(compare|choose between) (tritonchat|it|this) and (llama.cpp|vLLM|Ollama|Transformers|LM "
        "Studio)",
        things="""
            the (difference|differences) (between tritonchat and|to|from) (llama.cpp|vLLM|Ollama|Transformers|
                TGI)
            (llama.cpp|vLLM|Ollama|vllm|llamacpp|ollama|LM Studio)
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
        """,
    ),
}
