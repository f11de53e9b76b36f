"""How people ask for what a child knows of things: templates, each whole question without its mark."""

from training.phrasing import lines

COLOUR = lines("""
    (what|which) (colour|color) (is|has) {x}
    what is the (colour|color) of {x}
    (which|what) (colour|color) does {x} have
    tell me the (colour|color) of {x}
    {x} is (which|what) (colour|color)
    what (colour|color) would you (say|call) {x}
    what (colour|color) (should I|do I|would you|could I|must I) (paint|colour|draw) {x}
    (the |)(colour|color) of {x}
    {x}(:|,) (what|which) (colour|color)
    (I want|I am going|I'd like) to (paint|draw) {x}. (What|Which) (colour|color) (do I need|is it|
        should I take)
    (which|what) (pencil|crayon|paint) do I (need|take) for {x}
    (name|say) the (colour|color) of {x}
    {x} has (what|which) (colour|color)
    close your eyes and think of {x}. What (colour|color) is it
    as what (colour|color) do people see {x}
    what (colour|color) is {x} (usually|normally|mostly)
    (do you know|can you tell me|I forgot) what (colour|color) {x} is
""")
COLOUR_CHECK = lines("""
    (is|isn't) {x} {shade}
    {x} is {shade}, (right|isn't it|is it|true or false|is that right)
    (is it true|I think|my son says|they say) that {x} is {shade}
    would you say that {x} is {shade}
    true or false(:|,) {x} is {shade}
""")
MIX = lines("""
    what (do you get|do I get|comes out|happens|colour comes out) (if|when) (I|you|we) mix {a} (and|with) {b}
    (what|which) (colour|color) (do|does) {a} and {b} (make|give)
    what is {a} (and|plus|mixed with) {b}
    (what|which) (colour|color) do you get from {a} and {b}
    (mix|mixing|if you mix) {a} (and|with) {b}(:|,) (what|which) (colour|color) (is it|do I get|comes out)
    I (mixed|mix|have) {a} (and|with) {b} (paint|). What (colour|color) (is it|will it be|do I get)
    {a} paint and {b} paint together make (what|which colour)
    {a} + {b}(:|,) (which|what) colour
""")
MIX_BACK = lines("""
    how (do|can) (I|you|we) (make|mix|get) (the colour |){y}( paint| from other colours|)
    (which|what) (colours|colors) (make|give|do I mix for|do I need for) {y}
    what do I (mix|need) to (get|make) {y}( paint|)
    I (have no|ran out of|need some) {y} paint. What (can|do|should) I mix
    {y} is (made|mixed) from (which|what) (colours|colors)
""")
USE = lines("""
    (what is|what's) {a_x} (for|used for|good for)
    what (do|can|would) (you|people|we|I) (do with {a_x}|use {a_x} for)
    why do people (have|own|need|buy) {a_x}
    what do people (have|use|need|buy) {a_x} for
    what is the (use|purpose|point) of {a_x}
    what (do|would) (I|you|people) need {a_x} for
    when (do|would|should) (I|you|people) (need|use) {a_x}
    {a_x}(:|,) what is it for
    {a_x} is for what
    (someone gave me|I found|I bought|here is|I have) {a_x}. What (is it for|do I do with it|can I do with it)
    (tell me|explain) what {a_x} is for
    how is {a_x} useful
    what (job|work) does {a_x} do
    my child asks what {a_x} is (for|used for)
    (what can be done|what is done|what does one do) with {a_x}
""")
USE_BACK = lines("""
    what (do|would|should|can|could) (I|you|we|people) (use|need|take|have) for {y}
    (which|what) (thing|tool|object) is (for|used for|good for|made for|needed for) {y}
    what is (for|used for|good for) {y}
    {y}(:|,) (what do I need|what do I use|which thing is it for|with what)
    I need something for {y}. What (is it called|could I take|is that)
    (it is|it's) (a thing |something |)for {y}. What is it
    what is the thing for {y} called
    what helps with {y}
    name (a thing|something) for {y}
    (I can't think of the word|what's the word)(:|,) the thing for {y}
""")
BODY_USE = lines("""
    what (are|is) (the|our|your|my) {x} for
    what do (we do with our|people do with their|you do with your) {x}
    what do (we use our|people use their|you need your|we need our|we have our) {x} for
    why do (we|people) have {x}
    what (can|do) (people|we|I) do with (our|their|my) {x}
    what would we miss without {x}
    {x}(:|,) what (are they|is it) for
    what is the (job|purpose|work) of the {x}
    (the|our) {x} (help us|help) to do what
""")
BODY_BACK = lines("""
    (what|which part of the body|which body part) do (we|people|you|I) (use to |need to ){y}
    what do (we|people|you|I) {y} with
    with (what|which part of the body) do (we|people|you|I) {y}
    how do (we|people) {y}(:|,) with which part of the body
    which part of (me|the body|us) is there to {y}
    what lets (us|people|me) {y}
    I {y} with my what
    name the part of the body we {y} with
""")
PART = lines("""
    how many {part} does {x} have
    how many {part} has {x}( got|)
    how many {part} are (there |)(on|in) {x}
    {x} has how many {part}
    (tell me |)the number of {part} (on|of) {x}
    I drew {x}. How many {part} should there be
    count the {part} of {x}
    how many {part}(:|,) {x}
""")
TRADE = lines("""
    what (does|would|will) {a_x} do( all day| at work| for a living|)
    what is the (job|work|task|profession) of {a_x}
    what do {xs} do( all day| at work| for a living|)
    what kind of (work|job) does {a_x} (do|have)
    (tell me|explain|describe) what {a_x} does
    {a_x}(:|,) what (does he do|does she do|do they do|kind of job is that)
    why do we need {xs}
    what would I do as {a_x}
    if I (become|were|was) {a_x}, what would I do( all day|)
    what is {a_x} (good|paid) for
    (my aunt|my neighbour|somebody I met) is {a_x}. What do they do
    how does {a_x} (spend|fill) the day
    {a_x} does what
""")
TRADE_BACK = lines("""
    who {y}
    (which|what) (person|kind of person|worker) {y}
    what do (you|we|people) call (someone|somebody|a person|a man|a woman) who {y}
    (somebody|someone|a person) who {y} is called (what|how)
    (what's|what is) the (job|name|word|profession) of (someone|somebody|a person) who {y}
    (whose|which) job is it: one who {y}
    (he|she|my aunt|my uncle) {y}. What is (his|her|the) job
    one who {y}(:|,) (what is that called|who is that|which job is it)
    I need somebody who {y}. Whom (do I call|should I ask)
""")
SIDE = lines("""
    how many sides does {a_x} have
    how many sides has {a_x}( got|)
    {a_x} has how many sides
    (tell me |)the number of sides of {a_x}
    how many sides (do {xs} have|are there in {a_x}|are on {a_x})
    (I am drawing|I want to draw) {a_x}. How many (sides|lines) (does it need|do I need|has it)
    count the sides of {a_x}
    {x}(:|,) (sides|number of sides|how many sides)
""")
SIDE_BACK = lines("""
    (which|what) shape has {y} (sides|corners|edges)
    what do you call a shape with {y} (sides|corners|edges)
    a shape with {y} (sides|corners)(:|,) what is it
    (what is|what's) the name of a shape with {y} (sides|corners)
    I (drew|see) a shape with {y} (sides|corners). What is it
""")
SHAPE = lines("""
    what shape (is|has) {x}
    what is the shape of {x}
    (which|what) shape does {x} have
    {x}(:|,) what shape
    tell me the shape of {x}
    is {x} (round|square|round or square|square or round)
    what does {x} look like(:|,) round or square
    how is {x} shaped
    {x} has (which|what) shape
""")
WHEEL = lines("""
    how many wheels does {a_x} have
    how many wheels has {a_x}( got|)
    {a_x} has how many wheels
    (on|with) how many wheels does {a_x} (roll|drive|go|run)
    how many wheels do {xs} have
    the number of wheels (on|of) {a_x}
    count the wheels of {a_x}
    I am drawing {a_x}. How many wheels (does it need|should it have)
    {x}(:|,) how many wheels
    does {a_x} have (two|three|four|any) wheels
    if I buy {a_x}, how many wheels do I get
""")
BECOMING = lines("""
    what (does|will|can) {x} (become|turn into|turn to|change into)
    what becomes of {x}
    {x} (turns into|becomes) what
    what comes of it when {x} (changes|turns into something else)
    what do you call {x} once it has (changed|turned into something else)
    first it is {x}, and (then|later|what then)
    {x}(:|,) what does it turn into
""")
MAKING = lines("""
    what is {x} made (of|from|out of)
    (from|of|out of) what is {x} made
    what do (I|you|we|people) need to make {x}
    what do (you|people|we) make {x} (of|from|out of)
    {x}(:|,) made of what
    {x} is made (of|from) what
    what goes into {x}
    (which|what) (material|stuff|thing) is {x} made (of|from)
    where does {x} come from
    what was {x} before it was {x}
    what must I have to make {x}
""")
QUALITY = lines("""
    is {x} ({a} or {b}|{b} or {a})
    {x}(:|,) ({a} or {b}|{b} or {a})
    would you (say|call) {x} ({a} or {b}|{b} or {a})
    how is {x}(:|,) ({a} or {b}|{b} or {a})
    what is {x}(:|,) ({a} or {b}|{b} or {a})
    does {x} feel ({a} or {b}|{b} or {a})
    I touch {x}. Is it ({a} or {b}|{b} or {a})
    which is right(:|,) {x} is ({a}, or {x} is {b}|{b}, or {x} is {a})
    do you think {x} is ({a} or {b}|{b} or {a})
    is {x} (really |)({a}|{b})
""")
TASTE = lines("""
    (what|how) does {x} taste( like|)
    is {x} (sweet or sour|sour or sweet|salty or sweet|sweet, sour or salty|bitter or sweet)
    what is the taste of {x}
    (I bit into|I tried|if I lick) {x}. How does it taste
    what taste does {x} have
    {x}(:|,) sweet, sour, salty or bitter
    {x} tastes how
    does {x} taste (sweet|sour|salty|bitter)
    tell me how {x} tastes
""")
SEASON_IS = lines("""
    what is the weather (usually |normally |)like in {x}
    (how|what) is {x}(:| like:) (warm or cold|cold or warm|hot or cold|mild or cold)
    is it (warm or cold|cold or warm|hot or cold) in {x}
    is {x} (a warm season|warm|cold|hot|a cold season|warm or cold|cold or warm)
    how (warm|cold) does it get in {x}
    what kind of weather does {x} (bring|have)
    the weather in {x}(:|,) (warm or cold|what is it like)
""")
SEASON = lines("""
    (when|in which season|in what season|at what time of the year) is it that {x}
    (which|what) (season|time of the year) is it when {x}
    {x}(:|,) in (which|what) season( is that|)
    (in which|in what|which is the) season when {x}
    name the season when {x}
    {x} in (which|what) season
    tell me (when|in which season) {x}
    in which part of the year is it that {x}
    is it in (summer or in winter|winter or in summer|spring or in autumn|autumn or in spring) that {x}
""")
DAILY_ASKED = lines("""
    (when|at what time of the day) is it that {x}
    (which|what) (part|time) of the day is it when {x}
    {x}(:|,) (when|at what time of day)( is that|)
    tell me when {x}( usually|)
    is it in the morning or in the evening that {x}
    by day or by night(:|,) when is it that {x}
    I wonder when {x}
    at which time of the day {x}
""")
CLOTHES_ASKED = lines("""
    what (do|should|would) (you|people|I|we) (wear|put on) {x}
    what (clothes |)(does one|do children|shall I|must I) (wear|put on) {x}
    what is (worn|good to wear|right to wear) {x}
    (name|tell me) something (to wear|that people wear) {x}
    {x}(:|,) what (do I wear|do people wear|should I put on)
    what (clothing|garment|thing) is (for wearing|worn) {x}
    help me get dressed(:|,) what do I put on {x}
""")
MEAL = lines("""
    what (do|does|should|would) (you|people|one|I|we) eat {x} with
    with what (do|does|should) (you|people|one|I|we) eat {x}
    how (do|should|does) (you|people|one|I|we) eat {x}(:| -) (with a spoon or a fork|with a fork or a spoon|
        with what|with which tool)
    do (I|you|people) need a (spoon|fork|knife) (for|to eat) {x}
    what (do I|do you) (need|take|use) to eat {x}
    {x}(:|,) (spoon or fork|fork or spoon|spoon, fork or hands)
    (spoon or fork|fork or spoon|a fork, a spoon or my hands) for {x}
    there is {x} for lunch. What do I eat it with
    is {x} eaten with a (spoon or a fork|fork or a spoon)
""")
PLACE = lines("""
    where (do|can|would) people {x}
    (in which place|at what place|in what building) do people {x}
    where does (one|somebody|a person) {x}
    where do (children|families|men and women) {x}
    people {x} where
    where do people go (if they want|when they want|in order) to {x}
    what is the place where people {x}
    (which|what) place is there (so that people|where people) {x}
    name the place where people {x}
""")
PLURAL = lines("""
    the plural (of|form of|for) {x}
    the plural of the word {x}
""")
PLURAL_ASKED = lines("""
    one {x}, two what
    one {x}, (many|several|three|a lot of) (what|...)
    what do you (call|say for) (more than one|several|two|many) {x}
    {x} in the plural
    {x}, plural
    plural of {x}
    (make|put|turn) {x} (plural|into the plural)
    how do (you|I) (make|form|build) the plural of {x}
    (what|which) is the word for more than one {x}
    what is {x} when there (is more than one|are two|are many)
    is there a plural of {x}
""")
SINGULAR = lines("""
    the singular (of|form of|for) {y}
    the singular of the word {y}
""")
SINGULAR_ASKED = lines("""
    many {y}, one what
    (what|which) is the word for just one of the {y}
    {y} in the singular
    {y}, singular
    singular of {y}
    if there are no longer many {y} but only one, what is it called
""")
GROUP = lines("""
    what (is|kind of thing is|sort of thing is) {a_x}(:|,) (an animal, a plant or a thing|a fruit or a tool|
        an animal or a colour)
    what (kind|sort|type) of (thing|word) is {x}
    to (which|what) group does {x} belong
    {x} (is|belongs to) (what|which) (kind of thing|group)
    {x}(:|,) what (kind|sort) of thing( is it|)
    in (which|what) (group|box|drawer) would you put {x}(:|,) (fruit, animals or tools|
        animals, clothes or toys|
        colours, fruit or flowers)
""")
GROUP_CHECK = lines("""
    (is|isn't) {a_x} {kind}
    {x} is {kind}, (right|isn't it|true or false|is that right)
    (would you call|can you call|do you call) {a_x} {kind}
    (is it true|I think|my son says|they say) that {a_x} is {kind}
    does {x} count as {kind}
    true or false(:|,) {x} is {kind}
""")
ODD = lines("""
    (which|what) (one |word |)is the odd one out(:|,|) {list}
    (which|what) (one |word |)(does not|doesn't) (belong|fit)(:|,| here:| in this list:) {list}
    odd one out(:|,) {list}
    find the odd one out(:|,) {list}
    {list}(:|,|.) (which|what) (one |word |)(does not|doesn't) (belong|fit)( here| in|)
    {list}(:|,|.) (which|what) is the odd one( out|)
    (one|one word|one of them) does not (belong|fit)(:|,) {list}. (Which one|Which is it)
    (pick|choose|take) out the (wrong one|one that does not fit|odd one|stranger)(:|,) {list}
    who is the stranger (here|among these)(:|,) {list}
    which of these is different(:|,) {list}
    I have a list(:|,) {list}. Which (one |word |)is different
""")
MORE = lines("""
    (which|what|who) is {more}, {a} or {b}
    is {a} or {b} {more}
    (which|what) (one |thing |)is ({more}|the {more} one)(:|,) {a} or {b}
    {a} or {b}, (which|which one|what) is {more}
    {more}(:|,) {a} or {b}
    (what|which) would you say is {more}, {a} or {b}
    compare {a} and {b}(:|,) which is {more}
    (between|of) {a} and {b}, which is {more}
    who wins if we ask which is {more}, {a} or {b}
    (I think|my brother says) it is hard to say which is {more}, {a} or {b}
    {a} and {b}(:|,) which (one |)is {more}
""")
MORE_CHECK = lines("""
    is {a} {more} than {b}
    {a} is {more} than {b}, (right|isn't it|true or false|is that right)
    (is it true|I think|my sister says) that {a} is {more} than {b}
    would you say that {a} is {more} than {b}
    true or false(:|,) {a} is {more} than {b}
""")
