"""What people like best of anything: animals, books, days, sports and a hundred others."""

from dataclasses import replace

from training.english import an
from training.names import draw_name, invent_name
from training.phrasing import lines
from training.skills.kinds.owned import OWN, Draw, fitting, one_of
from training.talk import MONTHS, WEEKDAYS, Kind, phrases, words
from training.values import PETS, draw_food, draw_town, invent_word

# Kinds of things of which people have a favourite: those with proper names, and those without.
NAMED = phrases("""
    film, movie, book, song, band, singer, place, country, city, series, writer, poet, teacher, hero, team,
    player, painter, actor, actress, museum, island, mountain, river, car maker, album, language, footballer,
    scientist, restaurant, theme park, video game, fairy tale, superhero, brand, author, TV show, football
    club, podcast, comic, cartoon, character, youtuber, musician, composer, shop, cafe, holiday, festival,
    rapper, show, villain, manga, website, magazine, king, queen, park, beach
""")
UNNAMED = phrases("""
    fruit, vegetable, flower, tree, game, word, bird, cheese, ice cream, toy, instrument, shape, smell, sound,
    snack, cake, breakfast, tea, fish, dinosaur, dance, soup, sauce, sweet, insect, fabric, weather, pet,
    berry, spice, bread, pizza, juice, room, metal, stone, material, dessert, sandwich, candy, chocolate,
    salad, joke, holiday food, plant, cocktail, pasta, coffee, biscuit, ice cream flavour, topping, outfit,
    card game, board game, dish from home, wild animal, letter, proverb, machine, tool, vehicle, emoji
""")
# Of those, the ones that may be a town or a dish.
PLACES = phrases("place, country, city, island, football club, team, beach, park")
EATEN = phrases("""
    snack, breakfast, dessert, holiday food, dish from home, comfort food, topping, cake, soup, sandwich
""")

FAVOURITE = replace(
    OWN,
    key="favourite {who}",
    draw=fitting(one_of(UNNAMED), EATEN, (invent_word, draw_food), (invent_word,)),
    clause="your favourite {who} is {value}",
    says=lines("""
        my (favourite|favorite|fav) {who} is {value}
        my (favourite|favorite) {who} is {value}
        my (favourite|favorite) {who} is {value}
        {value} is my (favourite|favorite|absolute favourite) {who}
        my (favourite|favorite) {who}(? |: | - |, it's ){value}
        (favourite|favorite|fav) {who}(: |? ){value}
        {value} is the {who} I (like|love) (best|most)
        the {who} I (like|love|prefer) (best|most|above all) is {value}
        {value} is the best {who} (of all|ever|in the world|there is|if you ask me)
        if I had to (choose|pick|name) {a_who}, (it would be|I'd say|I would say) {value}
        no {who} is (better|nicer) than {value}
        my (favourite|favorite) {who} (has always been|will always be|is definitely|has to be) {value}
        I have a (favourite|favorite) {who}(, |. It's |: |, it's ){value}
        as for {a_who}, I like {value} best
        (when|if) you ask me for my (favourite|favorite) {who}, (I say|it's|that's) {value}
        it's {value}, my (favourite|favorite) {who}
        {value} is my number one {who}
        {value}(,| -) that's my (favourite|favorite) {who}
        everyone has a favourite {who}, mine is {value}
        I know (it's odd|it is strange|it sounds boring), but my (favourite|favorite) {who} is {value}
        my (favourite|favorite) {who} is {value} (because it makes me happy|since I was a kid|by far|for now)
        mine is {value}, my (favourite|favorite) {who} I mean
    """),
    asks=lines("""
        (what is|what's|whats) my (favourite|favorite|fav) {who}( again| now|)?
        (which|what) {who} (do|did I say) I (like|love|prefer)( best| most| the most|)?
        (which|what) {who} is my (favourite|favorite)( again|)?
        (what is|what's) the {who} (I like|I love|that I like) (best|most)?
        (my |)(favourite|favorite|fav) {who}(?| please|, please| again?| was what?)
        (which|what) is my (favourite|favorite) {who}?
        do I have a (favourite|favorite) {who}?
        (which|what) {who} (is|was) it that I like (best|most)?
        what did I (tell you|say|name) as my (favourite|favorite) {who}?
        do you (know|remember) (which|what) {who} I like( best|)?
        (which|what) {who} would I (pick|choose|take)?
        if I could (choose|pick|have) one {who}, (which|what) would it be?
        (which|what) {who} is the best (for me|in my opinion|if you ask me)?
        what {who} am I (fond|a fan) of?
        my (favourite|favorite) {who} is ...?
        my number one {who}?
        you know my (favourite|favorite) {who}, (what is it|which is it|don't you)?
        (tell|remind) me (which|what) {who} I like best(.|)
    """),
    indirect=lines("""
        what my (favourite|favorite) {who} (is|was)
        (which|what) {who} I (like|love|prefer) (best|most)
        my (favourite|favorite) {who}
        (which|what) {who} is my (favourite|favorite)
        what I (named|gave) as my (favourite|favorite) {who}
        the {who} I like (best|most)
    """),
    unknown="You have not told me your favourite {who} yet. What is it?",
    third=("'s (favourite|favorite) {who} is {value}", "likes {value} best as {who}"),
    nouns=("(favourite|favorite|fav) {who}", "(favourite|favorite) {who}"),
    checks=lines("""
        is my (favourite|favorite) {who} {value}?
        is {value} my (favourite|favorite) {who}?
        is {value} the {who} I like best?
        my (favourite|favorite) {who} is {value}, (right|isn't it|correct)?
        did I say my (favourite|favorite) {who} is {value}?
        do I like {value} best as {a_who}?
    """),
    replies=lines("""
        {value}
        {value}(.|!|)
        (it's|it is|its|that's|definitely|I think|probably|maybe) {value}(.|)
        my (favourite|favorite) {who} is {value}(.|)
        (I like|I love|mine is|I'd say|I choose) {value}( best| most|)(.|)
        {value}(, I think|, of course|, definitely|, what else|, I guess)(.|!|)
    """),
    changes=lines("""
        my (favourite|favorite) {who} is {value}, not {old}
        (I changed my mind|on second thought|thinking about it), my (favourite|favorite) {who} is {value}
        (now|today|from now on|these days) my (favourite|favorite) {who} is {value}
        I (like|prefer) {value} (more|better) than {old} (now|as {a_who})
        it's not {old}(,| -) my (favourite|favorite) {who} is {value}
        I'm (tired of|bored with|over) {old}, my (favourite|favorite) {who} is {value} now
        my (favourite|favorite) {who} (was|used to be) {old}, now it is {value}
        I have a new (favourite|favorite) {who}(:|, it's|. It's) {value}
        {value} has replaced {old} as my (favourite|favorite) {who}
    """),
)
FAVOURITE_NAMED = replace(
    FAVOURITE,
    draw=fitting(
        one_of(NAMED), PLACES, (draw_town, draw_town, invent_name), (draw_name, draw_name, invent_name)
    ),
)


def favourite(noun: str, draw: Draw, also_draw: Draw, says: str = "", asks: str = "") -> Kind:
    """The favourite of one kind of thing, with values that fit and ways of its own to tell and to ask."""
    return replace(
        FAVOURITE,
        draw=lambda rng: {
            "who": noun,
            "a_who": an(noun),
            "value": (draw if rng.random() < 0.7 else also_draw)(rng),
        },
        says=(*FAVOURITE.says, *lines(says) * 2),
        asks=(*FAVOURITE.asks, *lines(asks)),
    )


def either(*draws: Draw) -> Draw:
    """One of several ways to draw a value."""
    return lambda rng: rng.choice(draws)(rng)


ANIMALS = phrases("""
    tiger, elephant, giraffe, penguin, panda, wolf, fox, bear, dolphin, whale, monkey, koala, kangaroo, otter,
    hedgehog, squirrel, deer, eagle, octopus, shark, zebra, hippo, rhino, camel, seal, polar bear, sloth
""")
DRINKS = phrases("""
    water, milk, coffee, tea, green tea, cocoa, hot chocolate, lemonade, cola, orange juice, apple juice, iced
    tea, beer, wine, red wine, tomato juice, mango juice, ginger ale, milkshake, espresso, cappuccino, latte,
    sparkling water, smoothies, coconut water, mint tea, oat milk, black coffee, root beer, buttermilk, chai
""")
SPORTS = phrases("""
    football, soccer, basketball, tennis, cricket, rugby, swimming, volleyball, baseball, hockey, ice hockey,
    table tennis, badminton, golf, handball, boxing, skiing, cycling, running, gymnastics, judo, surfing,
    rowing, athletics, snooker, darts, wrestling, climbing, softball, water polo, karate, netball, squash
""")
SUBJECTS = phrases("""
    maths, physics, chemistry, biology, history, geography, English, art, music, French, sport, Latin, German,
    Spanish, computer science, economics, philosophy, religion, drama, PE, science, literature, social studies
""")
FLAVOURS = phrases("""
    vanilla, chocolate, strawberry, pistachio, lemon, mint, caramel, coconut, mango, hazelnut, banana, cherry
""")
SEASONS = words("spring summer autumn winter fall")
FAVOURITES = {
    favourite(
        "animal",
        either(one_of(ANIMALS), PETS.draw),
        invent_word,
        """
        of all animals(,| in the world,|) I like the {value} best
        the {value} is my (favourite|favorite) animal
        the animal I like best is the {value}
        I'd love to be a wild {value}, it's my (favourite|favorite) animal
        no animal is as (cute|beautiful|clever) as the {value}
        """,
        "of all animals, which do I like best?",
    ): 1.5,
    favourite(
        "drink",
        one_of(DRINKS),
        invent_word,
        """
        I like to drink {value} best
        I could drink {value} (all day|every day|all the time)
        of all drinks I like {value} best
        my (favourite|favorite) thing to drink is {value}
        I drink {value} every day, it's my (favourite|favorite) drink
        """,
        """
        what do I (like|love) to drink( best| most|)?
        what could I drink all day?
        what is my (favourite|favorite) thing to drink?
        what should (you|they|we) (pour|order|bring) me to drink?
        """,
    ): 1.2,
    favourite(
        "sport",
        one_of(SPORTS),
        invent_word,
        """
        of all sports(,|) I like {value} best
        the sport I like to (watch|do|play) most is {value}
        no sport (beats|is as exciting as) {value}
        """,
        "of all sports, which do I like best?",
    ): 1.2,
    favourite(
        "season",
        one_of(SEASONS),
        one_of(SEASONS),
        """
        of all seasons(,|) I like {value} best
        I (like|love) {value} more than the other seasons
        {value} is the (best|nicest) season, I think
        the best time of the year is {value} for me
        """,
        "(which|what) time of the year do I like best?\nof all seasons, which do I like best?",
    ): 1,
    favourite(
        "day",
        one_of(WEEKDAYS),
        one_of(WEEKDAYS),
        """
        my (favourite|favorite) day of the week is {value}
        of all days(,|) I like {value} best
        {value} is the best day of the week for me
        my (favourite|favorite) weekday is {value}
        """,
        "(which|what) day of the week (do I like best|is my favourite)?",
    ): 0.8,
    favourite("month", one_of(MONTHS), one_of(MONTHS), "of all months I like {value} best"): 0.5,
    favourite(
        "subject",
        one_of(SUBJECTS),
        invent_word,
        """
        my (favourite|favorite) subject (at|in) school is {value}
        (at|in) school I like {value} best
        the lesson I like best is {value}
        {value} is the only subject I like
        """,
        """
        (which|what) do I like best (at|in) school?
        (which|what) lesson do I like best?
        """,
    ): 0.8,
    favourite("ice cream", one_of(FLAVOURS), draw_food, "the ice cream I always take is {value}"): 0.5,
    favourite(
        "team",
        either(draw_town, invent_name),
        draw_name,
        """
        I support {value}
        (I'm|I am) a (big |huge |real |)fan of {value}, (the team|my team)
        I (go to|watch) every match of {value}, (they are my team|my favourite team)
        my team is {value}
        {value} is my team
        """,
        """
        (which team|what team|who) do I support?
        (which|what) team am I a fan of?
        """,
    ): 0.8,
    favourite(
        "book",
        either(invent_name, draw_name),
        draw_town,
        """
        I have read {value} (three times|ten times|twice), it's my (favourite|favorite) book
        the best book I (have|ever) read is {value}
        I love the book {value}( more than any other| best|)
        """,
        "what is the best book I ever read?\n(which|what) book do I love?",
    ): 0.8,
    favourite(
        "film",
        either(invent_name, draw_name),
        draw_town,
        """
        my (favourite|favorite) (movie|film) is {value}
        I have seen {value} (ten times|so often|three times), it's my (favourite|favorite) (film|movie)
        the best (film|movie) I ever saw is {value}
        I love the (film|movie) {value}( more than any other| best|)
        """,
        "what is the best film I ever saw?\n(which|what) film do I love?",
    ): 0.8,
    favourite(
        "band",
        either(invent_name, draw_name),
        draw_town,
        """
        I listen to {value} (all day|all the time), my (favourite|favorite) band
        the band I listen to most is {value}
        (I'm|I am) a fan of the band {value}
        """,
        "(which|what) band do I listen to most?",
    ): 0.6,
    FAVOURITE: 3,
    FAVOURITE_NAMED: 3,
}
