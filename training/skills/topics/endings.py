"""What the help desk knows about where an answer ends: by length, at a word, or stopped by somebody."""

from training.phrasing import Topic

ENDINGS = {
    "max_tokens": Topic(
        "max_tokens limits the length of an answer: after so many tokens it is cut. The page has "
        "a setting for it.",
        tasks="""
            (limit|cut|set|change|control|restrict) (the length of an answer|the answer length|max_tokens|
                max tokens)
            (get|have) (longer|shorter|long) (answers|replies)
            (make|have) (answers|the answer|the answers|replies) (longer|shorter)
            (get|have|receive|see) (the rest of an answer|a whole answer|the full answer|complete answers|
                an answer that is not cut)
            (allow|permit) (longer|long|more) (answers|texts|output|replies)
            (raise|lower|increase|reduce|choose) (max_tokens|max tokens|the length limit|
                the limit of an answer)
            (have|get|make) it write (longer texts|shorter texts|only a few tokens)
            (set|give|put) (a limit|an upper limit|a cap|a maximum) (on|for|to) (the length of answers|
                answers|an answer)
        """,
        things="""
            (max_tokens|max tokens|the max_tokens parameter|the max tokens setting|the answer length|
                maximum tokens)
            (a length limit|the length limit|the limit of an answer|max_tokens 100|max new tokens|
                max_new_tokens|the maximum length of an answer)
            the (setting|number|field|slider|parameter) (for|that sets|that limits) (how long an answer is|
                the length of answers|the answer's length)
            (a finish_reason of length|finish_reason length|max_completion_tokens)
        """,
        asks="""
            (my|the) (answer|reply|text) (is|was|gets) (cut off|cut|too short|incomplete|truncated)(.|!|)
            why (is|does) (the|my) (answer|text) (cut off|so short|stop in the middle|end too early|cut)?
            how (long|many tokens) (is|can|may) an answer( be| have|)?
            (max_tokens|max tokens|answer length|length limit|maximum length of an answer)
            (my|the) (answer|story|text|reply) (stops|ends|breaks off|cuts off) (in the middle|mid-sentence|
                halfway|suddenly|in the middle of a word|too early)(.|, why?|. Why?|!|. What can I do?)
            why (does|did) (it|my answer|the answer|the story) (stop|end|break off) (in the middle|
                mid-sentence|halfway|so soon|in the middle of a word)?
            (it|the model) (never finishes|doesn't finish|does not finish|leaves off) (its|the) (sentence|
                sentences|story|answer|text)(.|, why?|. What do I set?)
            (half|only half|a part) of the (answer|story|sentence|text) (is missing|comes|is there|
                is shown)(.|, why?|. Where is the rest?)
            (I want|I need|I'd like|give me) (longer|shorter) (answers|replies)(.|, please.|
                , what do I set?|. Which setting?)
            (where|in which place) do I (set|change|limit|enter) (how long an answer is|
                the length of answers|the maximum length)?
            what happens (if|when) (an answer|the answer|it) (is longer than|reaches|hits) (max_tokens|
                the limit|the maximum)?
            what happens (if|when) I (set|put) (max_tokens|max tokens) (to 1|to 10|to 100|to 1000|very low|
                very high|to 0)?
            why would I (set|need|use|limit|lower) (max_tokens|max tokens|the answer length)?
            (which|what) (max_tokens|max tokens) (should I|do I|shall I) (use|take|set|choose)?
            (what is|what's) a good (max_tokens|max tokens)( value|)?
            (is there|does an answer have) a (limit|maximum|cap) (to|on|for) (the length of an answer|
                answers|how long an answer may be|its length)?
            (can|could) I (decide|choose|set|limit|fix) how (long|short|many tokens) (an answer|the answer|
                a reply|its answer) (is|gets|has)?
            (only|just) (a few words|one line|twenty words|half a sentence) (come|comes|and then it ends|
                and then it stops)(.|, why?|. Why?)
            (does|is) (max_tokens|max tokens) (count|counting|include) the (prompt|question|
                words)( too| or only the answer|)?
            (the end|the last part|the last sentence) of (my|the) (answer|story|text) is missing(.|, why?|
                . Where is it?)
            finish_reason (says|is|was) length(.|, why?|. What does that mean?)
        """,
    ),
    "stop words": Topic(
        "With the parameter stop an answer ends before the first of the texts you give, up to 16 of them.",
        tasks="""
            (end|stop|cut) (an answer|the answer|the text) at (a word|a certain word|a line|a string|a sign)
            (set|use|give|add|define) (stop words|stop strings|a stop word|stop sequences|a stop sequence)
            (have|let|make) (an answer|the answer|the text|it) (end|stop) (at|before|with) (a certain word|
                a certain text|a newline|a full stop|the first line|a marker)
            (end|stop|cut) (it|an answer|the text) (when|as soon as|before) (a word comes|
                a certain word appears|it writes a certain word|a new line begins)
            (get|have) (only one line|only the first line|only the first sentence) by a stop (word|string|
                text)
            (pass|send) (stop|a stop string|several stop words|a list of stop words) (in a request|
                to the API|with a request)
        """,
        things="""
            (stop words|stop strings|a stop word|the stop parameter|stop sequences|a stop sequence|
                stop texts)
            (stop tokens|a stop text|a stop string|the parameter stop|the stop list|the list of stop words|
                a list of stop strings|stop in a request)
            a (word|text|string|sign) (at which|where) (an answer|the answer|the text) (ends|shall end|
                must end)
        """,
        asks="""
            (are there|do you have|does it support|does it know) (stop words|stop strings|stop sequences)?
            (how many|which) stop (words|strings|sequences) (are allowed|can I give|may I give|can I use)?
            stop( words| strings| sequence| parameter| sequences|)
            (can|could) (an answer|the answer|it|the model) (end|stop) (at|before) (a word|a certain word|
                a newline|a string|a word I choose|the word END)?
            (I want|I need) (it|the answer|the text) to (end|stop) (at|before) (a certain word|a newline|
                the word END|a full stop|a string)(.|, how?|. How?)
            what happens (if|when) (a|the) stop (word|string|text|sequence) (comes|appears|is found|
                is reached|occurs)?
            (is|does) the stop (word|string|text) (itself |)(part of|in|included in|shown in|
                appear in) the answer( too|)?
            why would I (use|need|set|give|want) (a stop word|stop words|stop strings|a stop sequence)?
            (may|can) I (give|use|have|send) (several|two|more than one|many|twenty) stop (words|strings|
                sequences|texts)?
            (which|what) parameter (ends|stops|cuts) (an answer|the answer) at a (word|string|certain word|
                text)?
            (is there|do you have) a (limit|maximum) (for|to|on) stop (words|strings|sequences)?
            (does|can) a stop (word|string) be (a sentence|several words|a newline|a single letter|
                one character)?
            stop (word|words|string|strings|sequences) (how|where|example|in a request|supported|how many|
                what for)(?|)
            (what is the difference between|difference between) (stop and max_tokens|
                stop words and max_tokens|a stop string and the Stop button)(?|)
        """,
    ),
    "cancel": Topic(
        "Press Stop on the page. A program closes the stream, or sends a cancel with the "
        "request_id to chat_control.",
        brief="Press Stop on the page, or close the stream.",
        tasks="""
            (cancel|interrupt|abort|break off|cut short) (an answer|the answer|a request|
                an answer that runs|a reply)
            (stop|end|halt) (an answer|a running answer|the answer|a request|a long answer) (early|
                while it runs|midway)
            (make you|make it) (stop talking|stop writing|stop answering)
            (shut it up|silence it|hold it) (in the middle of an answer|while it writes|midway)
            (cancel|abort|kill|stop) (a request|an answer|a generation|a stream) (from a program|
                from Python|from my code|over gRPC|by its request_id)
            (make|have) (it|the model|the page) (stop|end|quit) (writing|now|right now|
                an answer) (while it runs|midway|before the end|at once)
            (take back|withdraw|undo|drop) a (request|question) (I sent|that I sent by mistake|that runs)
            (break off|abort|cancel) (a long story|a wrong answer|what it is writing|the running answer)
        """,
        things="""
            (the Stop button|cancelling|a cancel|cancellation|chat_control|cancelling an answer|request_id)
            (the Cancel button|a cancel request|the cancel message|a cancelled answer|aborting an answer|
                interrupting an answer|the button Stop)
            (stopping|halting|breaking off) (a running answer|an answer that runs|an answer midway|
                a request that runs)
        """,
        asks="""
            (is there|where is) (a|the) (stop button|cancel button|way to interrupt an answer)?
            (the answer|it) (is too long|never ends|goes on and on)(.|, how do I interrupt it?|
                . Can I cut it short?)
            (cancel|abort|interrupt)( answer| request| generation| an answer|)
            (can|may) I (interrupt|cancel|stop) (you|an answer|it while it answers|a request)?
            what happens (if|when) (the|a) client (goes away|disconnects|hangs up)?
            (I|oh no, I|oops, I) (asked|sent|typed) the wrong (question|thing|text)(. Can I cancel it?|
                , how do I cancel?|, can I break off the answer?)
            (it|the model|the page) (keeps writing|won't stop writing|writes and writes|
                does not stop writing|keeps going)(.|, how do I stop it?|. How do I end it?|!)
            (the|this) answer (goes on forever|runs and runs|just keeps coming|will not end)(.|
                , how do I stop it?|. Stop it how?)
            (which|what) (button|key) (stops|ends|cancels|interrupts) (an answer|the answer|
                it while it writes|a running answer)?
            (does|do) (it|the server|the engine) (go on|compute on|keep computing|keep working) (when|if|
                after) I (close the tab|close the page|hang up|leave|press Stop)?
            what happens (if|when) I (press Stop|press the Stop button|cancel a request|interrupt an answer|
                cut an answer short)?
            (can|may) (a program|my program|a script|my code|a client) (cancel|abort|interrupt|
                stop) (a request|an answer|a stream)?
            (do I|must I|should I) (wait|have to wait|need to wait) (until|till) (the answer|it|
                a long answer) (is finished|ends|is done)?
            (I've|I have) (seen|read|heard) enough(, how do I break off the answer?|
                . How do I stop the answer?|, stop the answer how?)
            (enough|that's enough|too long)(, cancel the answer.|, how do I interrupt the answer?|
                , how do I cut the answer short?)
            (is|are) (it|an answer|a request|requests) (cancellable|interruptible|possible to cancel|
                possible to interrupt)?
            (I don't|I do not) (want|need) (the rest of the answer|to wait for the end of the answer)(.|
                . How do I stop it?|, can I cancel?)
            what (is (chat_control|the request_id) for|does (chat_control|a cancel) do)( exactly|)?
            why would I (cancel|interrupt|abort|break off) (a request|an answer|a stream)?
        """,
    ),
}
