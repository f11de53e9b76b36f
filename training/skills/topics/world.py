"""Questions of knowledge, and words that sound like the help desk's and mean something else."""

from training.phrasing import lines
from training.talk import phrases

# What is asked of the world: {subject} is a thing, {place} and {elsewhere} are places, {person} and {other}
# are people, {word} is no word at all.
FACTS_ASKED = lines("""
    (what is|what's|whats|name|tell me) the (capital|population|president|currency|flag|area|language|king|
        climate|religion|anthem|highest mountain|longest river|biggest city|prime minister|time zone|history|
        main export) of {place}?
    (where|where exactly) is {place}( on the map| located|)?
    (tell me about|what do you know about|describe|what can you tell me about|talk about|
        I want to know more about) {place}(.|?|)
    how (big|large|far|old|cold|hot|rich|poor|dangerous|high|deep|long|expensive) is {place}?
    (how far is it|how long does it take|how do I get|which train goes|
        what is the distance) from {place} to {elsewhere}?
    (who|which king|which party|which president) (rules|ruled|governs|conquered|discovered|
        founded) {place}( in {year}|)?
    (what|which language) do (people|they) (speak|eat|wear|celebrate|drink) in {place}?
    how many (people|islands|lakes|cities|cows|states|languages) (are there|live|are) in {place}?
    (what|which) (city|town|country|mountain|river|animal|food) is {place} (famous|known) for?
    is {place} (bigger|smaller|older|richer|warmer|farther north|more expensive) than {elsewhere}?
    (is|was|has) {place} (a country|a city|an island|in Europe|in Asia|a kingdom|a colony|a democracy|
        the capital of {elsewhere})?
    (what should I|what can I|what is there to) (see|do|eat|visit|buy) in {place}?
    (best|cheap|good) (hotels|restaurants|museums|beaches) in {place}
    (should I|is it safe to|when should I|how do I) (travel to|visit|move to|fly to) {place}?
    (when|why|how) did {place} (become independent|join the war|lose the war|get its name|become a republic|
        become rich)?
    (which|what) countries (border|are next to|are near) {place}?
    what happened in {place} in {year}?
    (who|what) (was|is) {person}?
    who (invented|wrote|painted|composed|discovered|built|said) (that|it|{subject})( first|)?
    (tell me about|what do you know about|have you heard of|do you know|explain who was|
        talk about) {person}(?|.|)
    (when|where) (was|is) {person} (born|buried|from|living|raised)?
    (when|how|why|where) did {person} (die|live|become famous|become rich|start|win|grow up|go to school)?
    (what|which book|which film|which theorem|which picture) did {person} (write|do|invent|discover|paint|
        make|prove|say|win)?
    (how old|how tall|how rich|how famous) (is|was) {person}?
    (did|does|is|was) {person} (know|like|live near|meet|marry|work with|better than|a friend of|
        older than) {other}?
    (is|was) {person} (dead|alive|a man|a scientist|married|rich|from {place}|a writer|a king|
        a painter)( or not|)?
    who (is|was) the (wife|husband|father|mother|teacher|son|successor|brother|daughter) of {person}?
    (compare|what is the difference between) {person} and {other}(.|?|)
    (name|list|give me|quote) (a book|the books|the works|the songs|a quote|the films|three films) (by|of|
        from) {person}(.|)
    (who|what) (invented|discovered|caused|started|ended|came before|is the father of) {subject}?
    (when|where|how) (was|were) {subject} (invented|discovered|made|found|first used|born)?
    (why|how) (is|are) {subject} (important|dangerous|useful|made|so expensive|bad for us|blue|hot|round|used|
        grown|cold)?
    (how many|how much|what kinds of|which types of) {subject} (are there|exist|do we need|do people use|
        is there)( in {place}|)?
    (what is|what are|what's) the (parts|advantages|disadvantages|causes|effects|history|origin|laws|rules|
        types|main ideas|benefits|ingredients|theory|basics|future|dangers) of {subject}?
    (what is|what's) the difference between {subject} and {second}?
    (is|are) {subject} (better|worse|older|faster|heavier|healthier|more important) than {second}?
    (does|do|can|will) {subject} (cause|need|help|hurt|explain|prove|use|eat|contain|change|produce) {second}?
    how (does|do) {subject} (affect|work with|depend on|lead to|produce) {second}?
    (is it true that|I heard that|they say that) {subject} (causes|contains|needs|replaces|
        comes from) {second}(?|.|, is that true?)
    (how big|how old|how fast|how heavy|how hot|how tall|how long|how deep|how far|how loud) (is|
        are) {subject}?
    (how long|how much) (do|does) {subject} (live|last|take|cost|weigh|sleep|grow|eat)?
    (what|which) (shape|size|temperature|smell|weight) (is|are|has|have) {subject}?
    (who|what) is the (best|greatest|most famous|first|richest|oldest|fastest|youngest) (player|singer|
        painter|scientist|actor|writer|king|team|swimmer|inventor) (of all time|in the world|in {place}|
        in history|ever)?
    (what|which) is the (tallest|biggest|longest|oldest|deepest|fastest|smallest|heaviest|richest|
        coldest) (mountain|river|animal|building|country|city|tree|lake|planet|fish|bird|ship|tower|volcano|
        desert|ocean)( in the world| in {place}| on earth| ever|)?
    who (won|lost|played in|scored in) (the world cup|the war|the election|the race|the final|
        the battle of {place}|the match) in {year}?
    what (happened|was invented|was discovered|began|ended) in {year}?
    (when|where) (was|is|did) (the battle of {place}|the second world war|the first olympics|
        the last ice age)( begin| end| take place|)?
    (give me|tell me|I need) (information|facts|details|some information|an article) (about|on) ({subject}|
        {place}|{person})(.|)
    (can|could) you (recommend|suggest) (a|some|me a|a good) (film|book|restaurant|hotel|song|series|game|
        phone|laptop|school|wine|gift|present|movie|dentist|car)( for me| in {place}| please|)?
    (what|which) (film|book|phone|car|laptop|game|series|dress|camera|bike) (should I|shall I|do I|
        would you) (buy|watch|read|take|choose|play|wear)?
    (why|how) (is the sky blue|is the sea salty|do birds fly|do cats purr|do we sleep|do stars shine|
        do leaves fall|does it rain|do magnets work|is fire hot|do planes fly|do fish breathe|
        does the sun shine|do we dream|does soap clean|is ice slippery)?
    (can|do) (fish sleep|birds cry|plants feel|dogs see colours|snakes hear|worms see|
        bees sleep)?
    (is the earth round|is the earth flat|is there life on {place}|are there aliens|who made the world|
        is there water on {place})?
    (what does|what did) (the word |)({word}|{word} {word2}) mean?
    (define|what is the meaning of|what is the origin of|explain the word) {word}(.|?|)
    (how does|how do|why does|why do) (a car|a fridge|the heart|a rocket|a camera|the brain|an engine|a clock|
        a phone|planes|eyes|ears|a battery|money|the law|a bank|schools|planets) (work|exist|move|break|
        matter)?
    (what|which) (is|are) (the chemical formula|the boiling point|the atomic number|the density|the weight|
        the speed) of {subject}?
    (what is|what's) ({word}|the {word}|a {word}|the {word} {word2})?
    (who is|who was|who's) {name}( {word2}|)?
    (solve|explain|prove|derive|discuss) (the theorem of {person}|the law of {subject}|
        the problem of {subject}|{subject})(.|)
    (what is|what's) (your opinion|the truth|the latest) (on|about) (history of {place}|
        the origin of {subject})?
    (teach me|I want to learn|help me learn|give me a lesson in|help me with) ({subject}|physics|chemistry|
        history|biology|geography)(.|)
    (quiz|test|ask) me (about|on) ({subject}|{place}|history|geography)(.|)
    (do you know|can you tell me|I'd like to know|I wonder|I want to know|I forgot) (where {place} is|
        who {person} was|how big {place} is|what the capital of {place} is|when {person} was born|
        who invented {subject}|why {subject} is important|how {subject} works)(.|?|)
    {place}(,|:| -) (capital|population|where|history|currency|language|what is it|what do you know)(?|)
    {person}(,|:| -) (who|who is that|born when|what did he do|what did she do|famous for what|
        dead or alive)(?|)
    {subject}(,|:| -) (history|invented when|how|why|how many|who invented it|what is it made of|
        pros and cons)(?|)
    (capital|population|president|flag|king|history|area) of {place}(?|, please|)
    (my teacher|my son|my daughter|a quiz|my grandson|a friend) (asks|wants to know|
        asked me) (where {place} is|who {person} was|what {subject} is|how {subject} works|
        when {person} died|who founded {place})(.|?|)
    (for school|for my homework|for a quiz|for a project)(,| I need to know|:) (who is {person}|
        what is {subject}|where is {place}|the capital of {place}|the life of {person}|facts about {place}|
        how {subject} came about)(?|.|)
    I (am reading|read a book|saw a film|have to give a talk|am learning) about ({person}|{place}|
        {subject})(.|,) (what do you know|tell me more|can you tell me something|what should I know|
        when was that)(?|.)
    (I am|I'm|we are) (going|flying|moving|travelling) to {place}(.|,|:) (what should I see|
        what do people eat there|what language do they speak|what can I do there|is it expensive|
        tell me about it)(?|.)
    (who|what|which team|which country) (was|is|were) (the first|the second|the last|the greatest|
        the only) (man on the moon|president of {place}|king of {place}|woman in space|
        person to climb {place}|winner of the cup)?
    (was|is|were) ({person}|{place}|{subject}) (really|ever|always|still) (so famous|that important|
        that big|like that|dangerous|known|loved)?
    (why|how) did ({person}|{place}) (win|lose|become great|change the world|fall|disappear|
        get so rich)( in {year}|)?
    (what|which) (animal|plant|country|planet|metal|language|element) (is|has) (the longest|the biggest|
        the rarest|the strongest|the most poisonous|the most spoken|
        the heaviest)( in the world| on earth| of all|)?
    how many (planets|bones|stars|countries|languages|oceans|muscles|teeth|species) (are there|exist|
        do we know|has a human|has the world|are known)( in the world| in {place}|)?
    (why|how come) (do|does|is|are) (onions make us cry|the moon change|the leaves green|the sea blue|
        we yawn|cats always land on their feet|ice float|it thunder|my ears pop|bread rise)?
    (in which|in what) (year|century|country|city|book|war) (was|did|is) ({person} born|{person} die|
        {person} live|{place} founded|{subject} invented|{person} fight)?
    (what was|what's|what is) ({person}|{place}) (famous for|known for|like|called before|about)?
    (list|name|tell me|give me) (three|five|some|all) (kings|presidents|cities|rivers|inventions|animals|
        mountains) (of|from|in) {place}(.| please.|)
    (what is|what's) the (story|life|work|biography|theory|name of the wife) of {person}(?| in short?)
    (did you know|have you heard) (that {person} lived in {place}|about {person} and {other}|
        what happened in {place}|of the war in {place})?
    (can you|could you) (teach me about|tell me everything about|give me an overview of|help me understand|
        give me a lesson on) ({subject}|{place}|{person}|history|physics)( please|)?
    (who would win|who is stronger)(,|:) ({person} or {other}|a shark or a bear|a lion or a tiger|
        a gorilla or a lion)?
    (is|are) {subject} (from|typical of|popular in|forbidden in|grown in|found in) {place}?
    what (would|will|could) happen if (there were no {subject}|the moon fell down|the sun went out|
        all the bees died|{person} had never lived|the earth stopped)?
    (what is the formula|what is the symbol|what is the unit|what is the inventor) of {subject}?
    how (was|were|is|are) ({subject}|{place}|the pyramids|the earth|the stars) (made|formed|built|
        discovered|created)?
""")
# For frames with a noun, as in help: words that sound like those of the help desk and mean something else.
NEAR_NOUNS = phrases("""
    batching in baking, a batch of cookies, a transformer on a power line, the film Transformers, Triton the
    sea god, Triton the moon, the god Triton, a bus token, a casino token, the token of a board game,
    attention deficit, attention in class, attention at school, the temperature of the sun, a fever,
    temperature in cooking, the seed of an apple, sunflower seeds, seeds for the garden, a port in the north,
    port wine, the port of Hamburg, a harbour, a data mine, a server in tennis, a waiter, a stream in the
    forest, a mountain stream, a python, a python snake, pythons, a llama, llamas in Peru, the mistral wind, a
    bench in the park, a bench press, bench pressing, a thread of cotton, a needle and thread, a therapy
    session, a court session, a gang, a cache of gold, a secret hiding place, a key of a piano, the key of C
    major, a house key, a chat show, a model railway, a fashion model, a role model, model planes, quantum
    physics, quantum computers, the quantity of water, a parameter of a curve, weights in the gym, weight
    lifting, body weight, a driving licence, a fishing licence, a marriage licence, a context in history, a
    host of a party, a television host, a doctor of medicine, a family doctor, a queue at the post office,
    memory training, childhood memory, memory foam, a kernel of corn, popcorn kernels, army kernels, a stop
    sign, a bus stop, a penalty in football, the death penalty, a penalty kick, a batch of beer, a system of
    equations, the solar system, the nervous system, a page of a newspaper, a page in a book, a hub of a
    wheel, a train hub, a hugging pillow, a streaming cold, a prefix in Latin, a suffix, graphics design, a
    processor for food, a food processor, a driver of a bus, an engine of a car, a steam engine, a jet engine,
    a curl in hair, hair curlers, a graph, a tokenized coin, attention seeking, a head of state, the head of a
    nail, a layer of paint, a layer cake, an ozone layer, speculation on the stock market, a stock exchange,
    docker workers, harbour workers, a chain saw, land use, a language school, sign language, a production
    line, a film production, offline shops, an apache helicopter, the Apache people
""")
# For frames with a task, likewise, and what else people want to do.
NEAR_TASKS = phrases("""
    load a truck, load a washing machine, load the dishwasher, load a ship, unload a lorry, load a camera,
    start a car, start a fire, start a business, start a diet, start a club, start running, start a motorbike,
    stop smoking, stop a nosebleed, stop hiccups, stop worrying, stop a train, stop a leak, stop snoring, stop
    my baby crying, restart my life, restart a car, change a tyre, change a light bulb, change a nappy, change
    my job, change schools, switch the lights on, open a bottle, open a tin, open a
    shop, open a jammed door, install a kitchen, install a lamp, install a sink, install Windows, train my
    dog, train for a marathon, train a horse, train a cat, train my muscles, teach a parrot to talk, run a
    marathon, run a business, run faster, run a farm, serve dinner, serve in tennis, serve wine, cancel my
    flight, cancel a subscription, cancel a hotel, stream a film, stream a football match, host a party, host
    a wedding, quit my job, quit drinking, exit a motorway,
    close a bank account, kill weeds, kill a spider, save money, save water, save the planet, make a cake
    smaller, speed up my car, go faster on a bike, set the table, set a trap, reset a
    watch, choose a wedding dress, choose a model railway, become a model, work as a model, become a server in
    a restaurant, become a doctor, see a doctor, find a doctor, repair a bench, build a bench, thread a
    needle, sew on a button, get a driving licence, get a fishing licence, get more attention, pay attention
    in class, improve my memory, lose weight, gain weight, lift weights, learn Python, learn JavaScript,
    program in C, write a web server, build a website, curl my hair, cut my hair, connect a printer, connect
    speakers, install a graphics card, buy a graphics card, fix my GPU, find a port in a storm, cook for
    several people, feed several guests, plan a production, sell a language course, learn a language, count
    cards, build a port, page a doctor, clear a drain, delete a photo, start over in life, forget my ex, keep
    a secret from my wife
""")
VERBS = phrases("""
    fix, make, build, paint, clean, sell, buy, repair, grow, cook, draw, fold, wash, dry, carry, lift, catch,
    measure, cut, bake, boil, fry, peel, plant, knit, weave, polish, sharpen, store, pack, hang, move, hide,
    find, choose, use, learn, play, drive, ride, fly, steer, park, start, stop, open, close, load, run,
    change, install, train, serve, remove, replace, restart, turn off, turn on, switch on, set up, get rid of,
    take care of, get, feed, breed, milk, tame, collect, decorate, design, invent, copy, glue, screw, drill,
    dig, fill, empty
""")
OBJECTS = phrases("""
    a bike, a car, a table, a chair, a lamp, a clock, a shirt, a tie, a boat, a tent, a kite, a door, a
    window, a roof, a fence, a wall, a garden, a lawn, a tree, tomatoes, roses, potatoes, an onion, an egg, an
    omelette, rice, pasta, soup, a cake, an apple pie, bread, pancakes, jam, cheese, coffee, tea, a fish, a
    chicken, a cow, a horse, a rabbit, a parrot, a piano, a guitar, a drum, a violin, a washing machine, a
    fridge, an oven, a toaster, a vacuum cleaner, a sewing machine, a lawn mower, a motorbike, a truck, a
    tractor, a plane, a drone, a rocket, a camera, a phone, a printer, a television, a radio, a battery, a
    lock, a key, a knife, a saw, a hammer, a ladder, a carpet, a curtain, a sofa, a bed, a mattress, a
    suitcase, shoes, socks, a hat, a dress, a suit, a scarf, a house, a flat, a garage, a pool, a fountain, a
    bridge, a chimney, a fire, a candle, wood, metal, glass, leather, wool, a puzzle, a card game, a magic
    trick, a sandcastle, a snowman, a paper plane, a bird house, a bee hive, a wedding, a party, a birthday, a
    holiday, a trip to the sea
""")
