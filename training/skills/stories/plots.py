"""What happens in stories: openings, plots, endings and second parts, as templates over who, where and what.

`{name}` is the hero, `{hero_called}` the first mention of it and `{the_hero}` a later one; `{place}` and
`{the_place}` begin with their preposition; `{helper}` is an animal that comes along.
"""

from dataclasses import dataclass
from random import Random

from training.talk import words

TONES = ("", "adventure", "funny", "bedtime")


@dataclass(frozen=True)
class Plot:
    """The middle of a story; `relation` says what the hero has to do with the object."""

    relation: str
    tones: tuple[str, ...]
    text: str


def plot(relation: str, tones: str, text: str) -> Plot:
    """A plot that suits any story without a tone, and those of the tones named."""
    return Plot(relation, ("", *words(tones)), flowing(text))


def flowing(text: str) -> str:
    """A text of several lines as one."""
    return " ".join(text.split())


OPENINGS = (
    "Once upon a time, {place}, there lived {hero_called}.",
    "Once upon a time, there was {hero_called}, who lived {place}.",
    "Long ago, {hero_called} lived {place}.",
    "{place_first}, there once lived {hero_called}.",
)
PLOTS = (
    plot(
        "found",
        "bedtime adventure",
        """
        One (sunny|rainy|windy) morning, {name} found {object} and did not know whose it was. {name} asked
        {helper}, two beetles and a very old goat, but they all shook their heads. Nobody {the_place} had
        ever seen it before. "Then it must be yours," said {the_helper}. So {the_hero} polished {the_object}
        and was proud of it.
        """,
    ),
    plot(
        "found",
        "bedtime",
        """
        One night, {name} found {object} that glowed. It glowed so brightly that nobody {the_place} could
        sleep. {name} tried a blanket, a bucket and a very big hat, but nothing helped. "Perhaps it is
        lonely," said {helper}. So {the_hero} sang a song to {the_object}, and slowly the light turned soft
        and warm.
        """,
    ),
    plot(
        "found",
        "funny",
        """
        One day, {name} tripped over {object}. "Ouch!" said {the_object}. "You can talk?" asked {name}.
        "Only when somebody steps on me," it said. It had been lying {the_place} for a hundred years and was
        terribly bored. So {the_hero} sat down and told it all the news, and {helper} brought them some
        supper.
        """,
    ),
    plot(
        "found",
        "adventure",
        """
        One stormy day, {name} found {object} with a note on it: please bring me home. So {name} walked all
        day, over a shaky bridge and past {helper}, until an old woman opened her door. "All this way? Then
        you shall keep {the_object}," she said, and gave {the_hero} a bowl of soup. Everybody {the_place}
        wanted to hear about it.
        """,
    ),
    plot(
        "lost",
        "adventure bedtime",
        """
        {name} had {object} and loved it dearly. But one (stormy|windy|foggy) night, {the_object} was gone!
        {name} looked high and low {the_place}, even under the carpet. "Look up," called {helper}. There it
        hung, right on the tip of the moon. So {the_hero} borrowed the longest ladder of all, climbed up and
        brought it home.
        """,
    ),
    plot(
        "lost",
        "funny",
        """
        One (Monday|Tuesday|Friday), {name} lost {object}. Everybody {the_place} had to search for it: the
        mayor, the cook, and even {helper}. They looked into pots and under hats. Nothing! At last,
        {the_helper} began to giggle. "What is that on your back?" And so it was: {the_hero} had carried
        {the_object} around all day.
        """,
    ),
    plot(
        "wanted",
        "adventure",
        """
        More than anything, {name} wanted {object}. But nobody {the_place} had such a thing. So {name} set
        out early and crossed two hills and a cold river. At the end of the road sat {helper}, all
        alone. "Stay for tea," it said, "and {the_object} is yours." They drank three pots,
        and {the_hero} promised to come back soon.
        """,
    ),
    plot(
        "wanted",
        "bedtime",
        """
        Every evening, {name} looked up at the stars and wished for {object}. Then, one evening, a star fell
        down right {the_place}. It was cold and a little shy. {name} and {helper} wrapped it in a scarf and
        told it stories until it shone again. In the morning it was gone, but there lay {the_object}, just
        as {the_hero} had wished.
        """,
    ),
    plot(
        "wanted",
        "funny",
        """
        {name} wanted {object} so badly that it was the first word at breakfast and the last word at night.
        Soon everybody {the_place} had cotton wool in their ears. "Take it, take it!" cried {helper} at
        last, and came running with {the_object}. {name} looked at it from all sides. "Thank you," said
        {the_hero}. "Is there a blue one, too?"
        """,
    ),
    plot(
        "had",
        "bedtime",
        """
        {name} had {object} and never let anybody touch it. That was safe, but also a little lonely. One
        day, {helper} came by and asked, "May I see {the_object}?" {name} thought about it for a long time.
        "Yes," said {the_hero} at last. They had fun with it until it was dark, and everybody {the_place}
        heard them laugh.
        """,
    ),
    plot(
        "had",
        "adventure",
        """
        {name} had {object}. "What is it good for?" asked everybody {the_place}. But one day, {helper} fell
        into a deep hole and could not get out. {name} tied {the_object} to a long rope and let it down.
        "Hold on tight!" called {the_hero}, and pulled and pulled, and out came {the_helper}, dusty but
        happy.
        """,
    ),
    plot(
        "had",
        "funny",
        """
        {name} had {object} that sneezed. It sneezed at breakfast, it sneezed in the bath, and once it
        sneezed so hard that all the hats {the_place} flew away. "It is just dusty," said {helper}. So
        {the_hero} gave {the_object} a good wash with lots of soap, and from then on it only hummed.
        """,
    ),
    plot(
        "had",
        "adventure bedtime",
        """
        {name} had {object}, which was not much, but enough. One night, a great storm came, and all the
        lights {the_place} went out. Everybody was afraid, even {helper}. So {name} climbed on a chair, held
        up {the_object} and told them where it had come from. And when {the_hero} came to the end, the storm
        was over.
        """,
    ),
)
ENDINGS = {
    "": (
        "From that day on, {name} and {the_helper} were the best of friends.",
        "And {name} lived happily ever after.",
        "If they have not moved away, they are {the_place} to this day.",
    ),
    "adventure": (
        "What an adventure! {name} could hardly wait for the next one.",
        "That evening, everybody cheered for {name}, the hero of the day.",
        "From then on, {name} was not afraid of anything, except perhaps of geese.",
    ),
    "funny": (
        "{name} laughed so hard that it took three days to stop.",
        "Even today, {the_helper} gets the giggles when somebody mentions it.",
        "Nobody believes this story, but {name} says that every word is true.",
    ),
    "bedtime": (
        "Then {name} yawned and fell fast asleep beside {the_object}. Good night!",
        "The moon came up, and soon everybody {the_place} was asleep. Sleep well!",
        "And now {name} is dreaming of it, and it is time for you to dream, too.",
    ),
}
THEME_ENDING = "And that is what {theme} can do."
THEMES = words("friendship kindness courage love sharing patience honesty luck hope teamwork")
SEQUELS = tuple(
    flowing(text)
    for text in (
        """
        The next morning, there was a knock at the door. It was {helper}, who had heard about {the_object}
        and wanted to see it. {name} put the kettle on. Soon everybody {the_place} came too, with cake and
        music, and they danced until the stars were out. "What a day," said {the_hero}.
        """,
        """
        A year later, {name} took {the_object} along and went to see the world. It was big and full of
        wonders. But one evening, {the_hero} thought of home and turned round. "How good it is to be
        {the_place} again!" said {name}, and {helper} cried for joy.
        """,
        """
        One evening, strange music was heard {the_place}. {name} took {the_object} and went to look. It was
        {helper}, playing a little trumpet all alone. "You play so well," said {the_hero}. "Come with me!"
        And so there was a big concert, and nobody went home before midnight.
        """,
        """
        But then {name} saw something new: on {the_object}, there was a small arrow. It pointed to a door
        that nobody {the_place} had ever opened. Slowly, {the_hero} turned the handle. Behind it was a room
        full of cakes, and {helper} with a fork. "Help me," it said. "I cannot eat them all alone."
        """,
    )
)
# The whole story in one sentence.
SHORT = {
    "found": "{hero_first} lived {place}, found {object} and lived happily ever after.",
    "lost": "{hero_first} lived {place}, lost {object}, found it again and lived happily ever after.",
    "wanted": "{hero_first} lived {place}, wished for {object} and got it in the end.",
    "had": "{hero_first} lived {place}, had {object} and shared it with everybody.",
}
HELPERS = ("a snail", "an owl", "a goose", "a magpie", "a cuckoo", "a worm", "a rat", "a cricket")


def draw_plot(rng: Random, tone: str, relation: str | None) -> Plot:
    """A plot of a tone where there is one, with the relation that is asked for."""
    plots = [plot for plot in PLOTS if relation in (None, plot.relation)]
    return rng.choice([plot for plot in plots if tone in plot.tones] or plots)
