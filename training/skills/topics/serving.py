"""What the help desk knows about a server on a network, and how to keep strangers out."""

from training.phrasing import Topic
from training.skills.topics.calling import CALLING
from training.skills.topics.keeping import KEEPING
from training.skills.topics.trouble import TROUBLE
from training.skills.topics.watching import WATCHING

SERVING = {
    **WATCHING,
    **CALLING,
    **KEEPING,
    **TROUBLE,
    "ports": Topic(
        "gRPC is on port 8001, HTTP on 8000, metrics on 8002, the chat API on 8080 and the page on 8501.",
        things="""
            (the ports|port 8001|port 8000|port 8002|port 8080|port 8501|the default ports|the port numbers)
            (the list of ports|all the ports|the port numbers of the server|localhost:8080|
                the ports of tritonchat|port numbers here)
        """,
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
            (my firewall|the firewall|our admin|my admin) (asks|wants to know) which ports (it needs|
                are used|the server uses)(.|)
            (which|what) (door|doors|holes|ports) (in|must I open in) (my|the) firewall( does it need|)?
            (where|under which number) (does|do) (the server|the API|the page|gRPC|the metrics) (listen|
                answer|live)?
            (what|who) (is|runs|listens|lives|answers) on (port |)(8001|8000|8002|8080|8501)?
            (is|does) (the page|the API|gRPC|HTTP) (on|use) (port |)(8080|8501|8001|8000)( or 8000| or 8001|
                )?
            (I forgot|I can't remember|remind me of) the (ports|port numbers|port of the API|
                port of the page)(.|)
            (how many|which) ports (does it|does tritonchat|does the server) (take|open|occupy|use|need)?
            (8001|8000|8002|8080|8501)(, what is that?|, what's that port?|: what is there?| is for what?)
            (in|for) (my config|my program|the settings) I (need|must enter) the (port|ports)(.|, which?|
                . Which one?)
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
            (put|move|shift) (the server|the API|the page|gRPC|the metrics) (on|to) (another|a different|
                a free) port
            (give|tell) (it|the server|the page|the API) (another|a different|a new|my own) port
            (avoid|get away from) port (8080|8501|8001|8000|8002)
        """,
        things="""
            (--api-port|--grpc-port|--http-port|--metrics-port|--ui-port|the --api-port flag|the port flags)
            (another port|a different port|a custom port|a port of my own|other port numbers|
                the flags for the ports)
        """,
        asks="""
            (which|what) flag (is for|sets|changes|moves) the (port|ports|API port)?
            (change|changing|other|different|another|custom) (port|ports)
            I (want|need|would like) (another|a different) port(.|)
            can the (port|ports|API port) be (changed|set|different|another)?
            (I'd rather|I would rather|I want to) (use|have|take|listen on) (port |)(9000|3000|5000|7000|
                1234|80)(.|, how?|. How?|)
            (is|are) the (port|ports|port numbers) (fixed|changeable|configurable|cast in stone|hard-coded)?
            (can I|may I|could I) (choose|pick|take|set) (my own|other|different|the) (port|ports|
                port numbers)?
            (port 8080|port 8501|8080|8501) does not (suit me|fit|please my admin)(. Another one?|
                . Can it be changed?|, can I change it?)
            (not on|instead of) (8080|8501|8001)(, please|, how?| but on 9000| I want 9000)
            (page|API|gRPC|metrics|HTTP) on another port(, how?|, please|?|: which flag?)
            (how|where) do I (set|give|enter|write) the port( number|)?
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
            (open|share|show|offer|give) (it|the server|the page|tritonchat) (to|with) (my network|
                the network|my family|my team|the whole office|my class)
            (make|have) (it|the server|tritonchat|the page) (visible|public|reachable|available) (in|on|to|
                for) (my network|the LAN|the office|others|other machines)
            (chat|use it) (on|from) my (phone|tablet|sofa|other laptop|TV)
            (bind|listen) (to|on) (0.0.0.0|all interfaces|every address|my IP address)
        """,
        things="""
            (--host|the --host flag|the host option|127.0.0.1|0.0.0.0|the listening address|remote access)
            (access from other machines|access from the network|the address it listens on|
                binding to all interfaces|LAN access|--open-to-all)
        """,
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
            (it works|the page works|everything works) (only on this machine|only here|on localhost only|
                on my computer but not on others)(.|. Why?|, why?|)
            (my wife|my colleague|my friend|my son|a student) (wants to|would like to|should) (use it|
                chat) from (another|her|his) (computer|room|laptop|phone)(.|. How?|, how?|)
            (is it|is the server|is tritonchat) (open|closed|visible) to (the network|other machines|
                the outside|the outside world)?
            (why|how come) (does it|is it) (listen|be heard|listening|reachable) only on (localhost|
                127.0.0.1|this machine)?
            (from outside|from another room|over wifi|in the LAN|on the intranet)(?| how?| possible?|
                , how do I reach it?)
            (put|make) it on (the|our) (network|intranet|LAN|wifi)(.|, please|, how?)
            (my phone|my tablet|the other computer|my colleague) (can't|cannot|does not) (reach|see|find|
                get to) (it|the server|the page)(.|)
            (localhost|127.0.0.1)( only|)(?|, why?|, can that be changed?)
            (one server|a server) for (the whole family|the whole office|my class|all of us)(, how?|. How?|
                , please)
        """,
    ),
    "tls": Topic(
        "Give it a certificate: start it with --tls-cert cert.pem and --tls-key key.pem. Then the "
        "HTTP API speaks https.",
        tasks="""
            (use|turn on|enable|switch on|set up|have|get) (https|TLS|SSL|encryption|a certificate|HTTPS)
            (encrypt|secure) (the connection|the traffic|the requests|what goes over the network)
            (give|add|install) (it|the server) a certificate
        """,
        things="""
            (TLS|https|SSL|HTTPS|a certificate|the certificate|encryption|encrypted connections|--tls-cert|
                --tls-key)
            (the --tls-cert flag|the --tls-key flag|a TLS certificate|transport encryption|
                a self-signed certificate)
        """,
        asks="""
            (is|are) (the connection|the traffic|requests|my messages) encrypted( on the network|)?
            (does it|can it|does the API|will it) (speak|support|do|have|use) (https|TLS|SSL|HTTPS|
                encryption)?
            (where|how) do I (put|set|give|enter) (my|the|a) (certificate|TLS certificate|key.pem|cert.pem)?
            (https|tls|ssl|certificate|encryption)( support| flag| how| setup| certificate|)
            (http or https|https or http)(?|, which?)
            (I have|I got|we have) a certificate(.| from our company.|. How do I use it?|
                , where does it go?|)
            (can others|could somebody|can the neighbours) (listen in|sniff the traffic|read the traffic)?
            the browser says (not secure|the connection is not secure|the connection is not private)(.|)
        """,
    ),
    "cors": Topic(
        "Start it with --cors-origin and the origin of your web page. Then that page may call the HTTP API.",
        tasks="""
            (call|use) the API from (a web page|my web page|the browser|a browser app|JavaScript in a page)
            (allow|let|permit) (a web page|my web page|my website|a browser app|another origin) (to |)(call|
                use) the (API|server)
            (fix|solve|get rid of|avoid) (a CORS error|CORS errors|the CORS problem)
        """,
        things="""
            (CORS|cors|--cors-origin|the --cors-origin flag|a CORS error|the origin of a web page|
                cross-origin requests)
            (CORS headers|the CORS setting|an allowed origin|Access-Control-Allow-Origin)
        """,
        asks="""
            (the browser|Firefox|Chrome|my page) (says|reports|shows|gives) a CORS error(.|)
            (my web page|my website|a web page|my frontend|my React app) (may not|cannot|can't|
                is not allowed to) call the (API|server)(.|)
            (blocked by CORS|CORS policy|no Access-Control-Allow-Origin|
                cross origin)( error| blocked| policy|)(.|)
            (cors|cross-origin|origin)( flag| error| headers| setting| support|)
            (can|may) (a web page|my website|JavaScript in a browser|a frontend) call the API( directly|)?
            (does it|does the API) (support|allow|send|have) CORS( headers|)?
        """,
    ),
    "api key": Topic(
        "Start the server with --api-key SECRET. Requests to the HTTP API must then carry that key.",
        tasks="""
            (set|use|require|add|demand|configure|have|need) (an API key|a key|a password|API keys|a secret)
            (protect|secure|lock|close off|guard) (the API|the server|my server|it|tritonchat)
            (keep|lock) (strangers|other people|others) out( of the API| of my server|)
            (give|hand out|issue) (keys|a key|each user a key) to (my users|users|my colleagues|each user)
            (put|set) a (lock|password) on (the API|the server|it)
            (allow|let in) only (my|known|some) (users|people|programs|colleagues)
            (send|pass|enter|give) (the|my) (API key|key) (with|in) (a request|curl|the OpenAI client|
                each request)
        """,
        things="""
            (an API key|the API key|API keys|--api-key|the --api-key flag|authentication|access control)
            (a login for the API|a password for the API|a bearer token|the Authorization header|
                --api-key-file|several API keys)
        """,
        asks="""
            (do I|does it|does the API|does one) need (an API key|a key|a password|authentication|a login)?
            (is there|do you have|does it have) (authentication|a password|a login|access control|API keys|
                security)?
            (which|what) (API key|key|password) (do I use|do I need|must I send|do I enter|should I send)?
            (api key|api keys|auth|authentication|password|login|secret key|bearer token)
            (is the API|is the server|is it) (secure|protected|open to everybody|safe from strangers)?
            (the API says|I get) (401|unauthorized|403|forbidden|wrong key)(.|)
            (can|could) (anyone|anybody|everybody|strangers|somebody else) (use|call|ask) (my server|
                the API|my API)?
            (how|where) (do I|does a program|does my app) (send|put|give|enter) the (key|API key)?
            (my program|the OpenAI client|LangChain) (wants|asks for|needs) (an API key|a key)(. Which one?|
                . What do I put?|, what do I enter?)
            (is there|does it have) (user management|a user account|a sign-in|a way to lock it|
                protection)( for the API|)?
            (I don't|I do not) want (strangers|others|everybody|the whole office) (on|in|to use) my (server|
                API)(.|)
            (the reply|the API|the server) (says 401|says unauthorized|says that a key is missing|
                wants a key)(.|)
            (401|unauthorized|missing key|wrong api key|invalid key|bearer)(.|!| error|)
            (a key|an API key|a password)(, do I need one?|: needed?|, where from?|, which one?)
            (who|what) makes (the|my) API key(?|, do I choose it myself?)
        """,
    ),
    "rate limit": Topic(
        "--requests-per-minute limits what one API key may ask, or one address where there are no keys.",
        tasks="""
            (limit|restrict|throttle|cap) (how much one user may ask|each user|a user|one client|
                greedy users|requests per minute|one key)
            (set|have|use|turn on|change|raise) (a rate limit|rate limits|rate limiting|
                a limit for each user|the rate limit)
            (stop|slow down|tame) (a greedy user|a user who asks too much|spammers)
        """,
        things="""
            (the rate limit|a rate limit|rate limiting|rate limits|--requests-per-minute|throttling|a quota|
                quotas|the --requests-per-minute flag)
            (a limit for each user|a limit per key|fair use limits)
        """,
        asks="""
            (is there|do you have|does it have) (a rate limit|rate limiting|a quota|throttling|
                a limit per user)?
            (one|a single) (user|client|person) (takes|uses|eats|asks) (everything|too much|all the time|
                all the capacity)(.|. Can I limit that?|, can I limit that?|)
            how (often|much|many requests) may (one user|a client|a key|one person) (ask|
                send)( per minute| a minute|)?
            (rate limit|rate limits|throttle|quota|requests per minute)( flag| how| setting| per user|)
            (can I|is it possible to) (limit|throttle|restrict) (users|clients|each key|one address|
                the number of requests per minute)?
            (which|what) flag (limits|throttles) (users|clients|the requests of one user|
                requests per minute)?
        """,
    ),
}
