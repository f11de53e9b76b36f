"""Names to talk about, drawn so widely that a model must learn to copy them and cannot know them all."""

from collections.abc import Sequence
from random import Random

from training.talk import words

NAMES = words("""
    Aaron Abby Abdul Abel Abigail Ada Adam Adele Aditi Adrian Agnes Ahmed Aiko Aisha Akira Alan Alba Albert
    Alejandro Alex Alexander Alexandra Alexis Alfred Ali Alice Alicia Alina Alison Allan Alma Alvin Amanda
    Amara Amber Amelia Amina Amir Amit Amy Ana Anders Andre Andrea Andreas Andrew Andy Angela Angus Anika
    Anita Anja Ann Anna Anne Annika Anthony Anton Antonio April Archie Ari Ariana Ariel Arjun Arnold Arthur
    Arturo Ash Asha Ashley Astrid Audrey August Aurora Ava Axel Ayesha Barbara Barry Beatrice Becky Bella
    Ben Benjamin Bernard Bert Beth Bianca Bill Billy Björn Blake Bo Bob Bobby Boris Brad Brandon Brenda
    Brian Bridget Brigitte Bruce Bruno Bryan Caleb Calvin Cameron Camila Carl Carla Carlos Carmen Carol
    Caroline Casey Cathy Cecilia Charles Charlie Charlotte Chen Cheryl Chiara Chloe Chris Christian
    Christine Christopher Claire Clara Claude Claudia Colin Connie Connor Craig Curtis Cynthia Daisy Dale
    Damian Dan Dana Daniel Daniela Danny Daphne Darren Dave David Dawn Dean Deborah Dennis Derek Diana Diego
    Dieter Dolores Dominic Don Donald Donna Dora Doris Dorothy Doug Duncan Dustin Dylan Earl Ed Eddie Edgar
    Edith Eduardo Edward Edwin Eileen Elaine Eleanor Elena Eli Elias Elijah Elisa Elizabeth Ella Ellen
    Elliot Elsa Elton Emil Emilia Emily Emma Eric Erica Erik Erin Ernest Esther Ethan Eugene Eva Evan Eve
    Evelyn Ezra Fabian Fabio Faisal Farah Fatima Felicity Felipe Felix Fernanda Fernando Finn Fiona Flora
    Florence Frances Francesca Francis Frank Franz Fred Freya Frida Gabriel Gabriela Gail Gareth Gary Gavin
    Gemma Geoff George Gerald Gianni Gilbert Gina Giovanni Gisela Giulia Gordon Grace Graham Greg Greta
    Guido Gunnar Gustav Guy Hal Hamza Hana Hannah Hans Harold Harriet Harry Harvey Hassan Hazel Heather
    Hector Heidi Helen Helena Helga Henrik Henry Herbert Holly Howard Hugh Hugo Hussein Ian Ibrahim Ida Igor
    Ilse Imran Ines Ingo Irene Iris Irina Isaac Isabel Isabella Ivan Ivy Jack Jackie Jacob Jade Jaime Jake
    James Jamie Jan Jana Jane Janet Janine Jared Jasmine Jason Javier Jay Jean Jeff Jen Jenna Jennifer Jenny
    Jeremy Jerome Jerry Jesse Jessica Jill Jim Jimmy Jin Joan Joanna Joe Joel Johan Johanna John Johnny
    Jonas Jonathan Jordan José Joseph Josh Joshua Joy Joyce Juan Juana Judith Judy Julia Julian Julie Juliet
    Julius June Jürgen Justin Kai Kamal Karen Karim Karin Karl Kate Katharina Kathleen Katie Katrin Kay
    Keiko Keith Kelly Ken Kenneth Kerry Kevin Khalid Kiara Kim Kimberly Kiran Kirsten Klaus Knut Kofi
    Kristin Kumar Kurt Kyle Lara Larry Lars Laura Lauren Laurence Layla Lea Leah Lee Leila Lena Leo Leon
    Leonard Leslie Levi Lewis Li Liam Lila Lilian Lily Linda Linus Lisa Liv Liz Lloyd Logan Lola Lorenzo
    Louis Louise Luca Lucas Lucia Lucy Luis Łukasz Luna Luther Lydia Lynn Mabel Maddie Magnus Maja Malcolm
    Malik Manuel Marc Marcel Marco Marcus Margaret Maria Marie Marina Mario Marion Mark Marlene Marta Martha
    Martin Mary Masha Mateo Matilda Matt Matthew Maurice Max Maya Megan Mehmet Mei Mel Melanie Melissa Mia
    Michael Michelle Miguel Mikael Mike Mila Miles Milo Mina Miriam Mohammed Moira Molly Mona Monica Morgan
    Moritz Moses Muhammad Murray Nadia Nancy Naomi Natalie Natasha Nathan Neil Nell Nelson Nia Nicholas Nick
    Nicole Nigel Nikita Nikolai Nils Nina Noah Noel Nora Norma Norman Nuno Odette Olaf Oleg Olga Olive
    Oliver Olivia Omar Oscar Otto Owen Pablo Paloma Pam Patricia Patrick Paul Paula Pauline Pavel Pedro
    Peggy Penelope Penny Peter Petra Phil Philip Phoebe Pierre Pippa Polly Priya Rachel Rafael Rahul Raj
    Ralph Ramon Randy Raoul Rashid Raul Ravi Ray Raymond Rebecca Reza Rhea Ricardo Richard Rick Rita Rob
    Robert Roberta Robin Rodrigo Roger Roland Roman Ron Ronald Rory Rosa Rosie Ross Roxana Roy Ruby Rudolf
    Rupert Russell Ruth Ryan Sabine Sabrina Sadie Sakura Sally Sam Samantha Samir Samuel Sandra Sanjay
    Santiago Sara Sarah Sasha Saul Scott Sean Sebastian Selma Serena Sergei Seth Shane Sharon Shaun Shauna
    Sheila Shirley Sid Sidney Sienna Silas Silvia Simon Simone Sofia Solveig Sonia Sophia Sophie Søren Stan
    Stanley Stefan Stella Stephanie Stephen Steve Steven Stuart Sue Suki Sunil Susan Susanna Suzanne Sven
    Sylvia Tamara Tania Tanya Tara Ted Teresa Terry Tess Theo Theodore Theresa Thomas Tim Timothy Tina Todd
    Tom Tomás Toni Tony Tracy Trevor Trudy Tyler Uma Umar Una Ursula Uwe Valentina Valerie Vanessa Vera
    Veronica Vicky Victor Victoria Vijay Vincent Viola Violet Vlad Vladimir Walter Wanda Warren Wayne Wei
    Wendy Wes Wesley Wilbur Wilfred Will William Willow Wolfgang Xander Xenia Xiao Yan Yannick Yara Yasmin
    Yuki Yuri Yvette Yvonne Zack Zain Zara Zeno Zhang Zita Zoe Zoë Анна Борис Иван Мария Ольга Νίκος Ελένη
    李雷 王芳 さくら 민준 محمد
""")

# Kept out of everything generated, so that a test on them measures copying and not memory.
HELD_OUT = words("""
    Zelda Quentin Ingrid Tobias Yolanda Bartholomew Xavier Oksana Thaddeus Priyanka Guinevere Kwame Sigrid
    Leopold Anastasia Fitzgerald Nkechi Marguerite Octavia Desmond Bronwyn Hiroshi Esperanza Lysander
    Wilhelmina Casimir Rosalind Tariq Philippa Zebulon Ottoline Jorge Svetlana Percival Aaliyah Dmitri
    Cordelia Emeka Florian Henrietta Ignatius Jocelyn Kenji Lakshmi Montgomery Niamh Orlando Perpetua Quincy
    Rufus Saoirse Tamsin Ulrich Vivienne Winifred Ximena Yusuf Zachary Beatrix Clementine
""")

ONSETS = words("""
    b bl br c ch cl cr d dr f fl fr g gl gr h j k kh kl kn kr l ll m mb n ng p ph pl pr qu r rh s sc sh sk sl
    sm sn sp st str sv t th tr ts v vl w wh x y z zh
""")
VOWELS = words("a a a a e e e e i i i i o o o o u u u y y ai ae au ay ea ee ei ia ie io oa oo ou")
CODAS = words("b ck d f g k l ld lf ll lm ls m mp n nd ng nk nn ns nt p r rd rk rn rt s sh ss st t th v x z")


def invent_name(rng: Random) -> str:
    """A pronounceable name of one to four syllables that nobody need ever have had."""
    syllables = rng.choices((1, 2, 3, 4), (1, 5, 3, 0.4))[0]
    letters = ""
    for position in range(syllables):
        onset = rng.choice(ONSETS) if position or rng.random() < 0.8 else ""
        last = position == syllables - 1
        coda = rng.choice(CODAS) if rng.random() < (0.55 if last else 0.3) else ""
        letters += onset + rng.choice(VOWELS) + coda
    return letters.capitalize() if len(letters) > 2 else invent_name(rng)


def blend(rng: Random, names: tuple[str, ...]) -> str:
    """The beginning of one name and the end of another, which make a third that sounds like them."""
    one, other = rng.choices(names, k=2)
    name = one[: rng.randint(2, 5)] + other[rng.randint(1, 4) :].lower()
    usual = 3 <= len(name) <= 11 and name.isascii() and name.isalpha()
    return name if usual and name not in HELD_OUT else blend(rng, names)


def coin(rng: Random, nouns: Sequence[str]) -> str:
    """A noun that does not exist: pieces of two others, two others in one, or mere sounds."""
    kind = rng.random()
    if kind >= 0.7:
        return invent_name(rng).lower()
    single = tuple(noun for noun in nouns if noun.isalpha())
    return blend(rng, single).lower() if kind < 0.4 else "".join(rng.sample(single, 2)).lower()


def draw_name(rng: Random) -> str:
    """A name for one person: from the list, made up, or now and then two in one; never a held-out one."""
    kind = rng.random()
    if kind < 0.03:
        return draw_name(rng) + rng.choice(" -") + draw_name(rng)
    if kind < 0.35:
        return blend(rng, NAMES)
    name = rng.choice(NAMES) if kind < 0.7 else invent_name(rng)
    return draw_name(rng) if name in HELD_OUT else name
