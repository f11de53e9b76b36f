"""What the help desk knows about conversations that the server keeps, and what the API cannot do."""

from training.phrasing import Topic

KEEPING = {
    "sessions": Topic(
        "The HTTP API can keep a conversation as a session on the server. Sessions survive a restart.",
        brief="The HTTP API can keep sessions on the server, and they survive a restart.",
        more="So a program sends only the new message each time, and the server knows the rest.",
        tasks="""
            (keep|save|store|resume|continue|go on with) (a|my|the) (session|conversation|chat|chats|
                conversations)
            (create|make|open|delete|use|end) (a session|sessions|a new session)
            (keep|have) the (history|chat history|messages) on the server
            (go on with|come back to|pick up|continue) (yesterday's chat|an old chat|a chat from last week|
                an earlier session)
            (have|let) the server (remember|keep) (the conversation|what was said|the turns|a chat)
            (send|give) only the new message( each time|)
            (list|delete|remove|close) (my|the|old|all) sessions
        """,
        things="""
            (sessions|a session|the sessions|session|chat sessions|the sessions of the API)
            (server-side history|a conversation kept on the server|the /sessions routes|/sessions|
                persistent chats|a saved session)
        """,
        asks="""
            (are|is) (my|the) (conversations|chats|sessions|history|chat history) (kept|saved|stored|
                lost)( after a restart|)?
            (what happens|what about) (to|with) (my|the) (session|sessions|conversations) (after|at|
                on) a restart?
            (do|does) (sessions|a session|conversations|my chats) survive( a restart| when it stops|)?
            (session|sessions|chat history|conversation history|history)( api| server|)
            does the server (keep|have|store|save) (sessions|conversations|the history|chats)?
            (does it|does the server|does the API) (remember|know) (what was said before|
                the earlier messages|my last chat|yesterday's chat)?
            (must I|do I have to|does my program have to) send the (whole|entire|full) (conversation|
                history|chat)( every time| each time|)?
            (what if|what happens when|when) the server (stops|crashes|restarts)(. Are my chats gone?|
                , are sessions lost?|, are my conversations lost?)
            (can I|may I|is it possible to) (come back to|go on with|continue|resume) (a session|
                an old conversation|a chat) (tomorrow|later|next week|after a restart)?
            (two|several|many) (people|users), (each with a chat of his own|separate conversations|
                separate sessions)(. Possible?|, possible?|?)
            (is there|does it have|do you have) (a session|sessions|a conversation store|a chat history|
                server-side history)( in the API| on the server|)?
            (continue|resume|reopen) (a session|an old session|my session|a conversation)(, how?|
                ?| over the API)
            (stateless or stateful|stateful or stateless)(?|, the API?)
            who (stores|remembers) the conversation(, my program or the server| over the API|)?
        """,
    ),
    "revert": Topic(
        "In the terminal type :revert_to 2, over HTTP use PUT /sessions/ID/revert. It goes back to "
        "before question 2.",
        tasks="""
            (go back|rewind|jump back|return) to (an earlier question|before a question|an earlier point|
                question 2)( in a session| of the chat|)
            (undo|take back|remove) (my last question|the last turn|the last two questions|a question|
                a turn)( in a session|)
            (revert|rewind|roll back) (a session|the session|a conversation|the chat)
        """,
        things="""
            (:revert_to|a revert|the revert route|reverting a session|:revert_to 2|the revert of a session|
                undoing a question)
            (an undo for the chat|an undo|going back in a session)
        """,
        asks="""
            (is there|do you have|does it have) (an undo|a revert|a way back|
                a rewind)( in a session| for a question| in the terminal|)?
            (I asked|I typed|I sent) (nonsense|the wrong question|something wrong|a wrong question)(
                . Can I take it back?|. Can I undo that?|, can I undo it?|. How do I go back?)
            (can I|may I|is it possible to) (undo|take back|revert|rewind) (a question|the last question|
                a turn|it|a session)?
            (undo|revert|rewind|rollback|revert_to)( command| route| session| question| how|)
            what does (:revert_to|revert|a revert) do?
            does (:revert_to|revert|a revert) delete (anything|my question)?
            (what if|suppose) I want to (forget|undo) (the last question|my last question|
                only the last turn)?
            (step|steps|two questions|one question) back in (the chat|a session)(?|, how?|, please)
        """,
    ),
    "database": Topic(
        "Sessions are in SQLite, in .local/share/tritonchat/sessions.db of your home folder. "
        "--database takes a PostgreSQL URL instead.",
        brief="In .local/share/tritonchat/sessions.db of your home folder.",
        tasks="""
            (use|connect|set up|switch to|take) (PostgreSQL|Postgres|another database|a database|
                a real database)( for the sessions| for it|)
            (back up|move|copy|find) (the sessions file|sessions.db|the database|the session database)
            (store|keep|put) the sessions (in|into) (PostgreSQL|Postgres|another database|a database)
        """,
        things="""
            (the database|the session database|PostgreSQL|Postgres|SQLite|--database|the --database flag|
                sessions.db)
            (the storage of the sessions|the place of the sessions|a database for the sessions)
        """,
        asks="""
            (where|in which file|in which folder) (are|does it keep|does it store) (the|
                my) sessions( kept| stored|)( on disk|)?
            (which|what) database (does it use|is used|does tritonchat use|holds the sessions|do I need)?
            (does it|can it|will it) (support|use|work with|need) (PostgreSQL|Postgres|MySQL|SQLite|
                a database|Redis|MongoDB)?
            (database|postgres|postgresql|sqlite|mysql|redis)( support| flag| url| file| for sessions|)
            (SQLite or PostgreSQL|Postgres or SQLite|SQLite or something else)(?|)
            (do I|must I) (install|set up|run) a database( server| for it| first|)?
            (several|two|many) servers(, one database|, shared sessions| with the same sessions)(
                . Possible?|, possible?|?|)
        """,
    ),
    "embeddings": Topic(
        "The API has chat and text completions only, no embeddings.",
        tasks="""
            (get|make|compute|create|calculate) (embeddings|an embedding|vectors|
                embedding vectors)( of a text| with it| for my texts|)
            (use|call) the embeddings (API|route|endpoint)
            (build|do|use) (RAG|semantic search|a vector search) with (it|tritonchat)
        """,
        things="""
            (the embeddings API|embedding models|an embedding model|the embeddings endpoint|vector search|
                RAG|/v1/embeddings)
            (embeddings over the API|the embeddings route|semantic search with tritonchat)
        """,
        asks="""
            (are there|does it have|do you have|does the API have|does it support) (embeddings|
                an embeddings endpoint|an embeddings route|RAG|vector search)?
            (can it|does it|can tritonchat|will it) (compute|make|give|return|do) (embeddings|vectors|RAG|
                semantic search)?
            (embeddings|embedding) (endpoint|api|support|route|model)
            (rag|vector search|vector store)( support| api|)
            (I need|I want|my program needs) (embeddings|vectors of my texts|an embeddings endpoint|
                an embedding model)(.|)
            (where|which route) (are|is for|gives) (the |)embeddings?
        """,
    ),
    "tools": Topic(
        "The API takes no tools and no functions, and its answers are plain text.",
        tasks="""
            (use|call|give it|define|have) (tools|functions|function calling|tool calls|tool use)
            (get|force|have|receive) (JSON|structured output|JSON output|answers in JSON|
                valid JSON)( from it| only|)
            (use|set) (response_format|a JSON schema|JSON mode|tool_choice)
        """,
        things="""
            (tools|function calling|tool calling|tool use|tool calls|JSON mode|structured output|
                response_format|a JSON schema)
            (functions in the API|the tools parameter|MCP|an agent with tools)
        """,
        asks="""
            (does it|does the API|can it|does tritonchat) (support|have|do|know|take) (tools|
                function calling|tool calls|JSON mode|structured output|MCP|a JSON schema)?
            (can|could) (the model|it) (call|use) (functions|tools|my function|an API of mine)?
            (tools|function calling|tool calling|json mode|structured output|
                mcp)( support| how| api| possible|)
            (it says|I get|the API says) (tools are not supported|response_format is not supported|
                this service cannot use tools)(.|)
            (is there|do you have) (a JSON mode|function calling|tool use|structured output|MCP support)?
            (my agent|my program|my app) (needs|wants|uses) (tools|function calling|JSON mode|
                structured output)(.|. Does that work?|)
        """,
    ),
}
