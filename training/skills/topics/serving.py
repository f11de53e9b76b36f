"""What the help desk knows about a server at work: its ports, the programs that call it, and trouble."""

from training.phrasing import Topic

API = "http://localhost:8080/v1"

SERVING = {
    "ports": Topic(
        "gRPC is on port 8001, HTTP on 8000, metrics on 8002, the chat API on 8080 and the page on 8501.",
        things="(the ports|port 8001|port 8000|port 8002|port 8080|port 8501|the default ports|the port "
        "numbers)",
        asks="""
            (which|what) (port|ports) (does it use|do you use|are used|is it on|does tritonchat use|
                do I need)?
            (which|what) port is (the API|the page|gRPC|HTTP|the metrics|the server|the chat API|it) on?
            (what is|where is|what's) the (API|HTTP|gRPC|metrics|page|default) port?
            (which|what) ports (must I open|should I open|are open|are there|does the server listen on|
                are needed)?
            on (which|what) port (is the server|does it listen|does it run|do I find the API|is it)?
            (port|ports|port number|port numbers|port list|default ports)
            (grpc|http|metrics|api|page|ui) port( number|)
            (list|tell me|give me|show me) (the|all|all the) (ports|port numbers)(.|)
        """,
    ),
    "change port": Topic(
        "Use the flags --grpc-port, --http-port, --metrics-port, --api-port and --ui-port. For example: "
        "tritonchat up --api-port 9000",
        tasks="""
            (change|set|choose|move|configure|pick|switch) (the|a) (port|ports|API port|gRPC port|page port|
                port number)
            (use|take|listen on|run on|run it on|have it on|start it on) (another|a different|other|
                my own) (port|ports)
            (run|start|have) (tritonchat|it|the server|the page|the API) on port (9000|80|5000|3000|443|8888)
        """,
        things="(--api-port|--grpc-port|--http-port|--metrics-port|--ui-port|the --api-port flag|the port "
        "flags)",
        asks="""
            (which|what) flag (is for|sets|changes|moves) the (port|ports|API port)?
            (change|changing|other|different|another|custom) (port|ports)
            I (want|need|would like) (another|a different) port(.|)
            can the (port|ports|API port) be (changed|set|different|another)?
        """,
    ),
    "port in use": Topic(
        "Another program has that port. Stop it, or choose another port with the flag that the message "
        "names.",
        more="tritonchat doctor says which program has it, where your user may see that.",
        things="""
            (the error|the message|this error) (port is taken|port in use|address already in use|
                port 8001 is taken)
        """,
        asks="""
            (the|my|a) port (is|is already|seems) (taken|in use|used|busy|occupied|blocked|not free)(.|!|)
            (port|address) (already in use|in use|taken|is taken|is busy|not free|conflict|occupied)( error|)
            port (8000|8001|8002|8080|8501) is (taken|in use|used|busy|occupied|not free|already used)(.|!|)
            (it says|it says that|I get|the error is|error:) (port|address) (already in use|in use|
                is taken)(.|)
            (something|another program|another process) (uses|has|is using|is on|blocks) (the|my|that) port(.|
                )
            what (do I do|can I do|now) (if|when) (the|a) port is (taken|in use|used|not free)?
            (what|who|which program) (has|uses|is using|blocks|took) (the|my|
                that) port(?| 8001?| 8000?| 8080?)
            it (can't|cannot|could not) (bind|use|open|get) (the|its|that) port(.|)
        """,
    ),
    "host": Topic(
        "Start it with --host 0.0.0.0 and an --api-key, so that other machines can use the HTTP API. With "
        "--open-to-all they can use the page, too.",
        brief="Start it with --host 0.0.0.0 and an --api-key.",
        more="For example: tritonchat up --host 0.0.0.0 --api-key SECRET",
        tasks="""
            (reach|use|open|see|access|get to) (it|the page|the server|tritonchat) from (another|
                my other) (computer|machine|phone|laptop|device)
            (listen|be reachable|make it available|serve|share it|expose it) (on|in|over) (the|my|
                our) (network|LAN|wifi)
            (let|allow) (others|other people|my colleagues|other computers|my phone) (connect|use it|in|
                reach it)
            (connect|chat) from (my phone|another computer|outside|another machine|my tablet|
                a different machine)
        """,
        things="(--host|the --host flag|the host option|127.0.0.1|0.0.0.0|the listening address|remote "
        "access)",
        asks="""
            (which|what) (address|host|interface|network) does (it|the server|tritonchat) (listen on|use|
                bind to)?
            (is|can) (it|the server|tritonchat|the page) (be reached|reachable|be seen|be used) from (outside|
                the network|another machine|other computers)?
            why can't (I|others|my phone|my colleague) (connect|reach it) from (another|a different) (machine|
                computer)?
            (I can't|I cannot|can't) (connect|reach it|open it) from (my phone|another computer|my laptop|
                outside)(.|)
            (listen|host|network|remote|lan) (address|access|setting|flag)
            can (other people|my family|my team|others) on (my|the|our) network use it?
        """,
    ),
    "api": Topic(
        "Yes, there is an HTTP API in OpenAI's form on port 8080. Programs made for OpenAI work with it.",
        brief="It is on port 8080, in OpenAI's form.",
        more=f"Its address is {API}. Give that to a program as the base URL.",
        tasks="""
            (use|call|reach|connect to|talk to|query) the (API|HTTP API|REST API|OpenAI API|web API|chat API)
            (call|use|reach) (it|you|the model|tritonchat) (over|with|via|through|by) (HTTP|REST|an API|
                the API)
            (use|connect) (the OpenAI client|an OpenAI client|OpenAI's library|the openai package|
                my app)( with it|)
            (connect|call it from|integrate it in|use it in) (my app|my program|my website|JavaScript|Java|Go|
                Rust)
        """,
        things="""
            (the API|the HTTP API|the REST API|the OpenAI API here|the web API|the chat API|the OpenAI form)
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
        """,
        things="(curl|curl here|a curl call|a curl command|a curl example|a request with curl)",
        asks="""
            (give|show|write) me (a|an|the) (curl|HTTP request) (example|command|call|line)(.|)
            (how does|what does) (a|the) (curl call|curl command|HTTP request|POST request) look( like|)?
            curl (example|command|request|call|how|usage)
            (is there|do you have) a curl (example|command|one-liner)?
            can I (curl|wget) (it|the server|the API|you)?
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
        """,
        things="(the Python client|ChatClient|the ChatClient class|triton_server.client|the gRPC "
        "client|ModelClient)",
        asks="""
            (is there|do you have) a (Python client|client library|Python library|Python package|client)?
            (python|grpc) (client|client example|client code|client library)
            (show|give) me (the|an example of the|a) Python client(.|)
            (how does|what does) the (Python client|client) (look|work)( like|)?
            (which|what) (class|library|package) (calls|asks|talks to) the server( from Python|)?
            can (Python|a Python script|my notebook) talk to the server?
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
        """,
        things="(model_core|the LLM class|the engine as a library|from model_core import LLM|SamplingParams)",
        asks="""
            do I (need|always need|have to run) (a|the) server (in|from|with|for) Python?
            (can I|could I) (use|have|run) (the engine|the model|it) without (Triton|the server|
                a server)( in Python|)?
            python (without server|library|api without a server|engine|offline inference)
            (what do I|which class do I) import to use a model in Python?
            (is there|do you have) a Python (API|interface) without a server?
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
        """,
        things="(streaming|token streaming|streamed answers|chat_stream|response streaming|the stream "
        "option)",
        asks="""
            (does it|do you|can it|does the API|does the client) (stream|support streaming|do streaming)?
            (can|do) answers (stream|come in pieces|come piece by piece|come word by word)?
            (must I|do I have to) wait for the whole answer?
            (streaming|stream|stream tokens|stream answer|streamed)
        """,
    ),
    "api key": Topic(
        "Start the server with --api-key SECRET. Requests to the HTTP API must then carry that key.",
        tasks="""
            (set|use|require|add|demand|configure|have|need) (an API key|a key|a password|API keys|a secret)
            (protect|secure|lock|close off|guard) (the API|the server|my server|it|tritonchat)
            (keep|lock) (strangers|other people|others) out( of the API| of my server|)
        """,
        things="(an API key|the API key|API keys|--api-key|the --api-key flag|authentication|access control)",
        asks="""
            (do I|does it|does the API|does one) need (an API key|a key|a password|authentication|a login)?
            (is there|do you have|does it have) (authentication|a password|a login|access control|API keys|
                security)?
            (which|what) (API key|key|password) (do I use|do I need|must I send|do I enter|should I send)?
            (api key|api keys|auth|authentication|password|login|secret key|bearer token)
            (is the API|is the server|is it) (secure|protected|open to everybody|safe from strangers)?
            (the API says|I get) (401|unauthorized|403|forbidden|wrong key)(.|)
        """,
    ),
    "sessions": Topic(
        "The HTTP API can keep a conversation as a session on the server. Sessions survive a restart.",
        more="So a program sends only the new message each time, and the server knows the rest.",
        tasks="""
            (keep|save|store|resume|continue|go on with) (a|my|the) (session|conversation|chat|chats|
                conversations)
            (create|make|open|delete|use|end) (a session|sessions|a new session)
            (keep|have) the (history|chat history|messages) on the server
        """,
        things="(sessions|a session|the sessions|session|chat sessions|the sessions of the API)",
        asks="""
            (are|is) (my|the) (conversations|chats|sessions|history|chat history) (kept|saved|stored|
                lost)( after a restart|)?
            (what happens|what about) (to|with) (my|the) (session|sessions|conversations) (after|at|
                on) a restart?
            (do|does) (sessions|a session|conversations|my chats) survive( a restart| when it stops|)?
            (where are|who keeps|where do you keep) (the|my) (sessions|conversations|chats)?
            (session|sessions|chat history|conversation history|history)( api| server|)
            does the server (keep|have|store|save) (sessions|conversations|the history|chats)?
        """,
    ),
    "metrics": Topic(
        "The HTTP API has requests, tokens and times at /metrics on port 8080, in the form that Prometheus "
        "reads.",
        tasks="""
            (see|get|read|collect|watch|scrape) (the|some) (metrics|statistics|counters|usage numbers)
            (monitor|watch|observe|supervise) (the server|tritonchat|it|my server)
            (connect|use|set up) (Prometheus|Grafana|monitoring)
        """,
        things="(the metrics|metrics|Prometheus|monitoring|the counters|the statistics|Grafana)",
        asks="""
            (are there|do you have|does it have|where are) (metrics|statistics|counters|monitoring|
                Prometheus metrics)?
            (which|what) (metrics|statistics|counters|numbers) (are there|does it have|does the server give)?
            (does it|can it) (work with|support|speak|export to) (Prometheus|Grafana)?
            how (many|much) (requests|load) (does|did|has) (the|my) server (have|had|handle|handled)?
            (metrics|prometheus|grafana|monitoring|statistics)( endpoint| url|)
        """,
    ),
    "doctor": Topic(
        "Run tritonchat doctor: it checks this machine and says what is wrong.",
        more="It looks at Python, the C library, libpython, the ports, the processor and the memory.",
        tasks="""
            (find out|see|learn|check) what is wrong( with my machine| with tritonchat| with it|)
            (fix|debug|repair|troubleshoot|diagnose) (tritonchat|the server|it|this|an error|a problem|
                the problem)
            (check|test) (my machine|my installation|my computer|my setup|if all is well)
        """,
        things="(tritonchat doctor|the doctor command|doctor)",
        asks="""
            (it|tritonchat|the server|this thing|the program) (does not|doesn't|won't|will not|can't) (work|
                start|run)(.|!|)
            (something|something here|something with it|something with the server) (is|went|goes|
                seems) wrong(.|)
            (I have|I've got|there is|I get|I see) (a problem|an error|errors|a failure|trouble|
                problems)(.| with tritonchat.|with the server.| here.|)
            (help|help me), (it is broken|it does not work|nothing works|it fails|the server fails)(.|!|)
            (it is|it's|the server is|tritonchat is|everything is) (broken|failing|dead|not working|
                not starting)(.|)
            (what can I do|what do I do|what now) (if|when) (it|tritonchat|the server) (fails|does not work|
                has an error)?
            why (doesn't|does not|won't) (it|tritonchat|the server) (work|start|run)?
            (error|errors|error message|problem|trouble|bug|failure|fails|broken|not working|does not start)
            (I get|there was|it shows|it gives) (an error|a libpython error|an exception|a traceback|
                a stack trace)(.|)
            is (my machine|my computer|everything|my setup|the installation) (ok|all right|fine|good enough)?
        """,
    ),
    "no memory": Topic(
        "Take a smaller model or --weights int4, lower --kv-cache-memory, or use --kv-cache-dtype int8.",
        tasks="""
            (fix|solve|avoid|get rid of|deal with) (an out of memory error|out of memory|memory errors|
                the OOM)
            (save|reduce|lower|use less|need less|cut) (memory|RAM|the memory use)
            (run|fit|load|squeeze in) a (big|large|huge) model (with|in|on) (little|8 GB of|less|small|
                not enough) memory
        """,
        things="(out of memory|an out of memory error|the memory error|OOM|the OOM killer)",
        asks="""
            (it|the server|tritonchat|the model) (runs|ran|is running|went) out of (memory|RAM)(.|!|)
            (out of memory|not enough memory|no memory|memory error|oom|no memory left|
                too little memory)( error|)
            (it|the server|the model) (uses|takes|needs|eats) (too much|all my|all the|so much) (memory|
                RAM)(.|)
            (my machine|my computer|the server) (has|has got) (too little|not enough|only little) (memory|
                RAM)(.|)
            the model (does not|doesn't|won't) fit( in memory| in my memory| into RAM|)(.|)
            (it was|the server was|it got) killed( for memory| by the kernel|)(.|)
        """,
    ),
    "queue": Topic(
        "The server has as many requests waiting as it accepts. Try again in a moment, or start it with a "
        "larger --max-queue.",
        tasks="""
            (make|have) the queue (longer|larger|bigger)
            (change|set|raise|increase) the (queue|queue size|length of the queue|queue length)
            (avoid|fix|get rid of|solve) (queue full|a full queue|queue full errors|busy errors)
        """,
        things="(--max-queue|the --max-queue flag|the queue|queue full|the request queue|the error queue "
        "full)",
        asks="""
            (the|my) (queue|request queue) (is|is always) full(.|!|)
            (the server|it|tritonchat) (is|says it is|seems|is always) (busy|overloaded|too busy|full)(.|!|)
            (queue full|server busy|too many requests|429|busy|overloaded)( error|)
            (my|a|the) request (was|is|gets) (refused|rejected|turned away|not accepted)(.|)
            how (many|long) (requests|clients|questions) (can|may) (wait|queue)( up|)?
            what (happens|do I do) (if|when) (the queue is full|the server is busy|too many people ask)?
        """,
    ),
}
