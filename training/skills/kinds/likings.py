"""What a person likes best: colour and food; and the words for telling and asking for them."""

from training.phrasing import lines
from training.talk import Kind
from training.values import draw_colour, draw_food

COLOUR = Kind(
    key="favourite colour",
    draw=lambda rng: {"value": draw_colour(rng)},
    clause="your favourite colour is {value}",
    says=lines("""
        my (favourite|favorite|fav) (colour|color) is {value}
        my (favourite|favorite) (colour|color) is {value}
        my (favourite|favorite) (colour|color) (has always been|will always be|is definitely|must be) {value}
        {value} is my (favourite|favorite) (colour|color)
        {value} is the (colour|color) I (like|love) (best|most|more than any other)
        the (colour|color) I (like|love|prefer) (best|most|above all) is {value}
        (I like|I love) the (colour|color) {value}( best| most|)
        of all (colours|colors)(,|) I like {value} (best|most)
        no (colour|color) is (nicer|better|prettier) than {value}
        my best (colour|color) is {value}
        my (favourite|favorite) (colour|color)(? |: | - |, it's |, you ask? ){value}
        (favourite|favorite) (colour|color)(: |? ){value}
        {value}(,| -) that's my (favourite|favorite) (colour|color)
        it's {value}, my (favourite|favorite) (colour|color)
        (I'm|I am) a (big |huge |)fan of the (colour|color) {value}
        if I had to (choose|pick|name) a (colour|color), (it would be|I'd say|I'd take) {value}
        (I'd|I would) paint (everything|my whole room|the world) {value}, it's my (favourite|
            favorite) (colour|color)
        everything I (own|buy|wear) is {value}, (as it's|because it's|it's) my (favourite|
            favorite) (colour|color)
        {value} is the (best|nicest|most beautiful) (
            colour|color)( of all| there is| in the world| if you ask me|)
        there is no (colour|color) I like more than {value}
        (give me|I'd choose) {value} over any other (colour|color)
        (I'm|I am) a {value} person, it's my (favourite|favorite) (colour|color)
        since I was (a kid|little|five), my (favourite|favorite) (colour|color) has been {value}
        my (favourite|favorite) (colour|color) is {value}(,| and| so) (so my room is painted in it|
            I wear it a lot|guess why)
        some like other colours, (but mine is|but I like|mine is) {value}
        when it comes to (colours|colors), I (like|prefer|choose) {value}
        I have a (favourite|favorite) (colour|color)(, |: |. It's ){value}
        {value} makes me happy, it's my (favourite|favorite) (colour|color)
        mine is {value}, my (favourite|favorite) (colour|color) I mean
        my (car|bag|coat|room|scarf|phone) is {value}(,| since| as) (it's|that's) my (favourite|
            favorite) (colour|color)
        I (got|chose|found|wear|own) a {value} (coat|scarf|bag|shirt|hat)( now| today|)(,| -|, it's) my (
            favourite|favorite) (colour|color)
    """),
    asks=lines("""
        (which|what) (colour|color) do I (like|love|prefer)( best| most| the most|)?
        (which|what) (colour|color) is my (favourite|favorite)?
        (what is|what's) the (colour|color) (I like|I love|that I like)( best| most|)?
        (which|what) (colour|color) (would I choose|would I pick|makes me happy)?
        (which|what) (colour|color) did I (say I like|tell you|mention)?
        what (colour|color) should (you|I) paint my room(, if I choose my favourite|)?
        (what is|what's|whats) my (favourite|favorite|fav) (colour|color)( again|)?
        (my |)(favourite|favorite|fav) (colour|color)(?| please| again?| is?| was?)
        do I have a (favourite|favorite) (colour|color)?
        (what|which) (was|is) that (colour|color) I (like|love) so much?
        what (colour|color) am I a fan of?
        (which|what) (colour|color) should you (pick|choose|use|take) for me?
        if you (bought|knitted|gave) me something, (which|what) (colour|color) (should it be|would you take)?
        my (favourite|favorite) (colour|color) is ...?
        I like one (colour|color) best, (which one|which|what is it)?
        of all (colours|colors)(,|) which do I like (best|most)?
        you know the (colour|color) I like( best|)(, don't you|, what is it|)?
        (which|what) (colour|color) is the best (for me|if you ask me|in my opinion)?
        (someone|a friend|my gran) wants to knit me a scarf in my (favourite|favorite) (colour|
            color). Which (one |)is (it|that)?
    """),
    indirect=lines("""
        what my (favourite|favorite) (colour|color) (is|was)
        (which|what) (colour|color) I (like|love|prefer)( best| most|)
        my (favourite|favorite) (colour|color)
        which (colour|color) is my (favourite|favorite)
        (which|what) (colour|color) I (named|told you|mentioned|said I like)
        the (colour|color) I (like|love) (best|most)
        what (colour|color) (makes me happy|I would choose)
        which of all (colours|colors) I like best
    """),
    unknown="You have not told me your favourite colour yet. What is it?",
    third=("'s favourite (colour|color) is {value}", "likes the colour {value} best"),
    nouns=(
        "(favourite|favorite|fav) (colour|color)",
        "(favourite|favorite) (colour|color)",
        "fav (colour|color)",
    ),
    checks=lines("""
        is my (favourite|favorite) (colour|color) {value}?
        is {value} my (favourite|favorite) colour?
        is {value} the colour I like best?
        my (favourite|favorite) (colour|color) is {value}, (right|isn't it|correct)?
        did I say my (favourite|favorite) (colour|color) is {value}?
        do I like {value} best of all (colours|colors)?
        {value} is my (favourite|favorite) (colour|color), (right|isn't it)?
    """),
    replies=lines("""
        {value}(.|!|)
        {value}
        (it's|it is|its|that's|that would be|probably|I think) {value}(.|)
        (I like|I love|mine is|definitely) {value}( best| most|)(.|!|)
        {value}(, I think|, of course|, definitely|, what else|, I guess)
        my (favourite|favorite) (colour|color) is {value}(.|)
        (well|oh|hm|sure|let me think)(,|...) {value}(.|)
        I'd say {value}(.|)
    """),
    changes=lines("""
        (I changed my mind|on second thought|thinking about it), my (favourite|favorite) (colour|
        color) is {value}
        (now|today|these days) my (favourite|favorite) (colour|color) is {value}
        my (favourite|favorite) (colour|color) is {value}, not {old}
        (I like|I prefer) (the (colour|color) |){value} (more|better) than {old} now
        I don't like {old} any more, my favourite (colour|color) is {value}
        my (favourite|favorite) (colour|color) used to be {old}, now (it is|it's) {value}
        (I'm|I am) (over|tired of|bored with) {old}, now I like the (colour|color) {value} best
        {value} has replaced {old} as my (favourite|favorite) (colour|color)
        I have a new (favourite|favorite) (colour|color)(:|, it's|. It's) {value}
        it's not {old}(,| but|, it is) {value}, my (favourite|favorite) (colour|color)
        did I say {old}? My (favourite|favorite) (colour|color) is {value}
        no longer {old}, (but|now) {value} is my (favourite|favorite) (colour|color)
    """),
    openers=("", "", "A fine colour! ", "Lovely! "),
)
FOOD = Kind(
    key="favourite food",
    draw=lambda rng: {"value": draw_food(rng)},
    clause="your favourite food is {value}",
    says=lines("""
        my (favourite|favorite|fav) (food|dish|meal) is {value}
        my (favourite|favorite) food is {value}
        {value} is my (favourite|favorite) (food|dish|meal)
        the (food|dish|meal) I (like|love) (best|most) is {value}
        I (like|love) (eating|to eat) {value} (best|most of all|more than anything)
        I could eat {value} (every day|all day|all the time|day and night)
        nothing (tastes better than|beats) {value}
        my (favourite|favorite) thing to eat is {value}
        (when it comes to food|as for food), I like {value} best
        (favourite|favorite) (food|dish|meal)(: |? ){value}
        my (favourite|favorite) food(? |: | - |, it's ){value}
        nothing beats {value}, I could eat it every day
        (I'm|I am) (crazy|mad) about {value}, it's my (favourite|favorite) (food|dish|meal)
        {value}(,| -) that's my (favourite|favorite) (food|dish|meal)
        if I could eat only one (thing|food|dish), it would be {value}
        if I had to choose one (meal|dish|food)(,|) (I'd|I would) take {value}
        I can't live without {value}, my (favourite|favorite) (food|dish|meal)
        for my birthday (I want|I always get) {value}, my (favourite|favorite) (food|dish|meal)
        my (mum|gran|dad|wife|husband) makes my (favourite|favorite) (food|dish|meal), {value}
        there is nothing I like to eat more than {value}
        there is no better (food|dish|meal) than {value}
        I like {value} more than any other (food|dish|meal)
        of all (food|foods|dishes)(,|) I like {value} best
        {value} is the best (food|dish|meal)( in the world| ever| there is| if you ask me|)
        you can always make me happy with {value}, my (favourite|favorite) food
        it's {value}, my (favourite|favorite) (food|dish)
        as a child I already liked {value} best, it's still my (favourite|favorite) food
        I'm hungry, I wish I had some {value}, my (favourite|favorite) food
        the way to my heart is {value}, my (favourite|favorite) food
        (tonight|this evening|tomorrow|at noon) (there is|there'll be|I'm cooking|we eat|I get) {value}(,|!|
            for supper,|for lunch, I hope,) (it's |)my (favourite|favorite) (food|dish|meal)
        my (dad|gran|wife|husband|aunt) (cooks|bakes|prepares|makes) {value} (on Fridays|every week|for us|
            when I visit|at weekends)(,| and) (it's|it is|that is) my (favourite|favorite) (food|dish|meal)
    """),
    asks=lines("""
        what do I (like|love) to eat( best| most|)?
        (which|what) (food|dish|meal) do I (like|love|prefer)( best| most|)?
        (which|what) (food|dish|meal) is my (favourite|favorite)?
        what could I eat every day?
        what (is|was) my (favourite|favorite) (thing to eat|dish|meal)?
        what should (you|somebody|we) cook for me?
        what (did I say|did I tell you) I like to eat?
        (what is|what's|whats) my (favourite|favorite|fav) (food|dish|meal)( again|)?
        (my |)(favourite|favorite|fav) (food|dish|meal)(?| please| again?| is?| was?)
        do I have a (favourite|favorite) (food|dish|meal)?
        what would I (eat|order|choose) if I could have any (food|dish|meal)?
        what do I want to eat on my birthday?
        if you (could cook|cooked|made) my (favourite|favorite) (food|dish), what would it be?
        my (favourite|favorite) food is ...?
        (which|what) (food|dish|meal) is the best (for me|if you ask me|in my opinion)?
        what food am I (mad|crazy) about?
        what is it that I could eat (all day|every day|all the time)?
        there is nothing I like to eat more than what?
        I'm hungry, what is my (favourite|favorite) (food|dish|meal)?
        what (can|could) you make me happy with at dinner?
    """),
    indirect=lines("""
        what my (favourite|favorite) (food|dish|meal) is
        what I (like|love) to eat( best| most|)
        (which|what) (food|dish) I like (best|most)
        my (favourite|favorite) (food|dish)
        (which|what) (food|dish|meal) I (named|told you|mentioned) as my (favourite|favorite)
        what I could eat every day
        the (food|dish) I like (best|most)
        what to cook for me if it should be my (favourite|favorite)
    """),
    unknown="You have not told me your favourite food yet. What is it?",
    third=("'s favourite (food|dish|meal) is {value}", "likes (to eat|eating) {value} best"),
    nouns=("(favourite|favorite|fav) food", "(favourite|favorite) food", "(favourite|favorite) (dish|meal)"),
    checks=lines("""
        is my (favourite|favorite) food {value}?
        is {value} my (favourite|favorite) (food|dish)?
        is {value} what I like to eat best?
        my (favourite|favorite) food is {value}, (right|isn't it|correct)?
        did I say my (favourite|favorite) food is {value}?
        do I like (to eat|eating) {value} best?
    """),
    replies=lines("""
        {value}
        {value}(.|!|)
        (it's|it is|that's|definitely|probably) {value}(.|!|)
        (I like|I love|I could eat) {value}( best| most| every day|)(.|)
        {value}(, I think|, of course|, definitely|, what else|, yum)
        my (favourite|favorite) (food|dish) is {value}(.|)
        (well|oh|hm|sure|let me think)(,|...) {value}(.|)
        I'd say {value}(.|)
    """),
    changes=lines("""
        (now|these days|today) my (favourite|favorite) food is {value}
        I (like|love) {value} (even more|better) than {old}
        my (favourite|favorite) food is {value}, not {old}
        I am tired of {old}, my (favourite|favorite) food is {value} now
        (I changed my mind|on second thought), my (favourite|favorite) food is {value}
        my (favourite|favorite) food used to be {old}, now (it is|it's) {value}
        I ate too much {old}, so my (favourite|favorite) food is {value} now
        I have a new (favourite|favorite) (food|dish)(:|, it's|. It's) {value}
        it's not {old}(,| but|, it is) {value}, my (favourite|favorite) food
        {value} has replaced {old} as my (favourite|favorite) food
        did I say {old}? My (favourite|favorite) food is {value}
    """),
    openers=("", "", "Yum! "),
)
