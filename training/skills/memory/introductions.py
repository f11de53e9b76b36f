"""Ways to introduce oneself: a name with a greeting or a question, and several facts in few words."""

from training.phrasing import lines
from training.skills.kinds.ages import AGE, BIRTHDAY
from training.skills.kinds.doings import JOB
from training.skills.kinds.name import NAME
from training.skills.kinds.towns import HOME, ORIGIN

# Several kinds of facts in few words; the slots of each kind bear its number.
COMPACT = (
    (
        (NAME, ORIGIN),
        lines("""
            (I'm|I am|my name is|this is|it's) {value0} from {value1}
            {value0} from {value1}( here|)
            (hello|hi|greetings) from {value1}, (I'm|I am|my name is) {value0}
            (I'm|I am|my name is) {value0} and (I come|I'm|I am|I'm originally) from {value1}
            (I'm|I am) {value0}, (born and raised|born|raised|at school) in {value1}
            (people|they|my friends) call me {value0} and I (grew up|was born) in {value1}
            (my name is|I'm) {value0}. (I come|I'm|My family is) from {value1}
            so I'm {value0} and I was born in {value1}
        """),
    ),
    (
        (NAME, HOME),
        lines("""
            (I'm|I am|my name is) {value0}(,| and I'm| and) (living|based|at home) in {value1}
            (I'm|I am|my name is) {value0} and (I |) live in {value1}
            {value0}, (I live in|living in|resident of) {value1}
            so I'm {value0} and I (just|recently|have) moved to {value1}
            I'm {value0}(, and I| and I)('ve| have) (just moved|lived for years|settled) in {value1}
            (the name's|my name's) {value0}, (home is|I live in|my home is) {value1}
            {value0} here, (writing from my home in|living in|I live in) {value1}
            I live in {value1} and (people|my neighbours|they|everyone) call me {value0}
            I live in {value1}, my name is {value0}
            name {value0}, (town|city|home|home town) {value1}
            name: {value0}, (town|city|home): {value1}
            (I'm|my name is) {value0}. (I've just|I just|We just) moved to {value1}
            my name is {value0} and {value1} is (my home|my town|where I live)
            (I'm|I am) {value0} and my (house|flat|home) is in {value1}
            my friends in {value1}, where I live, call me {value0}
        """),
    ),
    (
        (NAME, AGE),
        lines("""
            (I'm|I am|my name is) {value0}, {value1}( years old|)
            (I'm|I am|my name is) {value0} and I'm {value1}( years old|)
            {value0}, {value1}( years old|)
            {value0} here, {value1} years old
            (the name's|my name's) {value0}, age {value1}
            I am {value1} years old and my name is {value0}
            I'm {value1}, (my name is|call me|I'm called) {value0}
            (I'm|my name is) {value0}. I (just|have just) turned {value1}
            name: {value0}, age: {value1}
            name {value0}, age {value1}
            I'm a {value1} year old (student|person|human|retiree) called {value0}
            (I'm|I am) {value0}, I was born {value1} years ago
            so I'm {value0} and I'm {value1} years old
        """),
    ),
    (
        (NAME, BIRTHDAY),
        lines("""
            (I'm|my name is) {value0} and (my birthday is|I was born) on {value1}
            (I'm|my name is) {value0}. My birthday is (on |){value1}
            my birthday is on {value1} and my name is {value0}
            {value0}, born (on |){value1}
            name: {value0}, birthday: {value1}
        """),
    ),
    (
        (NAME, JOB),
        lines("""
            (I'm|I am|my name is) {value0}, {a_value1}
            (I'm|I am|my name is) {value0} and (I'm|I work as) {a_value1}
            {value0} here, {a_value1}
            (I'm|I am) {a_value1} (called|named) {value0}
            (I work as|I'm|I am) {a_value1} and my name is {value0}
            (the name's|my name's) {value0}, I'm {a_value1} (by trade|for a living)
            (I'm|my name is) {value0}. I work as {a_value1}
        """),
    ),
    (
        (NAME, AGE, ORIGIN),
        lines("""
            (I'm|I am|my name is) {value0}, {value1}(,| and| years old and|) from {value2}
            {value0}, {value1}, {value2}
            (I'm|my name is) {value0}. (I'm|I am) {value1}( years old|). I('m| come) from {value2}
            (I'm|my name is) {value0}, (I'm|I am) {value1} and I (come from|was born in) {value2}
        """),
    ),
    (
        (NAME, AGE, HOME),
        lines("""
            (I'm|I am|my name is) {value0}, {value1}(,| and| years old and|) (I live|living) in {value2}
            (I'm|my name is) {value0}. (I'm|I am) {value1}( years old|). I live in {value2}
            my name is {value0}, I am {value1} years old and I live in {value2}
            name: {value0}, age: {value1}, (town|city|home): {value2}
            {value0} here. {value1} years old, living in {value2}
        """),
    ),
    (
        (NAME, HOME, AGE),
        lines("""
            (I'm|I am|my name is) {value0}, I live in {value1} and I'm {value2}( years old|)
            (I'm|my name is) {value0}. I live in {value1}. (I'm|I am) {value2}( years old|)
            {value0} here, living in {value1}, {value2} years old
        """),
    ),
    (
        (NAME, JOB, ORIGIN),
        lines("""
            (I'm|I am|my name is) {value0}, {a_value1} from {value2}
            (I'm|I am) {a_value1} from {value2}(, my name is|, called|. I'm) {value0}
            (I'm|my name is) {value0}. I work as {a_value1} and I come from {value2}
        """),
    ),
    (
        (NAME, JOB, HOME),
        lines("""
            (I'm|I am|my name is) {value0}, {a_value1} (in|living in|based in) {value2}
            (I'm|my name is) {value0}. I work as {a_value1} and I live in {value2}
        """),
    ),
    (
        (AGE, JOB),
        lines("""
            (I'm|I am) a {value0} year old {value1}
            {value0} years old, {value1}
            I'm {value0}( years old|) and (I work as|I'm) {a_value1}
            I'm {value0}, {a_value1} (by trade|for a living|by profession)
        """),
    ),
    (
        (AGE, HOME),
        lines("""
            (I'm|I am) {value0} and (I |)live in {value1}
            {value0} years old, living in {value1}
            at {value0} years I (just|finally) moved to {value1}
            (I'm|I am) {value0}. I live in {value1}
            age {value0}, (town|city|home) {value1}
        """),
    ),
    (
        (HOME, AGE),
        lines("""
            I live in {value0} and I'm {value1}( years old|)
            I live in {value0}, age {value1}
            I just moved to {value0} and I just turned {value1}
            (town|city|home): {value0}, age: {value1}
        """),
    ),
    (
        (AGE, BIRTHDAY),
        lines("""
            I'm {value0}( years old|) and my birthday is on {value1}
            I turned {value0}, my birthday is on {value1}
        """),
    ),
    (
        (HOME, BIRTHDAY),
        lines("""
            I live in {value0} and my birthday is on {value1}
            I live in {value0}. I was born on {value1}
        """),
    ),
    (
        (JOB, HOME),
        lines("""
            (I'm|I am|I work as) {a_value0} in {value1}
            I work as {a_value0}, I live in {value1}
            I work as {a_value0} and I (have a flat|live|am based) in {value1}
        """),
    ),
    (
        (HOME, JOB),
        lines("""
            I live in {value0} and (I work as|I'm) {a_value1}
            I moved to {value0} and work there as {a_value1}
        """),
    ),
    (
        (JOB, ORIGIN),
        lines("""
            (I'm|I am) {a_value0} from {value1}
            {a_value0} from {value1}, that's me
            I work as {a_value0} and I come from {value1}
        """),
    ),
)
# What may be told at once with a name, beginning with a place for the name.
INTRODUCTIONS = lines("""
    {value} here(.|!|)
    (hi|hello|hey|good morning|good evening)(,|!|) {value} here(.|!|)
    (this is|it's|it is) {value}(.|!|)
    (hi|hello|hey)(,|!|) (this is|it's) {value}(.|!|)
    (I'm|I am) {value}, (nice to meet you|pleased to meet you|hello|good morning|and I am new here)(.|!|)
    (I'm|I am|my name is) {value}(.|!|,) (I need your help|can you help me?|let's talk|shall we chat?|
        I have a question)
    let me introduce myself(:|,|.) (I am|I'm|my name is) {value}(.|)
    (I am the one and only|they know me as|the name's|name's|name:|my name =|username:) {value}(.|)
    (it is me|it's me|me)(,|:) {value}(.|!|)
    (nice|pleased|good) to meet you, (I'm|I am|my name is) {value}(.|!|)
    (hi|hello|hey|hi there|good day|howdy|yo)(,|!|.|) (I'm|I am|my name is|my name's|name's) {value}(.|!|)
    (hi|hello|hey|hi there)(,|!|.|) (I'm|I am|my name is) {value} and (I'm new here|I want to chat|
        I'm glad to be here|I have some questions)(.|!|)
    hey so (I'm|my name is|the name's) {value}(.|!|)
    the name's {value}(.|!|, nice to meet you.|)
    (hello|hi) (Tiny|computer|machine|robot|you)(,|!|.) (I'm|I am|my name is|this is) {value}(.|!|)
    (just call me|you can call me|call me|everyone calls me) {value}(.|!|, ok?|, please.)
    (may I|let me|can I) introduce myself(?|.) (I'm|I am|My name is) {value}(.|)
    {value} (is|was) (at the keyboard|here|my name|the name)(.|!|)
    {value}(,|.|!) (pleased to meet you|nice to meet you|that's my name|that's me|at your service)(.|!|)
    {value} (says hi|says hello|greets you|would like to talk to you|wants to chat)(.|!|)
    (remember me|so you know who I am|for the record|to begin with|first things first)(:|,) (I'm|I am|
        my name is) {value}(.|)
    (I haven't met you|we haven't met) (yet|before)(:|,|.) (I'm|my name is) {value}(.|)
    (I'm|I am) {value}(.|,) (what's up|here to chat|that's who I am|the one and only|your new friend)(.|!|)
    (you can|you may|please) (remember|save|note|write down) my name(:|,|.) (it's|it is|I'm|) {value}(.|)
    (I am|I'm) (a new user|a beginner|new|your user|your friend) and my name is {value}(.|!|)
    my name is {value}, (what a name, I know|funny name, I know|as you can guess|like my grandfather|
        if you want to know|but you knew that|don't forget it)(.|!|)
    (I suppose I should|I guess I should) (say my name|introduce myself)(:|.) {value}(.|)
    good (morning|afternoon|evening|day)(,|.|!) (I'm|I am|my name is) {value}(.|!|)
    greetings(,|!|.) (I am|I'm|my name is|they call me) {value}(.|!|)
    do you know me? (I'm|my name is|it's) {value}(.|!)
    (to whom it may concern|dear computer|dear Tiny)(,|:) (my name is|I am) {value}(.|)
""")
GREETED = "((hi|hello|hey|good morning|good day)(,|!|.) |)(I'm|I am|my name is|the name's) {value}(.|!|,) "
WITH_QUESTION = (
    (
        GREETED + "(and |)(how are you( doing|)( today|)?|how do you do?|how is it going?|are you well?)",
        " I am well, thank you!",
    ),
    (
        "(hi|hello|hey)(,|!|.) how are you( today|)? (I'm|I am|My name is|It's) {value}(.|!|)",
        " I am well, thank you!",
    ),
    (
        GREETED + "(what's yours?|and yours?|what is your name?|who are you?|and you?|what's your name?)",
        " I am Tiny.",
    ),
    (
        GREETED + "(and what's your name?|and who are you?|what are you called?|what should I call you?|"
        "what do I call you?|may I ask your name?|can you tell me your name?)",
        " I am Tiny.",
    ),
    (
        "(hi|hello|hey)(,|!|.) (what's your name|who are you|what are you called)? (I'm|I am) {value}(.|!|)",
        " I am Tiny.",
    ),
)
