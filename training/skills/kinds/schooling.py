"""What a person does and is, at school and at work, and in numbers: class, height, siblings, employer."""

from training.names import draw_name, invent_name
from training.skills.kinds.daily import fact
from training.skills.kinds.daily_values import (
    CARS,
    COUNTED,
    STUDIES,
    draw_class,
    draw_count,
    draw_height,
    draw_shoe_size,
    mostly,
    value_of,
)
from training.skills.kinds.owned import one_of, owned
from training.values import draw_job, invent_word

SCHOOL = fact(
    "school's name",
    value_of(lambda rng: draw_name(rng).split()[0] if rng.random() < 0.4 else invent_name(rng)),
    "your school is called {value}",
    "your school's name yet. What is it?",
    says="""
        my school is called {value}
        I go to {value} School
        my school's name is {value}
        the name of my school is {value}
        the school I go to is called {value}
        (I'm|I am) a pupil at {value} School
        I learn at a school called {value}
        my school, {value}, is (big|small|near|far away|old)
    """,
    asks="""
        what is my school called( again|)?
        (which|what) school do I go to?
        what's my school's name?
        what's the name of my school?
        where do I go to school?
        my school is called ...?
        the name of my school?
        (which|what) school did I say I go to?
    """,
    indirect="""
        what my school is called
        which school I go to
        the name of my school
    """,
    checks="is my school called {value}?\ndo I go to {value} School?\nis {value} my school?",
    changes="""
        I changed schools, now I go to {value} School
        my school is called {value}, not {old}
        (we moved, so|from now on|now) my school is called {value}
    """,
    nouns="school\nschool's name",
    third="goes to a school called {value}",
)
CLASS = fact(
    "class",
    value_of(draw_class),
    "you are in {value}",
    "which class you are in.",
    says="""
        (I'm|I am) in {value}
        (I'm|I am) in {value} (at school|now|this year)
        I go to {value}
        I just started {value}
        at school (I'm|I am) in {value}
        I will be in {value} until summer
        I'm a pupil in {value}
    """,
    asks="""
        (which|what) (class|grade|year) am I in( again| at school|)?
        in (which|what) (class|grade|year) am I?
        (what is|what's) my (class|grade)( at school|)?
        which (class|grade) do I go to?
        what (class|grade) did I say I'm in?
    """,
    indirect="""
        (which|what) (class|grade) (I am|I'm) in
        what my (class|grade) is
    """,
    checks="am I in {value}?\nI'm in {value}, (right|correct)?\ndo I go to {value}?",
    changes="""
        I moved up, (I'm|I am) in {value} now
        (I'm|I am) in {value}, not (in |){old}
        after the holidays (I'm|I am) in {value}
    """,
    nouns="class at school\ngrade at school",
    third="is in {value} at school",
)
COUNT = fact(
    "number of {who}",
    owned(one_of(COUNTED), draw_count),
    "you have {value} {who}",
    "how many {who} you have.",
    says="""
        I have {value} {who}
        I've got {value} {who}
        we have {value} {who}
        (all in all|altogether|in all)(,|) I have {value} {who}
        the number of my {who} is {value}
        I am happy with my {value} {who}
        my {value} {who} (are great|keep me busy|are at home|make me happy|drive me mad)
        I was thinking about my {value} {who}
        how many {who} do I have? {value}
        I have as many as {value} {who}
        {value} {who}, that's what I have
    """,
    asks="""
        how many {who} do I have( again| now|)?
        how many {who} have I( got|)?
        how many {who} did I say I have?
        what is the number of my {who}?
        (what|which) number of {who} do I have?
        how many are my {who}?
        number of {who}?
        I have how many {who}?
        do I have {who}? How many?
    """,
    indirect="""
        how many {who} I have
        the number of my {who}
        how many {who} I've got
    """,
    checks="do I have {value} {who}?\nI have {value} {who}, (right|don't I)?\nhave I got {value} {who}?",
    changes="""
        I have {value} {who} now
        I have {value} {who}, not {old}
        I miscounted, I have {value} {who}
        it's not {old} {who}(,| but) {value}
    """,
    third="has {value} {who}",
)
SHOES = fact(
    "shoe size",
    value_of(draw_shoe_size),
    "your shoe size is {value}",
    "your shoe size yet. What is it?",
    says="""
        my shoe size is {value}
        I (wear|take|need) size {value} shoes
        I (wear|take|have) shoe size {value}
        my shoes are size {value}
        my feet are size {value}
        in shoes I take (a |size ){value}
        {value} is my shoe size
    """,
    asks="""
        (what|which) (is my shoe size|shoe size do I have|size are my shoes|size of shoes do I wear)?
        (what is|what's) my shoe size?
        how big are my feet?
        what shoe size (should|do) I (order|need|take|buy)?
        which size of shoes fits me?
    """,
    indirect="""
        what my shoe size is
        (which|what) shoe size I (have|take|wear)
        my shoe size
    """,
    checks="is my shoe size {value}?\ndo I wear size {value} shoes?\nare my shoes size {value}?",
    changes="""
        my feet have grown, my shoe size is {value} now
        my shoe size is {value}, not {old}
        I don't take size {old} shoes (any more|anymore), it's {value}
    """,
    nouns="shoe size",
    third="'s shoe size is {value}",
)
TALL = fact(
    "height",
    value_of(draw_height),
    "you are {value} tall",
    "how tall you are.",
    says="""
        (I'm|I am) {value} tall
        my height is {value}
        I measure {value}
        {value} is my height
        I have grown to {value}
        they measured me, (I'm|I am) {value} tall
    """,
    asks="""
        how tall am I( again|)?
        (what is|what's) my height?
        how (high|tall) did I say I am?
        what height am I?
        how many (cm|feet) do I measure?
    """,
    indirect="how tall I am\nmy height\nwhat my height is",
    checks="am I {value} tall?\nis my height {value}?\nI'm {value} tall, (right|am I not)?",
    changes="I have grown, (I'm|I am) {value} tall now\n(I'm|I am) {value} tall, not {old}",
    nouns="height",
    third="is {value} tall",
)
EMPLOYER = fact(
    "employer",
    value_of(mostly(CARS, invent_name)),
    "you work for {value}",
    "for whom you work.",
    says="""
        I work for {value}
        I work for a company called {value}
        I (have|got|found) a job at {value}
        (I'm|I am) employed (at|by) {value}
        my employer is (called |){value}
        {value} is my employer
        the company I work for is (called |){value}
        I've worked for {value} (for years|since May|for a while)
        my wages come from {value}, I work for them
    """,
    asks="""
        (who|whom) do I work for?
        for whom do I work?
        (who is|who's|what's) my employer( called|)?
        (which|what) (company|firm) do I work (for|at)?
        what is the company I work for called?
        who pays my wages?
        (which|what) company did I say I work for?
    """,
    indirect="who I work for\n(which|what) company I work (for|at)\nwho my employer is",
    checks="do I work for {value}?\nis {value} my employer?\nI work for {value}, (right|don't I)?",
    changes="""
        I left {old}(,| and) now I work for {value}
        I work for {value}, not (for |){old}
        my new employer is {value}
    """,
    nouns="employer",
    third="works for {value}",
)
STUDY = fact(
    "studies",
    value_of(mostly(STUDIES, invent_word)),
    "you study {value}",
    "what you study.",
    says="""
        I study {value}
        (I'm|I am) studying {value}
        (I'm|I am) a student of {value}
        at (university|college|uni) I study {value}
        I (do|am doing) a degree in {value}
        my major is {value}
        I'm in my (first|second|third|last) year of {value} at (university|college)
    """,
    asks="""
        what do I study( again|)?
        what am I studying( at university| at college|)?
        (what is|what's) my major?
        (which|what) subject do I study( at university|)?
        what did I say I study?
        what is my degree in?
    """,
    indirect="what I study\nwhat I'm studying\nwhat my major is\n(which|what) subject I study",
    checks="do I study {value}?\nam I studying {value}?\nis my major {value}?",
    changes="I switched from {old} to {value}\nI study {value} (now|these days)\nI study {value}, not {old}",
    nouns="major\nfield of study",
    third="studies {value}\nis studying {value}",
)
DREAM = fact(
    "dream job",
    value_of(draw_job),
    "your dream job is {value}",
    "your dream job yet. What is it?",
    says="""
        my dream job is {value}
        when I grow up I want to be {a_value}
        I want to become {a_value}
        (I'd|I would) love to be {a_value} one day
        I dream of being {a_value}
        one day I will be {a_value}
        I always wanted to be {a_value}
        {value} is my dream job
        the job I dream of is {value}
    """,
    asks="""
        what do I want to (be|become)( when I grow up| one day|)?
        (what is|what's) my dream job?
        (which|what) job do I dream of?
        what do I dream of being?
        what would I love to be one day?
        what did I always want to be?
        what will I be when I grow up?
    """,
    indirect="what I want to (be|become)\nwhat my dream job is\n(which|what) job I dream of",
    checks="do I want to be {a_value}?\nis {value} my dream job?\nis my dream job {value}?",
    changes="""
        I don't want to be {old_value} (any more|anymore), but {a_value}
        (I changed my mind|now), I want to be {a_value}
        my dream job is {value}, not {old}
    """,
    nouns="dream job",
    third="wants to be {a_value}\n's dream job is {value}",
)
DRIVES = fact(
    "make of car",
    value_of(mostly(CARS, invent_name)),
    "you drive {a_value}",
    "what car you drive.",
    says="""
        I drive {a_value}
        I drive {a_value}( to work| every day| and like it|, an old one)
        I (bought|have|own|got) {a_value}(,| and) I drive it (to work|every day)
        the car I drive is {a_value}
        my car is {a_value}
        I go to work in my {value}
        my {value} is (in the garage|broken|parked outside|my first car), it's the car I drive
    """,
    asks="""
        (what|which) (kind of |make of |)car do I (drive|have|own)?
        what do I drive( to work|)?
        what make is my car?
        (what|which) car did I say I (drive|have)?
        what (kind|make|type) of car is mine?
        what car is mine?
    """,
    indirect="(what|which) car I (drive|have|own)\nwhat I drive\nwhat make my car is",
    checks="do I drive {a_value}?\nis my car {a_value}?\nI drive {a_value}, (right|don't I)?",
    changes="""
        I sold the {old}(,| and) now I drive {a_value}
        I drive {a_value}, not {old_value}
        I have a new car, {a_value}
    """,
    third="drives {a_value}",
)
