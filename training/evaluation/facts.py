"""The kinds of facts that people tell about themselves, in the words of strangers."""

from dataclasses import dataclass

from training.names import HELD_OUT
from training.skills.memory import COLOURS, FOODS, HOBBIES, JOBS, PETS, TOWNS


@dataclass(frozen=True)
class Fact:
    """A kind of fact: how people tell it, ask for it and correct it."""

    values: tuple[str, ...]
    tells: tuple[str, ...]
    asks: tuple[str, ...]
    corrections: tuple[str, ...]


FACTS = {
    "name": Fact(
        HELD_OUT,
        (
            "hey there, {value} here",
            "The name's {value}, pleased to meet you.",
            "Good evening! Everybody calls me {value}.",
            "First things first: I go by {value}.",
            "So I'm {value} and I'm just trying this thing out.",
            "my parents named me {value}, nice to meet you",
            "{value} is what my friends call me.",
            "Oh, I should introduce myself. I'm called {value}.",
            "hello bot, you're talking to {value} today",
        ),
        (
            "Quick check: which name did I give you?",
            "ok and how am I called?",
            "Bet you forgot my name already.",
            "I bet you cannot tell me what my name is",
            "Say hello to me by name, would you?",
            "can you still come up with my name?",
            "By the way, what did I say I was called?",
            "Now my name, if you kept it.",
        ),
        (
            "Oops, typo. I'm {value}.",
            "no wait, it's {value}, not {old}",
            "Sorry, I was kidding. My real name is {value}.",
        ),
    ),
    "colour": Fact(
        COLOURS.held_out,
        (
            "Of all the colours there are, {value} is the one I like best.",
            "I painted my whole flat {value} because it's my favourite colour.",
            "fav color: {value}",
            "You should know that {value} has always been my favourite color.",
            "there's no colour I love more than {value}",
            "If I had to pick a colour I'd always go for {value}.",
        ),
        (
            "Do you recall the colour I'm so fond of?",
            "which color was my favorite again?",
            "Now, what colour do I love most?",
            "Test time: my favourite colour?",
            "what's that color again that I like best?",
            "And the colour I like the most, what was it?",
        ),
        (
            "Hmm no, I changed my mind, {value} is my favourite colour now.",
            "actually i like {value} more than {old}",
            "Correction: my favourite colour is {value}.",
        ),
    ),
    "town": Fact(
        TOWNS.held_out,
        (
            "I moved to {value} two years ago and live there now.",
            "Greetings from {value}, where I live!",
            "home for me is {value}",
            "My flat is in {value}, right by the station.",
            "I'm writing to you from my home in {value}.",
            "btw I live over in {value}",
        ),
        (
            "Which city do I live in, do you know?",
            "where's my home again?",
            "In what town would you have to look for me?",
            "remind me where I said I live",
            "So where would you send me a postcard?",
            "the town that i call home would be...?",
        ),
        (
            "Wait, that is out of date. I live in {value} these days.",
            "no sorry, not {old}, I live in {value}",
            "We've just moved, so now home is {value}.",
        ),
    ),
    "pet": Fact(
        PETS.held_out,
        (
            "There's {a_value} living with me, it's my pet.",
            "I share my home with a pet {value}.",
            "We got {a_value} last spring, best pet ever!",
            "I own {a_value}, believe it or not.",
            "my pet is {a_value} and it sleeps all day",
            "Guess what, my kids talked me into getting {a_value} as a pet.",
        ),
        (
            "What sort of pet did I say I keep?",
            "which animal do i have at home?",
            "Can you tell me what animal my pet is?",
            "so what kind of creature lives with me?",
            "And my pet is a what?",
            "what pet have I got, do you still know?",
        ),
        (
            "Haha, I mixed that up. My pet is {a_value}.",
            "no, not {a_old}. i have {a_value}",
            "Let me correct that: I have {a_value} as a pet.",
        ),
    ),
    "pet's name": Fact(
        HELD_OUT,
        (
            "We have a dog and her name is {value}.",
            "my cat is called {value}",
            "This is about my rabbit, he's named {value}.",
            "Our parrot answers to {value}, that's what we called him.",
            "I've got a puppy named {value}!",
            "the name of my hamster is {value}",
        ),
        (
            "What did we call our pet again?",
            "whats the name of my pet",
            "Which name does my animal have?",
            "do you remember how my little pet is called?",
            "And what was my pet's name once more?",
            "how's my pet called?",
        ),
        (
            "Oh, I misspelled that. My pet is called {value}.",
            "we renamed him, so my pet's name is {value} now and not {old}",
            "No no, my pet's name is {value}.",
        ),
    ),
    "food": Fact(
        FOODS.held_out,
        (
            "For dinner I could have {value} every single day, it's my favourite food.",
            "Nothing tastes better to me than {value}.",
            "my favorite dish in the world: {value}",
            "I'm crazy about {value}, no other food comes close.",
            "Whenever it's my birthday I ask for {value}, the food I like most.",
            "honestly {value} is my number one food",
        ),
        (
            "Which food do I like better than any other?",
            "what's the dish I'm crazy about?",
            "If you cooked for me, what would make me happiest?",
            "my favorite food was what exactly?",
            "Do you still know what I love eating?",
            "And what do I like best on my plate?",
        ),
        (
            "On second thought, {value} is my favourite food.",
            "nah forget {old}, I like {value} best",
            "I have to correct myself: my favourite dish is {value}.",
        ),
    ),
    "job": Fact(
        JOBS.held_out,
        (
            "I earn my money as {a_value}.",
            "For a living I'm {a_value}.",
            "been working as {a_value} for ten years now",
            "After school I became {a_value}, and I still am.",
            "You are talking to {a_value}, that's my job.",
            "I'm employed as {a_value} at a small firm.",
        ),
        (
            "With which job do I pay my rent?",
            "what was it that I do for work?",
            "Could you name my profession?",
            "so which job do I have?",
            "And what would you put on my business card as my job?",
            "do u know what i work as",
        ),
        (
            "Well, that was my old job. Today I work as {a_value}.",
            "i quit being {a_old}, I'm {a_value} now",
            "Sorry, wrong. My job is {a_value}.",
        ),
    ),
    "hobby": Fact(
        HOBBIES.held_out,
        (
            "When work is over, {value} is what I do for fun.",
            "I spend every weekend on {value}, it's my hobby.",
            "my big hobby: {value}",
            "Since last year I'm really into {value} as a hobby.",
            "In my spare time it's all about {value}.",
            "nothing relaxes me like {value}, best hobby there is",
        ),
        (
            "When I want to have fun, what do I do?",
            "that hobby i told you about, which was it",
            "How do I like to spend my weekends, do you recall?",
            "my hobby - do you still know it?",
            "When I have spare time, what do I do with it?",
            "and what am I into when I'm not working?",
        ),
        (
            "I gave that up, my hobby is {value} now.",
            "actually not {old}. my hobby is {value}",
            "Let me rephrase: the hobby I have today is {value}.",
        ),
    ),
    "sister": Fact(
        HELD_OUT,
        (
            "You should meet my sister, her name is {value}.",
            "I have one sister, {value}.",
            "my sister {value} is visiting me this week",
            "The name of my sister is {value}, she is older than me.",
            "I'm sitting here with my sister, she's called {value}.",
            "got a twin sister named {value}",
        ),
        (
            "So how is my sister called?",
            "do you still have my sister's name?",
            "Which name did I say my sister has?",
            "and what's she called, my sister?",
            "My sister, what was her name?",
            "can you repeat the name of my sister",
        ),
        (
            "Sorry, autocorrect. My sister's name is {value}.",
            "no, my sister is called {value}, not {old}",
            "Wait, wrong one: my sister is {value}.",
        ),
    ),
    "number": Fact(
        tuple(str(number) for number in range(12, 100)),
        (
            "Believe it or not, {value} has always been my lucky number.",
            "My lucky number? That would be {value}.",
            "lucky number of mine: {value}",
            "I always bet on {value}, it's my lucky number.",
            "{value} brings me luck, it is my lucky number",
            "Write this down: lucky number {value}.",
        ),
        (
            "Which number brings me luck?",
            "my lucky number, what was it again?",
            "So what number do I consider lucky?",
            "and the lucky number of mine is?",
            "Could you give me back my lucky number?",
            "do u remember which number is my lucky one",
        ),
        (
            "Hold on, my lucky number is {value}.",
            "not {old}, {value} is my lucky number",
            "I take that back. My lucky number is {value} today.",
        ),
    ),
}
