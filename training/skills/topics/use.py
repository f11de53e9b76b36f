"""What the help desk knows about using tritonchat: its commands, its page and models for it."""

from training.phrasing import Topic

IT = "(tritonchat|the server|it|the service|the program|this|this thing|triton chat|the chat server)"
MINE = "(my own|my|another|a different|a bigger|a better|a larger|a new|a custom|some other|other|own)"
MODEL = "(model|models|LLM|language model|checkpoint|weights)"

USE = {
    "tritonchat": Topic(
        "tritonchat is a chat service: a transformer engine written in Python, served through NVIDIA "
        "Triton, with a page to chat on.",
        more="It needs no GPU and no compiler. Start it with tritonchat up, and give it a model of your own "
        "with --model FOLDER.",
        things="""
            (tritonchat|this tritonchat|triton chat|triton-chat|Tritonchat|the tritonchat project)
            this (program|app|application|page|service|project|software|website|tool|thing here)
        """,
        asks="""
            what (does tritonchat do|is tritonchat for|can tritonchat do|is this project about)?
            (describe|summarise|introduce) (this project|tritonchat|the tritonchat project)(.|)
            (why|who) (would I use|should use|uses|needs) (tritonchat|this project|this software)?
            (give me|I want) (a summary|an overview) of (tritonchat|this project|the project)(.|)
            what('s| is) (this|all this|going on here)?
            where am I, what is this (page|app|place)?
            what have I (installed|started|downloaded|opened) here?
        """,
    ),
    "install": Topic(
        "Get the source and run make chat in its folder. It needs Linux, Python 3.10 to 3.12 and make, and "
        "sets up the rest by itself.",
        tasks="""
            (install|set up|setup|get|download|deploy) (tritonchat|this|it|this program|this software|
                the project)
            get (started|going) with (tritonchat|this|it)
        """,
        things="""
            the (installation|setup|set-up|system requirements|requirements|dependencies|prerequisites)
        """,
        asks="""
            (what|which) (Python|version of Python|Python version) (do I need|does it need|is needed|
                is required)?
            what (do I need|is needed|is required) to (install|set up) (it|this|tritonchat)?
            (does it work with|does it run on|can I use|is it ok with) Python 3.(9|10|11|12|13|14)?
            (what are|list) the (requirements|dependencies|system requirements|prerequisites)( of tritonchat|
                )(?|)
            (do I need|does it need) (a compiler|pip|conda|Python|make|glibc|anything else|root|sudo)?
            (can I|do I) (pip install|install with pip|use pip for) (it|this|tritonchat)?
            installation (instructions|guide|steps|help|how)
            where do I (get|download|find) tritonchat?
            I just (cloned|downloaded) (it|the repo|the project|tritonchat). (What now?|What next?|And now?)
        """,
    ),
    "make chat": Topic(
        "make chat sets up everything the first time, then starts the server and the page and prints the "
        "address to open.",
        things="(make chat|the make chat command|`make chat`|the Makefile|the one command start)",
        asks="""
            what (does|will) make chat (do|start|install|run)?
            what happens (when|if) I (run|type|enter|do) make chat?
            (is there|do you have) (one|a single) command (for everything|that does everything|
                to set up and start)?
            (why|when) (do I|should I|would I) (run|use) make chat?
            how long does make chat take?
            (should I|do I have to) (run|use|type) make chat( first|)?
            make chat (does what|what does it do|what is that)
        """,
    ),
    "start": Topic(
        "Run tritonchat up: it starts the server, the HTTP API and the page.",
        more="The first start takes longer, as the kernels are compiled for your processor. Then it prints "
        "the address of the page.",
        tasks=f"""
            (start|launch|boot|boot up|fire up|bring up|turn on|switch on|begin) {IT}
            (run|start up|get running|spin up) (tritonchat|the server|the service|the program|the chat server)
            get {IT} (up|running|started|up and running)
        """,
        things="(tritonchat up|the up command|the command tritonchat up)",
        asks="""
            (which|what) command (starts|runs|launches) (tritonchat|it|everything|the server|the service)?
            (server|tritonchat|service) (start|starting|launch|start command)
            start(ing|) (command|the server please|tritonchat please|server|everything)
            what do I type to (start|begin|run it|get it running|make it run)?
            how does (one|it|the server) (start|get started|begin)?
            it is (off|not running|stopped|down). How do I (start it|turn it on|bring it up)?
        """,
    ),
    "stop": Topic(
        "Press Ctrl-C in the terminal where tritonchat runs. Answers under way may end first.",
        brief="Press Ctrl-C where it runs.",
        tasks=f"""
            (stop|quit|end|exit|kill|close|halt|terminate|leave|shut down|shutdown|turn off|switch off) {IT}
            (shut|turn|switch|take) (the server|tritonchat|it|the service) (down|off)
            (get out of|bring down|make an end of|cleanly stop|stop running) (tritonchat|the server|
                the program)
        """,
        asks="""
            (which|what) (command|key|keys) (stops|ends|quits|kills) (tritonchat|it|the server|everything)?
            (server|tritonchat|service) (stop|stopping|shutdown|off|exit|quit)
            (stop|stopping|quitting|ending) (command|the server please|tritonchat please|server|everything)
            (ctrl-c|ctrl c|control c)(?| what does it do?| - what is it for?)
            it (is running|runs|is still running). How do I (stop it|turn it off|end it|get rid of it)?
            it (won't|will not|does not|doesn't) (stop|quit|end|exit|close)(.|!)
            is there a (stop|quit|exit|off) (command|key|switch)?
            how does (one|it|the server) (stop|end|quit)?
        """,
    ),
    "restart": Topic(
        "Press Ctrl-C where it runs, then start it again with tritonchat up.",
        tasks=f"""
            (restart|reboot|relaunch|re-start|reload) {IT}
            (stop and start|start) {IT} (again|anew|once more|a second time)
        """,
        things="a (restart|reboot) of (the server|tritonchat)",
        asks="""
            (server|tritonchat) (restart|reboot)
            (do I need|do I have) to restart( the server| tritonchat| it|)( after a change| for this|)?
            (is there a|what is the) (restart command|command for a restart|way to restart)?
            (what do I do|what now) after (a crash|a reboot|it crashed|it stopped)?
            it (crashed|died|hangs|is stuck). How do I start it again?
        """,
    ),
    "serve": Topic(
        "Run tritonchat serve: it starts the server without the page.",
        more="For example: tritonchat serve --model ./my-model --weights int8",
        tasks="""
            (start|run|launch) (only the server|the server only|the server alone|just the server)
            (start|run|launch) (tritonchat|the server|it) without (the|a) (page|browser|UI|web page|interface)
            (run|use|start) (it|tritonchat) (headless|in the background without a page)
        """,
        things="(tritonchat serve|the serve command|serve|headless mode)",
        asks="""
            I (don't|do not) (want|need) the (page|web page|browser|UI)(.|, only the server.|
                , just the server.)
            (is there|can I have) a server (without|with no) (page|UI|web page|interface)?
            (the difference|what is the difference) between (up and serve|serve and up)(?|)
            server (alone|only|without page)
        """,
    ),
    "ui": Topic(
        "Run tritonchat ui --server HOST:8001: it starts the page alone, for a server that runs elsewhere.",
        tasks="""
            (start|run|launch|open) (only the page|the page alone|just the page|the page without the server)
            (connect|point) the page to (another|a remote|a different) (server|machine)
            (use|run|have) the page on another (machine|computer) than the server
        """,
        things="(tritonchat ui|the ui command|the --server flag|--server)",
        asks="""
            (the server is|my server is|it runs) on another (machine|computer). How do I (get|start|
                use) the page?
            can the page (run|be) on (another|a different) (machine|computer)?
            page (alone|only|without server|for a remote server)
            I only (want|need) the page(.|, not the server.)
        """,
    ),
    "page": Topic(
        "tritonchat up prints the address of the page, normally http://localhost:8501. Open it in a browser.",
        tasks="""
            (open|find|see|reach|get to|show|visit) (the page|the web page|the chat page|the UI|
                the web interface)
            (chat|use it|talk to you) (in|with) (a|my|the) (browser|web browser)
        """,
        things="""
            (the page|the chat page|the web page|the web UI|the web interface|the page address)
            the (address|URL|link) of the (page|chat page|web page|UI)
        """,
        asks="""
            (where|on which address|at what URL) is (the page|the web page|the UI|the website|the chat)?
            (what is|what's) the (URL|address|link)( of the page| for the browser| to open|)?
            (is there|do you have) a (page|web page|browser interface|web UI|graphical interface|GUI|website)?
            (which|what) (address|URL|link) (do I|must I|should I) (open|type|enter|use) in (the|my) browser?
            (I can't|I cannot|can't) (find|see|open) the (page|web page|UI|website)(.|)
            (browser|page) (address|url|link)
        """,
    ),
    "streamlit": Topic(
        "Streamlit is a Python library for web pages. The chat page is made with it.",
        things="(Streamlit|streamlit|the Streamlit page|the Streamlit library|streamlit here)",
        asks="""
            (what|which library|which framework) is the page (made|written|built|programmed) (with|in|of)?
            (does|is) the page (use|made with|built with|written in) (Streamlit|React|Gradio|JavaScript|
                Django)?
            (why do you use|do you use|does it use|why) Streamlit( for the page|)?
            how (was|is) the (page|web page|UI) (made|built|written|programmed)?
            streamlit( page| what| library| used|)
        """,
    ),
    "new chat": Topic(
        "Press New chat on the page. The conversation is forgotten and a new one begins.",
        tasks="""
            (start|begin|open|make) (a new chat|a new conversation|over|anew|from scratch|afresh|a fresh chat)
            (clear|delete|reset|erase|empty|forget|wipe) (the chat|the conversation|this chat|the history|
                the messages|our conversation|what I said|everything I said)
            make you forget (everything|what I said|me|this chat|my name)
        """,
        things="(the New chat button|New chat|a new chat|clearing the chat)",
        asks="""
            (is there|where is) (a|the) (new chat|reset|clear|delete) button?
            (new|fresh|another) (chat|conversation)( please|)
            (reset|clear|start over|new start|wipe|restart the chat|clear chat|delete chat)
            forget (everything|all of it|it all|what I said|all I told you)(.|!|)
            (can|could|let) (I|us|we|you) (start over|begin again|start again|start anew|reset this)(?|.|)
        """,
    ),
    "load": Topic(
        "Start tritonchat with --model FOLDER, where FOLDER holds a model in Hugging Face layout. For "
        "example: tritonchat up --model ./my-model",
        brief="tritonchat up --model FOLDER",
        more="A name on the hub works too: tritonchat up --model owner/name. Add --weights int8 or int4 to "
        "make the model smaller and faster.",
        tasks=f"""
            (load|use|run|add|try|serve|open|start|plug in|bring|put in|install|test|import) {MINE} {MODEL}
            (change|switch|replace|swap|select|choose|pick|set|exchange|configure) (the|my|your) {MODEL}
            (change|switch) to {MINE} {MODEL}
            (chat with|talk to|ask|get answers from) (my own|another|a bigger|a better|a different|
                a real) model
            (load|use|run|start with|serve) a (local model|model from a folder|model from my disk|
                model on my disk)
            (make it use|give it|point it to|start it with|run it with) {MINE} {MODEL}
        """,
        things="(the --model flag|--model|the model flag|the --model option|--model FOLDER)",
        asks=f"""
            (where|how) do I (put|place|set|choose|specify|store) (the|my|a) {MODEL}?
            (does it|can it|will it|can tritonchat|does tritonchat) (run|load|support|take|
                work with) {MINE} {MODEL}?
            I (have|downloaded|trained|got) a model(. How do I use it?|. How do I load it?|, now what?|
                . And now?)
            (load|loading|switch|change|use) (model|own model|my model|other model|bigger model|custom model)
            (model|own model|custom model|bigger model) (load|loading|how|folder|flag)
            you are too (small|stupid|weak|dumb), (how do I get|can I have|give me|I want) a bigger (one|
                model)(?|)
            (is there|do you have) a (bigger|better|larger|smarter) model( than you|)?
            how do I get a (smarter|better|bigger|cleverer) (bot|one|model|assistant)( than you|)?
            can I have a (different|better|bigger|smarter) model( here|)?
        """,
    ),
    "hub": Topic(
        "Give its name on the Hugging Face hub: tritonchat up --model owner/name. It is downloaded once and "
        "kept.",
        more="For example: tritonchat up --model Qwen/Qwen2.5-0.5B-Instruct",
        tasks="""
            (download|fetch|get|pull|load|use|run) a model (from|off) (Hugging Face|the hub|huggingface|HF|
                the web)
            (use|load|run) (Hugging Face|huggingface|HF|hub) models
            (get|download|fetch|pull) a (new|bigger|better|free) model from (Hugging Face|the internet|
                the hub)
        """,
        things="(Hugging Face|the hub|the Hugging Face hub|huggingface|a hub name|a name on the hub)",
        asks="""
            (does it|can it|will it) (download|fetch) models( by itself| automatically| from Hugging Face|)?
            (where|from where) (do I|can I) (get|download|find) models?
            (can I|do you) (give|take|use) a (hub name|Hugging Face name|repo name|name from Hugging Face)?
            (download|downloading|fetch) (model|a model|models)( please|)
            (hugging face|huggingface|hub|HF) (model|models|download)
        """,
    ),
    "place": Topic(
        "A model from the hub is kept in .cache/huggingface in your home folder, so it is fetched only once.",
        tasks="""
            (find|delete|remove|see|locate|move) (the downloaded models|downloaded models|the model cache)
            (free|clear|empty) the (disk space of the models|model cache|download cache)
        """,
        things="the (model cache|download folder|folder of the downloaded models|Hugging Face cache)",
        asks="""
            where (are|is|does it store|does it keep|does it save|do you put) (the|my|a) downloaded (models|
                model)?
            where (are|do) (the |)(models|downloads) (stored|kept|saved|cached|go|end up)?
            (in which|which) (folder|directory) (holds|has|are|keeps) the (models|downloaded models|
                downloads)?
            (does it|will it) download the model (again|every time|each time|twice)?
            (model|download) (cache|cache folder|location|storage)
            how much disk (space|room) do the models (take|need)?
        """,
    ),
    "families": Topic(
        "Models of the Llama, Mistral and Qwen2 families, also TinyLlama, DeepSeek-LLM and SmolLM2. "
        "TinyLlama is a good one to begin with.",
        brief="Llama, Mistral and Qwen2 models.",
        tasks="""
            (run|use|load|serve) (Llama|Mistral|Qwen|Qwen2|TinyLlama|DeepSeek|SmolLM2|Gemma|Phi|Falcon|
                Mixtral)
            (find|choose|pick|select) a (good|suitable|fitting|supported) model
        """,
        things="(the supported models|the model families|supported model families|the supported families)",
        asks="""
            (which|what|what kinds of|what sorts of) (models|LLMs|language models) (work|are supported|
                can I use)?
            (which|what) (models|LLMs) (does it|do you|does tritonchat|can it|can you) (support|run|load|know|
                take)?
            (which|what) model (should I|do I|shall I|can I) (use|take|try|run|load|download|pick|
                choose)( first|)?
            (which|what) (model|LLM) (is good|is best|is the best|do you recommend|would you take|fits)?
            (can you|could you|please) (recommend|suggest) (a|some) (model|models|LLM|chat model)(?|)
            (does it|do you|will it|can it) (support|run|work with) (Llama|Mistral|Qwen|DeepSeek|Gemma|Phi|
                Mixtral)?
            (is|are) (Llama|Mistral|Qwen2|Gemma|Phi|GPT-2|DeepSeek) (supported|possible|ok|working)?
            (model|supported) (families|models|list|architectures)
            (which|what) (architectures|families|model families) (are supported|work|are there|can I use)?
        """,
    ),
    "formats": Topic(
        "It reads a folder in Hugging Face layout: config.json, tokenizer.json and weights in safetensors. "
        "GGUF is not read.",
        things="""
            (safetensors|a safetensors file|the Hugging Face layout|Hugging Face layout|the model format|GGUF)
        """,
        tasks="(load|use|run|open|read) (GGUF|a GGUF file|gguf models|safetensors|a .bin file|ONNX|a pickle "
        "file)",
        asks="""
            (which|what) (format|formats|file format|file formats|model format) (is|are) (supported|needed|
                read)?
            (which|what) (format|files|file format) (does it|must a model|should my model|does a model) (need|
                have)?
            (does it|can it|do you|will it) (support|read|load|take|work with) (GGUF|gguf|safetensors|ONNX|
                pickle)?
            (which|what) files (must|should|does) (the|a|my) model folder (have|hold|contain|need)?
            what (must|should|has to) be in (FOLDER|the folder|the model folder|my model folder)?
            how (must|should) the (model folder|folder|files) (look|be laid out)?
            (model|file|weight) (format|formats|layout|files)
            I (have|only have) a (GGUF|gguf|.bin|ONNX|pickle) (file|model)(.|. Does it work?|, does it work?)
        """,
    ),
    "terminal": Topic(
        "Run tritonchat chat in a terminal. It talks to the server that is running.",
        tasks="""
            (chat|talk|write|speak) (in|from|on) (the|a|my) (terminal|console|command line|shell)
            (chat|use it|talk to you) without (a|the) (browser|page|web page)
            (use|talk to) (tritonchat|it|you|the server) (in|from) (the|a) (terminal|console|shell|
                command line)
        """,
        things="(tritonchat chat|the terminal client|the chat command|the command line client|the terminal "
        "chat)",
        asks="""
            is there a (terminal|console|command line|text) (client|chat|interface|mode|version)?
            (does it|can it) work in (a terminal|the console|the shell|tmux|ssh)?
            (terminal|console|shell|command line|cli) chat
            I (don't have|have no|hate|do not like) (a browser|browsers)(.|. How do I chat?|, how can I chat?)
        """,
    ),
    "complete": Topic(
        'Run tritonchat complete "Once upon a time": it continues a text in the terminal, without a server.',
        tasks="""
            (continue|complete|go on with|extend|finish) a (text|story|sentence|prompt)( without a server|)
            (make|write|get|generate) (stories|text|a text) (without a server|in the terminal|
                without the server)
            (use a model|try a model|generate text) without (a|the|any) server
        """,
        things="(tritonchat complete|the complete command|text completion|the story teller command)",
        asks="""
            (is there|do you have) a (story teller|text completion|completion command)( in the terminal|)?
            (which|what) command (continues|completes|extends) (a|my) (text|story|prompt)?
            (does it|can it|can tritonchat) (complete|continue) (texts|a text|prompts|stories)?
            complete (command|what is it for|a text how)
        """,
    ),
    "commands": Topic(
        "The commands are up, serve, ui, chat, complete, quantize, bench and doctor. Each explains its "
        "flags with --help.",
        tasks="""
            (see|list|find|show|get) (all the|the|all) (commands|flags|options|command line options|settings)
            (get help on|read about|look up) (a command|a flag|the flags|the command line)
        """,
        things="(--help|the --help flag|the command line|the tritonchat command|the list of commands)",
        asks="""
            (which|what) (commands|flags|options|parameters|settings|switches) (are there|exist|do you have|
                can I use)?
            (which|what) (commands|subcommands) does tritonchat (have|know|offer)?
            (is there|where is) (a list of|an overview of|help for) (the |all |)(commands|flags|options)?
            (list|show|name) (all |the |all the |)(commands|flags|options|settings)(.| please|)
            (commands|flags|options|command line|cli) (list|overview|help)
            where is the (documentation|manual|readme|help)?
        """,
    ),
    "environment": Topic(
        "Every flag can be set in the environment: --max-context, for example, is TRITONCHAT_MAX_CONTEXT.",
        tasks="""
            (set|give|change) (flags|options|settings|a flag) (in|with|through|by) (the environment|variables)
            (configure|set up) (it|tritonchat) (with|by|through) environment variables
            avoid typing the (flags|options) (every time|each time|again)
        """,
        things="(the environment variables|environment variables|env variables|TRITONCHAT_MAX_CONTEXT|env "
        "vars)",
        asks="""
            (are there|do you have|does it read|which are the) (environment|env) variables?
            (is there|do you have|where is|does it have) a (config file|configuration file|settings file|
                .env file)?
            (environment|env) (variable|variables|vars|settings)( names|)
            (which|what) (environment variable|env variable|variable) (sets|is for) (a flag|the port|
                the model)?
        """,
    ),
}
