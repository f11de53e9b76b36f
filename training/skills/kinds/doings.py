"""What a person does: job and hobby; and the words for telling and asking for them."""

from training.english import an
from training.phrasing import lines
from training.talk import Kind
from training.values import draw_hobby, draw_job

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
        my (job|profession|occupation)(: |? ){value}
        by (trade|profession)(,|) I am {a_value}
        I earn a living as {a_value}
        (I'm|I am) {a_value}, (so I'm always busy|so I get up early|and I love it|which is hard work)
        (as|being) {a_value}(,|) I (get up early|am always busy|meet many people|work a lot|am tired at night)
        I just (started|got hired|finished training|began) as {a_value}
        I (started|began) (working|work|a new job) as {a_value} (today|last week|in May|this year)
        {a_value}, that's what I am( by profession| at work|)
        I (make|earn) my money as {a_value}
        they (hired|employ|pay) me as {a_value}
        work was hard today, I'm {a_value}
        I (became|have become) {a_value} (last year|in the end|like my father|like my mother|after school)
        in my (working life|day job|job) I'm {a_value}
        my day job is {value}
        I (make|earn) a living as {a_value}
        what I do? I'm {a_value}
        what do I do for a living? I'm {a_value}
        I work (full time|part time|nights|at home|freelance) as {a_value}
        (I'm|I am) a (proud|tired|happy|busy|young|retired) {value}
        I (am|work as) {a_value}(,| and) have been (one |)for years
        it's not easy to be {a_value} like me
        my (husband|brother|father|best friend) is (a cook|a nurse|retired|a pilot) (and|but|while) (I'm|I am|
            I work as) {a_value}
        im {a_value}(,| and) (it's a long day|I start at six|the pay is low|I like it|I work nights)
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
        (what is|what's|whats) my (job|profession|occupation)( again|)?
        (my |)(job|profession|occupation)(?| please| again?)
        what am I( by profession| by trade| at work)?
        what do they pay me for?
        what do I (make|earn) (a|my) living (as|with)?
        (which|what) (job|profession) did I (mention|say I have|tell you about)?
        what did I say my (job|profession|occupation) is?
        what (am I|do I work as) (from Monday to Friday|at work|all day)?
        I go to work every day, as what?
        what would you (write|put) (as|for) my (job|profession|occupation)?
        what is it that I do for a living?
        do I have a job? (Which|What)( one|)?
        I work as (what|...)?
        my (job|profession) is ...?
    """),
    indirect=lines("""
        what I do (for a living|for work)
        what I work as
        what my (job|profession|occupation) is
        (what|which) job I have
        how I earn my (living|money)
        what I am by (profession|trade)
        what I am by (trade|profession)
        how I make (money|a living)
        what I (said|told you) I do for a living
        what kind of work I do
        (which|what) (job|profession) I mentioned
    """),
    unknown="You have not told me your job yet. What is it?",
    third=("works as {a_value}", "is {a_value}", "'s (job|profession) is {value}"),
    nouns=("job", "job", "profession", "occupation", "work"),
    checks=lines("""
        am I {a_value}?
        do I work as {a_value}?
        is my job {value}?
        I'm {a_value}, (right|am I not|correct)?
        did I say (I am|I'm) {a_value}?
        am I {a_value} by (trade|profession)?
        do I earn my living as {a_value}?
        my job is {value}, (right|isn't it)?
    """),
    replies=lines("""
        {value}
        {a_value}(.|)
        (I'm|I am|I work as|im) {a_value}(.|)
        (it's|my job is|that is) {value}(.|)
        {a_value}(, and you?|, why do you ask?|, for years now|, of course)
        (well|oh|sure|right)(,|:) (I'm|I am|I work as) {a_value}(.|)
        I (make|earn) my living as {a_value}(.|)
        by trade I'm {a_value}(.|)
    """),
    changes=lines("""
        (I changed|I have changed) jobs(, now I'm|. I'm now|, and now I am|: I am) {a_value}
        I work as {a_value} (now|these days)
        (I'm|I am) {a_value}, not {old_value}
        (I'm|I am) no longer {old_value}(, I'm|. I am| but) {a_value}
        I have a new job, (I'm|I am) {a_value} now
        I used to be {old_value}, now (I'm|I am) {a_value}
        I (quit|left) my job as {old_value}(,| and) now (I'm|I am) {a_value}
        I stopped working as {old_value}(, now I'm|. Now I work as) {a_value}
        (I'm|I am) not {old_value} (any more|anymore)(,| but) {a_value}
        I (started|found|got) a new job as {a_value}
        I got promoted, (I'm|I am) {a_value} now
        did I say {old}? (I'm|I am) {a_value}
        they made me {a_value}
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
        my hobby(? |: | - |, it's ){value}
        (hobby|hobbies)(: |? ){value}
        {value}(,| -) that's my hobby
        (I'm|I am) (really |very |)into {value}, it's my hobby
        I do {value} (as a hobby|for fun|in my spare time|in my free time|on weekends|every weekend)
        (for fun|for pleasure|to relax)(,|) I (do|like|go for|enjoy) {value}
        (on|at) (weekends|the weekend)(,|) I (do|like|enjoy) {value}
        I've got a hobby(:|, it's|. It's) {value}
        I have a hobby(:|, it's|. It's) {value}
        I (relax|unwind) (with|by) {value}, my hobby
        what do I do for fun? {value}
        {value} is what I do (for fun|in my free time|after work|to relax)
        {value} is my (passion|pastime|great passion) and hobby
        all my free time goes into {value}
        my free time belongs to {value}
        I (recently |just |)(started|took up|discovered) {value} as a hobby
        nothing relaxes me like {value}, my hobby
        most evenings I spend on {value}, it's my hobby
        I know it's (odd|unusual|strange|a bit boring), but my hobby is {value}
        (after school|after work|when I have time)(,|) it's {value} for me, my hobby
        I could spend (all day|hours|whole weekends) on {value}, my hobby
        I (like|love|enjoy) {value} when (I have time|I'm free|work is over|the week is done)
        I (like|love|enjoy) {value} (when|whenever) I'm (off duty|not working|not busy|at home|not tired)
        I (do|love|practise) {value}(,| -) (it is|that's|that is) my hobby
    """),
    asks=lines("""
        what do I (like to do|do|enjoy|like doing) (in my (free|spare) time|for fun|after work|on weekends)?
        (which|what) (hobby|hobbies) do I have?
        how do I spend my (free time|evenings|weekends)?
        what is it that I (like to do|do for fun)?
        (what|which) (pastime|hobby) did I (tell you about|mention|name)?
        what (am I into|are my hobbies|are my interests)?
        do I have a hobby?
        (what is|what's|whats) my hobby( again|)?
        (my |)(hobby|hobbies|pastime)(?| please| again?| is?| was?)
        what do I (do|enjoy) (for pleasure|to relax|when I am not working|when I have time)?
        what did I say (my hobby is|I do for fun|I do in my free time)?
        what (fills|takes up) my free time?
        (what|which) hobby is mine?
        where does all my free time go?
        my hobby is ...?
        what could I spend (hours|whole weekends) on?
        what did I take up as a hobby?
        I have some free time now, what do I like to do?
        I'm bored, what is my hobby again?
        what kind of hobby do I have?
    """),
    indirect=lines("""
        what my hobby is
        what my hobbies are
        what I (like to do|do) (for fun|in my (free|spare) time)
        which hobby I have
        how I spend my (free time|evenings)
        what I (do|enjoy) (for fun|to relax|for pleasure)
        what my (pastime|favourite pastime) is
        (which|what) hobby I (mentioned|told you about)
        what I told you about my hobby
        what I do when I'm not working
    """),
    unknown="You have not told me your hobby yet. What is it?",
    third=("'s hobby is {value}", "has {value} as a hobby"),
    nouns=("hobby", "hobby", "pastime", "favourite pastime"),
    checks=lines("""
        is my hobby {value}?
        is {value} my hobby?
        do I do {value} (for fun|in my free time|as a hobby)?
        my hobby is {value}, (right|isn't it|correct)?
        did I say my hobby is {value}?
        is {value} what I do for fun?
        do I spend my free time on {value}?
    """),
    replies=lines("""
        {value}
        {value}(.|!|)
        (it's|it is|I like|I love|I enjoy|mostly|my hobby is) {value}(.|)
        {value}(, I think|, of course|, definitely|, mostly|, when I have time)
        my hobby is {value}(.|)
        (well|oh|hm|sure|let me think)(,|...) {value}(.|)
        (in my free time|for fun) I (like|enjoy|do) {value}(.|)
    """),
    changes=lines("""
        I have a new hobby(:|,| now:) {value}
        my hobby is {value}, not {old}
        (I gave up {old}|no more {old}), my hobby is {value} now
        (now|these days) my hobby is {value}
        my hobby used to be {old}, now (it is|it's) {value}
        I (stopped|quit|got bored with|have no time for) {old}(, my hobby is|. My hobby is|
            , so my hobby is) {value} now
        I swapped {old} for {value} as a hobby
        it's not {old}(,| but|, it is) {value}, my hobby
        {value} has replaced {old} as my hobby
        did I say {old}? My hobby is {value}
        (I changed my mind|on second thought), my hobby is {value}
    """),
    openers=("", "", "That sounds like fun! "),
)
