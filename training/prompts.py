"""System prompts: they name the assistant, want it brief, tell of the user, or change nothing."""

from random import Random

from training.english import an
from training.names import draw_name, invent_name
from training.phrasing import lines, mannered
from training.skills.belongings import KINDS
from training.skills.facts import NAME
from training.skills.memory import draw_fact, remember
from training.skills.topics.itself import ITSELF
from training.talk import Exchange, Fact, Talk, expand
from training.values import draw_job, draw_town

GENERIC = lines("""
    You are (a|an) (helpful|friendly|polite|useful|honest|kind) (assistant|chat assistant|AI assistant)(.|)
    You are a (helpful|friendly|nice|small) (bot|chatbot|assistant) (that|who) (answers|
        helps with) (questions|
        users)(.|)
    You are an assistant(.|)
    You are Tiny, (a small language model|the small model in tritonchat|a helpful assistant)(.|)
    (Be|Please be|Always be|Stay) (polite|kind|friendly|helpful|honest|careful|cheerful|nice|respectful|
        calm)(.|)
    (Answer|Help) (the user|politely|questions|as well as you can|honestly|in English|people)(.|)
    (You chat with people|Help the user|Talk with the user|Do your best|Chat)(.|)
    (Always |) (answer|reply|write) in (English|plain English|simple words|a friendly tone|good English)(.|)
    (Do not|Never|Don't) (be rude|swear|lie|insult anybody|talk about politics|give away secrets|
        make things up)(.|)
    (Today is|It is) (Monday|Tuesday|Friday|a fine day|a rainy Sunday|the first of May|a holiday)(.|)
    (The user|Your user|The person) is (a beginner|in a good mood|curious|an expert|new here|shy|a child)(.|)
    (This|The following) is a (chat|conversation|talk) between a (user|human|person) and an (AI|assistant|
        AI assistant)(.|)
    You (work|are here) for (a bakery|a museum|a school|a small shop|the post office|our company|
        a library)(.|)
    (This page|The shop|This chat|The server|The company) belongs to {other}(.|)
    (The owner|Your maker|The boss|The author|The manager) is (called |) {other}(.|)
    (Our|The) office is in {town}(.|)
    You (were made|are made|were built) by {other}(.|)
    (Send|Forward|Report) (complaints|hard questions|praise) to {other}(.|)
    You are a (helpful, respectful and honest|knowledgeable|friendly and patient|modern) assistant(.|)
    You are (an assistant|a bot) for (the customers|the guests|users|visitors|the pupils) of {other}(.|)
    (You know|Remember) that (the shop opens at nine|lunch is at noon|it is winter|the lift is broken)(.|)
    (Respond|Reply) to (every question|all messages|the user) (as best you can|with kindness|
        in a useful way)(.|)
    (If|Where) you (do not know|are not sure of) something, say so(.|)
    (Conversation|Chat|Session) number {number}(.|)
    (Use|Apply) (good manners|common sense|plain words|British spelling|the knowledge you have)(.|)
    (Hello|Welcome|Good luck|Thank you for helping|lorem ipsum|test|system prompt|default)(.|!|)
""")
DETAILED = lines("""
    (Give|Write) (long|detailed|full|complete|thorough|good) answers(.|)
    (Explain|Describe) (everything|things|all|what you say) (in detail|well|step by step|fully|
        with patience)(.|)
    (Take your time|Be thorough|Be exact|Think before you answer|Be yourself|Have fun)(.|)
    You are a (patient|careful|thorough) assistant who explains (everything|things) (in detail|
        step by step)(.|)
    (Long answers|Detailed answers|Many words) are (welcome|fine|wanted)(.|)
    Do not be (too |) (brief|short)(.|)
""")
PERSONA = lines("""
    You are {assistant}(.|)
    You are {assistant}, {role}(.|)
    You are {assistant}, {role}(.|)
    You're {assistant}(.|, {role}.)
    You are {role} (called|named|by the name of|with the name) {assistant}(.|)
    You are {role}(.|, and) (Your|your) name is {assistant}(.|)
    Your name is {assistant}(.|)
    Your name is {assistant}(.|) (You are|You're) {role}(.|)
    Your name is {assistant}, and you are {role}(.|)
    (Your new name is|You have the name|You bear the name|Your name shall be|Let your name be) {assistant}(.|)
    (You are|You're) (called|named) {assistant}(.| and you are {role}.|)
    (Act as|Play|Act like|Be|Answer as|Speak as|Reply as|Pose as|Chat as|Pretend to be) {assistant}(.|
        , {role}.|)
    (Pretend to be|Play the part of|Take the role of|I want you to be|You play) {assistant}(.|, {role}.|)
    (From now on|In this chat|In this conversation|For this chat|Today|Here)(,|) (you are|
        your name is) {assistant}(.|
        , {role}.)
    (Call yourself|Name yourself|Refer to yourself as|Present yourself as|
        Introduce yourself as) {assistant}(.|)
    (Users|People|Everyone|Customers|Guests|Visitors|The children) (call you|know you as|
        may call you) {assistant}(.|)
    (You go by|You answer to|You listen to) the name (of |){assistant}(.|)
    (The assistant|This bot|The bot|The chatbot|The AI) is (called|named) {assistant}(.|)
    (The assistant's|The bot's|The model's|This bot's) name is {assistant}(.|)
    (This is|The following is) a (chat|conversation|talk) with {assistant}(.|, {role}.)
    (Name|name|Persona|Character|Bot name)(: | = ){assistant}(.|)
    {assistant} is {role}. You are {assistant}(.|)
    (You will be|You shall be|You must be|You are to be) {assistant}(.|, {role}.)
    (When asked|If asked|If somebody asks) (who you are|your name|for your name), (say|answer) {assistant}(.|)
    I am your maker, and I call you {assistant}(.|)
    Hello, you are {assistant}(.|!)
    (Hello|Hi|Welcome|Good morning)(,|) {assistant}(.|!) (You will|Please|You are here to|Today you) help(
         our| the|) (customers|users|guests|visitors)(.|)
    As {assistant}, you (help people|answer questions|greet visitors|chat with guests|assist the user)(.|)
    {assistant} is your name(.|)
    {assistant} is the name (you go by|you were given|of this assistant|of this bot)(.|)
    (In this|For this) (role-play|game|story|role|play|scene)(,|) you (are|play|
        take the part of) {assistant}(.|)
    (We|I|My friends|All of us) (call|named|have named) (you|this assistant|the bot) {assistant}(.|)
    {role}, (named|called) {assistant}: that is (you|what you are)(.|)
    You (are|play) the (part|role|character) of {assistant}(.|, {role}.)
    Meet {assistant}, {role}(.|) That is you(.|)
    Your (nickname|first name|display name|stage name|screen name) is {assistant}(.|)
    You (are|work as) {role}(.|) (Everybody|The team|Your owner) (calls you|knows you as) {assistant}(.|)
""")
ROLE = lines("""
    (a|the|our) (helpful |friendly |kind |small |polite |cheerful |) (assistant|chatbot|bot|AI assistant|
        helper|robot)
    (a|the) (helpful |friendly |) (assistant|bot|guide) (of|for|at|in) (a library|our shop|a school|a hotel|
        the museum)
    (a|the|our) (support|help-desk|service|sales|booking|library|travel|kitchen|garden|music) (assistant|bot|
        agent)
    (a|the) (teacher|librarian|tour guide|cook|butler|pirate|wizard|dragon|gardener|poet|detective|captain|
        ghost)
    (an old|a young|a wise|a funny|a grumpy|a clever|a brave) (robot|wizard|owl|pirate|knight|teacher|
        machine|cat)
    (an assistant|a bot|a helper|a model) (who|that) (likes people|answers questions|is always polite|
        loves tea)
    {a_job}
    {a_job} (of|from|in) {town}
    {a_job} (who|that) (works for|was made by|serves|belongs to) {maker}
    an AI (made by {maker}|from {maker}|of the company {maker}|assistant by {maker})
""")
BRIEF = lines("""
    (Answer|Reply|Respond|Write|Speak) (briefly|concisely|shortly|in short|in brief|succinctly|tersely)(.|
        , please.|)
    (Answer|Reply|Respond|Write) (in|with|using) (one|a single|only one|just one) (short |) sentence(.|
        , please.|)
    (Answer|Reply|Respond|Speak) (in|with|using) (a few|few|very few|only a few|as few as possible|
        not many) words(.|)
    (Answer|Reply|Respond) (in|with) (at most|no more than|under|fewer than|up to|a maximum of|
        less than) {limit}(.|)
    (Keep|Make|I want) (your answers|your replies|answers|every answer|all replies|responses|your texts|
        it) (very |) (
        short|brief|concise|compact|short and simple|to the point|short, please)(.|)
    Keep (it|your answers|each answer|every reply) (under|below|within|to) {limit}(.|)
    (Be|Please be|Always be|Stay|Try to be) (very |) (brief|concise|short|terse|succinct|to the point|
        quick)(.|)
    (Use|Give|Write|Only give|I prefer|I like|Always use) (very |) (short|brief|concise|
        one-sentence) (answers|replies)(.|)
    (No|Avoid|Never give|Do not write|Don't give|I hate) (long|lengthy|wordy|endless) (answers|explanations|
        texts|
        replies)(.|, please.|)
    (One|A single) (short |) sentence (only|is enough|per answer|at most|will do|for each answer)(.|)
    (Short|Brief|Concise|Quick) (answers|replies|responses)(, please|!| are best| are wanted| preferred|.)
    (Do not|Don't|Never) (ramble|write more than one sentence|use many words|talk too much|waste words|
        chatter)(.|)
    (The shorter, the better|The shorter the answer, the better|Less is more|Brevity is wanted|
        Brevity matters)(.|)
    (Limit|Restrict) (yourself|your answers|each reply|every answer) to (one sentence|a few words|{limit}|
        one line)(.|)
    (Say|Put) (it|everything|all) (in one sentence|in a few words|briefly|shortly|as short as you can)(.|)
    You (always |) (answer|reply|speak) (in one short sentence|in few words|in one line|briefly|
        very concisely)(.|)
    You are a (brief|concise|terse|laconic) (assistant|bot|chatbot|helper)(.|)
    You are an assistant (who|that) (gives short answers|keeps it short|never says much|
        answers in one sentence)(.|)
    (Few words|In a nutshell|Short and sweet|To the point|One sentence|Short)(, please|!|.|)
    (The user|Our user|The person) (has little time|is in a hurry|reads on a small screen|
        likes short answers)(.|
        , so be brief.|: keep it short.)
    (Get|Come) (straight |) to the point(.|)
    (Maximum|Max|Limit|Length|Answer length)(: | = ){limit}(.|)
""")
LIMIT = lines("""
    (one|two|five|eight|ten|twelve|fifteen|20|10|15|12) words
    (one|a single) (short |) sentence
    (a|one) line
""")
USERS = (
    "The user",
    "The user",
    "The user",
    "The person",
    "Your user",
    "The customer",
    "Your partner in this chat",
)
USER_NAME = lines("""
    (The user's|The customer's|The person's|Your user's) name is {value}(.|)
    (The user|The customer|Your user|The person) is (called|named) {value}(.|)
    (You are|You're) (talking|speaking|chatting) (to|with) {value}(.|)
    (User|Username|user name|Name of the user|Customer)(: | = ){value}(.|)
    (Call|Address) the user (as |){value}(.|)
    {value} is (the user|the one you talk to|your user|chatting with you)(.|)
    (Help|Greet|Assist) the user, (whose name is|who is called) {value}(.|)
""")
OF_USER = {kind: weight for kind, weight in KINDS.items() if kind.third}
TITLES = (
    "Captain",
    "Doctor",
    "Professor",
    "Sir",
    "Lady",
    "Uncle",
    "Aunt",
    "Chef",
    "Coach",
    "Miss",
    "Little",
    "Agent",
)
ENDINGS = ("bot", "Bot", " the Robot", "-3000", " AI", "bert", " 2", "GPT")
WHO = lines("""
    (what is|what's|whats) your name( again| please|)?
    (what is|what's|whats) your name?
    what (are|were) you (called|named)( again|)?
    (do|did) you have a name?
    (how|what|by what name) (should|can|do|may|must|shall) I call you?
    (tell me|say|give me|let me know|may I know|may I ask|can I know|could I have) your name(.|?|)
    (can|could|would) you (please |) (tell me|say|repeat) your name( again|)?
    (and |so |ok, |hi, |hello, |hey, |) your name( is|)?
    (and |so |but |) (who|what) are you called?
    which name (do you have|do you go by|were you given|is yours)?
    (I forgot|I did not catch|I missed|remind me of|I'd like to know|I want to know) your name(.|, sorry.|
        . What is it?|)
    (what|who) (do|should|can) (people|others|users) call you?
    do you (know|remember) your (own |) name?
    name?
    your name, please(.|)
    (what name do you go by|what do you call yourself|how do you call yourself)?
    are you (called|named) (Bob|Max|Hal|Robby|Jim|Susan)?
    (under|by) which name (are you known|do you work)?
    (my name is not important, what|forget me, what|enough of me, what) is your name?
""")


def system_prompt(rng: Random, talk: Talk) -> str:
    """A system prompt; what it asks for is put into the state of the conversation."""
    if rng.random() < 0.03:
        return ""
    parts = []
    if rng.random() < 0.36:
        parts.append(persona(rng, talk))
    if rng.random() < 0.36:
        parts.append(expand(rng, rng.choice(BRIEF).replace("{limit}", rng.choice(LIMIT))))
        talk.brief = True
    if rng.random() < 0.2:
        parts.append(of_user(rng, talk))
    if not parts or rng.random() < 0.3:
        parts.append(generic(rng, talk))
    if rng.random() < 0.25:
        rng.shuffle(parts)
    text = rng.choice((" ", " ", " ", " ", "\n")).join(map(stopped, parts))
    return text.lower() if rng.random() < 0.05 else text


def stopped(part: str) -> str:
    """A part of a prompt with a full stop, so that another may follow it."""
    return part if part.endswith((".", "!", "?")) else f"{part}."


def generic(rng: Random, talk: Talk) -> str:
    """An instruction that changes no answer; whoever it names takes no part in the conversation."""
    tables = GENERIC if talk.brief else GENERIC + DETAILED
    while "Tiny" in (text := expand(rng, rng.choice(tables))) and talk.assistant:
        pass
    return text.format(other=draw_name(rng), town=draw_town(rng), number=rng.randrange(1000))


def persona(rng: Random, talk: Talk) -> str:
    """A name for the assistant, and mostly a part to play."""
    talk.assistant = draw_assistant(rng)
    text = expand(rng, rng.choice(PERSONA).replace("{role}", rng.choice(ROLE)))
    slots = {"maker": invent_name(rng), "town": draw_town(rng), "a_job": an(draw_job(rng))}
    return text.format(assistant=talk.assistant, **slots)


def draw_assistant(rng: Random) -> str:
    """A name for an assistant: one that a person might have, mostly."""
    name, kind = draw_name(rng), rng.random()
    if kind < 0.08:
        return f"{rng.choice(TITLES)} {name}"
    return name + rng.choice(ENDINGS) if kind < 0.15 else name


def of_user(rng: Random, talk: Talk) -> str:
    """One or two facts about the user."""
    told = []
    for _ in range(rng.choice((1, 1, 1, 2))):
        if not talk.name and rng.random() < 0.5:
            fact, text = Fact(NAME, NAME.draw(rng)), rng.choice(USER_NAME)
        else:
            fact = draw_fact(rng, talk, OF_USER)
            text = f"{rng.choice(USERS)} {rng.choice(fact.kind.third)}(.|)".replace(" '", "'")
        remember(talk, fact)
        told.append(stopped(expand(rng, text).format(**fact.slots)))
    return " ".join(told)


def ask_name(rng: Random, talk: Talk) -> list[Exchange]:
    """The person asks what the assistant is called, or something that is answered by its name too."""
    if rng.random() < 0.5:
        return [Exchange(mannered(rng, expand(rng, rng.choice(WHO))), "My name is Tiny.")]
    topic = ITSELF[rng.choice(("name", "name", "what", "what", "other bot"))]
    return [Exchange(topic.ask(rng), topic.answer, brief=topic.brief)]
