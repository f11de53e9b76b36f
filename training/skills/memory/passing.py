"""Facts mentioned in passing: in the middle of something else, with a reason, or over several sentences."""

from training.phrasing import lines
from training.skills.kinds.ages import AGE, BIRTHDAY
from training.skills.kinds.name import NAME
from training.skills.kinds.towns import HOME, ORIGIN
from training.talk import Kind

PASSING: dict[Kind, tuple[str, ...]] = {
    NAME: lines("""
        {value} (here|speaking|writing|at the keyboard)(.|!|)
        (who am I|who is writing|who is this|who is there)? {value}(.|!|)
        (me|myself)(:|, I'm) {value}(.|!|)
        Before we (start|begin|talk|go on)(:|,) (my name is|I'm|I am|call me) {value}.
        (hey|hi|hello|oh hi|yo)(,| there,|) so (I'm|my name is|the name's) {value}.
        Hi, I don't think we've met. I'm {value}.
        (Sorry, I|Oh, I|I) (forgot|never got round) to introduce myself. (I'm|My name is|It's) {value}.
        I should (probably |)(say|tell you) who I am(:|.) {value}.
        You may wonder who is (typing|writing|here). It's {value}.
        My (sister|friend|son|daughter|colleague) told me about you. (I'm|My name is) {value}(, by the way|).
        (My parents|My mother and father) liked the name {value}, so that is what I am called.
        People (always|often) get my name wrong. It's {value}.
        There's something you should know. (My name is|I'm called|I'm) {value}.
        Let's be friends! I'm {value}.
        Let's do this properly: I am {value}, and you are a computer.
        Nobody calls me by my real name. I'm {value} to (everyone|all my friends).
        First time here. {value} is my name.
        (I'm|I am) new (here|to this) and my name is {value}.
        (This is|It's) my first time talking to a computer. My name is {value}.
        I am learning English. My name is {value}. (Sorry for my mistakes.|Please be patient.|)
        Hello dear, (my name is|I am) {value} and I'm somebody's (granny|grandmother|grandfather|grandpa).
        My teacher says I can ask you things. I'm {value}.
        I'm {value} and I (love computers|like to chat|am bored|have a lot of time|am a bit shy|like you).
        I am {value}, and (today|this week) I want to try you out.
        Since we'll be talking for a while, (call me|I'm|my name is) {value}.
        If we're going to (chat|talk|work together), you should know my name. It's {value}.
        As you can't see me: (it's|I'm|this is) {value}.
        When you speak to me, (call|please call|you may call) me {value}.
        What a day! I'm {value}(, by the way|).
        (It says|They wrote) {value} on my (door|badge|cup|name tag), so that's me.
        Some call me boss, some call me dear, but my name is {value}.
        Good to be here. {value}'s the name.
        {value}'s my name(, don't wear it out|, nice to meet you|).
        it's {value}, (my name|that's my name|that is what I'm called)
        Who am I? Well, I'm {value}.
        (Thanks for having me|Nice place you have here|Glad I found you). (I'm|My name's) {value}.
        (user|name|my name|who)( is|) = {value}
        name: {value}
        (I'm|I am) {value}. I've just (woken up|come home|had lunch|got a new laptop|finished work).
        (I'm|I am) {value}, (retired|a bit tired|happy to be here|curious about you|full of questions).
        I'll tell you a secret: my name is {value}.
        Don't tell anyone, but (my name is|I'm) {value}.
        remember me as {value}
        (save|store|note|put down|keep) {value} as my name
        (use|write) the name {value} for me
        you can save my name, it's {value}
    """),
    HOME: lines("""
        home(:| is a place called|, for me, is) {value}(.|!|)
        living in {value}( now| here|)(.|!|)
        currently (I live|living|based|residing) in {value}(.|!|)
        (hey|hi|hello)(,| there,|) so I (just|finally) moved to {value}.
        Before we (start|begin|talk|go on): I live in {value}.
        So I (finally moved|found a flat|have a new home). {value} is where I live now.
        I'm so (happy|tired|excited)(:|,| because) I just moved to {value}.
        We had to (pack everything|sell the house|leave our old home), and now we live in {value}.
        I (bought|found|rented) a (house|flat|small place) last month. It's in {value}.
        It's (raining|snowing|so hot|cold|windy|quiet|lovely) (here|outside) in {value}, where I live.
        The (rent|traffic|noise) in {value} is terrible, but it's my home.
        I love living in {value}. (The people are so kind.|It's so green.|
            There is always something going on.|)
        I don't like it much here, but I live in {value}.
        (Greetings|Hello|Hi|Best wishes) from {value}, my home(!|.)
        My neighbours are loud, but otherwise living in {value} is (fine|nice|great).
        I take the bus to work every day, since I live in {value}.
        (We've got|There's) a market every Saturday in {value}, where we live.
        For ten years now, {value} has been my home.
        When I come home in the evening, I come home to {value}.
        I was walking home today, and I thought how lucky I am to live in {value}.
        My job is far away, as I live in {value}.
        My (husband|wife|partner|boyfriend|girlfriend) and I share a flat in {value}.
        I live alone with my cat in a house in {value}.
        {value} is a (nice|small|big|quiet|noisy|pretty|strange) place, and I live there.
        You won't know it, but I live in {value}.
        Not many people have heard of {value}, but it's where I live.
        If you ever come to {value}, visit me, that is where I live.
        (I'm a student|I'm retired|I have three kids|I work from home) and I live in {value}.
        Since you can't see where I am: (I live|I'm at home) in {value}.
        There's something you should know about me. I live in {value}.
        We live in a small house with a garden. It's in {value}.
        Guess what, we moved! Our new home is in {value}.
        it's {value}, (the town I live in|my home town|the place where I live|my town)
        (town|home|city|place|location|home town)(:| =) {value}
        (put|save|store|note) {value} as my (town|home|home town)
        I live with my (parents|mum and dad|family|grandparents) in {value}.
        my house has a red door and it's in {value}
        I'm sitting at home in {value} (with a cup of tea|and it's late|with nothing to do).
        (Last year|In the spring|Two years ago) we said goodbye to everyone and moved to {value}.
        There is no place like {value}. I would know, I live there.
    """),
    ORIGIN: lines("""
        Before we (start|begin|talk): I was born and raised in {value}.
        I may talk a bit funny, because I come from {value}.
        You can hear it when I speak: I'm from {value}.
        My whole family is from {value}, me included.
        I've seen many places, but I was born in {value}.
        I went to school in {value}, where I was born.
        Wherever I go, I'm from {value}.
        I miss my childhood. I grew up in {value}.
        (hey|hi|hello)(,| there,|) so I'm from {value}.
        People ask where I'm from. It's {value}.
        I grew up in {value}. (There was a river.|We were five children.|It was a quiet place.|)
        I'm proud to come from {value}.
        My grandparents came to {value} long ago, and I was born there.
        it's {value}, (where I come from|where I was born|where I grew up)
        Not many people have heard of {value}, but it's where I come from.
        (Where I come from? |)(I'm|I am) a {value} (boy|girl|child) through and through.
    """),
    AGE: lines("""
        (age|my age)(:|, if you ask:| -) {value}(.|!|)
        Before we (start|begin|talk|go on): I'm {value} years old.
        (hey|hi|hello)(,| there,|) so I'm {value} years old.
        I had my birthday (last week|yesterday|on Sunday). I'm {value} now.
        (We had a party|There was cake|My friends came over), because I turned {value}.
        You wouldn't think it, but I'm {value}.
        I may be {value} years old, but I (still dance|feel young|like cartoons|am learning every day).
        I feel (old|young) today. I'm {value}.
        My knees hurt, but that's normal at {value}.
        I'm {value} and (still learning|I like it|I feel great|not ashamed of it|proud of it).
        I'm (too old|too young|old enough) for this, I'm {value}.
        My (daughter|mum|brother|friend) thinks I'm old because I'm {value}.
        I've been through a lot. I'm {value}, after all.
        At my age - I'm {value} - (one forgets things|you take it slowly|everything is new).
        There's something you should know about me: I'm {value} years old.
        (Be kind|Be patient) with me, I'm {value} years old.
        Can you believe it? I'm {value} years old.
        I'm {value} years old and I (go to school|am retired|work in an office|never used a computer before).
        Next year I'll be a year older, but now I'm {value}.
        (age|my age)(:| =) {value}
        it's {value}, (my age|how old I am)
        {value} years, that's how old I am
        (put|save|store|note) {value} as my age
        I don't tell everyone, but I'm {value} years old.
        Do I sound like {value}? Because that's how old I am.
        My hair is grey, and I'm {value} years old.
        As I'm {value} years old, (explain things simply|go easy on me|I should know better).
    """),
    BIRTHDAY: lines("""
        (birthday|date of birth|bday|born)(:| -|: on) {value}(.|!|)
        Before we (start|begin|talk): my birthday is on {value}.
        I love cake, and on {value} it's my birthday.
        (Please|You must) (wish me|say) a happy birthday on {value}.
        I can't wait for {value}, because it's my birthday.
        I'm planning a party for {value}, since that's my birthday.
        My mum always tells the story of how I was born on {value}.
        Everybody forgets my birthday. It's on {value}.
        Mark your calendar: {value} is my birthday.
        (hey|hi|hello)(,| there,|) so my birthday is on {value}.
        There's something you should know about me: my birthday is on {value}.
        I get presents on {value}. It's my birthday then.
        My twin and I were born on {value}.
        it's {value}, (my birthday|the day I was born)
        (birthday|date of birth|bday|born on|my birthday)(:| =) {value}
        (put|save|store|note) {value} as my birthday
        On {value} I'll be a year older, and I don't like it.
        Nobody ever remembers, but I was born on {value}.
        I share my birthday with my (uncle|cat|best friend|neighbour). It's on {value}.
        (Do you like birthdays? |I like birthdays. )Mine is on {value}.
    """),
}
