"""What people tell about themselves: tables of values, and as many more made up, so that copying pays."""

from collections.abc import Callable, Iterable
from random import Random

from training.names import blend, borrow, coin, draw_name, invent_name
from training.talk import MONTHS, Pool, phrases, words

COLOURS = Pool(
    words("""
        red blue green yellow orange purple pink brown black white grey gold silver violet indigo turquoise
        teal magenta cyan crimson scarlet maroon navy beige ivory cream coral salmon peach lavender lilac mint
        olive lime amber bronze copper rust khaki tan ochre mauve plum ruby emerald sapphire jade charcoal
        mustard apricot cherry rose lemon cobalt azure umber sepia ebony pearl snow sand chocolate caramel
        honey cinnamon pumpkin tomato raspberry strawberry blueberry avocado moss fern forest ocean sky
        midnight sunset
    """),
    phrases("""
        vermilion, chartreuse, aquamarine, burgundy, cerulean, fuchsia, mahogany, periwinkle, ultramarine,
        dusty cobalt, smoky violet, pale ochre, dark mauve, bright teal, deep turquoise
    """),
)
SHADES = words("""
    dark light pale deep bright soft dusty warm cold neon pastel icy smoky misty royal electric burnt faded
    shiny dull stormy rosy milky golden silvery greenish bluish reddish
""")
TOWNS = Pool(
    phrases("""
        Aachen, Aberdeen, Accra, Addis Ababa, Adelaide, Aleppo, Algiers, Almaty, Amman, Amsterdam, Ankara,
        Athens, Atlanta, Auckland, Austin, Baghdad, Baku, Baltimore, Bamako, Bangalore, Bangkok, Barcelona,
        Basel, Bath, Beijing, Beirut, Belfast, Belgrade, Bergen, Berlin, Bern, Bilbao, Birmingham, Bogota,
        Bologna, Bonn, Bordeaux, Boston, Bratislava, Bremen, Brighton, Brisbane, Bristol, Brno, Brussels,
        Bucharest, Budapest, Buenos Aires, Cairo, Calgary, Cambridge, Cape Town, Caracas, Cardiff, Chennai,
        Chicago, Cologne, Copenhagen, Cork, Dakar, Dallas, Damascus, Delhi, Denver, Derby, Detroit, Dhaka,
        Dortmund, Dover, Dresden, Dubai, Dublin, Dundee, Durban, Essen, Exeter, Faro, Florence, Frankfurt,
        Galway, Gdansk, Geneva, Genoa, Ghent, Glasgow, Graz, Grenoble, Hamburg, Hanoi, Harare, Havana,
        Helsinki, Hobart, Houston, Hull, Innsbruck, Istanbul, Izmir, Jakarta, Jena, Jerusalem, Kampala,
        Karachi, Kassel, Kiel, Kigali, Kingston, Kolkata, Krakow, Kyiv, Kyoto, La Paz, Lagos, Lahore, Las
        Vegas, Lausanne, Leeds, Leicester, Leipzig, Lille, Lima, Limerick, Linz, Lisbon, Liverpool, Lodz,
        London, Los Angeles, Lusaka, Lyon, Madrid, Malaga, Malmo, Manchester, Manila, Maputo, Marseille,
        Melbourne, Memphis, Mexico City, Miami, Milan, Minsk, Montreal, Moscow, Mumbai, Munich, Nairobi,
        Nantes, Naples, New Orleans, New York, Newcastle, Nice, Nottingham, Oslo, Ottawa, Oxford, Palermo,
        Paris, Perth, Porto, Portland, Prague, Pune, Quebec, Quito, Riga, Rio de Janeiro, Rome, Rostock,
        Rotterdam, San Diego, San Francisco, San Jose, Santiago, Sao Paulo, Sarajevo, Seattle, Seoul, Seville,
        Shanghai, Sheffield, Singapore, Sofia, Split, Stockholm, Strasbourg, Stuttgart, Sydney, Tampa,
        Tbilisi, Tehran, Tel Aviv, The Hague, Tokyo, Toledo, Toronto, Toulouse, Trieste, Tripoli, Tucson,
        Tunis, Turin, Ulm, Utrecht, Vancouver, Venice, Verona, Vienna, Vilnius, Warsaw, Washington, York,
        Zagreb, Zurich, Bad Homburg, Little Rock, Port Louis, St Ives, Baden-Baden, Stoke-on-Trent
    """),
    phrases("""
        Valparaiso, Gothenburg, Chittagong, Albuquerque, Dubrovnik, Heidelberg, Yokohama, Winnipeg, Antwerp,
        Marrakesh, Ljubljana, Samarkand, Wollongong, Chattanooga, Montevideo, Guadalajara, Nuremberg,
        Inverness, Salamanca, Kathmandu, Santa Fe, Salt Lake City, Grimbleford, Ostervik
    """),
)
TOWN_ENDS = words(
    "ford ville ton ham burg bury field dorf vik berg port mouth wick grad polis stad stead dale"
)
TOWN_WORDS = words(
    "New Old Upper Lower Great Little North South East West Port Lake Mount Fort Saint San Bad"
)
PETS = Pool(
    phrases("""
        cat, dog, rabbit, hamster, parrot, goldfish, horse, pony, turtle, tortoise, snake, lizard, mouse, rat,
        guinea pig, budgie, duck, goat, hen, spider, fish, donkey, kitten, puppy, canary, pigeon, goose, pig,
        sheep, cow, chicken, crab, snail, frog, bunny, parakeet, greyhound, poodle, corgi, labrador, owl,
        llama, tomcat, terrier, newt, stick insect, bulldog, cockerel, lamb, raven
    """),
    phrases(
        "chinchilla, axolotl, cockatoo, alpaca, iguana, terrapin, ferret, dachshund, tarantula, "
        "macaw, siamese cat"
    ),
)
PET_NAMES = words("""
    Mog Rex Bella Luna Max Fluffy Buddy Whiskers Tiger Shadow Lucky Spot Snowy Coco Socks Ginger Biscuit
    Pepper Peanut Oreo Smokey Felix Mittens Tom Garfield Rocky Daisy Poppy Bonnie Bruno Nemo Bubbles Fang
    Nibbles Hoppy Patch Pickles Muffin Cookie Waffle Noodle Button Pumpkin Toffee Marble Pebble Domino Ziggy
    Bandit Princess Captain Sparky Simba Nala Maple Olive Hazel Mochi Tofu Sushi Pixel Turbo Rusty Scout
    Rufous
""")
FOODS = Pool(
    phrases("""
        pizza, pasta, spaghetti, lasagne, noodles, rice, soup, bread, cheese, salad, sushi, curry, stew,
        chips, fries, potatoes, pancakes, waffles, porridge, toast, honey, jam, chocolate, ice cream, cake,
        pie, apple pie, cookies, biscuits, apples, bananas, cherries, strawberries, grapes, mangoes, plums,
        peaches, oranges, melon, carrots, peas, beans, lentils, broccoli, spinach, mushrooms, tomatoes,
        pumpkin soup, tomato soup, chicken, roast chicken, fish and chips, burgers, hot dogs, tacos, burritos,
        nachos, ramen, dumplings, spring rolls, omelette, scrambled eggs, risotto, gnocchi, ravioli, pesto,
        hummus, kebab, steak, meatballs, sausages, salmon, tuna, prawns, goulash, dal, samosas, naan,
        couscous, tofu, kimchi, fondue, quiche, croissants, doughnuts, muffins, brownies, pudding, custard,
        cheesecake, popcorn, peanuts, walnuts, olives, pickles, garlic bread, mashed potatoes, macaroni
        cheese, rice pudding, lemon tart, carrot cake, onion soup, fried rice, baked beans, corn on the cob,
        schnitzel
    """),
    phrases("""
        moussaka, gazpacho, bibimbap, jambalaya, shakshuka, clafoutis, borscht, pierogi, ratatouille, ceviche,
        pad thai, apple strudel, cauliflower curry, smoked trout, plum dumplings
    """),
)
COOKED = words(
    "roast fried baked smoked grilled sweet spicy sour creamy cold hot stuffed pickled crispy sticky"
)
INGREDIENTS = words("""
    apple plum cherry lemon carrot onion tomato potato pumpkin mushroom pepper bean pea lentil chicken fish
    egg cheese butter nut almond coconut ginger garlic leek cabbage spinach rice corn pear peach berry honey
""")
DISHES = words("""
    soup stew pie cake salad curry bread dumplings noodles pancakes pudding tart rolls sandwich toast risotto
    balls sauce ice-cream muffins crisps bake casserole
""")
JOBS = Pool(
    phrases("""
        teacher, doctor, nurse, baker, cook, chef, waiter, farmer, gardener, builder, plumber, electrician,
        carpenter, painter, driver, bus driver, taxi driver, truck driver, train driver, pilot, sailor,
        fisherman, engineer, software engineer, programmer, developer, web designer, designer, architect,
        lawyer, judge, police officer, firefighter, soldier, dentist, vet, pharmacist, scientist, physicist,
        chemist, biologist, mathematician, historian, librarian, writer, journalist, editor, translator,
        actor, singer, musician, dancer, photographer, film maker, tailor, hairdresser, barber, cleaner,
        caretaker, cashier, shop assistant, salesman, accountant, banker, manager, secretary, receptionist,
        postman, mechanic, welder, miner, butcher, brewer, florist, jeweller, potter, shepherd, forester,
        ranger, lifeguard, coach, referee, midwife, surgeon, psychologist, therapist, social worker, priest,
        professor, researcher, data scientist, consultant, estate agent, travel agent, tour guide, flight
        attendant, air traffic controller, astronaut, detective, security guard, roofer, tiler, blacksmith,
        watchmaker, cheesemaker, bookseller, nanny, tutor, swimming teacher, driving instructor
    """),
    phrases("""
        locksmith, upholsterer, zookeeper, stonemason, optician, puppeteer, botanist, glassblower, paramedic,
        stockbroker, sculptor, geologist, crane operator, piano tuner, beekeeper, archivist
    """),
)
MATERIALS = words("""
    kite clock boat shoe bell lamp book bike door glass wool paper cheese tea sock button cloud map toy robot
    violin chair rope window cake bread stone ship engine radio bridge carpet piano candle spoon
""")
TRADES = words(
    "maker mender tester polisher painter seller designer builder collector inspector trainer keeper"
)
HOBBIES = Pool(
    phrases("""
        reading, cooking, baking, painting, drawing, singing, dancing, swimming, running, jogging, cycling,
        hiking, climbing, skiing, sailing, rowing, surfing, fishing, camping, gardening, knitting, sewing,
        pottery, photography, writing, chess, football, basketball, volleyball, tennis, table tennis,
        badminton, golf, cricket, rugby, hockey, boxing, judo, karate, yoga, pilates, skating, skateboarding,
        horse riding, bird watching, travelling, collecting stamps, collecting coins, board games, card games,
        video games, puzzles, crosswords, programming, model trains, model planes, woodworking, astronomy,
        playing the piano, playing the guitar, playing the drums, playing the violin, learning languages,
        watching films, listening to music, theatre, magic tricks, juggling, archery, darts, bowling,
        snowboarding, diving, kayaking, weight lifting, walking, meditation, embroidery, weaving, carpentry,
        flying kites, making jam, brewing beer, repairing bikes, writing poems, stand-up comedy, parkour
    """),
    phrases("""
        falconry, origami, calligraphy, fencing, geocaching, beekeeping, kitesurfing, crocheting, stargazing,
        taxidermy, bonsai, orienteering, ballroom dancing, playing the banjo, collecting fossils
    """),
)
PASTIMES = words(
    "collecting painting drawing making mending building photographing carving throwing counting"
)
THINGS = words("""
    kites clocks boats shoes bells lamps books bikes stamps coins leaves stones shells spoons maps masks
    buttons candles clouds birds trees trains bridges postcards dolls robots bottles baskets boxes hats cups
    feathers
""")


def permitted(draw: Callable[[], str], held_out: Iterable[str]) -> str:
    """What `draw` gives, drawn again where it is held out, large or small, with an article or without."""
    kept = {value.lower() for value in held_out}
    while (value := draw()).lower().removeprefix("the ") in kept:
        pass
    return value


def draw_colour(rng: Random) -> str:
    """A colour: plain, in some shade, or one that nobody has heard of."""
    kind = rng.random()
    if kind < 0.3:
        return COLOURS.draw(rng)
    if kind < 0.6:
        return permitted(lambda: f"{rng.choice(SHADES)} {COLOURS.draw(rng)}", COLOURS.held_out)
    colour = permitted(lambda: coin(rng, COLOURS.values), COLOURS.held_out)
    return colour + rng.choice(("", "", " " + rng.choice(COLOURS.values[:16])))


def draw_town(rng: Random) -> str:
    """A town, real or made up, of one word or several."""
    kind = rng.random()
    if kind < 0.35:
        return TOWNS.draw(rng)
    town = invent_name(rng)
    if kind < 0.6:
        town = permitted(lambda: blend(rng, TOWNS.values), TOWNS.held_out)
    elif kind < 0.75:
        town = permitted(lambda: invent_name(rng) + rng.choice(TOWN_ENDS), TOWNS.held_out)
    return f"{rng.choice(TOWN_WORDS)} {town}" if kind > 0.92 else town


def draw_pet(rng: Random) -> str:
    """The kind of a pet; now and then of a kind unknown to science."""
    return PETS.draw(rng) if rng.random() < 0.5 else permitted(lambda: coin(rng, PETS.values), PETS.held_out)


def draw_pet_name(rng: Random) -> str:
    """What a pet is called."""
    return rng.choice(PET_NAMES) if rng.random() < 0.35 else draw_name(rng)


def draw_food(rng: Random) -> str:
    """Something to eat, from the table or put together."""
    kind = rng.random()
    if kind < 0.35:
        return FOODS.draw(rng)
    if kind < 0.5:
        return permitted(lambda: coin(rng, FOODS.values), FOODS.held_out)
    first = coin(rng, INGREDIENTS) if kind < 0.7 else rng.choice(INGREDIENTS)
    dish = rng.choice(DISHES).replace("-", " ")
    full = f"{first} {dish}" if rng.random() < 0.7 else f"{rng.choice(COOKED)} {first} {dish}"
    return draw_food(rng) if any(value in full for value in FOODS.held_out) else full


def draw_job(rng: Random) -> str:
    """A job, from the table or put together."""
    kind = rng.random()
    if kind < 0.4:
        return JOBS.draw(rng)
    if kind < 0.6:
        return permitted(lambda: coin(rng, JOBS.values), JOBS.held_out)
    first = coin(rng, MATERIALS) if kind < 0.8 else rng.choice(MATERIALS)
    trade = rng.choice(TRADES) if rng.random() < 0.6 else coin(rng, TRADES)
    return draw_job(rng) if (job := f"{first} {trade}") in JOBS.held_out else job


def draw_hobby(rng: Random) -> str:
    """A hobby, from the table or put together."""
    kind = rng.random()
    if kind < 0.4:
        return HOBBIES.draw(rng)
    if kind < 0.6:
        return permitted(lambda: f"{rng.choice(PASTIMES)} {rng.choice(THINGS)}", HOBBIES.held_out)
    if kind < 0.8:
        return permitted(lambda: coin(rng, HOBBIES.values), HOBBIES.held_out)
    return invent_word(rng) + rng.choice(("ing", "ing", " collecting", " racing", " ball", " dancing"))


def draw_number(rng: Random) -> str:
    """A number as people have for luck or on a door: of one to five digits, short ones as likely as long."""
    return str(rng.randrange(10 ** rng.randint(1, 5)))


def draw_code(rng: Random) -> str:
    """A code of three to six digits, which may begin with zeros."""
    return "".join(rng.choices("0123456789", k=rng.randint(3, 6)))


def draw_day(rng: Random) -> str:
    """A day of the year, in one of the ways it is written."""
    day, month = rng.randint(1, 28), rng.choice(MONTHS)
    tail = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd"}.get(day, "th")
    return rng.choice(
        (f"{month} {day}", f"{day} {month}", f"{month} {day}{tail}", f"the {day}{tail} of {month}")
    )


def invent_word(rng: Random) -> str:
    """A common noun that does not exist, or not as what it is here."""
    return borrow(rng) if rng.random() < 0.7 else invent_name(rng).lower()
