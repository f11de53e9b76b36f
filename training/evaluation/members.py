"""What belongs to each kind of thing that lists are asked for, as completely as a right answer needs."""

from training.talk import phrases, words

BIRDS = words("""
    robin sparrow owl eagle crow raven duck goose geese swan blackbird parrot penguin gull seagull dove pigeon
    hawk falcon thrush wren tit finch goldfinch chaffinch bullfinch heron stork swallow swift magpie hen
    chicken rooster cock cockerel peacock flamingo cuckoo woodpecker ostrich emu jay lark skylark turkey
    canary starling nightingale kingfisher pelican puffin albatross vulture kestrel buzzard osprey kite
    pheasant partridge quail grouse rook jackdaw martin wagtail nuthatch hummingbird toucan cockatoo macaw
    parakeet budgie budgerigar kiwi crane ibis egret cormorant tern plover curlew snipe sandpiper lapwing
    mallard warbler oriole cardinal bluebird mockingbird condor kookaburra lovebird bluetit moorhen coot
    mynah rhea cassowary bunting
""")
FRUITS = words("""
    apple pear plum cherry banana orange lemon lime grape melon watermelon mango peach apricot kiwi fig berry
    strawberry raspberry blueberry blackberry cranberry gooseberry elderberry mulberry pineapple papaya date
    coconut nectarine tangerine mandarin clementine satsuma pomegranate quince currant blackcurrant
    redcurrant grapefruit avocado guava lychee passionfruit persimmon dragonfruit starfruit raisin prune
    olive tomato rhubarb damson cantaloupe mangoes kumquat plantain jackfruit durian pomelo
    boysenberry loganberry greengage sultana
""")
MEMBERS = {
    "fruits": (*FRUITS, *phrases("passion fruit, dragon fruit, star fruit, kiwi fruit")),
    "animals": (
        *BIRDS,
        *words("""
            cat dog cow bull ox oxen calf horse pony foal pig piglet sheep lamb goat rabbit hare fox wolf
            wolves calves bear deer stag reindeer mouse mice rat lion tiger leopard cheetah panther jaguar
            puma
            lynx elephant giraffe zebra monkey ape gorilla chimpanzee orangutan baboon camel llama alpaca
            seal walrus whale dolphin porpoise shark fish goldfish salmon trout tuna cod pike carp eel
            octopus squid jellyfish starfish crab lobster shrimp prawn frog toad newt salamander snake
            lizard gecko iguana chameleon turtle tortoise crocodile alligator dinosaur python cobra viper
            hamster gerbil ferret hedgehog badger otter beaver squirrel chipmunk mole weasel stoat mink
            skunk raccoon porcupine bee wasp hornet ant spider fly flies butterfly moth beetle ladybird
            ladybug grasshopper cricket mosquito dragonfly worm snail slug kangaroo wallaby koala panda
            sloth hippo hippopotamus hippopotamuses rhino rhinoceros rhinoceroses donkey mule moose elk
            bison buffalo antelope gazelle bat bird kitten puppy puppies hyena jackal coyote dingo meerkat
            mongoose armadillo anteater tapir opossum possum wombat platypus lemur yak boar hound poodle
            chinchilla axolotl scorpion caterpillar louse flea tick seahorse manatee narwhal chimp
            insect reptile
        """),
        *phrases("guinea pig, polar bear"),
    ),
    "colours": words("""
        red blue green yellow orange purple violet pink brown black white grey gray gold golden silver bronze
        copper turquoise teal aqua crimson indigo beige lilac scarlet cream maroon navy olive magenta cyan
        mauve lavender ivory coral salmon peach tan khaki amber azure burgundy mint lime mustard ochre rust
        ruby emerald sapphire charcoal fuchsia vermilion aquamarine chocolate plum rose jade cobalt sepia
        apricot chartreuse periwinkle
    """),
    "vegetables": words("""
        carrot potato potatoes tomato tomatoes onion pea bean cabbage leek spinach lettuce cucumber pumpkin
        broccoli cauliflower pepper celery celeriac radish radishes beet beetroot corn sweetcorn maize garlic
        courgette zucchini aubergine eggplant turnip kale sprout asparagus parsnip squash swede fennel
        artichoke mushroom lentil chickpea chard shallot marrow yam okra rocket cress endive chicory
        rutabaga gherkin chilli chili scallion rhubarb kohlrabi pak-choi butternut watercress
    """),
    "flowers": words("""
        rose tulip daisy lily violet sunflower poppy daffodil orchid iris irises pansy snowdrop bluebell
        carnation lavender crocus crocuses marigold dahlia peony buttercup dandelion primrose jasmine
        hyacinth geranium begonia petunia foxglove chrysanthemum aster azalea rhododendron hydrangea camellia
        magnolia lotus freesia gerbera forget-me-not cornflower clover honeysuckle hibiscus gladiolus
        gladioli anemone lilac lupin snapdragon zinnia cowslip narcissus fuchsia heather primula
        edelweiss wallflower thistle amaryllis cyclamen nasturtium morning-glory verbena salvia
    """),
    "birds": BIRDS,
    "instruments": words("""
        piano violin guitar flute drum trumpet cello harp clarinet saxophone sax organ trombone horn banjo
        accordion viola recorder oboe tuba bass bassoon ukulele tambourine triangle fiddle mandolin lute
        sitar xylophone harmonica keyboard harpsichord piccolo bagpipe cymbal maraca bongo cornet lyre
        zither glockenspiel marimba vibraphone synthesiser synthesizer castanet didgeridoo whistle bell gong
        percussion concertina timpani vuvuzela kazoo
    """),
    "sports": words("""
        football tennis swimming running jogging cycling hockey rugby cricket golf basketball volleyball
        skiing skating boxing rowing judo karate taekwondo climbing sailing baseball softball netball
        badminton gymnastics fencing surfing windsurfing kitesurfing snowboarding skateboarding athletics
        handball soccer chess riding wrestling archery diving squash lacrosse polo hiking walking canoeing
        kayaking bowling darts snooker billiards curling biathlon triathlon marathon yoga pilates dancing
        aerobics weightlifting bobsleigh luge shooting fishing frisbee parkour sumo racing dance swim
        run ski bouldering ping-pong bowls bmx crossfit
    """)
    + phrases("table tennis, ping pong, water polo, martial arts, weight lifting, motor sport, long jump"),
    "drinks": words("""
        water tea coffee milk juice lemonade cocoa chocolate soda cola coke beer wine cider smoothie punch
        milkshake shake squash cordial espresso cappuccino latte mocha champagne whisky whiskey vodka rum gin
        brandy cocktail tonic ale lager sherry port prosecco buttermilk kefir lassi fizz limeade sprite fanta
        pepsi mead kombucha sake liqueur syrup drink orangeade nectar
    """)
    + phrases("ginger ale, root beer, iced tea"),
    "clothes": words("""
        shirt trouser trousers sock shoe hat coat jacket dress dresses skirt jumper sweater scarf scarves
        glove boot cap belt pullover jeans jean blouse tie cardigan mitten sandal hoodie vest suit tights
        shorts short top tee leggings underwear pants pant pyjamas pajamas slippers slipper trainer sneaker
        waistcoat raincoat sweatshirt kilt gown robe shawl poncho bikini swimsuit bra stocking polo-shirt
        tracksuit apron beanie bonnet cape cloak overall dungarees uniform headscarf ring watch watches
        necklace bracelet earring glasses sunglasses helmet anorak blazer tunic turtleneck knickers
        boxers briefs bow-tie earmuff veil turban sari kimono parka mask braces
    """),
}
