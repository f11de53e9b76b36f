"""Problems in words, and the sentence that answers each kind of them."""

from training.phrasing import lines
from training.talk import words

THINGS = words("""
    apple book pencil coin egg ball cookie flower marble card stamp ticket cup shell sticker orange pear
    button balloon candle banana carrot stone star cake plum biscuit sweet lemon nut
    toy car point bean seed pen crayon doll brick bead letter photo bottle chair duck hen cow goat sheet
    chocolate muffin grape onion pie
""")
WARES = words("""
    book pen cake hat ball cup lamp kite map pie drum box doll mug toy bag scarf plate shirt ticket game
    jacket chair coffee pizza bottle belt umbrella jumper notebook sandwich towel blanket
""")
MONEY = words("euro dollar pound coin cent dollar euro pound rupee peso franc crown")
# Who may be a few years older or younger than oneself.
PEERS = words("brother sister cousin friend neighbour")
KIN = PEERS + words("""
    mother father uncle aunt son daughter teacher classmate colleague grandmother grandfather mum dad
""")

Problem = tuple[tuple[str, ...], str, str]  # how it is told, the question at its end, the answer

# `{have}`, `{other}` and `{rest}` are numbers with their things, `{a}` and `{b}` bare numbers.
GAIN: tuple[Problem, ...] = (
    (
        lines("""
            I (have|had|own|hold|got) {have} and (buy|get|find|pick|am given|receive|take|win) {b} more(.|,|
                :) {how}
            I (have|had|got|owned) {have} and (bought|got|found|picked|was given|received|won|
                added) {b} more(.|,|
                :) {how}
            I have {have}. (My {kin} gives me|I buy|I find|I get|Then I get|I win) {b} more(.|,) {how}
            I had {have}. (My {kin} gave me|Then I bought|{name} gave me|Later I found|
                I was given) {b} more(.|
                ,) {how}
            (if|suppose|say|imagine|let's say) I have {have} and (buy|get|find|add|receive) {b} more, {how}
            (there are|I see|I put) {have} (on the table|in a box|in a bag) and (I add|I put in|
                you add) {b} more. {how}
            I (have|see|own) {a} red {things} and {b} (blue|green|yellow) {things}(.|,) {how}
            (yesterday|on Monday) I (found|bought|picked) {have} and (today|on Tuesday|later) {b}(.|,) {how}
            (yesterday|this morning|on monday|last week) I (found|bought|picked|got) {have}. (Today|
                In the evening|On friday|This week) (I got|it was|there were) {b} more. {how}
            {have}(, then| and then|, and later|, plus) {b} more(. |, |: ){how}
            how many {things} do I have if I (have|had|start with|already have) {have} and (buy|get|find|
                am given) {b} more?
            how many {things} do I have (when|after) (my {kin}|{name}) gives me {b} more and I had {a}?
            my {kin} gave me {have} and {name} gave me {b}(.|,) {how}
            I got {have} from (my {kin}|{name}) and {b} from (my {kin}|{friend})(.|,) {how}
            I (bought|picked|collected|found|baked|counted) {have} and then {b} more(.|,) {how}
            (so |ok |well |)(today|yesterday) I (went shopping and |)(bought|
                got) {have}. I already had {b}( at home|). {how}
            I put {have} in my (bag|basket|pocket). Then I put in {b} more. {how}
            I already have {have}. (If I get|When I buy|With) {b} more, {how}
            my (collection|box|basket|bag) has {have}. I add {b}. {how}
        """),
        "(how many ({things}|) (do I have|do I have now|are that|is that)( in total| altogether|)"
        "|how many (have I got|have I|are there|does that make)( now| in all|)"
        "|what do I have now|what's the total|how many {things} now|how many now|how many in all)?",
        "You have {rest}.",
    ),
    (
        lines("""
            {name} (has|had|owns|got) {have} and (buys|gets|finds|picks|wins|is given) {b} more(.|,|:) {how}
            {name} had {have} and (bought|got|found|picked|won|was given) {b} more(.|,|:) {how}
            {name} (has|had) {have}. (I give {name}|{name} finds|My {kin} gives {name}) {b} more(.|,) {how}
            {name} had {have}. (I gave {name}|{friend} gave {name}|Then {name} found|
                Later {name} bought) {b} more(.|,) {how}
            (if|suppose|say|imagine) {name} has {have} and (gets|buys|finds) {b} more, {how}
            {friend} gives {name} {b} {things}. {name} already (had|has) {a}. {how}
            how many {things} does {name} have if {name} (has|had) {a} and (gets|buys|finds) {b} more?
            my {kin} (called |){name} (has|had) {have} and (buys|gets|finds) {b} more(.|,) {how}
            {name} (collected|picked|baked|bought|found) {have} (yesterday|on monday|
                in the morning) and {b} (today|
                on tuesday|in the evening)(.|,) {how}
        """),
        "(how many ({things}|) does {name} have( now| then| in total| altogether|)"
        "|how many ({things} |)has {name}( got| now|)|what does {name} have now)?",
        "{name} has {rest}.",
    ),
    (
        lines("""
            {name} has {have} and (I have|{friend} has|my {kin} has) {other}(.|,) {how}
            {name} has {have}(,| and) {friend} {b}(.|,) {how}
            I have {have} and (my {kin}|{friend}) has {other}(.|,) {how}
            I have {have}(, my {kin} {b}| and you have {b}|, {name} has {b})(.|,) {how}
            (there are|I see) {have} in one (box|bag|basket) and {b} in (the other|another)(.|,) {how}
            (there are|we have|I count) {have} (on the left|upstairs|in the kitchen|on one plate|
                in my room) and {b} (on the right|downstairs|in the garden|on the other|in yours)(.|,) {how}
            (if|suppose|say) {name} has {have} and {friend} has {b}, {how}
            {a} {things} here(,| and) {b} {things} there(.|,|:) {how}
            {have} and {other}(.|,|:) {how}
            {have} plus {other}(.|,|:) {how}
            we put {have} and {other} into one (box|bag|bowl|basket)(.|,) {how}
            {name} brings {have} and {friend} brings {b}(.|,) {how}
            how many {things} are {have} and {other}?
            how many {things} do {name} and {friend} have together if {name} has {a} and {friend} has {b}?
            my {kin} and I (collect|have) {things}. I have {a} and my {kin} has {b}. {how}
        """),
        "how many ({things}|) (do we have|are that|is that|are there|is it|does that make) "
        "(together|in total|altogether|in all)?",
        "That makes {rest}.",
    ),
    (
        lines("""
            {name} has {have}(,| and) {friend} (has |){b} more(.|,|:) {how}
            {name} has {have}. {friend} has {b} more than {name}. {how}
            {friend} has {b} {things} more than {name}. {name} has {a}. {how}
            if {name} has {have} and {friend} has {b} more, {how}
        """),
        "(how many ({things} |)(does {friend} have|has {friend}|has {friend} got)|what does {friend} have)?",
        "{friend} has {rest}.",
    ),
)
LOSS: tuple[Problem, ...] = (
    (
        lines("""
            I (have|had|own|hold) {have} and (give away|lose|sell|drop|use|give {name}|gave away|lost|
                sold) {b}(.|,|:) {how}
            I had {have} and (gave|sold|lent|threw away|broke|ate|used up|dropped) {b}( of them|)(.|,|:) {how}
            I have {have}. (I lose|I give away|My {kin} takes|I sell|{name} takes) {b}( of them|)(.|,) {how}
            I had {have}. (I lost|I gave away|My {kin} took|I sold|{name} took|Then I broke) {b}( of them|)(.|
                ,) {how}
            (if|suppose|say|imagine|let's say) I have {have} and (lose|give away|sell|use up) {b}, {how}
            (if|suppose|say) I had {have} and (lost|gave away|sold|used up) {b}, {how}
            (there are|I see) {have} (on the table|in a box|in a bag) and (I|you) take {b} (away|out)(.|
                ,) {how}
            there were {have} (on the table|in the box|in the bag|in the shop). {b} (are gone|were sold|
                are lost|
                fell down|were taken|are missing)(.|,) {how}
            how many {things} (are left|do I have left|remain) if I (have|had) {a} and (lose|give away|sell|
                use) {b}?
            I (gave|sold|lent) {name} {b} of my {have}(.|,) {how}
            I (lost|gave away|sold|broke|used) {b} of my {have}(.|,) {how}
            (my {kin}|{name}) took {b} of my {have}(.|,) {how}
            {have}, {b} (are gone|gone|given away|taken away|sold|lost|broken)(.|,|:) {how}
            {have} (minus|take away|less) {b}(.|,|:) {how}
            (yesterday|this morning|last week) I had {have}. (Today|Since then|Now) {b} (are missing|are gone|
                are lost)(.|,) {how}
            from {have} I (take|give away|sell|remove) {b}(.|,) {how}
            we had {have} and {b} were (sold|lost|given away|stolen|broken)(.|,) {how}
            of my {have} I (gave|sold|lost) {b}( to {name}| to my {kin}|)(.|,) {how}
            I need to give away {b} of my {have}(.|,) {how}
        """),
        "(how many ({things}|) (do I have left|are left|remain|do I still have|are there now)"
        "|what's left|what is left|how many are left over|how many left|how many do I keep|what remains"
        "|how many have I got left)?",
        "That leaves {rest}.",
    ),
    (
        lines("""
            {name} (has|had|owns) {have} and (gives away|loses|sells|drops|gives me|uses) {b}(.|,|:) {how}
            {name} had {have} and (gave away|lost|sold|dropped|gave me|used) {b}(.|,|:) {how}
            (if|suppose|say|imagine) {name} has {have} and (loses|sells|gives away) {b}, {how}
            {name} has {have}. ({friend} takes|My {kin} takes|{name} gives {friend}|
                {name} loses) {b}( of them|
                )(.|,) {how}
            {name} (gave|sold|lent) {friend} {b} of {a} {things}(.|,) {how}
            how many {things} does {name} have left if {name} has {a} and (loses|sells|gives away) {b}?
            my {kin} (called |){name} had {have} and (lost|sold|gave away) {b}(.|,) {how}
        """),
        "(how many ({things} |)does {name} (have left|still have|have now)"
        "|how many ({things} |)has {name} (left|got left)|what has {name} left)?",
        "{name} has {rest} left.",
    ),
    (
        lines("""
            I have {have} and {name} has {other}(.|,) {how}
            {name} has {other} and I have {have}(.|,) {how}
            if I have {have} and {name} has {other}, {how}
            I (own|got|collected|counted) {have}. {name} (owns|got|collected|counted) {b}. {how}
            my {kin} {name} has {other}, I have {have}(.|,) {how}
        """),
        "(how many more ({things}|) do I have( than {name}|)|how many more have I( got|)( than {name}|)"
        "|how many ({things} |)do I have more than {name})?",
        "You have {rest} more.",
    ),
    (
        lines("""
            {name} has {have}(,| and) {friend} (has |){b} (less|fewer)(.|,|:) {how}
            {name} has {have}. {friend} has {b} (less|fewer) than {name}. {how}
            if {name} has {have} and {friend} has {b} (less|fewer), {how}
        """),
        "(how many ({things} |)(does {friend} have|has {friend}|has {friend} got)|what does {friend} have)?",
        "{friend} has {rest}.",
    ),
    (
        lines("""
            I (need|want|collect) {have} and (have|I have|I have only|already have|only have) {b}(.|,) {how}
            I want to have {have}. I have {b}( now| already| so far|). {how}
            (there are|we are) {a} (people|children|guests) and I have only {other}, one for each(.|,) {how}
            my {kin} needs {have} and has {b}(.|,) {how}
            to have {have} when there are only {b}(,|:) {how}
        """),
        "how many (more ({things} |)(do I need|are needed)|are missing|({things} |)are (still |)missing"
        "|do I still need)?",
        "It takes {rest} more.",
    ),
)
SPENT: Problem = (
    lines("""
        {ware} costs {have} and {ware2} costs {other}(.|,) {how}
        {ware} costs {have} and {ware2} {b}(.|,) {how}
        {ware} is {have} and {ware2} is {other}(.|,) {how}
        (I buy|I bought|we bought|if I buy) {ware} for {have} and {ware2} for {other}(.|,) {how}
        a shop sells {ware} for {have} and {ware2} for {other}(.|,) {how}
        I (paid|spent|pay) {have} for {ware} and {other} for {ware2}(.|,) {how}
        (if|suppose|say) {ware} costs {have} and {ware2} costs {other}, {how}
        (the price of|for) {ware} is {have}, (the price of|for) {ware2} it is {other}. {how}
        {ware}: {have}, {ware2}: {other}. {how}
        {ware} {a}, {ware2} {b}, in {unit}s(.|,) {how}
        I want {ware} for {have} and {ware2} for {other}(.|,) {how}
        how much do {ware} for {have} and {ware2} for {other} cost( together|)?
        how much (money |)do I need for {ware} at {have} and {ware2} at {other}?
        my {kin} bought {ware} for {have} and {ware2} for {other}(.|,) {how}
        {name} pays {have} for {ware} and {other} for {ware2}(.|,) {how}
        I spent {have} (yesterday|in the morning|at the market) and {other} (today|in the evening|
            at the shop)(.|
            ,) {how}
    """),
    "((how much (are both|is it together|do I pay|is that|did I spend|is it)|what do both cost)( in total|)"
    "|together|how much together|what's the total|how much are they together|what does it cost in all"
    "|how much for both|what do they cost together)?",
    "Together that is {rest}.",
)
CHANGE: Problem = (
    lines("""
        I have {have} and (spend|pay|lose|give away) {b}(.|,) {how}
        I had {have} and (spent|paid|lost|gave away) {b}(.|,) {how}
        {ware} costs {other} and I (pay with|give|have) {have}(.|,) {how}
        I pay with {have} for {ware} that costs {other}(.|,) {how}
        I (gave|give) the (shop|shopkeeper|cashier|seller) {have} for {ware} that (costs|cost) {other}(.|
            ,) {how}
        I have {have} in my (purse|pocket|wallet) and buy {ware} for {other}(.|,) {how}
        I had {have}. I bought {ware} for {b}. {how}
        if I have {have} and {ware} costs {other}, {how}
        (from|out of) my {have} I (spend|pay) {other} on {ware}(.|,) {how}
        my {kin} gave me {have} and I spent {b} on {ware}(.|,) {how}
        I earned {have} and paid {b} for {ware}(.|,) {how}
        I had {have} on my account and paid {b}(.|,) {how}
        how much (money |)do I have left if I have {have} and (spend|pay) {b}?
        {ware} costs {other}. I pay with {have}. {how}
    """),
    "(how much (money |)(do I have left|is left|remains|do I get back)"
    "|what is left|what's left|how much change do I get|what do I get back|what's my change"
    "|how much is left over)?",
    "That leaves {rest}.",
)
OLDER = lines("""
    I am {a}( years old|) and my {kin} is {b} years older(.|,) how old is my {kin}?
    my {kin} is {b} years older than me and I am {a}(.|,) how old is my {kin}?
    my {kin} is {b} years older than (me|I am). I am {a}( now| years old|). (How old is my {kin}|
        What age is my {kin})?
    I'm {a}. My {kin} is older by {b} years. How old is my {kin}?
    how old is my {kin} if I am {a} and my {kin} is {b} years older?
    if I am {a} and my {kin} is {b} years older(,|) (how old|what age) is my {kin}?
    I turned {a}( today| this year|) and my {kin} is {b} years older(.|,) how old is my {kin}( then|)?
""")
YOUNGER = lines("""
    I am {a}( years old|) and my {kin} is {b} years younger(.|,) how old is my {kin}?
    my {kin} is {b} years younger than me and I am {a}(.|,) how old is my {kin}?
    my {kin} is {b} years younger than (me|I am). I am {a}( now| years old|). (How old is my {kin}|
        What age is my {kin})?
    I'm {a}. My {kin} is younger by {b} years. How old is my {kin}?
    how old is my {kin} if I am {a} and my {kin} is {b} years younger?
    if I am {a} and my {kin} is {b} years younger(,|) (how old|what age) is my {kin}?
    I turned {a}( today| this year|) and my {kin} is {b} years younger(.|,) how old is my {kin}( then|)?
""")
LATER = lines("""
    I am {a}( years old|)(.|,) how old (will I be|am I) in {b} years?
    how old (will I be|am I) in {b} years if I am {a}( now| today|)?
    I am {a}( now|)(.|,) what (age will I be|will my age be) in {b} years?
    I'm {a} (today|now|this year)(.|,) how old (will I be|shall I be|am I) (in {b} years|{b} years from now)?
    if I am {a} (now|today)(,|) how old will I be (in {b} years|{b} years from now|after {b} years)?
    in {b} years, how old will I be? I am {a}( now|)(.|)
    I just turned {a}(.|,) how old will I be in {b} years?
""")
AGO = lines("""
    I am {a}( years old|)(.|,) how old was I {b} years ago?
    how old was I {b} years ago if I am {a}( now| today|)?
    I'm {a} (today|now|this year)(.|,) (how old|what age) was I {b} years ago?
    if I am {a} (now|today)(,|) how old was I {b} years (ago|before)?
    {b} years ago, how old was I? I am {a}( now|)(.|)
""")
GROUPS = lines("""
    I have {a} (bags|boxes|baskets|packs) with {other}( each| in each|)(.|,) how many ({things}|) (do I have|
        is that)?
    (there are|I see) {a} (bags|boxes|baskets) with {other} (each|in each)(.|,) how many ({things}|
        ) are there?
    {a} (children|people|friends|girls) have {other} each(.|,) how many ({things}|) is that( in total|)?
    {a} (bags|boxes|bowls|packs|plates|shelves) of {other}(.|,|:) how many ({things} |)(is that|in total|
        are there)?
    I buy {a} (packs|boxes|bags) of {other}(.|,) how many ({things} |)(do I get|do I have|is that)?
    each (box|bag|child|basket|friend) has {other}. (There are|I count) {a}( of them|). How many ({things} |
        )(is that|are there|in total)?
    (if|suppose|say) {a} (people|children|friends) each have {other}(,|) how many ({things} |)(is that|
        are there)( in total|)?
    {name} has {a} (boxes|bags|packs) and {other} in each( of them|)(.|,) how many ({things} |)is that?
    how many {things} are in {a} (boxes|bags|packs|baskets) with {b} each?
    (every|each) day I (get|buy|pick|find) {other}(.|,) how many ({things} |)is that in {a} days?
""")
