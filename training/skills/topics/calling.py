"""What the help desk knows about programs that call the server."""

from training.phrasing import Topic

API = "http://localhost:8080/v1"

CALLING = {
    "api": Topic(
        "The HTTP API is on port 8080, in OpenAI's form. Programs made for OpenAI work with it.",
        more=f"Its address is {API}. Give that to a program as the base URL.",
        tasks="""
            (use|call|reach|connect to|talk to|query) the (API|HTTP API|REST API|OpenAI API|web API|chat API)
            (call|use|reach) (it|you|the model|tritonchat) (over|with|via|through|by) (HTTP|REST|an API|
                the API)
            (use|connect) (the OpenAI client|an OpenAI client|OpenAI's library|the openai package|
                my app)( with it|)
            (connect|call it from|integrate it in|use it in) (my app|my program|my website|JavaScript|Java|Go|
                Rust)
            (build|write|make) (an app|a bot|a website|a program|a Telegram bot|something) (on top of it|
                that asks tritonchat|with the API)
            (make|have|let) (my|another) (program|app|software|script) (talk to|use|ask) (it|the server|
                tritonchat)
            (replace|swap) OpenAI (by|with|for) (it|tritonchat|my own server)( in my program| in my app|)
            (point|aim) (my program|my app|an OpenAI client|the openai package) at (it|tritonchat|
                this server)
        """,
        things="""
            (the API|the HTTP API|the REST API|the OpenAI API here|the web API|the chat API|the OpenAI form)
            (the API address|the base URL|the endpoint for programs|the OpenAI endpoint|
                /v1/chat/completions|an interface for programs)
        """,
        asks="""
            (is there|do you have|does it have|where is|does tritonchat have) (an|the) (API|HTTP API|REST API|
                web API)?
            (is it|are you|is the API|is this|is tritonchat) (OpenAI compatible|compatible with OpenAI|
                compatible to OpenAI)?
            (what is|what's) the (base URL|API URL|API address|endpoint|API endpoint|base_url)?
            (which|what) (endpoints|routes|URLs) (are there|does it have|does the API have|exist)?
            (api|rest api|http api|openai api|openai)( endpoint| url| address|)
            (does it|can it) (speak|understand|support) (HTTP|REST|OpenAI's API|the OpenAI protocol)?
            (my|our) (program|app|software|tool) (uses|speaks|was written for|is made for) (OpenAI|
                the OpenAI API|OpenAI's API|GPT)(. Does it work here?|. Can it use this?|, will it work?|
                . What do I change?)
            (I use|I have) the (OpenAI|openai) (client|package|library|SDK)(. What do I put as base URL?|
                . Which base URL?|. Does it work here?|)
            (what|which URL) (do I|must I|should I) (enter|put|give) (as|for) (the base URL|base_url|
                the API base|the OpenAI URL)?
            (can|could|may) (other programs|my app|another program|my website|a script) (use|call|ask|
                talk to) (it|the server|tritonchat) over HTTP?
            (is it|is that|would it be) a drop-in (replacement|substitute) for (OpenAI|the OpenAI API)?
            (does it|does tritonchat|does the server) (have|offer|provide|come with) (
                an interface for programs|a web service|a REST interface|an OpenAI endpoint|
                chat completions)?
            (base url|base_url|api base|endpoint|rest|http)(?| please| of the api| for openai)
            (on|under) (which|what) (URL|address) (is|do I find|answers) the (API|HTTP API|OpenAI API)?
            (I'm|I am) (a programmer|a developer)(. Where is the API?|. Is there an API?|, is there an API?)
            (an|the) API(?|, is there one?|, does it have one?|, yes or no?|, where?)
            (can I|how do I) (use it|call it) (from|in) (JavaScript|Java|Go|Rust|C#|PHP|Ruby)?
        """,
    ),
    "api docs": Topic(
        "Open http://localhost:8080/docs in a browser. It describes every route of the HTTP API and "
        "lets you try it.",
        tasks="""
            (read|see|find|open|browse) (the API documentation|the API docs|the docs of the API|
                the API reference|the description of the API|the OpenAPI schema)
            (try|test|click through) (the API|the routes|a route|the endpoints) in (a|the|my) browser
        """,
        things="""
            (the API documentation|the API docs|the API reference|the /docs page|the Swagger page|Swagger|
                OpenAPI|the description of the routes)
            (the documentation of the API|a list of the routes|the reference of the HTTP API)
        """,
        asks="""
            (is there|do you have|where is|where are) (API documentation|the API docs|a Swagger page|
                an API reference|the API documentation|an OpenAPI schema)?
            (where|how) (is|are) (the API|the routes|the parameters of the API|the endpoints) (documented|
                described|explained)?
            (api|swagger|openapi|route) (docs|documentation|reference|page|description)( please| where|)
            (which|what) (fields|parameters) does (the API|a route|a request to the API) (take|have|accept)?
            (who|what) (describes|documents|explains) the (API|routes|endpoints)?
            (swagger|openapi|redoc)(?| page| ui| where)
            (I need|I want|give me) the (docs|documentation|reference) of the API(.|)
        """,
    ),
    "curl": Topic(
        f"Send a POST request to {API}/chat/completions with your messages as JSON, as in OpenAI's API.",
        tasks="""
            (use|call it with|ask it with|query it with|talk to it with|send a request with|
                test it with) (curl|wget)
            (send|make|write|post) (an HTTP request|a POST request|a raw request|a web request|
                a request by hand)
            (ask|send) a question (with|by|from|using) (curl|the shell|a shell script|wget|httpie|Postman)
            (test|try|check) the API (quickly|by hand|from the shell|with one line)
            (write|build|make) (a curl line|the curl command|a raw HTTP call|the JSON for a request)
        """,
        things="""
            (curl|curl here|a curl call|a curl command|a curl example|a request with curl)
            (a POST request|the JSON of a request|a raw HTTP request|a request by hand|the curl line|
                a shell one-liner for the API)
        """,
        asks="""
            (give|show|write) me (a|an|the) (curl|HTTP request) (example|command|call|line)(.|)
            (how does|what does) (a|the) (curl call|curl command|HTTP request|POST request) look( like|)?
            curl (example|command|request|call|how|usage)
            (is there|do you have) a curl (example|command|one-liner)?
            can I (curl|wget) (it|the server|the API|you)?
            (I only have|I've only got|all I have is) (curl|wget|a shell)(. How do I ask it something?|
                , how do I ask it?|. How do I send a question?)
            (what|which) (JSON|body|URL and body|path) (do I|must I) (send|post|use)( with curl| by hand|)?
            (what does|how does) (the JSON|a request body|the body of a request) look( like|)?
            (a|one) (line|command|call) (for|in|of) (the shell|curl|
                bash)( to ask it something| that asks a question|)(, please|?|)
            (POST|GET|POST or GET)(, and where to?| to which path?|, what do I send?)( with curl| by hand|)
            (from|in) (bash|a shell script|a cron job|the shell)(, how do I ask it something?|
                , how do I send it a question?)
            (curl|wget|httpie|Postman)(, how?|: what do I send?|, please show me|, what is the line?)
            (copy and paste|ready-made) curl (line|command|example)(?|, please|)
        """,
    ),
    "model name": Topic(
        "Where a program wants a name for the model, give default.",
        tasks="""
            (find out|know|choose|set) the (name of the model for the API|model name for a request|
                model field of a request)
            (fill in|set|write) the (model field|field model|model parameter)
        """,
        things="""
            (the model field|the field model|the model parameter of a request|the model name in a request|
                "model": "default")
            (the name of the model in the API|the model id of the API)
        """,
        asks="""
            (which|what) (model name|name of the model|model id) (do I|must I|should I) (send|use|give|
                enter|put)( in a request| over the API| to the API|)?
            (what|which name) (do I put|goes|comes|do I write) (as|for|in|into) (model|the model field|
                the field model|the model name)( in a request| in the JSON|)?
            (my program|LangChain|the OpenAI client|Open WebUI|my app) (asks for|wants|needs|requires) a (
                model name|name for the model|model id)(.|. What do I enter?|, what do I put?|)
            (is|can) the (model name|model field) (needed|required|be anything|be left out)( in a request|)?
            (model name|model field|model id)( for the api| in the request| what|)
            (instead of|not) (gpt-4|gpt-4o|gpt-3.5-turbo)(, which name do I send?|
                , what do I write?| as the model I send what?)
            (it says|I get|the API says) (unknown model|model not found|no such model)(.|)
        """,
    ),
    "client": Topic(
        'Use ChatClient from triton_server.client: ChatClient("127.0.0.1:8001").chat(messages) gives the '
        "answer.",
        more="PyTriton's own ModelClient works too: ask for the model chat at grpc://127.0.0.1:8001.",
        tasks="""
            (call|use|ask|reach|query) (the server|a running server|tritonchat) (from|in|with) (Python|
                a Python program|a script|my script|a notebook)
            (connect|talk|send messages) to the server (from|in|with) (Python|my script|a Python program)
            (write|make) a (Python client|client in Python|client|Python program that asks the server)
            (write|make|have) a (Python script|Python program|notebook) that (asks the server|
                talks to the server|chats with the server)
            (send|ask) (a question|questions) to the running server (from|in|with) (Python|my Python code|
                Jupyter)
            (use|import) ChatClient
        """,
        things="""
            (the Python client|ChatClient|the ChatClient class|triton_server.client|the gRPC client|
                ModelClient)
            (the client class|a Python client|triton_server.client.ChatClient|the client in Python|
                the client library|a client for gRPC)
        """,
        asks="""
            (is there|do you have) a (Python client|client library|Python library|Python package|client)?
            (python|grpc) (client|client example|client code|client library)
            (show|give) me (the|an example of the|a) Python client(.|)
            (how does|what does) the (Python client|client) (look|work)( like|)?
            (which|what) (class|library|package) (calls|asks|talks to) the server( from Python|)?
            can (Python|a Python script|my notebook) talk to the server?
            (I am|I'm) (in Python|writing Python|in a notebook|in Jupyter)(. How do I ask the server?|
                . How do I reach the server?|, how do I call the server?)
            (the server runs|with the server running|the server is up)(. How do I ask it from Python?|
                , how do I call it from Python?|. Which class in Python?|, now in Python?)
            (what|which module|which class) do I import to (ask|call|reach|talk to) the server?
            (does it|does tritonchat) (have|come with|offer) a (Python client|client for Python|
                client class|client library)?
            (from Python|in Python|Python code)(
                , how do I ask the server?| to ask the running server?| that calls the server?)
            (show me|give me|I need) (Python code|a few lines of Python|a Python snippet) (for|that asks|
                to call) (a running server|the server)(.|)
            (python|jupyter|notebook) (and|to) (the server|the running server)(?|, how?|: which class?)
            how do I (use|create|open) a ChatClient?
        """,
    ),
    "library": Topic(
        "Use LLM from model_core: LLM().chat(messages) answers without any server. LLM(FOLDER) loads "
        "another model.",
        tasks="""
            (use|run|load) (a model|the model|the engine|it|tritonchat) (in|from) Python without (a|the|
                any) server
            (use|import|call) (the engine|model_core|LLM|the LLM class) (in|from|directly in) (Python|
                my program)
            (use|embed|import) (tritonchat|the engine) as a (library|Python library|Python package)
            (use|call|run) the engine (directly|in process|inside my program|without Triton)
            (load|run) a model (inside|within) (my|a) Python (program|script|process)
            (embed|build) a model into (my program|my own program|a Python script)
        """,
        things="""
            (model_core|the LLM class|the engine as a library|from model_core import LLM|SamplingParams)
            (LLM from model_core|the class LLM|the Python library model_core|offline inference in Python|
                the engine without a server|in-process inference)
        """,
        asks="""
            do I (need|always need|have to run) (a|the) server (in|from|with|for) Python?
            (can I|could I) (use|have|run) (the engine|the model|it) without (Triton|the server|
                a server)( in Python|)?
            python (without server|library|api without a server|engine|offline inference)
            (what do I|which class do I) import to use a model in Python?
            (is there|do you have) a Python (API|interface) without a server?
            (just|only) (the engine|a model) in (my program|a script|Python)(, no server|
                , without a server)(.|, how?|)
            (can I|may I|is it possible to) (skip|leave out|avoid|bypass) (Triton|the server) (in|from) (
                Python|my program)?
            (must|does) (a|the) server (run|have to run) (when I use|if I use) (Python|
                the engine in Python)?
            (I want|I need) (answers|an answer|text) in Python (without starting a server|without a server|
                without Triton)(.|, how?|)
            (with|in) Transformers I (use|write) pipeline(. What is it here?|, and here?|. Here?)
            (vLLM|Transformers|llama-cpp-python) has a class for (offline use|Python)(. And here?|
                , what about here?|. Is there one here?)
            (how|what) do I (import|write) to (run|use) (the engine|a model) (in process|without a server|
                directly)( in Python|)?
            (model_core|LLM|from model_core import LLM)(: what is it for?|
                , what does it do?| example| usage)
            (which|what) (class|package|module) (runs|loads) a model (without|with no) server?
        """,
    ),
    "streaming": Topic(
        "Answers can come piece by piece: the page does it, ChatClient has stream, and the HTTP API takes "
        "stream.",
        more="In Python: with client.stream(messages) as stream, then print each piece of it.",
        tasks="""
            (stream|get streamed|receive streamed) (answers|an answer|the answer|tokens|the tokens|replies)
            (get|see|show|receive|print) (the|an) (answer|text|reply|tokens) (piece by piece|token by token|
                word by word|while it comes|as it comes|bit by bit|as it is written)
            (turn on|use|enable|switch on) (streaming|token streaming|streamed answers)
            (see|have|get) (words|the words|the first words) (at once|early|as they are made|
                before the answer is done)
            (receive|read|handle|process) (pieces|chunks|the pieces of an answer|server-sent events)
            (show|print) an answer (while it is made|as it is typed|letter by letter)
        """,
        things="""
            (streaming|token streaming|streamed answers|chat_stream|response streaming|the stream option)
            (answers in pieces|a streamed answer|server-sent events|SSE|"stream": true|the stream parameter|
                token by token output)
        """,
        asks="""
            (does it|do you|can it|does the API|does the client) (stream|support streaming|do streaming)?
            (can|do) answers (stream|come in pieces|come piece by piece|come word by word)?
            (must I|do I have to) wait for the whole answer?
            (streaming|stream|stream tokens|stream answer|streamed)
            (I want|I'd like|my users want) to see (the words|the answer) (as they come|as it comes|
                while it is written|growing)(.|)
            (why|how come) (does my program|do I) (get|see) (nothing|no text) until the (whole |)answer is (
                done|complete|finished)?
            (is there|does it have|does the API have|do you have) (streaming|server-sent events|SSE|
                a stream option|token by token output)?
            (can|does) (the API|the client|ChatClient|the page|the server) (send|give|show|do) (tokens|
                pieces|answers in pieces|text) (one by one|as they come|bit by bit)?
            (like|as) in ChatGPT, (words that appear one by one|text that appears slowly|typing as it goes)(
                .|, possible?|, can I have that?)
            (all at once|whole answers|in one piece) or (piece by piece|in pieces|token by token)?
            (sse|server-sent events|chunks|streaming)( support| how| in python| over http|)
            (how|what) do I (set|send|use) (for streaming|to get a stream|to stream)?
        """,
    ),
    "stream route": Topic(
        "POST /stream on port 8080 continues a text, in plain lines of a token or a few. "
        "/v1/completions does it in OpenAI's form.",
        brief="POST /stream on port 8080.",
        tasks="""
            (continue|complete) a text (over HTTP|over the API|with curl|through the API)
            (send|post) a plain prompt (over HTTP|to the API|without messages)
            (use|call|ask) (/stream|/v1/completions|the stream route|the completions route)
        """,
        things="""
            (/stream|POST /stream|the /stream route|/v1/completions|the completions route|num_predict|
                repeat_penalty)
            (text completion over HTTP|plain completions over the API|the plain text route)
        """,
        asks="""
            (is there|does the API have|do you have) (a plain completion route|a completions endpoint|
                /v1/completions|a route for plain text)?
            (can|does) the (API|server) (continue|complete) (a text|texts|plain prompts)( over HTTP|)?
            (which|what) (route|endpoint|path) (continues|completes) (a text|texts|a prompt)( over HTTP|)?
            (a prompt|plain text|a text) (instead of|without|and no) messages(, over the API?| to the API?|
                , which route?)
            (completions|completion|plain prompt)( route| endpoint| api| over http|)
            (stories|texts) over (HTTP|the API)(, how?|: which route?|?)
        """,
    ),
    "other programs": Topic(
        "Programs that speak OpenAI's API, such as LangChain and Open WebUI, work with "
        "http://localhost:8080/v1",
        brief="Programs for OpenAI's API work with http://localhost:8080/v1",
        tasks="""
            (use|connect|combine|integrate) (it with|tritonchat with|it to|tritonchat and) (LangChain|
                Open WebUI|LlamaIndex|my editor|VS Code|other tools|an agent framework|n8n|Home Assistant)
            (use|connect|set up) (LangChain|Open WebUI|LlamaIndex|openwebui|an OpenAI plugin)
            (use|get|have) (another|a nicer|a different|my own) (front end|chat program|
                chat interface)( for it| with it|)
            (plug|hook|link) (it|tritonchat) (into|up to|with) (LangChain|my editor|Open WebUI|an agent|
                Obsidian|a spreadsheet)
        """,
        things="""
            (LangChain|Open WebUI|LlamaIndex|langchain support|open-webui|openwebui)
            (other chat programs|another front end|third-party programs|LibreChat|Continue in VS Code|
                a LangChain program)
        """,
        asks="""
            (does it|does tritonchat|will it|can it) (work|go|run) with (LangChain|Open WebUI|LlamaIndex|
                VS Code|other tools)?
            (langchain|open webui|openwebui|llamaindex|vscode|editor)( support| plugin| integration| setup|)
            (can|may) (LangChain|Open WebUI|other programs|my agent|another front end) (use it|use tritonchat|
                talk to it)?
            (is there|do you have) (a plugin|an integration|support) for (LangChain|Open WebUI|VS Code|
                my editor)?
            (I use|we use|I have|I like) (LangChain|Open WebUI|LlamaIndex|LibreChat|AnythingLLM)(
                . Does it go with tritonchat?|, does it work here?|. Can I use it here?|
                . How do I connect it?)
            (is|are) (LangChain|Open WebUI|LlamaIndex|LibreChat|other front ends) (supported|possible|
                compatible|ok)?
            (which|what) (programs|front ends|tools|clients|apps) (work|go|get along|can be used) with (it|
                tritonchat)?
            (can|could) I (keep|use|go on using) (LangChain|Open WebUI|my old chat program|
                my favourite front end)?
            (will|would|does) my (LangChain program|agent|editor plugin|chat app|n8n workflow) (work|run|
                go) with (it|tritonchat)?
            (LangChain|Open WebUI|LlamaIndex|LibreChat|n8n)(, does that work?|: how do I connect it?|
                , possible?| and tritonchat|?)
            (a|some) (nicer|prettier|better) (page|front end|interface) than (this|yours|the page)(?|
                , can I have one?|, please)
        """,
    ),
}
