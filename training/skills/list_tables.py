"""Kinds of things with some of each, in the order in which they are listed."""

from training.talk import phrases, words

# What one of a kind is called, what several are (the first name is used in answers), and the things.
KINDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("animal", "(animals|animals|different animals|kinds of animals)", words("""
        dog cat horse cow sheep lion tiger bear wolf fox rabbit elephant monkey zebra""")),
    ("fruit", "(fruits|fruits|fruit|kinds of fruit|different fruits)", words("""
        apple pear banana cherry plum grape orange lemon peach melon kiwi mango""")),
    ("vegetable", "(vegetables|vegetables|veggies|kinds of vegetables)", words("""
        carrot potato onion cabbage pea bean leek spinach cucumber pumpkin""")),
    ("colour", "(colours|colors|colours|different colours)", words("""
        red blue green yellow orange purple pink brown black white""")),
    ("country", "(countries|countries|different countries|states of the world)", words("""
        France Germany Italy Spain Japan India Brazil Canada Egypt Kenya Norway Poland""")),
    ("city", "(cities|big cities|towns|famous cities)", words("""
        London Paris Berlin Rome Madrid Vienna Tokyo Cairo Lisbon Oslo""")),
    ("planet", "(planets|planets of the solar system)", words("""
        Mercury Venus Earth Mars Jupiter Saturn Uranus Neptune""")),
    ("flower", "(flowers|flowers|kinds of flowers|different flowers)", words("""
        rose tulip daisy lily violet sunflower poppy daffodil orchid""")),
    ("tree", "(trees|trees|kinds of trees|different trees)", words("""
        oak birch pine beech maple willow elm ash fir""")),
    ("bird", "(birds|birds|kinds of birds|different birds)", words("""
        robin sparrow owl eagle crow duck goose swan parrot""")),
    ("insect", "(insects|insects|bugs|kinds of insects)", words("""
        ant bee fly wasp beetle butterfly mosquito cricket grasshopper""")),
    ("sea animal", "(sea animals|animals in the sea|sea creatures|animals that live in the sea)", words("""
        whale shark dolphin seal crab octopus starfish squid turtle""")),
    ("farm animal", "(farm animals|animals on a farm|animals from a farm)", words("""
        cow pig sheep goat horse hen duck donkey goose""")),
    ("instrument", "(instruments|musical instruments|kinds of instruments|music instruments)", words("""
        piano violin guitar flute drum trumpet cello harp clarinet""")),
    ("sport", "(sports|sports|kinds of sport|different sports)", words("""
        football tennis swimming running cycling hockey rugby basketball golf""")),
    ("drink", "(drinks|drinks|things to drink|beverages)", words("""
        water tea coffee milk juice lemonade cocoa cola soda""")),
    ("tool", "(tools|tools|kinds of tools|things in a toolbox)", words("""
        hammer saw drill spanner screwdriver pliers file axe chisel""")),
    ("thing in a kitchen", "(things in a kitchen|kitchen things|things you find in a kitchen)", words("""
        pot pan spoon knife fork plate bowl kettle stove""")),
    ("piece of clothing", "(clothes|pieces of clothing|things to wear|garments)", words("""
        shirt trousers socks hat coat jacket dress skirt scarf""")),
    ("job", "(jobs|jobs|professions|occupations)", words("""
        teacher doctor baker farmer nurse cook pilot painter gardener""")),
    ("vehicle", "(vehicles|vehicles|means of transport|ways to travel)", words("""
        car bus train bicycle boat ship tram plane lorry""")),
    ("part of the body", "(body parts|parts of the body|parts of my body)", words("""
        head arm leg hand foot nose ear knee shoulder""")),
    ("language", "(languages|languages|different languages)", words("""
        English French German Spanish Italian Japanese Polish Hindi Arabic""")),
    ("school subject", "(school subjects|subjects|subjects at school)", words("""
        maths history music art physics biology geography English chemistry""")),
    ("piece of furniture", "(pieces of furniture|things in a living room)", words("""
        table chair bed sofa shelf desk lamp cupboard stool""")),
    ("toy", "(toys|toys|kinds of toys|things to play with)", words("""
        ball doll kite puzzle yo-yo train robot blocks top""")),
    ("dessert", "(desserts|sweet things|sweets|sweet dishes)", phrases("""
        cake, ice cream, chocolate, apple pie, pudding, waffles, biscuits, jelly, pancakes""")),
    ("reptile", "(reptiles|reptiles|kinds of reptiles)", words("""
        snake lizard turtle crocodile alligator tortoise gecko cobra python""")),
    ("fish", "(fish|fish|kinds of fish|different fish|fishes)", words("""
        salmon trout tuna cod herring shark carp pike eel""")),
    ("pet", "(pets|pets|animals to keep at home|house pets|common pets)", phrases("""
        dog, cat, rabbit, hamster, goldfish, parrot, mouse, pony, guinea pig""")),
    ("zoo animal", "(zoo animals|animals in a zoo|animals in the zoo|animals from the zoo)", words("""
        lion tiger elephant giraffe zebra monkey gorilla camel hippo""")),
    ("baby animal", "(baby animals|names of baby animals|young animals)", words("""
        puppy kitten lamb calf foal chick duckling piglet cub""")),
    ("dog breed", "(dog breeds|breeds of dogs|kinds of dogs|breeds of dog)", words("""
        poodle beagle boxer collie terrier labrador spaniel bulldog husky""")),
    ("shape", "(shapes|shapes|geometric shapes|different shapes)", words("""
        circle square triangle rectangle oval star diamond pentagon hexagon""")),
    ("metal", "(metals|metals|kinds of metal|different metals)", words("""
        iron gold silver copper tin lead zinc nickel aluminium""")),
    ("gem", "(gems|gemstones|precious stones|jewels)", words("""
        diamond ruby emerald sapphire pearl opal topaz amber jade""")),
    ("spice", "(spices|spices|kinds of spices|different spices)", words("""
        pepper cinnamon ginger nutmeg cumin paprika clove vanilla turmeric""")),
    ("herb", "(herbs|herbs|kitchen herbs|kinds of herbs)", words("""
        parsley basil thyme mint sage rosemary dill chives oregano""")),
    ("nut", "(nuts|nuts|kinds of nuts|different nuts)", words("""
        walnut hazelnut almond cashew pistachio pecan peanut chestnut""")),
    ("berry", "(berries|berries|kinds of berries|different berries)", words("""
        strawberry raspberry blueberry blackberry cranberry gooseberry elderberry blackcurrant""")),
    ("food for breakfast", "(foods for breakfast|breakfast foods|things to eat for breakfast)", words("""
        toast eggs porridge cereal pancakes muesli jam yoghurt bacon""")),
    ("food", "(foods|foods|things to eat|kinds of food|dishes)", words("""
        bread rice pasta soup cheese pizza salad eggs potatoes""")),
    ("cheese", "(cheeses|cheeses|kinds of cheese|sorts of cheese)", words("""
        cheddar brie gouda edam feta parmesan mozzarella camembert""")),
    ("style of music", "(styles of music|music styles|kinds of music|music genres)", words("""
        jazz rock pop folk blues country reggae techno soul""")),
    ("dance", "(dances|dances|kinds of dances|different dances)", words("""
        waltz tango salsa ballet samba polka rumba flamenco""")),
    ("river", "(rivers|rivers|big rivers|famous rivers)", words("""
        Nile Amazon Danube Rhine Thames Ganges Volga Seine Mississippi""")),
    ("mountain", "(mountains|mountains|high mountains|famous mountains)", words("""
        Everest Kilimanjaro Matterhorn Fuji Etna Olympus Elbrus Vesuvius""")),
    ("capital", "(capitals|capitals|capital cities|capitals of countries)", words("""
        London Paris Berlin Rome Madrid Vienna Tokyo Cairo Lisbon Oslo""")),
    ("country in Europe", "(countries in Europe|European countries|countries of Europe)", words("""
        France Germany Italy Spain Poland Norway Sweden Greece Portugal""")),
    ("country in Asia", "(countries in Asia|Asian countries|countries of Asia)", words("""
        Japan India China Thailand Vietnam Indonesia Pakistan Iran Iraq""")),
    ("country in Africa", "(countries in Africa|African countries|countries of Africa)", words("""
        Egypt Kenya Nigeria Morocco Ghana Ethiopia Algeria Uganda Sudan""")),
    ("currency", "(currencies|currencies|kinds of money)", words("""
        dollar euro pound yen franc rupee peso krona""")),
    ("board game", "(board games|board games)", words("""
        chess draughts Monopoly Scrabble Ludo backgammon Cluedo Go""")),
    ("game for children", "(games for children|games for kids|children games|party games)", phrases("""
        tag, hide and seek, hopscotch, leapfrog, marbles, skipping, musical chairs, catch""")),
    ("name for a boy", "(names for boys|boy names|names for a boy|male names)", words("""
        Tom Ben Max Sam Jack Paul Leo Adam Peter""")),
    ("name for a girl", "(names for girls|girl names|names for a girl|female names)", words("""
        Anna Emma Mia Lily Sarah Kate Julia Alice Rose""")),
    ("kind of weather", "(kinds of weather|weathers|types of weather)", words("""
        sun rain snow wind fog hail storm frost""")),
    ("feeling", "(feelings|feelings|emotions|different feelings)", words("""
        joy sadness anger fear love surprise pride envy hope""")),
    ("room", "(rooms|rooms|rooms in a house|rooms of a house)", phrases("""
        kitchen, bathroom, bedroom, living room, hall, attic, cellar, study, pantry""")),
    ("building", "(buildings|buildings|kinds of buildings|different buildings)", words("""
        house school church hospital castle tower library factory barn""")),
    ("mythical creature", "(mythical creatures|fantasy creatures|magical creatures)", words("""
        dragon unicorn mermaid phoenix griffin giant fairy elf vampire""")),
    ("part of a computer", "(parts of a computer|computer parts|pieces of hardware)", words("""
        screen keyboard mouse printer memory processor fan cable""")),
    ("programming language", "(programming languages|computer languages|coding languages)", words("""
        Python Java C Rust Go Ruby Perl Swift Kotlin""")),
    ("thing in a bathroom", "(things in a bathroom|bathroom things)", words("""
        soap towel sink mirror bath comb toothbrush shampoo tap""")),
    ("thing for school", "(things for school|school things|things in a school bag|school supplies)", words("""
        pencil pen ruler rubber book notebook sharpener glue scissors""")),
    ("material", "(materials|materials|kinds of material|different materials)", words("""
        wood glass paper metal stone plastic wool leather cotton silk""")),
    ("member of the family", "(members of the family|family members|relatives|members of a family)", words("""
        mother father sister brother aunt uncle cousin grandmother grandfather""")),
    ("hobby", "(hobbies|hobbies|things to do in my free time|different hobbies)", words("""
        reading painting cooking dancing singing swimming gardening hiking knitting""")),
    ("adjective", "(adjectives|adjectives|describing words)", words("""
        big small happy sad old young fast slow""")),
    ("verb", "(verbs|verbs|doing words|action words)", words("""
        run eat sleep sing read write jump swim""")),
    ("round thing", "(round things|things that are round|round objects)", words("""
        ball wheel coin orange plate button ring globe""")),
    ("red thing", "(red things|things that are red|red objects)", words("""
        tomato cherry strawberry rose brick ruby ketchup poppy""")),
    ("thing in the sky", "(things in the sky|things you see in the sky|things up in the sky)", words("""
        sun moon cloud star bird plane rainbow balloon""")),
    ("thing to take to the beach", "(things to take to the beach|beach things)", words("""
        towel sunscreen hat ball book umbrella bucket sunglasses""")),
    ("thing for camping", "(things for camping|camping things|things to take camping)", phrases("""
        tent, torch, sleeping bag, rope, map, matches, stove, bottle""")),
)  # fmt: skip
