"""What a person likes and does: colour, food, job, hobby; and the words for telling and asking for them."""

from training.english import an
from training.phrasing import lines
from training.talk import Kind
from training.values import draw_colour, draw_food, draw_hobby, draw_job

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
    """),
    asks=lines("""
        (which|what) (colour|color) do I (like|love|prefer)( best| most| the most|)?
        (which|what) (colour|color) is my (favourite|favorite)?
        (what is|what's) the (colour|color) (I like|I love|that I like)( best| most|)?
        (which|what) (colour|color) (would I choose|would I pick|makes me happy)?
        (which|what) (colour|color) did I (say I like|tell you|mention)?
        what (colour|color) should (you|I) paint my room(, if I choose my favourite|)?
    """),
    indirect=lines("""
        what my (favourite|favorite) (colour|color) (is|was)
        (which|what) (colour|color) I (like|love|prefer)( best| most|)
        my (favourite|favorite) (colour|color)
        which (colour|color) is my (favourite|favorite)
    """),
    unknown="You have not told me your favourite colour yet. What is it?",
    third=("'s favourite (colour|color) is {value}", "likes the colour {value} best"),
    nouns=(
        "(favourite|favorite|fav) (colour|color)",
        "(favourite|favorite) (colour|color)",
        "fav (colour|color)",
    ),
    checks=(
        "is my (favourite|favorite) (colour|color) {value}?",
        "is {value} my (favourite|favorite) colour?",
    ),
    replies=lines("""
        {value}(.|!|)
        {value}
        (it's|it is|its|that's|that would be|probably|I think) {value}(.|)
        (I like|I love|mine is|definitely) {value}( best| most|)(.|!|)
    """),
    changes=lines("""
        (I changed my mind|on second thought|thinking about it), my (favourite|favorite) (colour|
        color) is {value}
        (now|today|these days) my (favourite|favorite) (colour|color) is {value}
        my (favourite|favorite) (colour|color) is {value}, not {old}
        (I like|I prefer) (the (colour|color) |){value} (more|better) than {old} now
        I don't like {old} any more, my favourite (colour|color) is {value}
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
    """),
    asks=lines("""
        what do I (like|love) to eat( best| most|)?
        (which|what) (food|dish|meal) do I (like|love|prefer)( best| most|)?
        (which|what) (food|dish|meal) is my (favourite|favorite)?
        what could I eat every day?
        what (is|was) my (favourite|favorite) (thing to eat|dish|meal)?
        what should (you|somebody|we) cook for me?
        what (did I say|did I tell you) I like to eat?
    """),
    indirect=lines("""
        what my (favourite|favorite) (food|dish|meal) is
        what I (like|love) to eat( best| most|)
        (which|what) (food|dish) I like (best|most)
        my (favourite|favorite) (food|dish)
    """),
    unknown="You have not told me your favourite food yet. What is it?",
    third=("'s favourite (food|dish|meal) is {value}", "likes (to eat|eating) {value} best"),
    nouns=("(favourite|favorite|fav) food", "(favourite|favorite) food", "(favourite|favorite) (dish|meal)"),
    checks=("is my (favourite|favorite) food {value}?", "is {value} my (favourite|favorite) (food|dish)?"),
    replies=lines("""
        {value}
        {value}(.|!|)
        (it's|it is|that's|definitely|probably) {value}(.|!|)
        (I like|I love|I could eat) {value}( best| most| every day|)(.|)
    """),
    changes=lines("""
        (now|these days|today) my (favourite|favorite) food is {value}
        I (like|love) {value} (even more|better) than {old}
        my (favourite|favorite) food is {value}, not {old}
        I am tired of {old}, my (favourite|favorite) food is {value} now
    """),
    openers=("", "", "Yum! "),
)
JOB = Kind(
    key="job",
    draw=lambda rng: {"value": (job := draw_job(rng)), "a_value": an(job)},
    clause="you work as {a_value}",
    says=lines("""
        (I'm|I am|im) {a_value}
        (I'm|I am) {a_value}
        I work as {a_value}
        (I'm|I am) (working|employed) as {a_value}
        my (job|profession|occupation|trade) is {value}
        I earn my (living|money|bread) as {a_value}
        (I'm|I am) {a_value} (by profession|by trade|by training)
        (I've|I have) been {a_value} for (years|ten years|a long time|a while)
        for a living(,|) I (am|work as) {a_value}
        (I have|I've got) a job as {a_value}
        I do shifts as {a_value}
    """),
    asks=lines("""
        what do I do( for a living| for work| at work|)?
        what do I (do for a living|work as|earn my money with)?
        what kind of (work|job) do I (do|have)?
        (what is|what's) my (line of work|profession|occupation|trade)?
        how do I earn my (living|money|bread)?
        as what do I work?
        what am I by (profession|trade)?
        (which|what) (job|profession) (do I have|is mine|did I tell you)?
        what (did I say|did I tell you) I (do|work as)( for a living|)?
        what do I do all day at work?
    """),
    indirect=lines("""
        what I do (for a living|for work)
        what I work as
        what my (job|profession|occupation) is
        (what|which) job I have
        how I earn my (living|money)
        what I am by (profession|trade)
    """),
    unknown="You have not told me your job yet. What is it?",
    third=("works as {a_value}", "is {a_value}", "'s (job|profession) is {value}"),
    nouns=("job", "job", "profession", "occupation", "work"),
    checks=("am I {a_value}?", "do I work as {a_value}?", "is my job {value}?"),
    replies=lines("""
        {value}
        {a_value}(.|)
        (I'm|I am|I work as|im) {a_value}(.|)
        (it's|my job is|that is) {value}(.|)
    """),
    changes=lines("""
        (I changed|I have changed) jobs(, now I'm|. I'm now|, and now I am|: I am) {a_value}
        I work as {a_value} (now|these days)
        (I'm|I am) {a_value}, not {old_value}
        (I'm|I am) no longer {old_value}(, I'm|. I am| but) {a_value}
        I have a new job, (I'm|I am) {a_value} now
    """),
    openers=("", "", "That sounds like interesting work! "),
)
HOBBY = Kind(
    key="hobby",
    draw=lambda rng: {"value": draw_hobby(rng)},
    clause="your hobby is {value}",
    says=lines("""
        my (main |big |favourite |only |) hobby is {value}
        my hobby is {value}
        {value} is my (main |big |favourite |) hobby
        in my (free|spare) time I (like|love|enjoy|am into|do|go in for) {value}
        I spend my (weekends|evenings|free time|sundays|holidays) (on|with) {value}
        as a hobby I (like|love|enjoy|have) {value}
        for a hobby I have {value}
        (when I am not working|after work) I (like|love|enjoy) {value}
        my (favourite|favorite) (pastime|thing to do|activity) is {value}
    """),
    asks=lines("""
        what do I (like to do|do|enjoy|like doing) (in my (free|spare) time|for fun|after work|on weekends)?
        (which|what) (hobby|hobbies) do I have?
        how do I spend my (free time|evenings|weekends)?
        what is it that I (like to do|do for fun)?
        (what|which) (pastime|hobby) did I (tell you about|mention|name)?
        what (am I into|are my hobbies|are my interests)?
        do I have a hobby?
    """),
    indirect=lines("""
        what my hobby is
        what my hobbies are
        what I (like to do|do) (for fun|in my (free|spare) time)
        which hobby I have
        how I spend my (free time|evenings)
    """),
    unknown="You have not told me your hobby yet. What is it?",
    third=("'s hobby is {value}", "has {value} as a hobby"),
    nouns=("hobby", "hobby", "pastime", "favourite pastime"),
    checks=("is my hobby {value}?", "is {value} my hobby?"),
    replies=lines("""
        {value}
        {value}(.|!|)
        (it's|it is|I like|I love|I enjoy|mostly|my hobby is) {value}(.|)
    """),
    changes=lines("""
        I have a new hobby(:|,| now:) {value}
        my hobby is {value}, not {old}
        (I gave up {old}|no more {old}), my hobby is {value} now
        (now|these days) my hobby is {value}
    """),
    openers=("", "", "That sounds like fun! "),
)
