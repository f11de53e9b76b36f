"""What the help desk knows about the page and the terminal, and chatting there."""

from training.phrasing import Topic

PAGE = {
    "ui": Topic(
        "Run tritonchat ui --server HOST:8001: it starts the page alone, for a server that runs elsewhere.",
        tasks="""
            (start|run|launch|open) (only the page|the page alone|just the page|the page without the server)
            (connect|point) the page to (another|a remote|a different) (server|machine)
            (use|run|have) the page on another (machine|computer) than the server
            (show|start|have) (the page|a page) for (a|my|the) (remote server|server elsewhere|
                server in the cellar|server in the cloud)
            (use|have) (one machine for the server and another for the page|
                the page here and the server there)
            (separate|split) the page (from|and) the server
        """,
        things="""
            (tritonchat ui|the ui command|the --server flag|--server)
            (a page for a remote server|the page alone|the page without a server|tritonchat ui --server)
        """,
        asks="""
            (the server is|my server is|it runs) on another (machine|computer). How do I (get|start|
                use) the page?
            can the page (run|be) on (another|a different) (machine|computer)?
            page (alone|only|without server|for a remote server)
            I only (want|need) the page(.|, not the server.)
            (the server|my server|Triton) (is|runs|stands) (elsewhere|in the cloud|in the cellar|
                on a big machine)(. How do I get the page here?|, how do I get the page here?|
                . Can the page be here?|, and the page?)
            (can I|is it possible to) (have|run|start) the page (without|separately from|apart from|
                far from) the server?
            (must|do) (the page and the server|page and server|server and page) (be|run) on (one|the same) (
                machine|computer)?
            (which|what) command (starts|is for|shows) (only the page|the page alone|just the web page|
                the page by itself)?
            (which|what) (flag|option) (tells the page|points the page to|gives the page) (its server|
                where the server is|another server|a server)?
            (how|where) do I tell the page (where the server is|which server to use|
                the address of the server)?
            (ui|tritonchat ui)(, what is it for?| does what?|: what does it start?| alone)
            one server, (two|several|many) pages(. How?|, how?|, is that possible?)
        """,
    ),
    "page": Topic(
        "tritonchat up prints the address of the page, normally http://localhost:8501. Open it in a browser.",
        tasks="""
            (open|find|see|reach|get to|show|visit) (the page|the web page|the chat page|the UI|
                the web interface)
            (chat|use it|talk to you) (in|with) (a|my|the) (browser|web browser)
            (get|come|go) (back |)to the (page|web page|chat page|chat window)
            (bookmark|type in|look up) the (address of the page|page address)
            (use|open|try) (the chat|the bot|tritonchat) in (Firefox|Chrome|Safari|a browser tab)
        """,
        things="""
            (the page|the chat page|the web page|the web UI|the web interface|the page address)
            the (address|URL|link) of the (page|chat page|web page|UI)
            (the chat window|the website of the chat|localhost:8501|the browser page|
                the graphical interface|the frontend)
        """,
        asks="""
            (where|on which address|at what URL) is (the page|the web page|the UI|the website|the chat)?
            (what is|what's) the (URL|address|link)( of the page| for the browser| to open|)?
            (is there|do you have) a (page|web page|browser interface|web UI|graphical interface|GUI|website)?
            (which|what) (address|URL|link) (do I|must I|should I) (open|type|enter|use) in (the|my) browser?
            (I can't|I cannot|can't) (find|see) the (page|web page|UI|website)(.|)
            (browser|page) (address|url|link)
            (the server|tritonchat|it) (is running|runs|has started|is up)(. Where do I click?|
                . Where do I chat?|. What do I open?|, and where is the chat?)
            (I closed|I lost|I shut) (the page|the tab|the browser|the chat tab)(. How do I get back?|
                . What was the address?|. Where is it again?|, where was it?)
            (what|which) (do I|must I) (type|put|write) (into|in) (the address bar|my browser|Firefox|
                Chrome)?
            (does it|will it) open (a|the|my) (browser|page|window) (by itself|automatically|for me)?
            (where|how) (do I|can I) (see|find|get to|reach) (the chat|the chat window|the page|
                the web interface|the frontend)?
            (is there|do you have|does it have) (a GUI|a graphical interface|a web frontend|
                buttons and windows|something to click)( or only a terminal| or only a command line|)?
            (the|my) (page|web page|website|UI) (address|link|URL)(?| again?|, please|, where?)
            (which|what) (site|website|link|page) (must I|do I|should I) (visit|open|go to) (to chat|
                for the chat)?
            (I forgot|I lost|I can't remember) the (address|link|URL)( of the page|)(.|)
            (page|web page|web interface|frontend|gui)(, where?|: where is it?|, please| where do I find it)
        """,
    ),
    "streamlit": Topic(
        "Streamlit is a Python library for web pages. The chat page is made with it.",
        brief="The chat page is made with Streamlit, a Python library for web pages.",
        things="""
            (Streamlit|streamlit|the Streamlit page|the Streamlit library|streamlit here)
            (the library of the page|the framework of the page|the framework behind the page|
                the technology of the page|streamlit_client/page.py)
            (the Streamlit framework|Streamlit in this project|a Streamlit app)
        """,
        asks="""
            (which library|which framework) is the page (made|written|built|programmed) (with|in|of)?
            (does|is) the page (use|made with|built with|written in) (Streamlit|React|Gradio|JavaScript|
                Django)?
            (why do you use|do you use|does it use|why) Streamlit( for the page|)?
            how (was|is) the (page|web page|UI) (made|built|written|programmed)?
            streamlit( page| what| library| used|)
            (the page looks|it looks) like (Streamlit|Gradio|React)(. Is it?|. Am I right?|, is it?|
                , right?)
            (with what|using what|out of what|by means of what) is the (page|web page|frontend) (made|built|
                written|programmed)?
            (which|what) (library|framework|toolkit|technology|tool) (draws|makes|shows|is behind) (
                the page|the web page|the frontend|the buttons)?
            (did you|did they|do they) (write|use) (JavaScript|React|HTML|Vue|Flask|Gradio) for the page?
            (is there|is any) (JavaScript|HTML|React|CSS) in (the page|the project|the frontend)?
            (is|was) the page (Gradio|React|Flask|Vue|plain HTML|Python)( or Streamlit| or what|)?
            (frontend|page) (framework|library|technology)(?| please| used)
            why not (Gradio|React|Flask|plain HTML) for the page?
        """,
        tasks="""
            (change|restyle|rewrite|adapt|edit) (the look of the page|the page|the page's code|
                the design of the page)
        """,
    ),
    "new chat": Topic(
        "Press New chat on the page. The conversation is forgotten and a new one begins.",
        tasks="""
            (start|begin|open|make) (a new chat|a new conversation|over|anew|from scratch|afresh|a fresh chat)
            (clear|delete|reset|erase|empty|forget|wipe) (the chat|the conversation|this chat|the history|
                the messages|our conversation|what I said|everything I said)
            make you forget (everything|what I said|me|this chat|my name)
            (wipe|rub out|throw away|drop) (the chat|everything we said|this conversation|all messages)
            (have|get|start with) a (clean slate|blank page|clean page|new beginning)
            (leave|end|close) this (chat|conversation) and (begin|start|open) (another|a new one)
            (change the subject and start fresh|talk about something else in a new chat)
        """,
        things="""
            (the New chat button|New chat|a new chat|clearing the chat)
            (a reset of the chat|the reset button|a clean slate|a fresh conversation|
                the button for a new chat)
        """,
        asks="""
            (is there|where is) (a|the) (new chat|reset|clear|delete) button?
            (new|fresh|another) (chat|conversation)( please|)
            (reset|clear|start over|new start|wipe|restart the chat|clear chat|delete chat)
            forget (everything|all of it|it all|what I said|all I told you)(.|!|)
            (can|could|let) (I|us|we|you) (start over|begin again|start again|start anew|reset this)(?|.|)
            (this chat|our chat|the conversation) (is|got|has become) too long(. Can we start again?|
                . How do I begin a new one?|, how do I start a new one?)
            (let's|let us) (start over|begin again|start afresh|start from zero|begin from scratch|
                start anew)(.|!|)
            (can we|could we|may we) (start|begin) (from scratch|from zero|afresh|anew|with a clean slate)?
            (where|which button) (do I click|do I press|is it) (for|to get) a (new|fresh) (chat|
                conversation)?
            (my sister|my friend|somebody else|my colleague) wants to chat now(. How do I clear this?|
                , how do I clear the chat?|. How do I start a new chat?)
            (delete|erase|remove|clear) (all|all this|the whole chat|these messages|my messages)(.| please|
                !|)
            what does (the |)New chat( button|) (do|delete|forget)?
            does (the |)New chat( button|) (delete|forget) everything?
            (is|will) (the old chat|this chat|the conversation) (be |)(gone|lost|deleted|kept) (after|
                when I press) New chat?
            (from the top|back to zero|back to the start|all over again|reset everything|clean slate)(
                , please|.|!|)
            I (pressed|clicked) New chat(. What happened?|, what happened to my chat?|. Where is my chat?)
        """,
    ),
    "try again": Topic(
        "Press Try again on the page. The last question is then answered anew.",
        tasks="""
            (regenerate|redo|retry|re-roll|reroll) (the last answer|your last answer|
                the last question)( on the page|)
            (ask|send) the last question (again|once more|anew|a second time)
            (have|get) the last question answered (again|once more|anew)
        """,
        things="""
            (the Try again button|the regenerate button|a retry button|regenerating an answer|
                the button Try again)
        """,
        asks="""
            (is there|where is) (a|the) (regenerate|retry|redo|try again) (button|function)?
            (I don't|I do not|I didn't) like (the|that|your last) answer(. Can I get another one?|
                . How do I get another one?|, how do I get a new one?)
            (can I|may I) (roll again|regenerate it|have another go at the last question|get a second try)?
            (regenerate|redo|retry|reroll|re-roll)( button| answer| the answer| on the page|)
            what does (the |)(Try again|regenerate) (button |)do?
            does (the |)(Try again|regenerate) (button |)give (me |)another answer?
            (without typing|must I type) (it|the question|my question) again( to get another answer|)?
            (which|what) button (gives|makes) (me |)(a new|another|a second) answer to (my|
                the) last question?
        """,
    ),
    "page settings": Topic(
        "The settings are in the sidebar of the page: system prompt, temperature, top p, max tokens, "
        "repetition penalty and seed.",
        tasks="""
            (open|find|see|show|use|get to) the (settings|sidebar|sliders|settings of the page|
                options on the page)
            (change|adjust|set) (something|things|the settings|the sliders|the options) on the page
        """,
        things="""
            (the sidebar|the settings of the page|the sliders|the page settings|the settings on the left|
                the sidebar of the page)
        """,
        asks="""
            (where|which) (are|is) the (settings|sliders|sidebar|preferences|options) (of|on) the page?
            (which|what) (settings|sliders|options|controls) (are on|does|are in) the (page|
                sidebar)( have| hold|)?
            (what can I|which things can I) (change|set|adjust) (on the page|in the sidebar|in the browser)?
            (I can't|I cannot|can't) (find|see) the (settings|sliders|sidebar)(.| on the page.|)
            (does the page|has the page) (have|got) (settings|sliders|preferences|a settings menu)?
            (what is|what's) (on the left|in the sidebar|at the side) of the page?
            (page|sidebar) (settings|options|sliders|controls|preferences)( where| list|)
            (is there|where is) a (settings menu|gear icon|settings page|preferences menu)?
        """,
    ),
    "save chat": Topic(
        "In the terminal, with tritonchat chat, type :save chat.md. The page cannot save a chat.",
        tasks="""
            (save|export|download|write) (the|this|our|my) (chat|conversation|dialogue) (to|as|in|into) (
                a file|a text file|Markdown|JSON|a document)
            (export|download|print out) (the|this|our|my) (chat|conversation)
            (keep a copy|make a copy) of (our chat|this chat|the conversation)
        """,
        things="""
            (the :save command|:save|exporting a chat|an export of the chat|a download of the conversation|
                the chat export)
        """,
        asks="""
            (is there|where is) (an export|a download|a save) button( for the chat|)?
            (can|could) (I|one) (export|download|print) (the|this|our) (chat|conversation)?
            (as|to) (a|an|which) (file|text file|PDF|Markdown file|JSON file) (can I|how do I) (save|
                export) (the|our) chat( to|)?
            (export|download|save to a file|save as)( chat| conversation| the chat|)
            (I want|I'd like) (a copy|a file|a printout) of (our|this) (chat|conversation)(.|, how?|)
            (which|what) (formats|file formats) can a (chat|conversation) be (saved|exported) in?
        """,
    ),
    "terminal": Topic(
        "Run tritonchat chat in a terminal. It talks to the server that is running.",
        tasks="""
            (chat|talk|write|speak) (in|from|on) (the|a|my) (terminal|console|command line|shell)
            (chat|use it|talk to you) without (a|the) (browser|page|web page)
            (use|talk to) (tritonchat|it|you|the server) (in|from) (the|a) (terminal|console|shell|
                command line)
            (use|have|get) (a text interface|the text mode|a console chat|the chat over ssh)
            (chat|talk|write to it) (over ssh|in tmux|in a shell|without leaving the terminal)
            (pipe|echo|send) a question (into|to) (tritonchat chat|tritonchat|the chat)
        """,
        things="""
            (tritonchat chat|the terminal client|the chat command|the command line client|the terminal chat)
            (a chat in the terminal|a console chat|the text interface|the text client|chatting in a shell|
                a REPL for the chat)
        """,
        asks="""
            is there a (terminal|console|command line|text) (client|chat|interface|mode|version)?
            (does it|can it) work in (a terminal|the console|the shell|tmux|ssh)?
            (terminal|console|shell|command line|cli) chat
            I (don't have|have no|hate|do not like) (a browser|browsers)(.|. How do I chat?|, how can I chat?)
            (I like|I prefer|I love|I only have) (the terminal|the command line|the console|a shell|ssh)(
                . Can I chat there?|. How do I chat there?|, can I chat there?|)
            (can I|may I|is it possible to) (chat|talk|ask questions) (in|from) (the terminal|a shell|
                the console|vim|my ssh session)?
            (must I|do I have to) (use|open) (the|a) (browser|page)( to chat|
                )( or can I stay in the terminal|)?
            (which|what) command (lets me|is there to) (chat|talk) (in the terminal|in the console|
                without a page|in a shell)?
            (is there|do you have) (a CLI client|a TUI|a console program|a REPL|an ncurses interface|
                something for the terminal)( to chat|)?
            my (browser|Firefox|Chrome) (is broken|does not work|is too old)(. Can I chat without it?|
                , can I chat without one?|.)
            (chat|chatting) (over|via|through) (ssh|tmux|a serial line|the console)(?|, how?| possible?)
            tritonchat chat(, what is it?| does what?|: where does it run?|, does it need the server?)
            (no|without a) (mouse|browser|desktop|screen)(, how do I chat?|. How do I chat?|
                , just a terminal)
        """,
    ),
    "terminal commands": Topic(
        "Type :help there. It has :history, :revert_to, :retry, :system, :set, :save, :new, :sessions "
        "and :exit.",
        tasks="""
            (leave|quit|exit|end|get out of) (tritonchat chat|the terminal chat|the terminal client|
                the chat in the terminal)
            (see|list|learn|find) the (colon commands|commands of the terminal chat|
                commands inside tritonchat chat)
        """,
        things="""
            (:help|:retry|:set|:new|:system|:history|:exit|:sessions)
            (the colon commands|the commands in the terminal chat|commands that begin with a colon|
                the commands of the terminal client)
        """,
        asks="""
            (which|what) (commands|keys) (are there|can I use|does it have|work) (in|inside) (
                the terminal chat|tritonchat chat|the terminal client)?
            (what|which words) can I type (after a colon|with a colon|in tritonchat chat|
                in the terminal chat besides questions)?
            (I am|I'm) (in|inside) tritonchat chat(. How do I get out?|. How do I leave?|, how do I exit?|
                . What can I type?)
            (is there|where is) (a help|a list of commands) (in|inside|for) (tritonchat chat|
                the terminal chat)?
            (terminal|colon|in-chat) commands( list| help| what|)
            (how do I|what do I type to) (get help|see the commands|leave) (in|inside) the terminal (chat|
                client)?
            (what does|what is) (:retry|:set|:new|:system|:history|:exit|:sessions|:help) (do|for)?
        """,
    ),
}
