"""What the help desk knows about getting tritonchat, and keeping it up to date."""

from training.phrasing import Topic

PROGRAM = {
    "tritonchat": Topic(
        "tritonchat is a chat service: a transformer engine written in Python, served through NVIDIA "
        "Triton, with a page to chat on.",
        more="It needs no GPU and no compiler. Start it with tritonchat up, and give it a model of your own "
        "with --model FOLDER.",
        things="""
            (tritonchat|this tritonchat|triton chat|triton-chat|Tritonchat|the tritonchat project)
            this (program|app|application|page|service|project|software|website|tool|thing here)
            (this whole thing|this repository|this repo|this open source project|this chat service|
                this git repository) called tritonchat
            (the idea|the purpose|the goal|the point) (behind|of) (tritonchat|this project|this software)
        """,
        asks="""
            what (does tritonchat do|is tritonchat for|can tritonchat do|is this project about)?
            (describe|summarise|introduce) (this project|tritonchat|the tritonchat project)(.|)
            (why|who) (would I use|should use|uses|needs) (tritonchat|this project|this software)?
            (give me|I want) (a summary|an overview) of (tritonchat|this project|the project)(.|)
            what('s| is) (this|all this|going on here)?
            where am I, what is this (page|app|place)?
            what have I (installed|started|downloaded|opened) here?
            (what did I|what have I) just (clone|unpack|check out|pull from git)?
            (tell me|explain) in one (sentence|line|breath) what (tritonchat|this project|this software) (
                is|does)(.|)
            (my boss|my teacher|my daughter|my grandson|a colleague) (put|installed|left|
                set up) tritonchat (on my computer|on this machine|here)(. What is it?|. What does it do?|
                . What's that?)
            (I have no idea|I don't know|no clue) what tritonchat is( or does| good for|)(.|)
            (is tritonchat|so tritonchat is) (a chatbot|a server|a website|a game|an app|a library|
                a model)( or what|, or what|, right|)?
            (explain|describe) tritonchat (like I'm five|as to a child|to a beginner|to my grandmother|
                in simple words)(.|)
            (so|ok so|well,) (what exactly is|what is) (tritonchat|this tritonchat thing)?
            (an |a short |a quick |the )(introduction|overview|summary|elevator pitch) of tritonchat(
                , please|.|)
            (what kind of|which kind of|what sort of) (software|program|project|service|thing) is (this|
                tritonchat)?
            what can one do with (tritonchat|this project|this software)?
            (is it true that|does) tritonchat (is|count as) a chat service?
            (I heard|I read|someone told me) (of|about) tritonchat(
                , what's the deal?| and want to know more.| but never saw it.)
            the readme is (too long|long|boring), what (is tritonchat|does it say in short)?
            (first time here|I just landed here|I'm lost here), what (is this software|
                does this software do|am I looking at)?
            (for whom|who|what sort of people) is (tritonchat|this project) (made|meant|good) for?
            (what problem|which problem) does tritonchat solve?
        """,
    ),
    "install": Topic(
        "Get the source and run make chat in its folder. It needs Linux, Python 3.10 to 3.12 and make, and "
        "sets up the rest by itself.",
        brief="With Linux, Python 3.10 to 3.12 and make, get the source and run make chat in its folder.",
        tasks="""
            (install|set up|setup|get|download|deploy) (tritonchat|this|it|this program|this software|
                the project)
            get (started|going) with (tritonchat|this|it)
            (get|put|have) (tritonchat|it) (onto|on|installed on) (my computer|my machine|this computer|
                a new server|my laptop)
            (prepare|make ready) (my machine|a machine|my computer|a fresh server) for (tritonchat|it)
            (build|compile) (tritonchat|it) (from source|myself|from the source)
        """,
        things="""
            the (installation|setup|set-up|system requirements|requirements|dependencies|prerequisites)
            the (install procedure|installation procedure|installation of tritonchat|install steps|
                first setup|hardware and software needed)
            (getting started|a quick start|the quickstart|the quick start guide)( with tritonchat|)
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
            (I have|I've got) (a new machine|an empty server|a fresh Ubuntu|a clean machine)(
                . How do I put tritonchat on it?|, how do I install tritonchat?|. What must I install?)
            (which|what) (packages|programs|tools|software) (must|should|do) I (install|
                have)( before| first| beforehand|)?
            (is it|is the installation|is the setup) (hard|difficult|easy|complicated|quick) (to install|
                to set up|to do)?
            (what's|what is) the (quickest|simplest|fastest|easiest) way to (get|
                have) tritonchat( here| on my machine|)?
            (can my|can a) (grandmother|child|beginner|layman) install (it|this|tritonchat)?
            (my Python is|I have Python|I only have Python|there is Python) 3.(8|9|10|11|12|13|14)( here|)(
                . Will that do?|, ok?|. Is that fine?|. Does it work?)
            (is there|do you have|where is) (an installer|a setup.exe|a deb package|a wheel|an rpm|
                a package on PyPI|a setup wizard)( for it| for tritonchat|)?
            (do I|must I) (need to|have to) be (root|administrator|
                admin)( to install it| for the installation|)?
            (does it need|do I need) (conda|Anaconda|a virtual environment|uv|poetry|Node|npm|Rust|gcc|
                CMake)( to install it|)?
            (downloaded|cloned|unpacked) the (source|zip|repo|archive|tarball)(, what now?|. Next step?|
                , and then?|. What comes next?)
            (how many|what) steps (are there to install it|does the installation have|
                until it is installed)?
            (what happens|what is installed) during (the installation|the setup)?
            the (first|very first) (step|thing to do) with (tritonchat|this project|the source)(?| please|)
            (I never|I have never) (installed|set up) (something like this|such a thing|a server|
                anything from source)(. How do I begin?|. Where do I begin?|. What do I do?)
            can I install (it|tritonchat) (with|using|through) (apt|brew|conda|snap|dnf|pipx|poetry|uv)?
            (tritonchat|software) (system |)(requirements|prerequisites|dependencies)(?| please|)
            git clone(, and then what?| and then?| done, what now?)
        """,
    ),
    "make chat": Topic(
        "make chat sets up everything the first time, then starts the server and the page and prints the "
        "address to open.",
        things="""
            (make chat|the make chat command|`make chat`|the Makefile|the one command start)
            (running make chat|typing make chat|the target chat of the Makefile|the chat target|
                what make chat does)
            (the one-liner|the single command) that (sets up and starts everything|
                installs and starts it all)
        """,
        asks="""
            what (does|will) make chat (do|start|install|run)?
            what happens (when|if) I (run|type|enter|do) make chat?
            (is there|do you have) (one|a single) command (for everything|that does everything|
                to set up and start)?
            (why|when) (do I|should I|would I) (run|use) make chat?
            how long does make chat take?
            (should I|do I have to) (run|use|type) make chat( first|)?
            make chat (does what|what does it do|what is that)
            (so|and|ok,) I (just|only|simply) (type|run|enter) make chat?
            (after|once) (I typed|typing|I ran|running) make chat(,|) what (should I see|happens|comes|
                do I get)?
            does make chat (install|start|download|set up|do) (everything|the server|the page|it all|
                anything)?
            (is make chat|is "make chat") (enough|all I need|all there is to it|the whole setup|
                safe to run twice)?
            (can I|may I|should I) run make chat (twice|again|every time|each time|every day|a second time)?
            (the readme|the manual|my friend|the instructions) (says|tells me to run|says to type|
                says to run) make chat(. Why?|. What does that do?|. What is it?|, what's that?)
            (what's|what is) (behind|in|inside) make chat?
            why does make chat (print|show) an address?
            what is the difference between make chat and (other commands|make test)?
            make chat(, then what?|, what happens then?|: how long?|: what does it install?|, is that it?)
            (everything in one go|all in one command|one command for all)(?|, please|, is that possible?)
            make chat (is still working|is setting up|takes a while|is busy)(. Is that normal?|
                , is that ok?|.)
        """,
    ),
    "update": Topic(
        "Get the new source with git pull, then run make chat again.",
        tasks="""
            (update|upgrade|refresh|renew) (tritonchat|it|the program|the software|my installation|
                the project)
            (get|install|fetch|pull|have) (the newest|the latest|a newer|the new) (release|source|code|
                tritonchat)( of tritonchat|)
            (bring|keep) (tritonchat|my copy|my installation|it) up to date
            (move|go|switch) to (a newer|the newest|the latest) (release|tritonchat)
        """,
        things="""
            (an update of tritonchat|updating tritonchat|an upgrade|upgrading tritonchat|
                updates of the software|git pull)
            (an upgrade of my installation|the update procedure|the upgrade path|an update of my copy)
        """,
        asks="""
            (does it|does tritonchat|will it) (update|upgrade) (itself|by itself|automatically|on its own)?
            (is there|do you have) (an update command|an upgrade command|an auto-update|an automatic update|
                an updater)?
            (which|what) command (updates|upgrades) (tritonchat|it|my installation)?
            (my|this) (copy|installation|source|tritonchat) is (old|outdated|months old|from last year)(
                . What now?|. How do I renew it?|, how do I update it?|)
            (there is|I saw|they made) a new release( of tritonchat|)(. How do I get it?|, how do I get it?|
                . How do I install it?|)
            (I did|after) (a git pull|git pull)(, what now?|. And then?|, what next?|. What else?)
            (update|upgrade|updating|upgrading)( tritonchat| command| how| it|)
            (what do I do|what must I do) to (update|upgrade)( it| tritonchat|)?
        """,
    ),
    "uninstall": Topic(
        "To remove it, delete its folder. Models from the hub are in .cache/huggingface in your home folder, "
        "and sessions in .local/share/tritonchat.",
        brief="To remove it, delete its folder.",
        tasks="""
            (uninstall|deinstall|remove|get rid of|wipe out) (tritonchat|this software|the program|
                this program)( completely| again|)
            (remove|delete|take) (tritonchat|this software|the whole program) from (my computer|my machine|
                my disk|this machine)
            (clean up|delete everything) (after|of|left by) (tritonchat|the program)
            (undo|reverse) the (installation|setup)
        """,
        things="""
            (an uninstaller|the uninstaller|uninstalling tritonchat|removing tritonchat|
                the removal of tritonchat)
            (a clean uninstall|the uninstall|deleting tritonchat|the deinstallation)
        """,
        asks="""
            (is there|do you have) (an uninstaller|an uninstall command|a way to uninstall it|
                a removal script)?
            (I don't|I do not) (want|need|like) (tritonchat|this software|the program) (any more|any longer|
                on my computer)(. How do I remove it?|. How do I uninstall it?|.)
            (uninstall|uninstalling|remove it|deinstall|removal)( tritonchat| command| how| it|)
            (can I|may I) (just|simply) delete (the folder|its folder|the project folder)?
            (how is|how does one get) (tritonchat|the program) (removed|uninstalled|
                off my disk)( again| completely|)?
            (tritonchat|the program) must (go|leave|be gone)(. How do I delete it?|, how?| from my disk.)
        """,
    ),
    "docker": Topic(
        "There is no Docker image. A Linux container with Python, make and a shell will do: run make "
        "chat in it.",
        brief="There is no Docker image, but make chat runs in a Linux container.",
        tasks="""
            (run|use|start|install|deploy|put) (tritonchat|it|the server|this) (in|with|inside|into) (
                Docker|a container|a Docker container|Podman|docker compose|a Docker image)
            (build|get|pull|make|write|find) (a Docker image|an image|a container image|a Dockerfile|
                a docker-compose file)( for it| of tritonchat| for tritonchat|)
            (containerise|containerize|dockerize|dockerise) (tritonchat|it|the server)
        """,
        things="""
            (Docker|the Docker image|a Docker image|Docker support|a Dockerfile|docker compose|
                a container image|Podman)
            (tritonchat in a container|a Docker container|the container image of tritonchat)
        """,
        asks="""
            (is there|do you have|where is) a (Docker image|Dockerfile|container|container image|
                docker compose file|docker-compose.yml)( for it| for tritonchat|)?
            (does it|can it|will it) (run|work) (in|with|inside) (Docker|a container|containers|Podman)?
            (docker|podman|container|dockerfile|docker image|
                docker compose)( support| image| setup| run| how|)
            (do I|does it) need (Docker|a container|Podman)( for it| to run| for Triton|)?
            (we|I) (only|always) (use|deploy|run) (containers|Docker)( here| at work|)(. Is that possible?|
                . Does it work?|.)
            (docker run|docker pull|docker compose up)( what| which image| tritonchat|)(?|)
            why is there no (Docker image|Dockerfile|container)?
        """,
    ),
    "system": Topic(
        "The server needs Linux, because Triton runs only there. tritonchat complete is plain Python and "
        "may work on Windows or a Mac.",
        tasks="""
            (run|use|install|start) (it|tritonchat|the server|this) on (Windows|a Mac|macOS|my Mac|my PC|
                Linux|Ubuntu|a Raspberry Pi|FreeBSD|WSL|Debian|a Windows PC)
            (run|use|start|try) (it|tritonchat) on (my iPhone|Android|Windows 11|a MacBook|an ARM machine|
                Fedora|Arch|a NAS|Alpine|an M1 Mac)
            (find out|know) (whether|if) my (system|operating system|computer) (is good enough|will do|
                is supported)
        """,
        things="""
            (Windows support|Mac support|macOS support|Linux|WSL|the operating system|Windows|macOS)
            (the supported operating systems|the supported platforms|glibc|
                an operating system for tritonchat|a Windows version|a Mac version)
        """,
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
            (my computer|my laptop|my PC|my machine) (has|runs) (Windows|macOS|Windows 10|Windows 11|Ubuntu|
                Fedora)(.|. Will it work?|, will it work?|. Can I use tritonchat?)
            (is|are) (Windows|macOS|Mac|Macs|Linux|Ubuntu|Debian|WSL|Android) (supported|ok|enough|possible|
                fine|needed)( for it| too|)?
            (what about|how about|and) (Windows|macOS|a Mac|Ubuntu|WSL|FreeBSD|Apple)( users|)?
            (must|does) it (be|have to be|need to be) Linux?
            (a|my) (Mac|Windows) (person|user|machine) here(. Can I use it?|. Does it run?|, does it run?|
                , any chance?)
            (which|what) (Linux|distribution|distro|glibc) (do I need|does it need|works|is best|will do)?
            (Windows or Linux|Linux or Windows|Mac or Linux)(?|, which?|: does it matter?)
            (I don't|I do not) have (Linux|a Linux machine)(.|. Is that a problem?|, what now?|)
            (can I|may I) (use|run) (the server|it|tritonchat) (under|inside|on) (WSL|WSL2|
                a virtual machine|VirtualBox|Windows)?
        """,
    ),
    "offline": Topic(
        "A network is needed only to set it up and to fetch a model from the hub. After that it works "
        "offline.",
        tasks="""
            (use|run) (it|tritonchat) (offline|without internet|without a network|without the internet|
                on a plane)
            (work|chat|use it|run it) (in the woods|in a bunker|on a train|on a ship|without wifi|
                with the cable pulled)
            (cut|pull|unplug) the (network|internet|wifi|cable)( while I use it|)
        """,
        things="""
            (offline use|offline mode|working offline|an internet connection for tritonchat)
            (use without internet|a machine without internet|an air-gapped machine|the need for internet|
                the internet connection it needs)
        """,
        asks="""
            (does it|does tritonchat|do I|will it) (need|require) (the internet|internet|a network|
                an internet connection)?
            (does it|can it|will it) (work|run) (offline|without internet|without the internet|
                without a network)?
            (offline|no internet|without internet|air gapped)( mode| use| possible|)
            is (the internet|internet|a network) (needed|required|necessary)( to run it| for it|)?
            does tritonchat (phone home|send data|send telemetry|call the cloud|talk to the internet)?
            (my|our) (machine|computer|server) (has no|is without|is cut off from the) (internet|network|
                internet access)(.|. Does it work?|. Is that a problem?|, will it run?)
            (is|are) (a network|wifi|an internet connection|the internet) (necessary|required|needed|
                a must)( all the time| for the chat|)?
            (when|for what|why) does (it|tritonchat) (need|use) (the internet|a network|the network)?
            (if|when) (the internet|the wifi|my connection) (is down|fails|breaks|goes away)(,|) does (it|
                the chat|tritonchat) (still work|go on|stop)?
            (does it|does tritonchat|is it something that) (run|runs|work|works) (locally|in the cloud|
                on my machine|on somebody's server)( or in the cloud| only|)?
            (local or cloud|cloud or local)(?|, which?|, what is it?)
            (I|we) have no (internet|wifi|network)( here| on this machine|)(.|. Does tritonchat work?|
                , does it still run?|)
            (can I|may I) (switch off|turn off|disconnect|unplug) (the wifi|the network|
                the internet)( after the installation| while it runs|)?
            (phoning home|cloud)(?|, does it?| or not?|, yes or no?)
        """,
    ),
}
