"""What a child knows of things and people: colours, uses, trades, shapes, seasons, clothes, meals."""

from training.english import plural
from training.skills.everyday.animals import table
from training.talk import phrases, words

COLOURS = table("""
    grass: green, snow: white, the sky: blue, the sun: yellow, milk: white, coal: black, blood: red, a
    banana: yellow, a lemon: yellow, a tomato: red, a cherry: red, an orange: orange, a carrot: orange, a
    strawberry: red, a cucumber: green, a frog: green, a pig: pink, a crow: black, a polar bear: white, an
    elephant: grey, the sea: blue, chocolate: brown, a pumpkin: orange, a leaf: green, the night: black, a
    fire engine: red, a fox: red, salt: white, a cloud: white, a plum: purple, sugar: white, flour: white,
    a swan: white, a snowman: white, a tooth: white, an emerald: green, a pea: green, lettuce: green,
    broccoli: green, spinach: green, a ruby: red, a ladybird: red, a raspberry: red, a raven: black, soot:
    black, a mole: black, a chick: yellow, butter: yellow, corn: yellow, a sunflower: yellow, mustard:
    yellow, a flamingo: pink, mud: brown, a chestnut: brown, coffee: brown, an aubergine: purple,
    lavender: purple, a mouse: grey, a rain cloud: grey, a blueberry: blue, ash: grey, a canary: yellow, a
    tree trunk: brown, the inside of a kiwi: green, a lime: green
""")
SHADES = words("green white blue yellow black red orange pink grey brown purple")
MIXED = {
    ("blue", "yellow"): "green",
    ("red", "yellow"): "orange",
    ("red", "blue"): "purple",
    ("red", "white"): "pink",
    ("black", "white"): "grey",
    ("red", "green"): "brown",
}
# What one does with a thing, for "an umbrella is for ..." and "what do you use for ...".
USES = table("""
    umbrella: keeping dry in the rain, spoon: eating soup, knife: cutting, fork: eating pasta, pen:
    writing, pencil: drawing, brush: painting, broom: sweeping the floor, towel: drying yourself, bar of
    soap: washing your hands, toothbrush: brushing your teeth, comb: combing your hair, bed: sleeping, pillow:
    resting your head, blanket: keeping warm in bed, chair: sitting, hammer: hitting nails, saw: sawing
    wood, needle: sewing, spade: digging, rake: gathering leaves, bucket: carrying water, ladder: climbing
    up high, torch: seeing in the dark, cup: drinking tea, glass: drinking water, plate: putting food on,
    pan: frying eggs, pot: cooking soup, oven: baking cakes, fridge: keeping food cold, kettle: boiling
    water, washing machine: washing clothes, iron: making clothes smooth, vacuum cleaner: cleaning
    carpets, watch: telling the time, calendar on the wall: seeing what day it is, ruler: drawing straight
    lines, rubber: rubbing out pencil lines, pair of scissors: cutting paper, glue stick: sticking paper
    together, stamp: sending letters, suitcase: packing for a journey, tent: sleeping outdoors, map:
    finding the way, ball: playing catch, swing: swinging, sledge: sliding down a snowy hill, fishing rod:
    catching fish, whistle: making a loud sound, mirror: looking at yourself, pair of glasses: seeing
    better, bin: throwing rubbish away, bell: ringing, candle: decorating a birthday cake, lamp: lighting
    a room, coat: keeping warm, purse: keeping money in, watering can: watering flowers, bookshelf:
    keeping books on, bandage: covering a wound, nail file: filing your nails, lawnmower: cutting grass,
    seat belt: staying safe in a car, helmet: protecting your head
""")
BODY = table("""
    eyes: see, ears: hear, nose: smell, tongue: taste, teeth: chew, legs: walk, hands: hold things, brain:
    think, lungs: breathe, fingers: touch, lips: kiss, feet: stand, mouth: speak, arms: hug, stomach: digest
    food
""")
PARTS = table("""
    one hand: five fingers, one foot: five toes, a pair of hands: ten fingers, a pair of feet: ten toes, a
    face: two
    eyes, a head: two ears, a person: one nose, a child: two knees, a body: two arms, a human: one heart
""")
TRADES = table("""
    baker: bakes bread, teacher: teaches children, doctor: helps sick people, nurse: looks after sick
    people, farmer: grows food, pilot: flies planes, firefighter: puts out fires, cook: cooks meals,
    gardener: looks after gardens, dentist: looks after teeth, vet: helps sick animals, painter: paints
    walls and pictures, singer: sings songs, dancer: dances, writer: writes books, postman: brings
    letters, fisherman: catches fish, butcher: sells meat, tailor: makes clothes, cobbler: mends shoes,
    carpenter: makes things of wood, hairdresser: cuts hair, barber: cuts hair and beards, bus driver:
    drives a bus, police officer: catches thieves, sailor: sails ships, miller: grinds grain, judge:
    decides in court, waiter: brings food to the table, cleaner: cleans rooms, shepherd: looks after
    sheep, librarian: looks after books, mechanic: repairs cars, plumber: repairs
    water pipes, builder: builds houses, astronaut: flies to space, actor: plays in films, musician: makes
    music, clown: makes people laugh, referee: watches the rules of a game, lifeguard: saves swimmers,
    detective: solves crimes, florist: sells flowers, lorry driver: drives a lorry, tiler: lays tiles,
    bricklayer: builds walls, blacksmith: works with iron, king: rules a country
""")
SIDES = table("""
    triangle: three, square: four, rectangle: four, pentagon: five, hexagon: six, octagon: eight, diamond:
    four
""")
ROUND = table("""
    a ball: round, a wheel: round, a coin: round, a dice: square, a plate: round, a pizza: round, an egg:
    oval, a marble: round, a chess board: square, a stop sign: eight-sided, a slice of pizza: three-sided,
    a door: rectangular, a brick: rectangular, an ice cream cone: pointed, a button: round, a pea: round,
    a postcard: rectangular, a doughnut: ring-shaped
""")
WHEELS = table("""
    car: four wheels, bike: two wheels, bicycle: two wheels, tricycle: three wheels, unicycle: one wheel,
    motorbike: two wheels, pram: four wheels, taxi: four wheels, boat: no wheels, sledge: no wheels, ship: no
    wheels, skateboard: four wheels, horse cart: four wheels, rowing boat: no wheels
""")
# What a thing turns into, and when.
BECOMES = table("""
    ice: water when it melts, snow: water when it melts, water: ice when it freezes, boiling water: steam,
    wood: ash when it burns, a tadpole: a frog, a seed: a plant when it grows, a lamb: a sheep, a puppy: a
    dog, a kitten: a cat, a chick: a hen or a cockerel, a foal: a horse, a piglet: a pig, a calf: a cow or
    a bull, dough: bread in the oven, bread: toast in the toaster, a grape: a raisin when it is dried, a
    plum: a prune when it is dried, a bud: a flower when it opens, a blossom: a fruit, a boy: a man, a
    girl: a woman, butter: liquid when it is warm, night: day when the sun rises, day: night when the sun
    sets, a puddle: ice when it freezes, a cygnet: a swan
""")
MADE = table("""
    butter: milk, yoghurt: milk, cream: milk, flour: grain, an omelette: eggs, jam: fruit and sugar, a
    raisin: a grape, chocolate: cocoa, ketchup: tomatoes, popcorn: maize, a chip: a potato, mashed
    potato: potatoes, a snowman: snow, a jumper: wool, a book: paper, a coin: metal, a tyre: rubber, a
    window: glass, a log: wood, a sandcastle: sand, toast: bread, apple juice: apples, orange juice:
    oranges, lemonade: lemons and sugar, paper: wood, a brick: clay, a nail: iron, leather: animal skin, a
    bottle: glass or plastic, a spider's web: silk, a feather pillow: feathers, fruit salad: fruit
""")
QUALITIES = table("""
    fire: hot-cold, ice: cold-hot, a stone: hard-soft, a pillow: soft-hard, a feather: light-heavy, an
    elephant: heavy-light, water: wet-dry, the desert: dry-wet, a snail: slow-fast, a rocket: fast-slow, the
    night: dark-bright, the sun: bright-dark, a needle: sharp-blunt, a giraffe: tall-short, an ant:
    small-big, a whale: big-small, a skyscraper: tall-short, snow: cold-hot, a rock: hard-soft, wool:
    soft-hard, a mouse: small-big, a brick: hard-soft, a bubble: light-heavy, an oven: hot-cold, rain:
    wet-dry, a turtle: slow-fast, silk: smooth-rough, sandpaper: rough-smooth, a whisper: quiet-loud,
    thunder: loud-quiet, a baby: young-old, honey: sticky-dry, a ball: round-square, glass: smooth-rough
""")
TASTES = table("""
    sugar: sweet, honey: sweet, a lemon: sour, vinegar: sour, salt: salty, sea water: salty, a chilli: hot,
    chocolate: sweet, toffee: sweet, a lime: sour, black coffee: bitter, syrup: sweet, a crisp: salty, a ripe
    banana: sweet, a gherkin: sour, ice cream: sweet, a ripe pear: sweet, pepper: hot, jam: sweet, soy sauce:
    salty
""")
WEATHER = table("""
    winter: cold, summer: warm, spring: mild, autumn: cool
""")
SEASONAL = table("""
    it snows: winter, the leaves fall: autumn, the flowers come out: spring, it is hottest: summer, it is
    coldest: winter, people build snowmen: winter, people swim in the lake: summer, apples are picked:
    autumn, birds build their nests: spring, people go skiing: winter, strawberries are ripe: summer, the
    leaves turn red and yellow: autumn, the days are longest: summer, the nights are longest: winter,
    trees get new leaves: spring, lambs are born: spring, people go sledging: winter, lakes freeze:
    winter, mushrooms grow in the woods: autumn, the snow melts: spring, people sunbathe: summer, bears go
    to sleep for months: winter, pumpkins are ripe: autumn, people eat most ice cream: summer, people wear
    gloves: winter
""")
DAILY = table("""
    people sleep: at night, people have breakfast: in the morning, people have lunch: at noon, people have
    dinner: in the evening, the sun rises: in the morning, the sun sets: in the evening, the stars come
    out: at night, children go to school: in the morning, owls hunt: at night, the cockerel crows: in the
    morning, people get up: in the morning, children go to bed: in the evening, you can see the moon best:
    at night, people dream: at night, it is dark outside: at night, it is light outside: during the day,
    bats fly: at night, the sun is highest: at noon, people say good morning: in the morning, street lamps
    are on: at night
""")
CLOTHES = table("""
    on your feet: shoes and socks, on your head: a hat, on your hands: gloves, round your neck: a scarf,
    in bed: pyjamas, in the rain: a raincoat, when it is cold: a warm coat, when it is hot: light clothes,
    for swimming: a swimsuit, in the snow: boots and a warm coat, round your waist: a belt, on your
    finger: a ring, on your nose to see better: glasses, on your wrist: a watch, on a bike: a helmet, in
    the kitchen: an apron, in the sun: a sun hat, on your legs: trousers, at a wedding: fine clothes, at
    home on your feet: slippers
""")
MEALS = table("""
    soup: a spoon, meat: a knife and fork, pasta: a fork, yoghurt: a spoon, rice: a fork or chopsticks,
    ice cream: a spoon, a sandwich: their hands, an apple: their hands, salad: a fork, porridge: a spoon,
    noodles: a fork or chopsticks, cereal: a spoon, a banana: their hands, cake: a small fork, pudding: a
    spoon, a biscuit: their hands
""")
PLACES = table("""
    borrow books: in a library, watch films: in a cinema, see lions and elephants: in a zoo, catch a
    train: at a station, catch a plane: at an airport, post letters: at a post office, learn to read: at
    school, cook: in the kitchen, sleep: in the bedroom, have a bath: in the bathroom, get bread: at a
    bakery, get medicine: at a pharmacy, see old paintings: in a museum, play on the swings: in a
    playground, have an operation: in a hospital, pray: in a church, grow vegetables: in a garden,
    keep money: in a bank, eat out: in a restaurant, watch actors on a stage: in a theatre, build
    sandcastles: on the beach, park cars: in a garage, get their hair cut: at a hairdresser's, wait for a
    bus: at a bus stop, keep milk: in the fridge, fill up a car: at a petrol station, see acrobatics and
    clowns: in a circus, get meat: at a butcher's, keep cows and pigs: on a farm
""")
PLURALS = {
    noun: plural(noun)
    for noun in words("""
        mouse sheep fish wolf goose child man woman foot tooth leaf knife box baby city cat dog house bus
        story tomato potato wife life shelf church dish fox lady fly ox apple tree book car glass brush half
        thief loaf person deer key boy toy day berry party puppy pony hero watch match peach wish class calf
        scarf photo piano pen table chair bird flower star egg shoe
    """)
}
GROUPS = {
    "a fruit": words("apple pear plum cherry banana orange lemon grape peach strawberry melon"),
    "a vegetable": words("carrot onion potato cabbage cucumber leek turnip parsnip cauliflower radish"),
    "an animal": words("dog cat horse cow sheep lion elephant rabbit frog giraffe mouse"),
    "a bird": words("eagle owl sparrow crow pigeon swan robin parrot swallow"),
    "a flower": words("rose tulip daisy daffodil lily sunflower violet poppy"),
    "a colour": words("red blue green yellow black white pink purple brown grey"),
    "a piece of clothing": words("shirt coat hat sock dress skirt jacket scarf jumper"),
    "a piece of furniture": words("table chair bed sofa cupboard wardrobe stool desk"),
    "a vehicle": words("car bus train lorry bike tram taxi motorbike"),
    "a tool": words("hammer saw spade screwdriver drill axe rake"),
    "a part of the body": words("arm leg nose ear foot knee elbow shoulder finger"),
    "a toy": words("doll teddy ball kite yo-yo marble"),
    "a drink": words("water milk juice tea coffee lemonade cocoa"),
    "a musical instrument": words("piano guitar violin flute drum trumpet harp"),
    "a day of the week": words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
    "a month": words("January February March April June July August October December"),
}
# Words of these groups take no article.
BARE = ("a colour", "a drink", "a day of the week", "a month")
# An eagle is an animal too, an orange has its colour: such groups are never set beside each other.
ALIKE = ({"a bird", "an animal"}, {"a fruit", "a colour"}, {"a flower", "a colour"}, {"a toy", "a tool"})
# In order, each with the words for more of it and for less.
ORDERS = (
    (
        ("faster", "slower"),
        phrases("a snail, a tortoise, a person on foot, a bike, a car, a train, a plane, a rocket"),
    ),
    (
        ("heavier", "lighter"),
        phrases("a feather, a coin, an apple, a brick, a chair, a person, a cow, a car, an elephant, a ship"),
    ),
    (
        ("hotter", "colder"),
        phrases("ice, cold water, a warm bath, boiling water, a fire, the sun"),
    ),
    (
        ("taller", "shorter"),
        phrases("an ant, a mouse, a cat, a child, a grown man, a giraffe, a church tower, a mountain"),
    ),
    (
        ("older", "younger"),
        phrases("a newborn baby, a toddler, a schoolchild, a mother, a grandmother, a great-grandmother"),
    ),
    (
        ("longer", "shorter"),
        phrases("a second, a minute, an hour, a day, a week, a month, a year, a century"),
    ),
    (
        ("louder", "quieter"),
        phrases("silence, a whisper, a normal voice, a shout, a thunderclap"),
    ),
)
