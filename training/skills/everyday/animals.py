"""What a child knows of animals: what they say and eat, where they live, and what they give."""

from training.phrasing import lines
from training.talk import phrases, words


def table(text: str) -> dict[str, str]:
    """A table written as `key: value`, divided by commas."""
    return dict(entry.split(": ") for entry in phrases(text))


SOUNDS = table("""
    cow: moo, dog: woof, cat: meow, sheep: baa, pig: oink, duck: quack, horse: neigh, hen: cluck,
    cockerel: cock-a-doodle-doo, frog: ribbit, bee: buzz, owl: hoot, lion: roar, mouse: squeak,
    snake: hiss, wolf: howl, crow: caw, donkey: hee-haw, goose: honk, bird: tweet, turkey: gobble, chick:
    cheep, pigeon: coo, cuckoo: cuckoo
""")
YOUNG = table("""
    cow: calf, dog: puppy, cat: kitten, sheep: lamb, pig: piglet, horse: foal, hen: chick, duck:
    duckling, goose: gosling, goat: kid, lion: cub, bear: cub, deer: fawn, frog: tadpole, owl:
    owlet, swan: cygnet, kangaroo: joey, elephant: calf, whale: calf, wolf: cub, tiger: cub, fox: cub,
    spider: spiderling, eagle: eaglet, rabbit: kit, seal: pup
""")
# Those that are the young of one animal only.
PLAIN_YOUNG = words("puppy kitten lamb piglet foal duckling gosling fawn tadpole cygnet joey")
LEGS = table("""
    dog: four legs, cat: four legs, horse: four legs, cow: four legs, bird: two legs, hen: two legs,
    spider: eight legs, bee: six legs, ant: six legs, fish: no legs, snake: no legs, elephant: four
    legs, beetle: six legs, person: two legs, pig: four legs, sheep: four legs, goat: four legs, duck: two
    legs, goose: two legs, owl: two legs, penguin: two legs, fly: six legs, butterfly: six legs, ladybird:
    six legs, worm: no legs, snail: no legs, whale: no legs, lion: four legs, mouse: four legs, rabbit: four
    legs, frog: four legs, bear: four legs, giraffe: four legs, donkey: four legs, wolf: four legs, swan: two
    legs, eagle: two legs
""")
FOOD = table("""
    cow: grass, sheep: grass, horse: grass and hay, rabbit: grass and carrots, cat: fish and meat,
    dog: meat and bones, lion: meat, wolf: meat, mouse: seeds and cheese, squirrel: nuts, monkey:
    fruit, panda: bamboo, bee: nectar, frog: flies, owl: mice, spider: flies, bear: berries and
    fish, seal: fish, penguin: fish, goat: almost anything, hen: grain and worms, duck: water plants, giraffe:
    leaves, elephant: leaves and grass, tiger: meat, snail: leaves, koala: leaves, hedgehog: worms and
    beetles, donkey: grass and hay, fox: mice, eagle: meat, shark: fish, parrot: seeds and fruit, deer: grass
    and leaves, butterfly: nectar
""")
DWELLINGS = table("""
    fish: in the water, bird: in a nest, bee: in a hive, horse: in a stable, pig: in a sty, spider: in a
    web, rabbit: in a burrow, bear: in a den, fox: in a den, whale: in the sea, shark: in the sea, octopus: in
    the sea, polar bear: on the ice, camel: in the desert, monkey: in the trees, hen: in a coop, ant: in an
    anthill, mole: under the ground, worm: under the ground, squirrel: in the trees, frog: in a pond, bat:
    in a cave, dolphin: in the sea, crab: by the sea, penguin: on the ice, lion: in Africa, giraffe: in
    Africa, zebra: in Africa, kangaroo: in Australia, koala: in Australia, panda: in China, deer: in the
    forest, wolf: in the forest, owl: in the forest, cow: on a farm, sheep: on a farm, goat: on a farm,
    duck: on a pond, swan: on a lake, parrot: in the jungle, tiger: in the jungle, jellyfish: in the sea
""")
GIFTS = table("""
    cow: milk, sheep: wool, hen: eggs, bee: honey, goose: feathers, silkworm: silk
""")
ACTS = table("""
    bee: makes honey, spider: spins webs, hen: lays eggs, bird: builds nests, mole: digs tunnels, dog:
    guards the house, cat: catches mice, silkworm: makes silk, beaver: builds dams, snail: carries its
    house, kangaroo: carries its baby in a pouch, ant: builds anthills, glow-worm: glows in the dark
""")
COVERS = table("""
    bird: feathers, hen: feathers, duck: feathers, owl: feathers, swan: feathers, eagle: feathers, penguin:
    feathers, dog: fur, cat: fur, bear: fur, rabbit: fur, fox: fur, mouse: fur, wolf: fur, sheep: wool, fish:
    scales, snake: scales, hedgehog: spines, snail: a shell, tortoise: a shell
""")
SIGNS = table("""
    giraffe: a very long neck, elephant: a trunk, zebra: black and white stripes, tiger: stripes, camel: a
    hump, rabbit: long ears, kangaroo: a pouch, lion: a mane, deer: antlers, unicorn: one horn, rhino: a
    horn on its nose, ladybird: red wings with black dots, snail: a house on its back, peacock: a tail
    like a fan, octopus: eight arms, leopard: spots, hedgehog: many spines, cow: horns and an udder
""")
FLIERS = words(
    "bird bee owl eagle duck swan goose bat butterfly fly crow pigeon parrot ladybird swallow sparrow"
)
WALKERS = words(
    "dog cat cow horse pig sheep penguin lion elephant mouse snake fish frog rabbit fox spider ant"
)
SWIMMERS = words("fish duck whale shark frog seal penguin dolphin swan goose dog otter octopus crocodile")
SINKERS = words("butterfly bee hen spider snail fly sparrow pigeon")

# From the smallest to the largest, and from the slowest to the fastest.
SIZES = words("ant bee mouse frog cat dog lion horse giraffe elephant whale")
SPEEDS = words("snail tortoise pig sheep dog horse cheetah")

SOUND = lines("""
    what (does|do|would) ({a_x}|{a_x}|the {x}) say
    what (sound|noise) does ({a_x}|the {x}) make
    what (sound|noise) do {xs} make
    (which|what) is the (sound|noise) of ({a_x}|the {x})
    how does ({a_x}|the {x}) (go|sound)
    what do {xs} say
    (tell me |)the (sound|noise) that {a_x} makes
    {a_x} says what
    (make|do|imitate) (the |)(sound|noise|voice) of {a_x}
    (talk|sound|speak) like {a_x}
    what does {a_x} (go|sound) like
    (what|which) (sound|noise|call) (comes from|do you hear from) {a_x}
    a dog barks, and what does {a_x} say
    {x}(:|,) (sound|noise|what does it say)
    if I were {a_x}, what would I say
    on (the|my) farm there is {a_x}. What does it say
    my (child|kid|son|daughter) wants to know what {a_x} says
    and {a_x}, what does it say
    how do {xs} (talk|speak|call)
""")
SOUND_BACK = lines("""
    (which|what) animal (says|goes|makes) {y}
    who (says|goes) {y}
    what (says|goes) {y}
    (something|I hear something that|there is something that) (says|goes) {y}. (What|Which animal) is it
    {y} {y}(,|!) (who|which animal|what animal) is that
    (I am|I'm) an animal and I say {y}. (What|Who) am I
    {y} is the (sound|noise) of (which|what) animal
    if it says {y}, (which|what) animal is it
""")
BABY = lines("""
    what (is|do you call) a (baby|young|little) {x}( called|)
    (how is|what is) (the baby of|the young of|the child of) {a_x}( called|)
    (what|how) do you call the (baby|young) of {a_x}
    (what's|what is) the (name|word) (of|for) a (baby|young) {x}
    what are (baby|young) {xs} called
    what does {a_x} call its baby
    (what is|what's) the (right |proper |)(term|word|name) for the young of {a_x}
    {a_x} has a baby. What is (it|the baby) called
    (our|my|the neighbour's) {x} (had|has) a baby. What do you call it
    what (do we|do people|does one) call a (small|tiny|newborn) {x}
    (baby|young) {x}(:|,|) (name|what is it called|called what)
    a {x} was just born. What is it called
    what (comes out|is born) when {a_x} has a baby
    a young {x} is called what
    (I forgot|I can't remember) what a baby {x} is called
""")
BABY_BACK = lines("""
    what (does|will) {a_y} (become|grow into|turn into|grow up to be)
    (which|what) animal (has|calls its baby) {a_y}
    {a_y} is (the baby of|the young of|the child of) (which|what) animal
    (whose|which animal's) baby is {a_y}
    what is {a_y} when it (grows up|is grown up|gets big)
    who is the (mother|father|parent) of {a_y}
    what is {a_y} the baby of
    one day {a_y} will be grown up. What is it then
""")
LEG = lines("""
    how many legs does ({a_x}|the {x}) have
    how many legs has ({a_x}|the {x})( got|)
    how many legs do {xs} have
    (what is|tell me) the number of legs of {a_x}
    on how many legs does {a_x} walk
    (how many|number of) legs(:|,|) {x}
    does {a_x} have (two|four|six|eight|any) legs
    has {a_x} (got |)(two|four|six|eight|any) legs
    do {xs} have (two|four|six|eight|any) legs
    count the legs of {a_x}
    {a_x} has how many legs
    (I see|there is|I drew) {a_x}. How many legs (should it have|does it have)
    (I want to draw|I am drawing) {a_x}. How many legs does it need
    how many (feet|paws or feet) does {a_x} (stand|walk) on
    {xs} and their legs: how many
    (what about|and) the legs of {a_x}, how many
    how many shoes would {a_x} need
""")
EAT = lines("""
    what (do|will|would) {xs} (eat|like to eat|feed on|live on)
    what does ({a_x}|the {x}|my {x}) (eat|like to eat|feed on|have for dinner)
    what (should|can|do|could) I (feed|give) ({a_x}|my {x})( to eat|)
    (what is|what's) the food of ({a_x}|the {x})
    what food do {xs} (like|eat)
    (a|my) {x} is hungry. What (does it eat|should I give it|does it like)
    {x} food(:|,|) what (is it|do they eat)
    what do people (feed|give) to {xs}
    (we have|I found|I've got|they got) {a_x}(, what does it eat|. What does it eat|. What do I feed it)
    what is (on the menu|for dinner|for breakfast) for {a_x}
    what is the (favourite|favorite|usual) food of {xs}
    {xs}(:|,) what do they (eat|feed on)
    (what|which) (things|food) (is good|are good) for {a_x} to eat
    what would {a_x} like for (lunch|supper|dinner)
    what does {a_x} (chew|munch|hunt for|live on)
""")
DWELLING = lines("""
    where (do|would) {xs} (live|sleep|stay|have their home)
    where does ({a_x}|the {x}) (live|sleep|stay|have its home)
    where is the home of {a_x}
    (in what|in which place|in what kind of home|in what kind of place) (do {xs} live|does {a_x} live)
    where (can|could|would|do) (I|you|we|people) (find|see|look for|meet) {a_x}( in nature| in the wild|)
    what is the home of {a_x}
    {a_x} lives where
    {xs}(:|,) where do they live
    what kind of (home|house) does {a_x} have
    (my child asks|we wonder|I forgot) where {xs} live
    home of {a_x}
    where is {a_x} at home
    where would I go to (see|find|meet) {xs}
""")
GIFT = lines("""
    what do (we|people|farmers|you) get from {xs}
    what (does|do) {a_x} give( us| people|)
    what do {xs} give( us| people|)
    why do (farmers|people) keep {xs}
    (what|which) (product|thing) comes from {xs}
    what (useful thing|good thing) do {xs} give us
    what is {a_x} (good|useful) for
    what do (we|people) have {xs} for
""")
GIFT_BACK = lines("""
    (which|what) animal (gives|makes) (us |)(our |){y}
    (which|what) animal does {y} come from
    where (does|do) (our |){y} come from
    who (gives|makes) us {y}
    {y}(:|,) from (which|what) animal
    from (which|what) animal do (we|people) (get|have) {y}
    (which|what) farm animal do we thank for {y}
    I like {y}. Which animal gives it
""")
ACT = lines("""
    what does {a_x} do( all day| for a living|)
    what are {xs} (known|famous|good) for
    (name|tell me) something that {a_x} does
    what do {xs} (do|do all day)
    what is {a_x} busy with
    what is special about {xs}
    {a_x} does what all day
""")
ACT_BACK = lines("""
    (which|what) (animal|creature|kind of animal) {y}
    who {y}
    (name|tell me) (an|the) animal that {y}
    an animal that {y}(:|,) (which is it|what is it|what is that)
    (I am|I'm) an animal that {y}. (What|Who) am I
""")
COVER = lines("""
    what (is|covers) the (body|skin) of {a_x}( covered with| covered in|)
    what (does|has) {a_x} (have on its body|got on its skin|wear on its body)
    what is {a_x} covered (with|in)
    does {a_x} have (fur or feathers|feathers or scales|scales or fur|wool or fur|a shell or fur)
    do {xs} have (fur or feathers|feathers or scales|scales or fur|wool or fur|a shell or fur)
    what keeps {a_x} (safe|covered)
    {xs}(:|,) (fur or feathers|feathers, fur or scales|what covers them)
""")
SIGN = lines("""
    what does {a_x} look like
    how do (I|you|we) (know|recognise|recognize|spot) {a_x}
    what is (typical|striking) about {a_x}
    how can (I|you|one) tell that it is {a_x}
    describe {a_x}( for a child| to a child| in one sentence|)
    what (should|must) I draw if I want to draw {a_x}
    what makes {a_x} look different
""")
SIGN_BACK = lines("""
    (which|what) animal has {y}
    who has {y}
    (I am|I'm) an animal with {y}. (What|Who) am I
    an animal with {y}(:|,) (which is it|what is it|what is that)
    (I saw|there was) an animal with {y}. What (was|is) it
    what do you call the animal with {y}
    name an animal with {y}
    the animal that has {y} is called what
    (what is|what's) the name of the animal with {y}
""")
ABLE = lines("""
    (can|could) ({xs}|{a_x}) {act}
    (are {xs}|is {a_x}) able to {act}
    do {xs} {act}
    {xs} can {act}, (right|can't they|is that right|true or false)
    (is it true that|I heard that|they say that) {xs} can {act}
    does {a_x} know how to {act}
    (tell me|I wonder|I want to know) if {xs} can {act}
""")
