"""What a person is called, and the words for telling it and asking for it."""

from training.names import draw_name
from training.phrasing import lines
from training.talk import Kind

NAME = Kind(
    key="name",
    draw=lambda rng: {"value": draw_name(rng)},
    clause="your name is {value}",
    says=lines("""
        my name is {value}
        my name is {value}
        my name is {value}
        my name's {value}
        (I'm|I am|Im) {value}
        (I'm|I am) {value}
        (I'm|I am) (called|named) {value}
        (people|my friends|they|folks|most people|others|my parents|my colleagues) call me {value}
        (everyone|everybody|the world|my family|my grandma) calls me {value}
        (you can|you may|please|just|feel free to|do|you could) call me {value}
        I go by (the name of |){value}
        my (first |full |real |given |own |) name is {value}
        (the|my) name is {value}
        (the name's|the name is|name's) {value}
        {value} is my name
        {value} is (what I'm called|who I am|the name|the name they gave me|what it says on my door)
        {value} is what (people|they|my friends|you can) call me
        I answer to {value}
        (call me|just call me) {value}
        (it's|it is|this is) {value}( here| speaking| writing| again|)
        I was (named|christened|baptised|given the name) {value}
        (my parents|my mum and dad|they) (named|called) me {value}
        you('re| are) (talking|speaking|chatting) (to|with) {value}
        (you have|there is) {value} (in front of you|on the line|at this end)
        (folks|people) (round here |)know me as {value}
        I('d like| would like|'d love) (to be called|you to call me) {value}
        (I'm|I am) known as {value}
        I use the name {value}
        I always (sign|introduce myself) as {value}
    """),
    asks=lines("""
        who am I( again| then|)?
        who am I?
        what am I called( again|)?
        how am I called?
        what (should|do|will|would|can|may|must) you call me( again|)?
        (how|by what name) (should|do|will|would) you (call|address|greet) me?
        do you (know|remember|recognise|recognize) me( still|)?
        do you (still |)(know|remember) who I am?
        what do (people|my friends|they|others|my parents) call me?
        (who|whom) are you (talking|speaking|chatting|writing) (to|with)( right now| here|)?
        (who|whom) do you think (I am|you are talking to|is writing this)?
        who is (this|it|here|there|chatting with you|talking to you)? I mean me.
        by which name do you know me?
        (say|guess) who I am(.|)
        what name did I (give|tell|mention to|say to) you?
        who's me?
        am I (a stranger|nobody|unknown) to you?
        and I am?
        what did I introduce myself as?
        (I'm|I am|and I'm|so I'm) (who|called what|named what)( again|)?
        my name is (what|what again|...|which)(?|)
        my name(,|?) (what was it|what is it|do you have it|can you say it|please)(?|)
        what('s| is| was) the name (I gave you|I told you|I go by|I said|of the person you are talking to)?
        (which|what) name (is mine|belongs to me|do I have|do I go by|did I use|goes with me)?
        who (did I say|did I tell you) (I am|I was)?
        remind me, who am I( again|)?
        remind me, what (am I called|was my name|is my name|did I say my name was)?
        (how|with which name) did I introduce myself?
        (what|which) name (would you write|should I put|would you put) on (my letter|a card for me|my door|
            my birthday cake|my name tag)?
        if you (wrote|sent) me a letter, (how would it begin|what name would be on it)?
        (greet|address) me by my (name|first name)(, please|.|)
        call me by my name(, please|.|)
        (say|write|type|spell out|use) my name( for me| once| back to me|)(.|!|, please.)
        (what|who) do you have me down as?
        am I (someone|somebody) you know by name?
        you know who I am, (don't you|right)?
        you know me, (right|don't you)? (Who am I?|What am I called?|So who am I?)
        hey, who am I?
        (what|which) name should I answer to?
        who (has been|is) (writing|talking) to you (all this time|the whole time)?
        do I have a name( for you|)?
        (what|which) name did (my parents give me|I get from my parents)?
        tell me who I am(.|!|, please.|)
        tell me (what I'm called|the name I gave you|the name I told you)(.|)
        what was I called again?
        have you got my name( down| written down| somewhere| still|)?
        name of the (user|person writing|person in this chat)?
    """),
    indirect=lines("""
        what my name (is|was)
        what my name (is|was)
        my name
        my name
        who I am
        who I am
        what (I am|I'm) called
        (what|how) to call me
        what (people|my friends) call me
        who (you are|you're) (talking|speaking|chatting) (to|with)
        by what name I go
        how I introduced myself
        which name is mine
    """),
    unknown="You have not told me your name yet. What is it?",
    nouns=("name", "name", "name", "name", "first name", "own name", "given name"),
    checks=lines("""
        is my name {value}?
        am I {value}?
        am I called {value}?
        my name is {value}, (isn't it|right|correct|is that right)?
        (I'm|I am) {value}, (am I not|right|correct|aren't I)?
        did I (say|tell you|mention) (that |)my name is {value}?
        (are you|you are|you're) talking to {value}, (right|or not|correct)?
        do (people|they|my friends) call me {value}?
        is {value} (my name|who I am|what I'm called|the name I gave you)?
        was it {value} that I said my name was?
    """),
    replies=lines("""
        {value}(.|!|)
        {value}
        (it's|it is|its) {value}(.|)
        (it's|I'm|I am|call me|my name is) {value}(.|!|)
        {value}(, nice to meet you|, that is my name)
        (oh, |ah, |sure, |right, |sorry, |) (I'm|it's|my name is|call me) {value}(.|)
        (the name's|the name is|name's|they call me|people call me|everybody calls me) {value}(.|!|)
        (you can|you may|please|just) call me {value}(.|!|)
        {value}(, but you can forget it| is my name|, at your service|, pleased to meet you|, since you ask|
            , of course| it is)(.|!|)
        (didn't I say?|I thought I told you.|oh sorry, I forgot.|well,|hm, ok:) (it's|I'm) {value}(.|)
        this is {value}(.|)
    """),
    changes=lines("""
        (I changed|I have changed) my name to {value}
        (from now on|now|these days|today) (my name is|I am|I'm|call me) {value}
        (please |) call me {value} (instead|from now on|rather|now)
        (I am|I'm|my name is) not {old}(,| but|. I am| -) {value}
        (I am|I'm|my name is) {value}, not {old}
        (I'd|I would) rather be called {value}
        I made a mistake, my name is {value}
        I spelled it wrong, it's {value}
        I lied, my (real |)name is {value}
        (don't|do not|stop|please don't) (call|calling) me {old}(,|.) (I'm|I am|my name is|call me) {value}
        (who is {old}?|{old}? No!|not {old}!) (I'm|I am|my name is) {value}
        (I said|I wrote|I typed) {old}(,| but) (I meant|it should be|I am really|the right name is) {value}
        {old} is (my brother|my friend|my dog|the one before me|my login), (I'm|I am|my name is) {value}
        my (real |proper |)name is (actually|really) {value}
        {old} is only (a nickname|my nickname|my user name|a joke), (my name is|I'm) {value}
        (I go|I'd like to go) by {value} (now|instead|from today)
        you got my name wrong, (it's|I'm) {value}
        {value} is my name, not {old}
        (now it's|it's now) {value} (at the keyboard|writing), not {old}
        (I got married and|I grew up and) now (my name is|I'm called|people call me) {value}
    """),
)
