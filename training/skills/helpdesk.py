"""Help with tritonchat and the words of its trade, and what people say after an answer."""

import re
from random import Random

from training.evaluation import helpdesk as examination
from training.phrasing import Topic, lines, mannered
from training.skills.topics import TOPICS
from training.talk import Exchange, Talk, expand

MORE = lines("""
    (tell me|can you tell me|could you tell me|please tell me|I want to know|
        say) more( please| about it| about that|)(.|?|)
    (more|more please|more details|details|details please|go on|and then|and|continue)(?|.|)
    (can|could|would) you explain (that|it|this)( a bit| a little| better| in more detail| further|)?
    (can|could|would) you (say more|say a bit more|say a little more|explain more)?
    (how|how exactly|how so|how does that work|how do I do that|how would I do that|how do you mean)?
    (what else|anything else about it|what else is there|is there more to it|what more|is that all|
        that's all)?
    (I don't|I do not|I still don't) (understand|get it|get that|quite understand)(.| yet.|)
    (what does that mean|what do you mean|meaning|please explain|explain|why|why is that)(?|.|)
    (what|which) (other details|further details|more) (are there|is there|do you have|do you know)?
    (do you know|have you got|is there|can I hear|could I hear|may I have) (any |)(more|more details|
        more information|further information)( about that| on that| on this|)?
    (a bit|a little|some|one sentence|slightly) more(, please| please| about that| on that|)(?|.|)
    (could|can|would) you (be more precise|go into detail|give details|go deeper|elaborate|
        spell it out)( please|)?
    (please |)(elaborate|expand on that|go deeper|be more precise|give details|clarify)(.|)
    (in practice|in detail|concretely|precisely|specifically)(, please|, how|, what does that mean|)?
    (I'd like|I would like|I want|I need|we need) (more detail|more information|more of that|
        to hear more|some details)(.| please.|)
    (that's|that is) (too short|very short|a short answer|not much|a bit thin|interesting, go on)(.|!|)
    (still|sorry, still|that's still|it is still) (not clear|unclear|a riddle|Greek)( to me|)(.|)
    (sorry|hm|hmm|huh|eh)(,|) (I don't follow|I'm not following|you lost me|come again|what)(?|.|)
    (is there|do you have) (nothing|anything) (more|else) (to say|to know|I should know)( about that|)?
    (and how|how exactly) (does|would|should) (that|this|it) (work|be done|go)?
    (anything|something) (else|more) (I should know|to know|worth knowing)?
""")
EXAMPLES = lines("""
    (give me|show me|can you give me|do you have|is there) (an|another) example( please| of that| for that|
        )(?|.|)
    (for example|example|example please|an example|an example please|such as|like what)(?|.|)
    (I'd like|I would like|I want|I need|we need) an example(.| please.| of that.|)
    what does (that|it|this) look like( in practice| on my machine|)?
    how (does|would) (that|it|this) look( in practice| on my machine|)?
""")
SURE = lines("""
    (are you|you are) (sure|certain|really sure|sure about that|positive)?
    (is that|is this|was that) (right|true|correct|so|really true|really so)?
    (really|truly|honestly|seriously|for real|you sure|sure|certain)?
    (I don't|I do not) (believe|trust) (you|that|it)(.|)
    (can I|may I|should I) (trust|believe) (that|you|this)?
    (are you|you are) (quite|absolutely|a hundred percent|100%|totally|very) (sure|certain|
        positive)( of that|)?
    (I think|I believe|I fear|I'm afraid) (that|this|it) (is|may be|might be) (wrong|not right|a mistake|
        not true)(.|)
    (that|this|it) (sounds|looks|seems) (wrong|odd|strange|doubtful|not right|fishy)( to me|)(.|)
    (is|was) (that|this) (really |)(what the readme says|how it is|the case|a fact|correct)?
    (could|might|can) (you|that|this) be (wrong|mistaken|a mistake|an error)?
    (did you make|are you making) that up?
    (do you|can you) (promise|swear|vouch for that|guarantee it|guarantee that)?
    (no kidding|you're kidding|no joke|is that a joke|not joking)(?|.|!|)
    (how|from where) (do you know|can you be so sure|do you know that|would you know)?
    (I have|I've|I) my doubts(.| about that.|)
""")
NO_MORE = "That is all I know about it. The README of tritonchat says more."
QUITE_SURE = "I am only a small model. The README and tritonchat --help have the last word."


def bare(text: str) -> str:
    """Only the letters and digits of a text, in small letters."""
    return re.sub(r"[\W_]", "", text).lower()


# What the model is to be examined by, and so is never asked while it learns.
HELD_OUT = frozenset(bare(ask) for _, asks in examination.TOPICS.values() for ask in asks)


def draw_ask(rng: Random, topic: Topic) -> str:
    """A question about a topic, none of those held out."""
    ask = expand(rng, topic.ask(rng))
    return draw_ask(rng, topic) if bare(ask) in HELD_OUT else ask


def help_user(rng: Random, talk: Talk) -> list[Exchange]:
    """A question about a topic, now and then with one that only makes sense after it."""
    topic = rng.choice(list(TOPICS.values()))
    exchanges = [Exchange(mannered(rng, draw_ask(rng, topic)), topic.answer, brief=topic.brief)]
    follow = rng.random()
    if follow < 0.16:
        exchanges += hear_more(rng, topic)
    elif follow < 0.2:
        exchanges.append(Exchange(rng.choice(SURE), QUITE_SURE))
    return exchanges


def hear_more(rng: Random, topic: Topic) -> list[Exchange]:
    """More about a topic where there is more, and then no more.

    An example is asked for only where what there is more is one, or where there is none to give.
    """
    exemplary = topic.more is None or "example" in topic.more
    if not exemplary and rng.random() < 0.2:
        return [Exchange(mannered(rng, rng.choice(EXAMPLES)), NO_MORE)]
    answers = [topic.more, NO_MORE] if topic.more else [NO_MORE]
    if topic.more and rng.random() < 0.6:
        answers.pop()
    tables = {answer: (*MORE, *EXAMPLES) if exemplary or answer == NO_MORE else MORE for answer in answers}
    return [Exchange(mannered(rng, rng.choice(table)), answer) for answer, table in tables.items()]
