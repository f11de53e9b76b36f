"""What the help desk knows about using tritonchat: its commands, from the start to the stop."""

from training.phrasing import Topic
from training.skills.topics.models import MODELS
from training.skills.topics.page import PAGE
from training.skills.topics.program import PROGRAM

IT = "(tritonchat|the server|it|the service|the program|this|this thing|triton chat|the chat server)"

USE = {
    **PROGRAM,
    **MODELS,
    **PAGE,
    "start": Topic(
        "Run tritonchat up: it starts the server, the HTTP API and the page.",
        more="The first start takes longer, as the kernels are compiled for your processor. Then it prints "
        "the address of the page.",
        tasks=f"""
            (start|launch|boot|boot up|fire up|bring up|turn on|switch on|begin) {IT}
            (run|start up|get running|spin up) (tritonchat|the server|the service|the program|the chat server)
            get {IT} (up|running|started|up and running)
            (bring|wake) (tritonchat|the server|the service) (to life|up|back)
            (get|have) (the bot|the chat|the chat bot|the assistant) (going|running)( on my machine| here|)
            (start|launch) (everything|all of it|the whole thing|server and page together|
                both the server and the page)
        """,
        things="(tritonchat up|the up command|the command tritonchat up)",
        asks="""
            (which|what) command (starts|runs|launches) (tritonchat|it|everything|the server|the service)?
            (server|tritonchat|service) (start|starting|launch|start command)
            start(ing|) (command|the server please|tritonchat please|server|everything)
            what do I type to (start it|start the server|run it|get it running|make it run)?
            how does (one|it|the server) (start|get started|begin)?
            it is (off|not running|stopped|down). How do I (start it|turn it on|bring it up)?
            (it|tritonchat) is installed(, what now?|. How do I start it?|. How do I run it?|, and now?)
            (the installation|the setup|installing) (is done|is finished|has ended|went well)(. What now?|
                , what comes next?|. And now?)
            (what is|what's) the (start|launch|run) (command|line)( again|)?
            (I forgot|I can't remember|I don't remember) (the start command|how it is started|
                how to start it|what starts the server)(.|)
            (after|following) (a reboot|switching on my computer|I turn on the machine)(
                , how do I| how do I) (get tritonchat running|start tritonchat)?
            how do I (turn|switch) (the server|tritonchat|this thing) on?
            (where is|is there) (the|an|a) (on switch|start button|start icon|launcher)?
            (the server|tritonchat) (is not up|isn't running|is not on)( yet|). (How do I start it?|
                What do I type?|Start it how?)
            (the |)(program|server|service) is (asleep|off|not up)(, wake it|, how do I wake it|)(?|.)
            (which|what) (word|words|command) (starts|start) (the whole thing|the chat|server and page|
                all three parts)?
            (does|will) tritonchat up (start|open|launch) (the page|the server|the API|everything|all)( too|
                )?
            tritonchat up(, what does it start?|: what is that?| does what?|, and then?)
            (ready to start|let's start it|let us start the server|time to start the server)(
                . What do I type?|, how?|: which command?)
            why does the server take (a while|longer|so long) (to start |to come up )(the first time|
                at first)?
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
            (put|send) (the server|tritonchat) to (sleep|rest)
            (close|shut down|end) (everything|all of it|server and page|the whole thing) (again|properly|
                cleanly|safely)
            (free|get back) my terminal( from tritonchat| from the server|)
            (interrupt|kill) (the running server|the server process|the tritonchat process)
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
            (I'm|I am) (done|finished|through) (for today|with tritonchat|with the server|here)(
                . How do I stop it?|. How do I shut it down?|, how do I quit?)
            (how do I|what do I press to) (make the server|make tritonchat) (stop|end|go away)?
            (which|what) (button|key|keys|key combination|shortcut) (do I press|must I press|is it) to (
                stop|quit|end) (the server|tritonchat)?
            (is|would) (Ctrl-C|closing the terminal|control C) (safe|enough|the right way to stop it|
                how I stop it)?
            (what happens to|are) (running answers|answers under way) (when I stop the server|
                lost when I stop it|finished when I stop it)?
            (can I|may I) (just|simply) (close|kill|shut) (the terminal|the window|the process)( to stop it|
                )?
            the server (keeps|goes on) running(. How do I stop it?|
                , how do I end it?| and I want it to stop.|)
            (it runs and runs|it never ends|it is still on)(, how do I stop the server?|
                . How do I shut down the server?)
            (I forgot|I can't remember|I don't remember) how (to stop it|to stop the server|
                the server is stopped|one quits tritonchat)(.|)
            (leave|leaving|exiting|quitting) tritonchat(?|, how?| properly|, which key?)
            (shutdown|shut down)( please| now|)
            how do I (turn|switch) (the server|tritonchat|this thing) off?
            (where is|is there) (the|an|a) (off switch|stop command|power button)( of the server|)?
            (enough|that's enough), (stop|shut down|switch off) the server(.|)
        """,
    ),
    "restart": Topic(
        "Press Ctrl-C where it runs, then start it again with tritonchat up.",
        tasks=f"""
            (restart|reboot|relaunch|re-start|reload) {IT}
            (stop and start|start) {IT} (again|anew|once more|a second time)
            (bounce|cycle|power cycle) (the server|tritonchat|the service)
            (make|have) (the server|tritonchat) start (again|afresh|from the beginning)
            (bring|get) (the server|tritonchat) back (up |)(after a crash|after a change|after a stop)
        """,
        things="a (restart|reboot) of (the server|tritonchat)",
        asks="""
            (server|tritonchat) (restart|reboot)
            (do I need|do I have) to restart( the server| tritonchat| it|)( after a change| for this|)?
            (is there a|what is the) (restart command|command for a restart|way to restart)?
            (what do I do|what now) after (a crash|a reboot|it crashed|it stopped)?
            it (crashed|died|hangs|is stuck). How do I start it again?
            (I changed|I have changed|after I change) (a flag|a setting|the model|an option|the port)(
                . Must I restart?|. Do I have to restart?|, must I restart it?|
                . How does the server notice?)
            (does it|will it|does the server) (need|want|require) a restart( for that| now| afterwards|)?
            (have you tried|should I try) turning it off and on( again|)?
            (turn|switch) (it|the server|tritonchat) off and on( again|)(.|?|)
            (can I|is it possible to) restart (only |)(the server|tritonchat) without (closing the terminal|
                a reboot|rebooting)?
            (the server|tritonchat) (hangs|is frozen|froze|got stuck|does not react any more)(
                . How do I restart it?|, how do I restart it?|. Should I restart?)
            (new flags|new settings|other flags), (same server|same machine)(, how?|
                : how do they take effect?|. Do I restart?)
            a (fresh|clean|new) start of the server(, how?|, please|?|)
            restart( how| it| the server please|, how?| command)
            (it|the server) (went down|stopped by itself|is gone)(. How do I bring it back?|
                , how do I get it back?|. How do I start it again?)
            (when|how often) (should|must) I restart (the server|tritonchat|it)?
            (do I lose anything|is it safe) (when|if) I restart( the server| tritonchat|)?
        """,
    ),
    "serve": Topic(
        "Run tritonchat serve: it starts the server without the page.",
        more="For example: tritonchat serve --model ./my-model --weights int8",
        tasks="""
            (start|run|launch) (only the server|the server only|the server alone|just the server)
            (start|run|launch) (tritonchat|the server|it) without (the|a) (page|browser|UI|web page|interface)
            (run|use|start) (it|tritonchat) (headless|in the background without a page)
            (have|run|get) (the server and the API|a server and an API|the API) (without|but not|but no) (
                the page|a page|web page)
            leave (the page|the web page|the UI) (out|away|off)( when I start|)
            (run|start) it (as a pure server|as a backend|as a backend only|for programs only|
                on a server without a screen)
        """,
        things="""
            (tritonchat serve|the serve command|serve|headless mode)
            (a server without a page|a headless server|a pure backend|backend only mode|
                the command for a server alone)
        """,
        asks="""
            I (don't|do not) (want|need) the (page|web page|browser|UI)(.|, only the server.|
                , just the server.)
            (is there|can I have) a server (without|with no) (page|UI|web page|interface)?
            (the difference|what is the difference) between (up and serve|serve and up)(?|)
            server (alone|only|without page)
            (I need|I want|give me) (a backend|the backend|an API server|only the API|the API alone)(
                , no page|, without a page|, nothing else)(.|)
            (does tritonchat serve|does serve) (start|open|have|bring) (a page|the page|the API|
                the HTTP API)( too|)?
            (can I|is it possible to) (leave out|skip|omit|drop|disable|turn off) the (page|web page|UI|
                frontend)?
            (which|what) command (starts|runs) (the server|only the server|the backend) (without|
                but not) the page?
            (up or serve|serve or up)(?|, which one?|: which do I take?)
            (when|why) (do I|should I|would I) (use|take) serve (instead of|and not|rather than) up?
            my (machine|server|box) has no (screen|browser|monitor|desktop)(. How do I run it?|
                . Which command?|, what do I start?)
            (no page|no UI|no frontend|no browser)(, only the server|, just the API|
                , please, only the server)(.|)
            (serve|tritonchat serve)(, what is that for?|: what does it start?| or up?| does what?)
            I (only|just) (call|use) it from (programs|my program|scripts|code), (do I need the page|
                must the page run|why a page)?
        """,
    ),
    "background": Topic(
        "Run it in tmux or as a systemd service: it works until it is told to stop.",
        tasks="""
            (run|keep|leave|have) (it|tritonchat|the server) (running |)in the background
            (keep|leave) (the server|tritonchat|it) (running|alive|up) (when|after) I (log out|
                close the terminal|leave ssh|go home|close the ssh session)
            (start|run) (it|tritonchat|the server) (at boot|when the machine boots|automatically at boot|
                as a daemon|as a service|with systemd|under systemd|in tmux|with nohup|in screen)
            (make|turn) (it|tritonchat) (into |)a (daemon|systemd service|background process|system service)
            (use|write) a (systemd unit|unit file|service file)( for tritonchat| for it|)
            (detach|disown|daemonize) (it|tritonchat|the server)( from my terminal|)
        """,
        things="""
            (background operation|daemon mode|the systemd service|a systemd unit for tritonchat|
                running in the background|autostart)
            (tritonchat as a daemon|tritonchat as a service|a permanent server|running it day and night)
        """,
        asks="""
            (can it|does it|can the server|can tritonchat) (run|work|stay|live) (in the background|
                as a daemon|as a service|under systemd)?
            (is there|do you have) (a daemon mode|a systemd unit|a service file|an autostart|
                a background mode)?
            (when I|if I|once I) (close|leave) (the terminal|ssh|my laptop)(,|) (it stops|the server dies|
                the server is gone|tritonchat ends)(.|. How do I keep it?|)
            (does it|will it|will the server) (survive|go on after|keep running after) (a logout|
                logging out|closing the terminal|the end of my ssh session)?
            (it blocks|the server blocks|tritonchat occupies) my terminal(.|, can that be changed?|
                . How do I get around that?|)
            (should|shall|can) it (start by itself|start on its own|come up by itself) (at boot|
                after a reboot|when the computer starts)?
            (daemon|systemd|autostart|background|nohup|tmux|system service)( mode| setup| how| unit|)
            (I want|I need) (the server|it|tritonchat) (on all the time|up day and night|running 24/7|
                always on)(.|)
        """,
    ),
    "commands": Topic(
        "The commands are up, serve, ui, chat, complete, quantize, bench and doctor. Each explains its "
        "flags with --help.",
        tasks="""
            (see|list|find|show|get) (all the|the|all) (commands|flags|options|command line options)
            (get help on|read about|look up) (a command|a flag|the flags|the command line)
            (learn|find out|discover) (which commands there are|what commands exist|the commands|
                what flags it has)
            (get|print|show|open) (the help text|a help page|the help of a command|the usage|the man page)
        """,
        things="""
            (--help|the --help flag|the command line|the tritonchat command|the list of commands)
            (the subcommands|tritonchat --help|the help text of the commands|the command line interface|
                the CLI of tritonchat|all the flags)
            (the tritonchat CLI|the set of commands|the options of tritonchat up|the flags of a command)
        """,
        asks="""
            (which|what) (commands|flags|options|parameters|settings|switches) (are there|exist|do you have|
                can I use)?
            (which|what) (commands|subcommands) does tritonchat (have|know|offer)?
            (is there|where is) (a list of|an overview of|help for) (the |all |)(commands|flags|options)?
            (list|show|name) (all |the |all the |)(commands|flags|options)(.| please|)
            (commands|flags|options|command line|cli) (list|overview|help)
            where is the (documentation|manual|readme|help)?
            (what else|what more|which other things) can (I type after|the command line do|
                the command tritonchat do)( tritonchat|)?
            (where|how) do I (look up|find|see|read about) (a flag|the flags|all flags|an option|
                the options)?
            (what|which) words (can|may) (follow|come after) tritonchat( on the command line|)?
            (is there|do you have|where do I find) (a man page|a help page|a cheat sheet|
                a command reference|a usage text|a command overview)?
            (I forgot|I don't remember|I can't recall) (the commands|the flags|which commands there are|
                what the flag is called)(.|)
            (all the|every|each) (command|commands|flag|flags|subcommand)( there is| there are|
                , please| in a list|)
            (how many|which) commands (are there|does it have|does tritonchat come with)?
            (name|give me|tell me|write down|print) (the|all|all the) (commands|subcommands|
                flags)( of tritonchat| you know|)(.|)
            (what is|what are) (up, serve and ui|up and serve and chat|bench and doctor|
                serve, ui, chat and bench)?
            tritonchat (--help|-h|help)(?|)
            (the|a) (cheat sheet|cheatsheet|overview)( of the commands|, please| for the command line)
            what does each command do?
            (explain|describe) (the commands|each command|all commands|the flags)(.| please|)
        """,
    ),
    "environment": Topic(
        "Every flag can be set in the environment: --max-context, for example, is TRITONCHAT_MAX_CONTEXT.",
        tasks="""
            (set|give|change) (flags|options|settings|a flag) (in|with|through|by) (the environment|variables)
            (configure|set up) (it|tritonchat) (with|by|through) environment variables
            avoid typing the (flags|options) (every time|each time|again)
            (put|keep|write|store) (the flags|my settings|my flags|options) (in the environment|
                in a variable|in environment variables|in a systemd unit)
            (start|run) (it|tritonchat) (without typing flags|with the same flags each time|
                with my defaults)
            (export|define) (a variable|variables|TRITONCHAT_MODEL|
                an environment variable)( for a flag| for tritonchat|)
        """,
        things="""
            (the environment variables|environment variables|env variables|TRITONCHAT_MAX_CONTEXT|env vars)
            (TRITONCHAT_MODEL|TRITONCHAT_WEIGHTS|TRITONCHAT_API_PORT|variables like TRITONCHAT_MODEL|
                the TRITONCHAT variables)
            (the variable of a flag|the variables for flags|configuration through the environment|
                a config file for tritonchat)
        """,
        asks="""
            (are there|do you have|does it read|which are the) (environment|env) variables?
            (is there|do you have|where is|does it have) a (config file|configuration file|settings file|
                .env file)?
            (environment|env) (variable|variables|vars|settings)( names|)
            (which|what) (environment variable|env variable|variable) (sets|is for) (a flag|the port|
                the model)?
            (can I|is it possible to) (set|give|keep) (a flag|flags|the model|the port) (as a variable|
                in a variable|through the environment|with export)?
            (I am|I'm) (tired|sick) of typing (the flags|so many flags|the same flags)(. What can I do?|.|
                . Any other way?|)
            (does it|does tritonchat) (have|read|use|look for) (a yaml|a toml|a json|an ini|a settings|
                a configuration|a dotenv) (file|configuration)?
            (what is|what's) the (name of the |)(variable|environment variable) (of|for) (a flag|--model|
                --weights|--threads|--api-port)?
            (where|how) do I (configure|set my defaults|save my flags|keep my settings|store the settings)?
            (flags or variables|variables or flags|flags, variables or a file)(?|, what works?)
            (can|may) (flags|options|settings) come from (outside|the shell|the environment|a variable)?
            (how are|what are) the (environment |)variables (called|named)?
            (permanent|default|fixed) (settings|flags|options)(?|, how?| for tritonchat)
            every flag (as|has) a variable?
        """,
    ),
    "complete": Topic(
        'Run tritonchat complete "Once upon a time": it continues a text in the terminal, without a server.',
        tasks="""
            (continue|complete|go on with|extend|finish) a (text|story|sentence|prompt)( without a server|)
            (make|write|get|generate) (stories|text|a text) (without a server|in the terminal|
                without the server)
            (use a model|try a model|generate text) without (a|the|any) server
            (let|have) (a model|it|the model) (continue|finish|go on with) (my text|my story|what I wrote|
                a beginning)
            (try|test) (a model|the model) quickly( without a server| on the command line|)
            (write|continue) a text (from|on) the command line
        """,
        things="""
            (tritonchat complete|the complete command|text completion|the story teller command)
            (continuing a text|text continuation|the continuation of a text|a command that continues texts|
                completing a text in the terminal)
        """,
        asks="""
            (is there|do you have) a (story teller|text completion|completion command)( in the terminal|)?
            (which|what) command (continues|completes|extends) (a|my) (text|story|prompt)?
            (does it|can it|can tritonchat) (complete|continue) (texts|a text|prompts|stories)?
            complete (command|what is it for|a text how)
            (I have|I wrote) (the beginning of a story|a first sentence|half a story|an opening line)(
                . Which command goes on with it?|. How does the model continue it?|
                , which command continues it?)
            (which|what) command (needs|works with|gets along with) no server?
            (without a server|no server), (can it|can I|how do I) (write|continue|make|get) (a text|texts|
                a story)?
            (is there|do you have) (a quick way|a command|something) to (continue|complete|finish) (a text|
                a sentence|a story|a prompt)( in the terminal| without a server|)?
            (the|a) (base|plain|bare) model (without a chat|without a template)(, how do I use it?|
                : how do I use it in the terminal?)
            (tritonchat complete|complete)(, what does it do?| does what?|: server needed?|
                , and what is it good for?)
            (continue|go on with|finish) (my|this) text in the terminal(, how?|, which command?|)
            what is the difference between (chat and complete|complete and chat)?
        """,
    ),
}
