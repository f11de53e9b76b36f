"""What the help desk knows about trouble, and what to do then."""

from training.phrasing import Topic

TROUBLE = {
    "doctor": Topic(
        "Run tritonchat doctor: it checks this machine and says what is wrong.",
        more="It looks at Python, the C library, libpython, the ports, the processor and the memory.",
        tasks="""
            (find out|see|learn|check) what is wrong( with my machine| with tritonchat| with it|)
            (fix|debug|repair|troubleshoot|diagnose) (tritonchat|the server|it|this|an error|a problem|
                the problem)
            (check|test) (my machine|my installation|my computer|my setup|if all is well)
            (have my machine|have everything|have the setup) (checked|examined|tested)
            (find|track down|understand) (the fault|the problem|the error|the bug|
                what is broken)( in my setup| here|)
        """,
        things="""
            (tritonchat doctor|the doctor command|doctor)
            (the self-test|a self-check|the diagnosis command|the check of my machine|
                the command that checks the machine)
        """,
        asks="""
            (it|tritonchat|the server|this thing|the program) (does not|doesn't|won't|will not|can't) (work|
                start|run)(.|!|)
            (something|something here|something with it|something with the server) (is|went|goes|
                seems) wrong(.|)
            (I have|I've got|there is|I get|I see) (a problem|an error|errors|a failure|trouble|
                problems)(.| with tritonchat.| with the server.| here.|)
            (help|help me), (it is broken|it does not work|nothing works|it fails|the server fails)(.|!|)
            (it is|it's|the server is|tritonchat is|everything is) (broken|failing|dead|not working|
                not starting)(.|)
            (what can I do|what do I do|what now) (if|when) (it|tritonchat|the server) (fails|does not work|
                has an error)?
            why (doesn't|does not|won't) (it|tritonchat|the server) (work|start|run)?
            (error|errors|error message|problem|trouble|bug|failure|fails|broken|not working|does not start)
            is (my machine|my computer|everything|my setup|the installation) (ok|all right|fine|good enough)?
            (I get|there was|it shows|it gives) (an error|an exception|a traceback|a stack trace|
                a red message)(.| at the start.|)
            (nothing|nothing at all) (happens|works|starts|comes)(.| when I start it.| here.|!|)
            (it|tritonchat|the server) (stops|ends|dies|crashes|quits) (at once|right away|immediately|
                after a second|at the start)(.|!|)
            (it worked|everything worked|it ran) (yesterday|before|last week)(, now it does not|
                , today it doesn't| but not today)(.|)
            (why|how come) (is it|is tritonchat|is the server) (broken|dead|not working|failing)?
            (I followed|I did) (the readme|all the steps|everything)(
                , but it does not work| and it still fails|, and nothing works)(.|)
            (could|can) (somebody|someone|you) (check|look at) (my setup|my machine|my installation)?
            (where|how) do I (begin|start) (to look for the error|debugging|with an error|when it fails)?
            (is there|do you have) (a self-test|a self-check|a diagnosis|a check command|
                a troubleshooting guide|something that finds the error)?
            (what|which command) (checks|examines|diagnoses|tests) (my machine|my setup|the installation|
                if all is well)?
            (strange|weird|red|long) (error|errors|messages)( in the terminal| at the start|)(.|. What now?|
                , what now?|)
            (it is|it's) (not|never) (working|starting|running)( at all| any more| here|)(.|!|)
            (heeelp|help me out|rescue me|I'm desperate)(,|:) (the server|tritonchat|it) (fails|won't start|
                is broken)(.|!|)
            (troubleshooting|diagnose|diagnosis|debug|debugging)(?| please| how|)
        """,
    ),
    "debian": Topic(
        "On Debian and Ubuntu run apt install python3-venv libpython3-dev, or install uv, which "
        "brings a Python of its own.",
        tasks="""
            (install|get|find) (libpython|libpython3-dev|python3-venv|venv|the missing Python parts|
                the Python library)
            (fix|solve|repair|get rid of) (the libpython error|a missing libpython|the venv error|
                the error about a virtual environment)
            (prepare|make ready) (Debian|Ubuntu)( for make chat| for it|)
        """,
        things="""
            (libpython|a libpython error|python3-venv|libpython3-dev|the libpython error|
                the missing libpython|the error about venv)
            (the Python packages of Debian|the apt packages for Ubuntu)
        """,
        asks="""
            (libpython|libpython3.12.so|libpython3.11.so|python3-venv|ensurepip) (is missing|is not found|
                cannot be found|is not there|not found|not available)(.|!|)
            (it says|I get|the error is|make chat says) (that libpython is missing|a libpython error|
                Python cannot make a virtual environment|ensurepip is not available)(.|)
            (Python|make chat|it) (cannot|can't|could not) (make|create) a virtual environment(.|!|)
            (which|what) (apt packages|Debian packages|Ubuntu packages|apt install line) (do I need|
                are needed|is needed|must I install)?
            (libpython|venv|ensurepip|python3-venv|apt install)( error| missing| package| which|)
            (on|under) (Ubuntu|Debian|Linux Mint)(,|:) (it complains about libpython|no venv|
                libpython is missing|which packages first)(?|.|)
            (what do I|what must I) (apt install|install with apt)( first| before make chat|)?
            (cannot open shared object file|error while loading shared libraries)(: libpython|
                : libpython3.12.so)(.|)
        """,
    ),
    "unreachable": Topic(
        "See that tritonchat up still runs in its terminal and has printed the address of the page. "
        "Then load the page again.",
        tasks="""
            (fix|repair|get rid of) (a white page|an empty page|a blank page|connection refused|
                a page that does not load)
            (reach|find) the server again
        """,
        things="""
            (connection refused|the error connection refused|a white page|
                the message that the server does not answer|a blank page)
            (the error that the site cannot be reached|the message connection error)
        """,
        asks="""
            (my|the) (page|web page|chat page|browser page|website) (stays|is|remains|was) (white|empty|
                blank|grey|dead)(.|!|)
            (my|the) (page|web page|chat page|browser|website) (does not|doesn't|won't|will not) (load|open|
                come up|appear|show anything)(.|!|)
            (I see|I get|there is) (only |just |)(a white page|a blank page|an empty page|
                nothing in the browser|a white screen)(.|)
            (the page|it|the browser) says(:| that|) (the server does not answer|the server is away|
                connection refused|this site can't be reached|connection error|unable to connect)(.|)
            (connection refused|this site can't be reached|unable to connect|connection error|
                ERR_CONNECTION_REFUSED|server does not answer)(.|!|)
            (localhost|localhost:8501|127.0.0.1) (refused to connect|does not answer|is not there|
                can't be reached|shows nothing)(.|)
            (why|how come) (is|does) the page (stay white|white|empty|blank|not load|not open)?
            (white|blank|empty) (page|screen)(.|?|!|)
            (the page|the browser tab) (loads and loads|keeps loading|spins forever|hangs)(.|)
            (the server|it) (does not|doesn't) (answer|respond|reply)( any more| to the page|)(.|!|)
            (no server answers|tritonchat chat finds no server|
                the terminal chat says that no server answers)(.|)
            (I can't|I cannot|can't) (open|load) the (page|web page|UI|website)(.|)
        """,
    ),
    "port in use": Topic(
        "Another program has that port. Stop it, or choose another port with the flag that the message "
        "names.",
        brief="Stop the program that has the port, or choose another port.",
        more="tritonchat doctor says which program has it, where your user may see that.",
        things="""
            (the error|the message|this error) (port is taken|port in use|address already in use|
                port 8001 is taken)
            (a port conflict|EADDRINUSE|a taken port|a blocked port|the message port is taken|a busy port)
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
            (it won't start|it does not start|tritonchat does not start) because (the|a) port is (taken|
                busy|in use|used)(.|)
            (there is|I have|I see) (a port conflict|a conflict of ports|trouble with a taken port)(.|)
            (somebody|someone|another server|my other program|Jenkins|Tomcat) (already uses|sits on|has|
                occupies) (port |)(8080|8000|8001|8501)(.|)
            (8080|8001|8000|8501) (is|was) (taken|busy|occupied|in use)( already|)(.|!|)
            (bind|OSError|socket)(:| error:| failed:) address already in use(.|)
            why is (the|my) port (taken|busy|in use|already used|not free)?
            (kill|stop|end) what is on (my |the |)port( 8080| 8001| 8000|)(.|, how?|)
            (the|that) port is not (free|available|mine)(.|, it says.|)
            (EADDRINUSE|Errno 98|address in use|port conflict)(.|!| error|)
        """,
        tasks="""
            (free|get back|release) (the|a|my) (port|ports|port 8080|port 8001)
            (find out|see) (who|what|which program) (has|uses|blocks|sits on) (the|a|my) port
            (get rid of|fix|solve|avoid) (the error port in use|a port conflict|
                the error address already in use|a taken port)
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
            (make do|get by|manage) with (little|less|8 GB of|little enough) memory
            (stop|keep) it from (eating|using|taking) all (my |the |)memory
            (squeeze|get) (the|a) model into (my|little|8 GB of) memory
        """,
        things="""
            (out of memory|an out of memory error|the memory error|OOM|the OOM killer)
            (a memory error|MemoryError|too little memory|not enough RAM|the message out of memory|
                memory trouble)
        """,
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
            (my|the) (computer|machine|laptop) (swaps|gets very slow and swaps|freezes for lack of memory|
                has no memory left)(.|)
            (the kernel|Linux|something) (killed|ended) (it|the server|tritonchat)( with OOM| for memory|)(
                .|)
            (the memory|RAM|my RAM|all my memory) is (full|used up|gone|exhausted|not enough)(.|!|)
            (I have|I've got|my laptop has) (only |just |)(4|8|2) (GB|gigabytes) of (RAM|memory), (
                and it fails|and the model does not fit|it runs out)(.|)
            (it says|I get|the error is) (out of memory|too little memory|MemoryError|
                cannot allocate memory|not enough memory)(.|)
            (why|how come) does it (take|use|eat|need) (so much|all my|all the|that much) (memory|RAM)?
            (the|my) model is (too big|too large) for (my|this) (memory|machine|computer|RAM)(.|!|)
            (cannot allocate memory|MemoryError|Killed|exit code 137|oom-killed)(.|!|)
            (which|what) (flags|flag|settings) (save|saves|lower|reduce) memory?
            (less|lower) memory (use|usage|footprint)(, how?|, please|?)
        """,
    ),
    "queue": Topic(
        "The server has as many requests waiting as it accepts. Try again in a moment, or start it with a "
        "larger --max-queue.",
        brief="Try again in a moment, or start it with a larger --max-queue.",
        tasks="""
            (make|have) the queue (longer|larger|bigger)
            (change|set|raise|increase) the (queue|queue size|length of the queue|queue length)
            (avoid|fix|get rid of|solve) (queue full|a full queue|queue full errors|busy errors)
            (let|have) more requests wait( in the queue|)
            (handle|deal with|get past|survive) (a full queue|a busy server|the error server busy)
        """,
        things="""
            (--max-queue|the --max-queue flag|the queue|queue full|the request queue|the error queue full)
            (a full queue|a busy server|the waiting line|the message server is busy|
                the error too many requests|the length of the queue)
        """,
        asks="""
            (the|my) (queue|request queue) (is|is always) full(.|!|)
            (the server|it|tritonchat) (is|says it is|seems|is always) (busy|overloaded|too busy|full)(.|!|)
            (queue full|server busy|too many requests|429|busy|overloaded)( error|)
            (my|a|the) request (was|is|gets) (refused|rejected|turned away|not accepted)(.|)
            how (many|long) (requests|clients|questions) (can|may) (wait|queue)( up|)?
            what do I do (if|when) (the queue is full|the server is busy|too many people ask)?
            (the page|it|the server|the API) says (that |)(the server is busy|the queue is full|
                it is busy with other questions|there are too many requests)(.|)
            (why|how come) (was|is) (my|a) (request|question) (refused|rejected|turned away|not taken)?
            (everybody|the whole class|the whole office) asks at once and (some are refused|it says busy|
                the queue is full)(.|)
            (where|how long) do (requests|questions|clients) wait (when|if) (all are busy|
                the server is busy|it is full)?
            (the|my) (queue|waiting line|line) is too (short|small|long)(.|)
            (I get|we get|my users get|clients get) (429|busy|queue full|
                too many requests)( all the time| at noon| again and again|)(.|)
            (is there|does it have|does the server have) (a queue|a waiting line|a request queue)?
            (how|which flag) do I (allow|let) more (requests|questions|people) (to |)wait?
            (busy|full|refused|overloaded)(, try again later?|, what now?| server| queue)
        """,
    ),
    "timeout": Topic(
        "--client-timeout cuts off a client that takes or sends nothing, after 30 seconds. A request "
        "may have a timeout_s of its own.",
        tasks="""
            (set|change|raise|lower|extend|remove) (the|a) (timeout|client timeout|
                time limit)( of a request| for clients|)
            (limit|cap) the time of (a request|an answer)
            (avoid|fix|solve|get rid of) (a timeout|timeouts|timeout errors)
        """,
        things="""
            (--client-timeout|the --client-timeout flag|timeout_s|a timeout|the timeout|timeouts|
                the client timeout)
            (the time limit of a request|a request timeout)
        """,
        asks="""
            (is there|does it have|do you have) a (timeout|time limit)( for requests| for clients|)?
            (my|the) (request|client|connection) (timed out|times out|was cut off after 30 seconds|
                ran into a timeout)(.|)
            (after how long|when) (is|does) a (client|request|slow client) (cut off|time out|
                run into a timeout)?
            (timeout|time out|timed out|client timeout|time limit)( error| flag| setting| default|)
            how (long|many seconds) (may|can) a (request|client) (take|be silent|stay silent|
                wait)( before it is cut off|)?
            (which|what) flag (sets|changes|is for) the (timeout|time limit)?
        """,
    ),
}
