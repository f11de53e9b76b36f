"""Names to talk about, drawn so widely that a model must learn to copy them and cannot know them all."""

from collections.abc import Sequence
from random import Random

from training.talk import words

NAMES = words("""
    Aaron Abby Abdul Abel Abigail Ada Adam Adele Aditi Adrian Agnes Ahmed Aiko Aisha Akira Alan Alba Albert
    Alejandro Alex Alexander Alexandra Alexis Alfred Ali Alice Alicia Alina Alison Allan Alma Alvin Amanda
    Amara Amber Amelia Amina Amir Amit Amy Ana Anders Andre Andrea Andreas Andrew Andy Angela Angus Anika
    Anita Anja Ann Anna Anne Annika Anthony Anton Antonio April Archie Ari Ariana Ariel Arjun Arnold Arthur
    Arturo Ash Asha Ashley Astrid Audrey August Aurora Ava Axel Ayesha Barbara Barry Beatrice Becky Bella
    Ben Benjamin Bernard Bert Beth Bianca Bill Billy Björn Blake Bo Bob Bobby Boris Brad Brandon Brenda
    Brian Bridget Brigitte Bruce Bruno Bryan Caleb Calvin Cameron Camila Carl Carla Carlos Carmen Carol
    Caroline Casey Cathy Cecilia Charles Charlie Charlotte Chen Cheryl Chiara Chloe Chris Christian
    Christine Christopher Claire Clara Claude Claudia Colin Connie Connor Craig Curtis Cynthia Daisy Dale
    Damian Dan Dana Daniel Daniela Danny Daphne Darren Dave David Dawn Dean Deborah Dennis Derek Diana Diego
    Dieter Dolores Dominic Don Donald Donna Dora Doris Dorothy Doug Duncan Dustin Dylan Earl Ed Eddie Edgar
    Edith Eduardo Edward Edwin Eileen Elaine Eleanor Elena Eli Elias Elijah Elisa Elizabeth Ella Ellen
    Elliot Elsa Elton Emil Emilia Emily Emma Eric Erica Erik Erin Ernest Esther Ethan Eugene Eva Evan Eve
    Evelyn Ezra Fabian Fabio Faisal Farah Fatima Felicity Felipe Felix Fernanda Fernando Finn Fiona Flora
    Florence Frances Francesca Francis Frank Franz Fred Freya Frida Gabriel Gabriela Gail Gareth Gary Gavin
    Gemma Geoff George Gerald Gianni Gilbert Gina Giovanni Gisela Giulia Gordon Grace Graham Greg Greta
    Guido Gunnar Gustav Guy Hal Hamza Hana Hannah Hans Harold Harriet Harry Harvey Hassan Hazel Heather
    Hector Heidi Helen Helena Helga Henrik Henry Herbert Holly Howard Hugh Hugo Hussein Ian Ibrahim Ida Igor
    Ilse Imran Ines Ingo Irene Iris Irina Isaac Isabel Isabella Ivan Ivy Jack Jackie Jacob Jade Jaime Jake
    James Jamie Jan Jana Jane Janet Janine Jared Jasmine Jason Javier Jay Jean Jeff Jen Jenna Jennifer Jenny
    Jeremy Jerome Jerry Jesse Jessica Jill Jim Jimmy Jin Joan Joanna Joe Joel Johan Johanna John Johnny
    Jonas Jonathan Jordan José Joseph Josh Joshua Joy Joyce Juan Juana Judith Judy Julia Julian Julie Juliet
    Julius June Jürgen Justin Kai Kamal Karen Karim Karin Karl Kate Katharina Kathleen Katie Katrin Kay
    Keiko Keith Kelly Ken Kenneth Kerry Kevin Khalid Kiara Kim Kimberly Kiran Kirsten Klaus Knut Kofi
    Kristin Kumar Kurt Kyle Lara Larry Lars Laura Lauren Laurence Layla Lea Leah Lee Leila Lena Leo Leon
    Leonard Leslie Levi Lewis Li Liam Lila Lilian Lily Linda Linus Lisa Liv Liz Lloyd Logan Lola Lorenzo
    Louis Louise Luca Lucas Lucia Lucy Luis Łukasz Luna Luther Lydia Lynn Mabel Maddie Magnus Maja Malcolm
    Malik Manuel Marc Marcel Marco Marcus Margaret Maria Marie Marina Mario Marion Mark Marlene Marta Martha
    Martin Mary Masha Mateo Matilda Matt Matthew Maurice Max Maya Megan Mehmet Mei Mel Melanie Melissa Mia
    Michael Michelle Miguel Mikael Mike Mila Miles Milo Mina Miriam Mohammed Moira Molly Mona Monica Morgan
    Moritz Moses Muhammad Murray Nadia Nancy Naomi Natalie Natasha Nathan Neil Nell Nelson Nia Nicholas Nick
    Nicole Nigel Nikita Nikolai Nils Nina Noah Noel Nora Norma Norman Nuno Odette Olaf Oleg Olga Olive
    Oliver Olivia Omar Oscar Otto Owen Pablo Paloma Pam Patricia Patrick Paul Paula Pauline Pavel Pedro
    Peggy Penelope Penny Peter Petra Phil Philip Phoebe Pierre Pippa Polly Priya Rachel Rafael Rahul Raj
    Ralph Ramon Randy Raoul Rashid Raul Ravi Ray Raymond Rebecca Reza Rhea Ricardo Richard Rick Rita Rob
    Robert Roberta Robin Rodrigo Roger Roland Roman Ron Ronald Rory Rosa Rosie Ross Roxana Roy Ruby Rudolf
    Rupert Russell Ruth Ryan Sabine Sabrina Sadie Sakura Sally Sam Samantha Samir Samuel Sandra Sanjay
    Santiago Sara Sarah Sasha Saul Scott Sean Sebastian Selma Serena Sergei Seth Shane Sharon Shaun Shauna
    Sheila Shirley Sid Sidney Sienna Silas Silvia Simon Simone Sofia Solveig Sonia Sophia Sophie Søren Stan
    Stanley Stefan Stella Stephanie Stephen Steve Steven Stuart Sue Suki Sunil Susan Susanna Suzanne Sven
    Sylvia Tamara Tania Tanya Tara Ted Teresa Terry Tess Theo Theodore Theresa Thomas Tim Timothy Tina Todd
    Tom Tomás Toni Tony Tracy Trevor Trudy Tyler Uma Umar Una Ursula Uwe Valentina Valerie Vanessa Vera
    Veronica Vicky Victor Victoria Vijay Vincent Viola Violet Vlad Vladimir Walter Wanda Warren Wayne Wei
    Wendy Wes Wesley Wilbur Wilfred Will William Willow Wolfgang Xander Xenia Xiao Yan Yannick Yara Yasmin
    Yuki Yuri Yvette Yvonne Zack Zain Zara Zeno Zhang Zita Zoe Zoë Анна Борис Иван Мария Ольга Νίκος Ελένη
    李雷 王芳 さくら 민준 محمد
""")

# Kept out of everything generated, so that a test on them measures copying and not memory.
HELD_OUT = words("""
    Zelda Quentin Ingrid Tobias Yolanda Bartholomew Xavier Oksana Thaddeus Priyanka Guinevere Kwame Sigrid
    Leopold Anastasia Fitzgerald Nkechi Marguerite Octavia Desmond Bronwyn Hiroshi Esperanza Lysander
    Wilhelmina Casimir Rosalind Tariq Philippa Zebulon Ottoline Jorge Svetlana Percival Aaliyah Dmitri
    Cordelia Emeka Florian Henrietta Ignatius Jocelyn Kenji Lakshmi Montgomery Niamh Orlando Perpetua Quincy
    Rufus Saoirse Tamsin Ulrich Vivienne Winifred Ximena Yusuf Zachary Beatrix Clementine
""")

# Words from all over the text. What is made of them begins and goes on with tokens that names do not have, so
# that these are copied, too: "paramedic" begins like "parameters", and is told by nobody who trains.
ORDINARY = words("""
    abandoned able above abut accepted accepts access account across actor actually addition address
    adjectives adjust adore advance adventure advice advise afraid afternoon ahead alarm alike allergic
    allowed alone alphabet alright altogether android angle animal animals answer answers antelope
    antonym apologies apple apples appointment arrive arrow asked asking asks asleep assist assistant
    astronaut atoms attention attic august aunt autumn away baby back background backpack badger badly
    bags bakery balcony ball balloons balls banana band banjo bank baptised based basically basketball
    batch batches batching bath beans bear beautiful beaver becomes bedtime beech beehive beetle beetles
    began begin beginner beginning begins begs believe believes bell belongs bench beside best bets
    better between bicycle bigger biggest bike bikes biology bird birds birth birthday bitcoin bits
    black blackcurrant blacksmith blank blanket blouse blue bluish board boat body book bookcase booking
    books bored boring born borrowed boss bother bottle bought bowl boxes boyfriend boys brave bread
    break breakfast breath breeze bridge brief bright brightly bring broken broom brother brought brown
    browser brush bucket buddy budgie build builder built bull bulldozer bunny business busy butler
    butter butterflies button byte bytes cache caching cake calculator call called calls came canary
    cancel candle candles candy capitals card care caretaker carpenter carpet carried carries carrot
    case castle castles catch celebrate chair chance change changed changes character charm chat chatbot
    chatclient chats chatting check checks cheer cheered cheerful cheers cheese cherry chick chicken
    child children chimney chip chocolate chocolates choose chooses chose chosen christened church
    cinnamon circle city class clear clever client clients cliff climb climbed clink clock close closes
    clothing cloud clouds clue clumsy coat code coffee coin coins cold colder colleague colleagues
    collect collecting collector college colon colour colours comb come comes command commands company
    compiled compiles complaints complete compute computed computer computes computing concert concise
    confused container context continuation continues continuous contract controller conversation cook
    cooked cores correct correction cost cosy cottage cotton count countries couple course court cousin
    crab crazy cream creature cricket cried crocodile crooked cross crossed crow crowded crumb cuckoo
    cupboard curious curry customer cute cuts daddy daily daisy dance danced dancing dark database date
    daughter daughters days deadline dear dearly decode deep default defined delete dentist depth
    describe describes deserve designer details detective died difference differences different
    difficult dinner dinosaurs dish dislike docs doctor dogs doll dolphin domino donkey door doubt down
    download downloaded dragon drank draws dream dreaming dreamland drink drive driver driving duck dude
    dull dumplings dusty dynamic each earlier early earn ears earth easiest easy eating eggs eight
    elaborate elephant eleven embeddings employer enchanted endpoint ends engine enjoy environment error
    evening events exact exactly exam example excuse expert explain explains explanation eyes fact facts
    faded failed fair fairy false families family famous faraway farewell farm farmer fashion fast
    faster fastest father favour favourite fawn featuring feel feet fell fetch fetched fewer fibre field
    file files film find fine finished fire first fish fisherman five fixed flag flags flat flea flew
    flight float flower flowers fluffy flute foggy folder folks following follows fond food football
    forest forester forget forgot forgotten fork form found four francs free freely fridge friend
    friendly friends frog front frozen fruit fruits full function funny further future game garden gate
    geese generates genius gentle getting gherkin ghost giggle giggles ginger giraffe girl girlfriend
    give gives glad glass globe gloomy glowed goat godfather godmother goes going gold golden golf good
    goose gramophone grandfather grandma grandmother grandpa grandson grasshopper great green grey group
    grown grows grumpy guess guesses guest guitar hair hairdresser half hamster handles hands hang
    happen happened happens happily happy harbour hard hardly hats haunted head heads hear heard heart
    heavy helicopters help helped helpful helps hens herbs hero hidden high hill hills hired history
    hitting hobbies hobby hold holds hole holiday home hometown homework honest honey hope hopped horse
    hospital hotel house huge hull human hummed hundred hung hungry hurry husband husky idea ideas
    imagine important index indigo inference information ingredient insect inside inspector install
    instructions instrument interest interesting interface internet interrupting intro introduce
    introduced invent invisible island item jobs join joins joke jokes joking jumper jungle kebab keen
    keep keeper keeps kept kernel kernels keyboard keys kids kind kindly kinds kitchen kite kites kitten
    knock know knowledge ladder lady lake lamb lamp language languages laptop large larger last latency
    later laugh laughed lavender lawyer layers layout lazy leaf learn learning learnt leave leaves leek
    left legs lemon length lets letter letters librarian library licence life lift light lighthouse
    lights likeliest likely likes limits line lines lint lion list lists little live lived lives living
    llama load loads loaf local lock locker logs lonely long longest look looked lorry loses lost
    lottery love loved lovely loves lower luck lucky lunch lying machine machines magenta magic magnet
    magpie make maker makes manager maps march mark market maroon match mate maths matters mauve mayor
    meal mean means meant measure measures meet melts memorise memory mender mention mentioned mentions
    mermaid message messages metrics middle midnight midwife mill million mind mine minus minute
    mischievous missing mistake mistaken mode model models moment money monkey month moon morning mother
    mount mountain mouse moved moving muddy muffins multiplied multiply mummy museum mushroom music
    mysterious mystery name named names navy nearly need needed needs neighbour nephew nervous network
    neutral news newt next nice nickname niece nieces night nine noisy nonsense noon normal normally
    note notebook noted number numbers nursery nuts object octopus offer office offline older oldest
    ones online open opened opinion opposite opposites option orange orchestra order origin outside
    outstanding owls owner owns page pages paint painter painting pair pancakes parameter parameters
    parcel pardon parents park parrot part partner passport password past pastime patience patient peach
    pear peeling peeps penalty penguin people pepper permission person pets phoenix phone phoned physics
    piano pick picked pickle pictures piece pieces pigeon pillow pills pink pistachio pizza place plain
    planet platform play playing pleasure plenty plum plural plus pocket poem point polar polished
    polisher polite pony poodle pool port ports possible post postcards postcode postman potato pots
    prefer prefix present prettier prince printed prints prize probability probably problem process
    processor profession program programs project projects promised prompt protagonist protocol proud
    prove pudding puddle pull pulled pumpkin puppet puppy purple purpose putting python pytriton quarter
    queen question questions queue quick quiet quiz quote rabbit rabbits radio rain rainbow rainforest
    rainy random rattle raven reach read reads real reason recall receptionist recorder reddish reduce
    regenerating release remember remind remove repeat repeats repetition replace replies reply request
    requests respectful responses rest restart restaurant result rewrite rhino rhyme rhymes rhyming rice
    riddle riddles right river road robot robots rock role room roommate rope rose round route rowing
    ruby rugby ruined running runs rust rusty safe safetensors said sailing salad salmon sampling sand
    sandwich sang sapphire sauce save saved saying says scale scarecrow scarf scarlet school scissors
    score screen search searches season seat second secret security seed seemed seen sees self sell
    seller send sends sent sentence serious serve served server serves service serving sessions sets
    setting setup seven seventy several shaky shape share shared shed sheep sheets shell shield shiny
    ship shoe shoes shone shook shop shopping short show shows siblings sides silk silly silver silvery
    simple simply sing single sister sixty size skyscraper sleep sleepy slider slow slowly small smaller
    smallest smarter smoky snack snail snake snakes sneeze sneezed snow snowy soap soft solve song sons
    soon sound sounds soup sour source space spaceship spaghetti speak speaking special speed spell
    spend spider split spoon sport spring stands star starring stars start starting starts station stay
    step stepbrother stepfather stepmother steps stepsister stick sticky still stone stop store stores
    stories stork storm stormy story strange stranger strawberries strawberry stream streamlit striped
    stuck study studying stuffed subject submarine subtract suggest suitcase summer sums sunflower sunny
    sunset supermarket supper support sure surname surprises survive sweater sweet swimming switch
    system table take taken takes tale talk talked talking tall taste tastes teach teacher team telegram
    tell telling tells temperature template temple tennis term terminal terrier test tester text texts
    thermal thing things think thirty thought thousand thousands threads three thrilling ticket tied
    tight time times tiny tired toast today toddler token tokenizer tokens told tomato tomcat tomorrow
    took tools toothbrush topic total touch tower town toys trade train trained trainer training trains
    transformer translate translations travelled treasure tree trees trick tried tripped triton trouble
    true trumpet trust trying tune tunnel turn turned turquoise turtle twenty twice twin type umbrella
    uncle under understand upload upset used useful user users using vacation values vegetable vehicle
    verbs verse version video viola violet violin volcano wait waiting waits walk walked walnut wanted
    warm wash wasted watch water ways wear weather website week weekend weight weights welcome well went
    wetter whale wheels white wife window windy wins winter wish wished wishes woman women wonder
    wondering wood wooden wool word words work works world worm wrapped write writes writing written
    wrote yawned year years yellow yesterday yoghurt younger youngest zebra
""")

ONSETS = words("""
    b bl br c ch cl cr d dr f fl fr g gl gr h j k kh kl kn kr l ll m mb n ng p ph pl pr qu r rh s sc sh sk sl
    sm sn sp st str sv t th tr ts v vl w wh x y z zh
""")
VOWELS = words("a a a a e e e e i i i i o o o o u u u y y ai ae au ay ea ee ei ia ie io oa oo ou")
CODAS = words("b ck d f g k l ld lf ll lm ls m mp n nd ng nk nn ns nt p r rd rk rn rt s sh ss st t th v x z")
# Beginnings that are tokens of their own, but come up in the text almost only as slips of the longer words
# that they were merged on the way to: nobody would learn to copy them.
FRAGMENTS = words("""
    advent afra afterno alread anima ballo beautif beca bow brie chocol convers cott cuck dama dent dinos
    elephan enjo envir fluff fogg fut gard gent gig giraf grump haunt hidd hospit inse inspe knowled lawy leng
    merma mischie nephe opin parame pian pill piz proble rand rave repet restaur safet sandwic sist spac stup
    subtra syst termin trump whene wom yell
""")


def invent_name(rng: Random) -> str:
    """A pronounceable name of one to four syllables that nobody need ever have had."""
    syllables = rng.choices((1, 2, 3, 4), (1, 5, 3, 0.4))[0]
    letters = ""
    for position in range(syllables):
        onset = rng.choice(ONSETS) if position or rng.random() < 0.8 else ""
        last = position == syllables - 1
        coda = rng.choice(CODAS) if rng.random() < (0.55 if last else 0.3) else ""
        letters += onset + rng.choice(VOWELS) + coda
    return letters.capitalize() if len(letters) > 2 else invent_name(rng)


def blend(rng: Random, names: tuple[str, ...]) -> str:
    """The beginning of one name and the end of another, which make a third that sounds like them."""
    one, other = rng.choices(names, k=2)
    name = one[: rng.randint(2, 7)] + other[rng.randint(1, 4) :].lower()
    usual = 3 <= len(name) <= 11 and name.isascii() and name.isalpha()
    return name if usual and name not in HELD_OUT else blend(rng, names)


def borrow(rng: Random) -> str:
    """An ordinary word where another belongs, or a word made of two, of small letters."""
    kind = rng.random()
    if kind < 0.2:
        return rng.choice(FRAGMENTS) + rng.choice(ORDINARY)[-3:]
    return rng.choice(ORDINARY) if kind < 0.5 else blend(rng, ORDINARY)


def coin(rng: Random, nouns: Sequence[str]) -> str:
    """A noun that does not exist: pieces of two others, two others in one, another word, or mere sounds."""
    kind = rng.random()
    if kind >= 0.8:
        return invent_name(rng).lower()
    if kind >= 0.25:
        return borrow(rng)
    single = tuple(noun for noun in nouns if noun.isalpha())
    return blend(rng, single).lower() if kind < 0.15 else "".join(rng.sample(single, 2)).lower()


def draw_name(rng: Random) -> str:
    """A name for one person: from the list, made up, or now and then two in one; never a held-out one."""
    kind = rng.random()
    if kind < 0.03:
        return draw_name(rng) + rng.choice(" -") + draw_name(rng)
    if kind < 0.28:
        return blend(rng, NAMES)
    if kind < 0.36:
        return borrow(rng).capitalize()
    name = rng.choice(NAMES) if kind < 0.7 else invent_name(rng)
    return draw_name(rng) if name in HELD_OUT else name
