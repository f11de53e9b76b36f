"""Help with tritonchat and the words of its trade, and what people say after an answer."""

from random import Random

from training.phrasing import Topic, lines, mannered
from training.skills.topics import TOPICS
from training.talk import Exchange, Talk

MORE = lines("""
    (tell me|can you tell me|could you tell me|please tell me|I want to know|
        say) more( please| about it| about that|)(.|?|)
    (more|more please|more details|details|details please|go on|and then|and|continue)(?|.|)
    (can|could|would) you (explain|say) (that|it|this|more)( a bit| a little| better| in more detail| further|
        )?
    (how|how exactly|how so|how does that work|how do I do that|how would I do that|how do you mean)?
    (give me|show me|can you give me|do you have|is there) (an|another|a) example( please| of that| for that|
        )(?|.|)
    (for example|example|example please|an example|an example please|such as|like what)(?|.|)
    (what else|anything else about it|what else is there|is there more to it|what more|is that all|
        that's all)?
    (I don't|I do not|I still don't) (understand|get it|get that|quite understand)(.| yet.|)
    (what does that mean|what do you mean|meaning|please explain|explain|why|why is that)(?|.|)
""")
SURE = lines("""
    (are you|you are) (sure|certain|really sure|sure about that|positive)?
    (is that|is this|was that) (right|true|correct|so|really true|really so)?
    (really|truly|honestly|seriously|for real|you sure|sure|certain)?
    (I don't|I do not) (believe|trust) (you|that|it)(.|)
    (can I|may I|should I) (trust|believe) (that|you|this)?
""")
NO_MORE = "That is all I know about it. The README of tritonchat says more."
QUITE_SURE = "I think so, but I am a small model. The README and tritonchat --help have the last word."


def help_user(rng: Random, talk: Talk) -> list[Exchange]:
    """A question about a topic, now and then with one that only makes sense after it."""
    topic = rng.choice(list(TOPICS.values()))
    exchanges = [Exchange(mannered(rng, topic.ask(rng)), topic.answer, brief=topic.brief)]
    follow = rng.random()
    if follow < 0.16:
        exchanges += hear_more(rng, topic)
    elif follow < 0.2:
        exchanges.append(Exchange(rng.choice(SURE), QUITE_SURE))
    return exchanges


def hear_more(rng: Random, topic: Topic) -> list[Exchange]:
    """More about a topic where there is more, and then no more."""
    answers = [topic.more, NO_MORE] if topic.more else [NO_MORE]
    if topic.more and rng.random() < 0.6:
        answers.pop()
    return [Exchange(mannered(rng, rng.choice(MORE)), answer) for answer in answers]
