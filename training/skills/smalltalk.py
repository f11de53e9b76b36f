"""Friendly small talk: hello and goodbye, moods, remarks, and matters of taste."""

from random import Random

from training.names import draw_name
from training.phrasing import lines, mannered
from training.skills.fun import accept_offer
from training.skills.subjects import draw_person, draw_place, invent
from training.skills.topics.asides import ASIDES
from training.skills.topics.greetings import BYE, DAYTIME, HELLO, MORNING, NIGHT
from training.skills.topics.moods import MOODS
from training.skills.topics.remarks import REMARKS
from training.talk import Exchange, Talk, phrases

CHAT = {**MOODS, **REMARKS, **ASIDES}
# Said far more often than the rest.
FREQUENT = {
    "how are you": 5,
    "thanks": 5,
    "fine": 2,
    "happy": 6,
    "tired": 1.5,
    "ill": 1.5,
    "nervous": 2,
    "insult": 1.5,
    "yes": 3,
    "no": 2,
    "bored": 2,
    "compliment": 2,
    "sad": 3,
}
CHOOSE = lines("""
    {a} or {b}?
    (which|what) (is better|do you prefer|do you like more|would you take|would you choose|is nicer)(,|:|
        ) {a} or {b}?
    (do you prefer|do you like|would you take|would you rather have|would you like|should I take|
        shall I take) {a} or {b}( more| better|)?
    (are you|are you more of|would you be) for {a} or( for|) {b}?
    (choose|pick|decide)(:|) {a} or {b}(.|?|)
    (help me choose|help me decide|I can't decide|what do you say)(:|,|.) {a} or {b}?
    what (would|do) you (choose|prefer|like better|pick)(:|,) {a} or {b}?
    {a} vs {b}(?|)
    (your choice|quick choice|this or that)(:|,) {a} or {b}?
    (choose|pick|decide) between {a} and {b}(.|)
""")
PAIRS = tuple(
    tuple(pair.split("/"))
    for pair in phrases("""
        cats/dogs, tea/coffee, summer/winter, spring/autumn, sea/mountains, pizza/pasta, city/country,
        books/films, day/night, sun/rain, sweet/salty, apples/pears, red/blue, black/white, gold/silver,
        train/plane, car/bike, football/tennis, chess/cards, rock/jazz, piano/guitar, cake/ice cream,
        milk/juice, rice/potatoes, bread/noodles, butter/jam, early/late, left/right, north/south,
        east/west, small/big, fast/slow, loud/quiet, hot/cold, up/down, long/short, old/new, pen/pencil,
        pirates/ninjas, robots/aliens, dragons/unicorns, lions/tigers, elephants/mice, ducks/geese,
        frogs/toads, bees/butterflies, roses/tulips, oaks/pines, stars/moon, gold/love, money/time,
        work/play, singing/dancing, reading/writing, swimming/running, cooking/baking, walking/cycling,
        beach/forest, lake/river, hotel/tent, bath/shower, socks/slippers, hats/scarves, glasses/lenses,
        cheese/chocolate, eggs/bacon, soup/salad, honey/sugar, lemon/orange, fire/ice, water/wine,
        breakfast/dinner, monday/friday, today/tomorrow, luck/skill, odd/even, cash/card, stairs/lift,
        phone/letter, movies/music, android/iphone, windows/linux, pie/pudding, trams/buses, castles/huts,
        kites/balloons
    """)
)
LIKE = lines("""
    do you (really |also |)(like|love|enjoy|hate|dislike) {thing}( too| as well| very much|)?
    (what do you think|how do you feel|what is your feeling) about {thing}?
    (are you|would you say you are) (a fan of|fond of|into|crazy about|keen on) {thing}( too|)?
    how do you (like|find) {thing}?
    (don't you|you) (like|love) {thing}(, right|, too|)?
    (and |){thing}, do you like (it|that|them)?
    (tell me|I want to know|I wonder) if you like {thing}(.|)
""")
TRIED = lines("""
    have you (ever |)(tried|tasted) {thing}?
    did you (ever |)(try|taste) {thing}?
""")
FOODS = phrases("""
    pizza, ice cream, chocolate, cheese, apples, bananas, cakes, cookies, pasta, soup, tomatoes, garlic,
    bread, honey, mushrooms, sushi, rice, potatoes, avocados, cucumbers, carrots, onions, coffee,
    tea, milk, juice
""")
LIKED = phrases("""
    cats, dogs, horses, birds, spiders, snakes, owls, eagles, penguins, parrots, sharks, dolphins, whales,
    octopuses, turtles, lions, wolves, bears, monkeys, kangaroos, camels, butterflies, bees, ants, goats,
    flowers, roses, tulips, sunflowers, rain, snow, sunshine, the sea, the mountains, summer, winter, spring,
    autumn, mondays, weekends, holidays, birthdays, parties, presents, books, fairy tales, poems, poetry,
    jokes, riddles, films, cartoons, music, jazz, opera, ballet, rock music, hip hop, guitars, violins, drums,
    the piano, singing, dancing, football, basketball, tennis, golf, rugby, yoga, chess, games, video games,
    puzzles, maths, algebra, geometry, physics, chemistry, biology, philosophy, grammar, numbers, computers,
    robots, drones, servers, phones, cars, trains, bikes, planes, helicopters, rockets, telescopes, castles,
    bridges, museums, boats, cooking, chickens, cows, sheep, pigs, frogs, elephants, tigers, dinosaurs,
    dragons, unicorns, ghosts, pirates, aliens, colours, painting, photography, architecture, theatre, cinema,
    television, radio, drawing, swimming, surfing, skiing, camping, hiking, gardening, knitting, running,
    walking, sleeping, working, school, teachers, children, babies, grandmothers, clowns, magic, space, stars,
    the moon, planets, comets, rainbows, clouds, rivers, deserts, cities, small villages, big houses, gardens,
    trees, candles, balloons, kites, hats, socks, umbrellas, thunderstorms, fog, clocks, silence, noise,
    travelling
""")


SHARED = lines("""
    I @ {thing}(.|!| so much.| a lot.| very much.|)
    I @ {thing}(.|!|, you know.|, to be honest.|)
    (I think|I find|I must say) I @ {thing}(.|)
    (my friends and I|we|we all) @ {thing}(.|!|)
    (yes|oh yes|you know|well|by the way)(,|) I @ {thing}(.|!|)
""")
LIKES = "(like|love|enjoy|adore|really like|truly love)", "So you like {thing}! That sounds good to me."
DISLIKES = (
    "(hate|dislike|don't like|can't stand|do not like)",
    "So you do not like {thing}. I can live with that.",
)
# What people tell of their lives; what they say of themselves as facts belongs to the memory.
TOLD = "I see! Thank you for telling me."
OTHERS = (
    "(my sister|my brother|my friend {name}|our neighbours|my team|my mother|{name}|{name} and I|my "
    "family|my son|my daughter|some friends|my class|our dog|my grandfather|the children|a friend of mine)"
)
DID = lines("""
    (went|drove|walked|flew|travelled) (to the lake|to a concert|to {place}|to the shop|into the woods|
        to a wedding|over the hill)
    (bought|found|painted|cleaned|sold|fixed) (a lamp|an old {word}|the car|a big {word}|
        two chairs|the garden fence|an umbrella|a pair of shoes|the blue {word})
    (ate|cooked|baked|tried) (a huge pizza|soup for ten|a cake|{word} with rice|pancakes|far too much|
        something new)
    (saw|heard|met|watched|followed) (a {word}|an owl|a man with a {word}|three foxes|an old friend|
        a strange {word}|a rainbow)
    (played|danced|sang|talked|laughed|waited|slept) (all night|in the rain|for hours|the whole day|
        until midnight|in the park)
    (started|finished) (a course|a new {word}|a match|the meeting|a book|an old project|
        the {word})
""")
# Told of others only: after "I lost the car", nobody would ask how it was.
MISHAPS = lines("""
    (lost|broke|forgot) (a lamp|an old {word}|the keys|a big {word}|two chairs|an umbrella|the blue {word})
    burnt (a huge pizza|soup for ten|a cake|{word} with rice|pancakes)
    (missed|cancelled) (a course|a match|the meeting|the {word})
""")
WILL = (
    "will (visit {place}|paint the {word}|have a guest|start a course|try something new|go sailing|move the "
    "piano)( soon| tomorrow| next week|)"
)
# What has to be done, and what goes on: nothing of it is a fact to remember.
ERRANDS = lines("""
    (I|we) (had to|have to|must|need to) (open|close|fetch|feed|wash|carry|ring|clean|move|find|mend|look
        for) (the door|the cat|the children|the window|the {word}|a {word}|my {word}|
        our {word})( first| now| quickly| early|)
    (I|we) (had to|have to|must|need to) (get up|go|leave|run|wait|hurry|be quiet|work|stop|talk to the
        {word})( early| now| for a while| every day| again|)
""")
SCENES = lines("""
    (our|the|a|that|this|your) (cat|dog|bird|{word}|man|woman|child|{word}) (is|was) (sleeping|standing|lying|
        playing|walking|eating|singing|jumping) (on|in|under|by|behind) (the|our|my) (sofa|garden|table|tree|
        roof|{word})( again| all day| right now|)
    the {word} (looks|sounds|smells|tastes|is|was) (good|odd|great|strange|funny|fine|empty|loud|
        cold)( today| again|)
    there (is|was) (a|another) {word} (on|in|under|by|behind) (the|our|my) (sofa|garden|table|tree|roof|
        {word})
    (friends|relatives|my cousins|{name} and {name}) (are coming|will come) (over|to dinner|
        to stay|by)( soon| tomorrow|)
""")
WHEN = "(| today| yesterday| this morning| last week| on sunday| again| with my aunt| after lunch| at last)"


def greet(rng: Random, talk: Talk) -> list[Exchange]:
    """Hello, and hello again; by name once it is known."""
    again, talk.greeted = talk.greeted, True
    whom = ", {name}" if talk.name else " again" if again else ""
    slots = {"name": talk.name or "", "part": rng.choice(("morning", "afternoon", "evening", "day"))}
    if rng.random() < 0.3:
        ask = rng.choice((*DAYTIME, *DAYTIME, MORNING))
        if ask is MORNING:
            slots["part"] = "morning"
        return [Exchange(ask, f"Hello{whom}, and a good {{part}} to you! What can I do for you?", slots)]
    answer = f"Hello{whom}! What can I do for you?" if whom else "Hello! I am Tiny. What can I do for you?"
    return [Exchange(rng.choice(HELLO), answer, slots)]


def take_leave(rng: Random, talk: Talk) -> list[Exchange]:
    """Goodbye, or good night."""
    if rng.random() < 0.25:
        return [Exchange(rng.choice(NIGHT), "Goodbye, and good night! Sleep well.")]
    return [Exchange(rng.choice(BYE), "Goodbye! (It was nice to talk to you.|Have a nice day!)")]


def small_talk(rng: Random, talk: Talk) -> list[Exchange]:
    """Moods, thanks, remarks and matters of taste, and what naturally comes after some of them."""
    if rng.random() < 0.3:
        return [rng.choice((choose, like, share_taste, tell_of_life))(rng)]
    name = rng.choices(list(CHAT), [FREQUENT.get(name, 1) for name in CHAT])[0]
    turns = [remark(rng, name)]
    if rng.random() < 0.4:
        if name == "how are you":
            turns.append(remark(rng, rng.choice(("fine", "fine", "fine and you", *MOODS))))
        elif name == "my day":
            turns.append(remark(rng, rng.choice(("it was good", "sad"))))
        elif name == "guess what":
            turns.append(tell_of_life(rng))
        elif name == "bored":
            turns += accept_offer(rng)
    return turns


def remark(rng: Random, name: str) -> Exchange:
    """What people say, and the answer to it."""
    return Exchange(CHAT[name].ask(rng), CHAT[name].answer, brief=CHAT[name].brief)


def choose(rng: Random) -> Exchange:
    """One of two: always the first, as a model of few principles should have some."""
    first, second = rng.sample(rng.choice(PAIRS), 2)
    if rng.random() < 0.5:
        first, second = rng.sample([*FOODS, *LIKED, invent(rng).lower(), invent(rng).lower()], 2)
    if rng.random() < 0.1:
        first, second = draw_name(rng), draw_name(rng)
    answer = "I would pick {a}, but please do not ask me why."
    return Exchange(mannered(rng, rng.choice(CHOOSE)), answer, {"a": first, "b": second}, "I would pick {a}.")


def like(rng: Random) -> Exchange:
    """Whether it likes something, which it can only know by the sound."""
    asks, thing = LIKE, rng.choice((*FOODS, *LIKED))
    kind = rng.random()
    if kind < 0.25:
        thing = invent(rng).lower()
    elif kind < 0.35:
        thing = draw_place(rng) if rng.random() < 0.5 else draw_person(rng)
    elif kind < 0.45:
        asks, thing = TRIED, rng.choice(FOODS)
    answer = "I know {thing} only by name, but I like the sound of it."
    return Exchange(mannered(rng, rng.choice(asks)), answer, {"thing": thing})


def share_taste(rng: Random) -> Exchange:
    """What the person likes or dislikes, said back; a food that they dislike belongs to the memory."""
    verb, answer = LIKES if rng.random() < 0.7 else DISLIKES
    thing = rng.choice(LIKED)
    if answer == LIKES[1] and rng.random() < 0.4:
        thing = rng.choice((invent(rng).lower(), rng.choice(FOODS)))
    return Exchange(rng.choice(SHARED).replace("@", verb), answer, {"thing": thing})


def tell_of_life(rng: Random) -> Exchange:
    """Anything that somebody did, does or will do."""
    slots = {"name": draw_name(rng), "place": draw_place(rng), "word": invent(rng).lower()}
    kind = rng.random()
    if kind < 0.3:
        return Exchange(f"(sorry, |oh, |||){rng.choice(ERRANDS + SCENES)}(.|!|)", TOLD, slots)
    if kind < 0.6:
        return Exchange(f"(I|we) {rng.choice(DID)}{WHEN}(.|!|)", CHAT["my day"].answer, slots)
    if kind < 0.85:
        return Exchange(f"{OTHERS} {rng.choice(DID + MISHAPS)}{WHEN}(.|!|)", TOLD, slots)
    return Exchange(f"(I|we|{OTHERS}) {WILL}(.|!|)", TOLD, slots)
