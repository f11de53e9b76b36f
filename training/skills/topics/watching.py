"""What the help desk knows about a server for many people: watching it, and its limits."""

from training.phrasing import Topic

WATCHING = {
    "metrics": Topic(
        "The HTTP API has requests, tokens and times at /metrics on port 8080, in the form that Prometheus "
        "reads.",
        tasks="""
            (see|get|read|collect|watch|scrape) (the|some) (metrics|statistics|counters|usage numbers)
            (monitor|watch|observe|supervise) (the server|tritonchat|it|my server)
            (connect|use|set up|point|attach) (Prometheus|monitoring|Prometheus to it|a monitoring system)
            (count|see|measure|know) (the requests|how many requests come|how busy the server is|
                the load of the server)
            (keep an eye on|look after|track) (the server|the load|the requests)
        """,
        things="""
            (the metrics|metrics|Prometheus|monitoring|the counters|the statistics)
            (the /metrics page|/metrics|a metrics endpoint|Prometheus metrics|
                the usage statistics of the server|the numbers for monitoring)
        """,
        asks="""
            (are there|do you have|does it have|where are) (metrics|statistics|counters|monitoring|
                Prometheus metrics)?
            (which|what) (metrics|statistics|counters|numbers) (are there|does it have|does the server give)?
            how (many|much) (requests|load) (does|did|has) (the|my) server (have|had|handle|handled)?
            (does it|can it) (work with|support|speak to|export to|feed) (Prometheus|a monitoring system)?
            (metrics|prometheus|monitoring|statistics|telemetry)( endpoint| url| where| page|)
            (how busy|how loaded|how well used) is (the|my) server( now| today|)?
            (where|how) (do I|can I) see (how many requests came|the load|how busy it is|the counters|
                what the server does)?
            (our admin|my boss|the operators) (wants|want|needs|need) (metrics|numbers|counters|monitoring)(
                .| from it.|)
            (how do|how can) (we|I) (monitor|watch|observe) (it|the server) in (production|daily use|
                operation)?
            (are|does it) (tokens|requests|times|queue times) (counted|measured|recorded) (anywhere|
                somewhere)?
        """,
    ),
    "grafana": Topic(
        "docs/grafana.json is a dashboard of its metrics. Import it in Grafana, with Prometheus "
        "reading /metrics.",
        brief="Import docs/grafana.json in Grafana.",
        tasks="""
            (use|set up|connect|attach|have) (Grafana|a Grafana dashboard|
                a dashboard)( with it| for it| for tritonchat|)
            (draw|see|plot|show) (charts|curves|graphs|a chart) of (the load|the metrics|the requests)
            (import|load|install) (the|a) dashboard
        """,
        things="""
            (Grafana|the Grafana dashboard|a Grafana dashboard|a dashboard|the dashboard|docs/grafana.json|
                grafana.json)
            (charts of the metrics|graphs of the load|a dashboard for the server)
        """,
        asks="""
            (is there|do you have|does it have|where is) a (dashboard|Grafana dashboard|
                ready dashboard)( for it| for the server|)?
            (does it|can it) (work with|support|feed|go with) Grafana?
            (grafana|dashboard)( json| file| import| support| how| where|)
            (I want|I'd like|my boss wants) (charts|a dashboard|graphs|nice curves)(
                .| of the load.| of the server.|)
            (which|what) file do I import in Grafana?
            (do I|must I) (build|make|draw) (the|a|my own) dashboard( myself|)?
        """,
    ),
    "health": Topic(
        "Ask /healthz and /readyz on port 8080. The first says that the service lives, the second "
        "that the model answers.",
        tasks="""
            (check|test|ask|see|find out) (whether|if) (the server|the service|it|tritonchat) (is alive|
                is up|is ready|lives|is healthy|still runs)
            (set up|use|have|write|add) (a health check|a readiness probe|a liveness probe|health checks|
                probes)
            (wait|have a script wait) until the server is ready
        """,
        things="""
            (the health check|a health check|/healthz|/readyz|the health endpoint|a readiness probe|
                a liveness probe|health checks)
            (the readiness of the server|the liveness of the server|the ready state)
        """,
        asks="""
            (is there|do you have|does it have|where is) a (health check|health endpoint|readiness probe|
                ping|status URL)?
            how (do I|does a program|does my script|does a load balancer) (know|see|notice|find out) (that|
                when|whether) (the server|it|the model) is (ready|up|alive)?
            (is|are) (the server|the model) (ready|alive|up|healthy)(, how do I check?|
                ? How do I check that?|: how does a script know?)
            (health|healthz|readyz|readiness|liveness|ping)( check| endpoint| url| probe|)
            (which|what) (URL|address|route|endpoint) (tells|says|shows) (that|whether|if) (it|
                the server) is (alive|ready|up|healthy)?
            (Kubernetes|my load balancer|my monitoring) (wants|needs|asks for) a (probe|health check|
                readiness URL)(.|)
        """,
    ),
    "logs": Topic(
        "The log is a line of JSON for each request, on standard error. What was said is not in it, "
        "unless --log-content asks for that.",
        brief="The log goes to standard error.",
        tasks="""
            (see|read|find|keep|save|open|follow) (the log|the logs|the log file|the server log|
                what the server logs)
            (write|send|redirect) the log (to|into) a file
            (log|record) (what is said|the messages|the questions|prompts and answers)
            (turn on|switch on|enable) (logging|content logging|--log-content)
        """,
        things="""
            (the log|the logs|the log file|logging|--log-content|the --log-content flag|the server log|
                the request log)
            (log lines|the log format|the logs of the server|a log of the requests)
        """,
        asks="""
            (where|in which file) (is|are|do I find) the (log|logs|log file|log files)?
            (is there|do you have|does it write|does it keep) (a log|logs|a log file|log files)?
            (what|which things) (is|stands|gets|are) (in|written in|written to) the (log|logs)?
            (are|is) (questions|messages|prompts|what I type) (written|kept|recorded|shown) (in|to) the (
                log|logs)?
            (log|logs|logging|log file|logfile)( where| format| file| location|)
            (who|which program) asked what(, is that logged?|: is it in the log?)
            (I want|I need|my admin wants) (a log|the logs|to see the log)(.| of the requests.|)
        """,
    ),
    "users": Topic(
        "Up to 64 requests are computed together, and more wait in a queue. --max-concurrency changes that.",
        more="For example: tritonchat up --max-concurrency 16 --max-queue 100",
        tasks="""
            (serve|have|support|handle|answer) (several|many|multiple|more|a hundred|more than one) (users|
                people|clients|chats|requests)( at once| at a time| at the same time|)
            (send|make|ask) (several|many|parallel) (requests|questions) (at once|at the same time|
                in parallel)
            (let|have) (my class|my whole team|twenty people|the family|all my colleagues) (chat|
                ask) at the same time
            (change|set|raise|lower) (--max-concurrency|the number of parallel requests|
                the number of requests computed together)
        """,
        things="""
            (--max-concurrency|the --max-concurrency flag|concurrency|parallel requests|concurrent users)
            (many users|several users at once|the number of users|parallel users|the limit of users|
                simultaneous requests)
        """,
        asks="""
            (can|may) (several|many|multiple|more than one|two|ten) (users|people|clients|persons) (use it|
                chat|ask|be served)( at once| at the same time| together|)?
            how many (users|people|clients|requests|chats|streams) (at once|can it serve|can it handle|
                are possible|at the same time)?
            (does it|can it) (serve|handle|support) (several|many|multiple|parallel) (users|clients|requests|
                chats)?
            (several|many|multiple|concurrent|parallel) (users|clients|requests|chats|people)( at once|)
            (do|must) users wait for each other?
            (we are|there are) (five|ten|twenty|fifty|thirty) (people|users|of us|students)(
                . Can we all use it?|, can we all use it?|. Is that too many?|. Will it cope?)
            (is it|is tritonchat|is the server) (for one person|for one user|single user|for many users|
                multi-user)( only| or for many|)?
            (what happens|what if|what happens when) (two|several|many|ten) (people|users|clients) (ask|
                chat|write|type) (at once|at the same time|together)?
            (does|will) (one user|my neighbour|a long answer|somebody else's question) (block|slow down|
                hold up|stop) (the others|me|everybody)?
            (can|could|may) (a whole class|my team|a small company|a family|100 people|a hundred people) (
                use it|chat|use one server)( at once|)?
            (how many|what number of) (people|users|requests|chats|conversations) (fit|are allowed|
                does it bear|can be answered|may chat) (at once|at the same time|together|in parallel)?
            (one at a time|only one at a time)(?| or many?| or all at once?| or in parallel?)
            (while|when) (I|somebody) (chat|chats|am asking), can (another|somebody else|my friend) (chat|
                ask) too?
            (parallel|concurrent|simultaneous|many) (users|requests|chats)(, possible?|: how many?|
                , yes or no?|?)
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
            (build|run|set up) (a fleet|several servers|a big installation|
                a farm of servers)( with it| of tritonchat|)
            (serve|cope with) (thousands of users|a whole company|very many users|a big website)
        """,
        things="""
            (production use|scaling out|load balancing|a cluster|more than one machine|production|scaling)
            (a big installation|several machines|many machines|high availability|a load balancer|
                running it for a company|horizontal scaling)
        """,
        asks="""
            (is it|is tritonchat|is this) (ready|good|fit|made|stable enough) for (production|real use|
                many machines)?
            (can it|does it) (run|work|scale) (on|over|to|across) (several|many|multiple|more) (machines|
                nodes|servers)?
            (production|scaling|scale out|cluster|kubernetes|load balancer|
                several machines)( setup| use| deployment|)
            (do you|does it) (support|run on) (Kubernetes|clusters|several machines)?
            how do I (grow|get more capacity|serve a thousand users)?
            (one machine|one server|a single machine) is (not enough|too small|too little)( for us|)(.|
                . What now?|, what now?|)
            (we have|there are) (thousands of|a thousand|very many|ten thousand) users(.|. How do we scale?|
                , how do we scale?|. What do we need?)
            (would you|can one|should we|can we) (use|trust|run) (it|tritonchat) (in production|
                for a company|for real customers)?
            (does it|can it|will it) (scale|grow|scale out|
                spread over machines)( to many machines| with the load|)?
            (how|what) (would|does) a (serious|big|real|professional) (setup|deployment|
                installation) look( like|)?
            (two|three|four|ten) (machines|servers|nodes)(, one service|, how?|, one address)(?|: how?|)
            (high availability|failover|scale|scalability|deploy|deployment|load balancing)(?|
                , how?| possible?|)
            (kubernetes|k8s|a cluster|nomad|swarm)(, does it work?|: any hints?|, possible?|, how?)
            (what if|what happens when) (one machine|a machine|a node) (is not enough|is too slow for all|
                breaks)?
        """,
    ),
}
