"""What somebody with hands, eyes or an internet could do, and a model that writes text cannot.

The slots are those of `world`.
"""

from training.phrasing import lines

HANDS_ASKED = lines("""
    (draw|paint|sketch|generate|make|create|show|design|render|give) (me |)(a picture|an image|a logo|a photo|
        a video|a drawing|a map|a cat picture|a diagram|a portrait|a meme|
        a poster)( of {subject}| of {place}| of {person}| for me|)(.|)
    (can|could|would|will) you (draw|paint|sketch|generate|make|create) (me |)(a picture|an image|images|
        pictures|a logo|a video|a drawing|photos)( of {subject}| for me|)?
    (open|read|load|look at|summarise|analyse|check|edit|delete|save) (my file|this file|a file|the file|
        my PDF|this document|my documents|this pdf|report.pdf|data.csv|my photos|my spreadsheet|this link|
        my folder|the attachment)(.| please.|)
    (can|could) you (open|read|see|edit|access|write) (files|my files|documents|a PDF|PDFs|my disk|my folders|
        attachments|spreadsheets)?
    (search|google|browse|look up|surf|look on|check|look in) (the internet|the web|online|Google|Wikipedia|
        the net)( for {subject}| for {person}|)(.|)
    (google|look up|search for|find online|search|find me) {subject}( for me| on the internet| online| please|
        )(.|)
    (can|could|do) you (search|browse|surf|google|use|access|look at) (the internet|the web|Google|websites|
        online|web pages|Wikipedia)?
    (open|visit|read|summarise|go to) (the page|this website|the website|the link|https example com|
        this web page|my homepage)(.| for me.|)
    send (an email|a message|a text|a letter|an SMS|a mail) to (my boss|my mother|my friend|everybody|my wife|
        {name})(.| for me.|)
    (call|phone|ring|text|email|contact) (my mother|my boss|a taxi|the doctor|my friend|the bank|{name}|
        customer service)(.| for me.| please.|)
    (order|buy|book|reserve|get|pay) (me |)(a pizza|a taxi|a flight|a hotel|a table|tickets|a book|flowers|
        some food|a train ticket|my bills)(.| for me.| please.|)
    (set|start|create|make) (an alarm|a timer|a reminder|an appointment|a calendar entry|
        a countdown)( for ten minutes| for tomorrow| please| at seven|)(.|)
    (remind me|wake me up|alert me|notify me) (tomorrow|in ten minutes|at six|to call my mother|when it rains|
        later)(.|)
    (play|put on|turn on|start) (some music|a song|the radio|a film|music|the TV|a podcast|my playlist|
        {subject} on the radio)(.| please.|)
    (turn|switch) (on|off) (the light|the lights|the heating|the TV|my computer|the lamp|the oven|
        the music)(.| please.|)
    (print|scan|upload|download|email|share|post) (this|this page|my document|a photo|it on Twitter|a film|
        a song)(.| for me.|)
    (take|make) (a photo|a screenshot|a selfie|a note|a phone call|me a sandwich|me a coffee|my bed|
        a cake for me)(.| please.|)
    (clean|tidy|water|wash|cook|iron|walk|feed) (my room|my house|the plants|the dishes|dinner|my shirt|
        my dog|my car|lunch for me)(.|)
    (run|execute|compile) (this program|this code|this script|my script|a command|ls|my test|
        this function)(.| for me.|)
    (check|read|answer|delete) my (email|emails|mail|messages|calendar|inbox|voicemail|Facebook)(.| please.|)
    (listen to|hear|recognise|transcribe) (this song|my voice|this recording|my audio|this video|
        the podcast)(.|)
    (I want|I need|I'd like|could I have|can I get) (a picture|an image|a photo|a drawing|a logo|a video|
        a map) (of|showing|with) ({subject}|{place}|{person}|a cat|me)(.|?|)
    (show|send) me (what {person} looks like|a photo of {place}|pictures of cats|a picture of {subject}|
        a video|a map of {place})(.| please.|)
    (can|could|would|will) you (call|email|text|message|phone) (my boss|my mother|{name}|a taxi|the doctor|
        the police|my teacher)( for me| please|)?
    (can|could|would) you (order|buy|book|get|reserve|bring) (me |)(a pizza|a taxi|tickets|a table|a flight|
        a hotel room|some milk|a coffee|a present)( for me| please|)?
    (can|could|would|will) you (set|start|make) (an alarm|a timer|a reminder|
        an appointment)( for seven| for ten minutes| please| for tomorrow|)?
    (can|could|would|will) you (remind|wake) me( up|)( at six| tomorrow| in an hour| to drink water|)?
    (can|could|would) you (turn|switch) (on|off) (the light|my TV|the heating|the radio|the music)( please|)?
    (can|could|would) you (play|put on) (some music|a song|a film|the radio|
        my favourite song)( for me| please|)?
    (I am|I'm) (cold|hungry|lazy)(.|,) (turn on the heating|order me a pizza|make me a sandwich|
        cook something for me|bring me a blanket)( please|)(.|)
    (I will|let me|I'd like to|can I|may I) (upload|send you|attach|show you|share) (a file|a PDF|my photo|
        a document|a link|a voice message|my screen)(.|?|)
    (look|search|find|check)( it| this| that|) (up |out |)(online|on the internet|on Google|on Wikipedia|
        on the web)( for me| please|)(.|)
    (what does|what do you find on) (Google|Wikipedia|the internet|this website|the web) (say |
        )(about {subject}|about {person}|about that)?
    (save|store|write|put) (this|that|it) (in a file|on my disk|in my calendar|on my desktop|
        in the cloud)(.| please.|)
    (can you|could you|please) (fold my shirts|do the dishes|drive me home|carry my bag|open the door|
        bring me a coffee|hold my hand|clean my room)(?|.| please.|)
    (delete|rename|copy|move|find|back up) (all my files|my photos|my documents|this folder|my old emails|
        the download)(.| please.|)
    (transfer|send|pay|withdraw) (100 dollars|some money|my rent|the bill|
        ten euros)( to {name}| for me| please|)(.|)
    (record|film|take a picture of) (me|this|my dog|the sunset|my screen)(.| please.|)
    (connect|pair|log) (to|in to|with) (my phone|my email|my bank|Facebook|Bluetooth|my printer)(.| please.|)
    (start|join|make|set up) (a video call|a phone call|a meeting|
        the zoom call)( with {name}| for me| please|)(.|)
    (drive|take|bring|fly) me (home|to work|to the airport|to {place})(.| please.|)
""")
