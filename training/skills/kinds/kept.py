"""The pet that a person has and does not name, and the words for telling it and asking for it."""

from training.english import an
from training.phrasing import lines
from training.skills.kinds.called import PET_ASKS
from training.talk import Kind
from training.values import draw_pet

KEPT = Kind(
    key="pet",
    draw=lambda rng: {"value": (pet := draw_pet(rng)), "a_value": an(pet)},
    clause="you have {a_value}",
    says=lines("""
        I have {a_value}
        I have {a_value}
        (I've got|I own|I keep|we have|we keep|we own|we've got) {a_value}
        (I've got|I have|we have|I own) a pet {value}
        my pet is {a_value}
        my pet is {a_value}
        (I have|I've got|we have|there is) a pet(, |: |. It's |, it's |, namely ){a_value}
        (my kids|my children|my family|our children) (have|keep|wanted) a pet(, it's|. It's|:) {a_value}
        (my|our) pet(: | is |, |? It's |? ){a_value}
        (I keep|we keep) {a_value} as a pet
        {a_value} is my pet
        {a_value} lives with (me|us)
        {a_value} is the pet (I have|we have|I keep)
        (there is|there's) {a_value} in (my home|my house|our flat|my life|our family)
        (I live|I share my (home|flat|room)) with {a_value}
        (we|I|my family) (just |)(adopted|bought|rescued|found) {a_value}( last week| yesterday| at last|)
        (I got|I was given|they gave me|my parents gave me) {a_value} for (my birthday|Christmas)
        (I|we) got {a_value} (as a present|from my uncle|for my name day|for my tenth birthday|for Easter)
        at home (I|we) have {a_value}(, it's so sweet|, it is lovely|. We love it|)
        (guess what|good news|big news|yay)(, |! |: )(I|we) (have|got|bought|adopted) {a_value}
        I'm the (proud |happy |)owner of {a_value}
        I (have|keep) {a_value}, (it is|it's|he is|she is) (three years old|very sweet|old|funny|asleep)
        I have {a_value}(, it eats a lot|. It sleeps all day|, it bites|. It's very shy| at home| and love it)
        I (take care of|look after) {a_value}( at home|)
        since (last year|May|last summer|Christmas) I have {a_value}
        my {value} (is ill|is hungry|is so cute|keeps me awake|is on my lap|is asleep|ate my lunch)
        (I need to|I must|I have to) (feed|wash|brush|take care of) my {value}
        I love my {value}
        (my|our) animal is {a_value}
        the animal (I have|we have|at our home) is {a_value}
        what I have is {a_value}, that's my pet
        as a pet I (have|keep) {a_value}
        (no dog and no cat|no children|not a cat), (but|I have|we have) {a_value}
        (it's just|at home it's only|there are only) me and my {value}( here| in the flat|)
        my {value} and I (live alone|share a flat|live together|are alone at home)
        we have {a_value} (in the garden|in the kitchen|with us) and (it's funny|we all love it|it's lovely)
        pet: {value}
        (pets|pet|animal)(: | - | = ){a_value}
    """),
    asks=PET_ASKS
    + lines("""
        what is my pet?
        what pet (have I got|do I keep|is mine|is it that I have)?
        (which|what) animal (have I got|do I keep|is mine|do I own|did I say I own|do I look after)?
        what (kind|sort|type) of (pet|animal) (have I got|is my pet|do I own|did I say I have|is it)?
        my pet is what( animal| again|)?
        my pet is(...|)?
        what (species|animal) is my pet?
        (and |so |)what about my pet?
        what did I (adopt|get as a pet|say my pet is|tell you my pet is)?
        (which|what) pet did I (name|mention|tell you about|speak of|say I have|say was mine)?
        (whom|what) do I (feed|live with|look after) at home?
        (can|could|would) you tell me (what|which) (pet|animal) I (have|keep|own)?
    """),
    indirect=lines("""
        (what|which) (pet|animal) I (have|keep|own)
        (what|which) (pet|animal) I (have|keep|own)
        what my pet is
        what (kind|sort) of (pet|animal) I (have|keep)
        my pet
        (which|what) animal lives with me
    """),
    unknown="You have not told me about a pet yet. Do you have one?",
    third=("has {a_value}", "keeps {a_value}", "'s pet is {a_value}"),
    nouns=("pet", "pet", "animal", "kind of pet"),
    checks=("do I have {a_value}?", "is my pet {a_value}?", "do I keep {a_value}?"),
    replies=lines("""
        {a_value}(.|!|)
        (yes, |yes: |sure, |yes. |){a_value}(.|)
        (yes, |yes. |)(I have|I've got|I keep|it's|we have) {a_value}(.|!|)
        one: {a_value}(.|)
    """),
    changes=lines("""
        (it's|it is|my pet is) {a_value}, not the {old}
        I (gave|had to give) the {old} away(,| and|. Now I| and now I) have {a_value}
        now I have {a_value} instead of the {old}
        I don't have the {old} any more, I have {a_value}
        not the {old}, I have {a_value}
    """),
)
