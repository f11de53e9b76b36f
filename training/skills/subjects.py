"""What people ask about and a small model cannot know: tables, and as much again that nobody heard of."""

from random import Random

from training.names import draw_name, invent_name
from training.talk import Pool, phrases, words
from training.values import TOWNS, permitted

PLACES = Pool(
    phrases("""
        France, Germany, Italy, Japan, Spain, Peru, Canada, Kenya, India, China, Brazil, Norway, Egypt,
        Austria, Poland, Chile, Cuba, Ghana, Iran, Iraq, Greece, Turkey, Sweden, Denmark, Texas, Europe,
        Africa, Asia, America, Australia, Antarctica, Mexico, Argentina, Bolivia, Colombia, Ecuador, Panama,
        Costa Rica, Nicaragua, El Salvador, Jamaica, Haiti, Belize, Guyana, Suriname, Portugal, Ireland,
        Scotland, Wales, England, Iceland, Finland, Latvia, Russia, Ukraine, Belarus, Romania, Bulgaria,
        Serbia, Croatia, Slovenia, Albania, Hungary, Switzerland, Belgium, Luxembourg, Monaco, Andorra,
        Cyprus, Georgia, Armenia, Israel, Jordan, Lebanon, Syria, Kuwait, Qatar, Oman, Yemen, Bahrain, Saudi
        Arabia, Afghanistan, Pakistan, Bangladesh, Sri Lanka, Myanmar, Thailand, Laos, Cambodia, Vietnam,
        Malaysia, Indonesia, Brunei, Taiwan, South Korea, North Korea, Kazakhstan, Uzbekistan, Turkmenistan,
        Tajikistan, Kyrgyzstan, Morocco, Algeria, Tunisia, Libya, Sudan, Ethiopia, Somalia, Uganda, Rwanda,
        Burundi, Congo, Gabon, Cameroon, Nigeria, Benin, Togo, Mali, Niger, Chad, Mauritania, Gambia, Guinea,
        Liberia, Angola, Zambia, Zimbabwe, Botswana, Lesotho, Malawi, Mozambique, South Africa, New Zealand,
        Samoa, Tonga, Vanuatu, Hawaii, Alaska, Florida, California, Ohio, Nevada, Utah, Montana, Oregon,
        Maine, Kansas, Provence, Tuscany, Sicily, Crete, Tibet, Bali, Java, Borneo, Catalonia, Andalusia,
        Lapland, Cornwall, Yorkshire, Saxony, Tyrol, Bohemia, Galicia, the Sahara, the Alps, the Himalayas,
        the Andes, the Amazon, the Nile, the Rhine, the Danube, the Baltic Sea, the Pacific Ocean, the
        Atlantic, the Arctic, the North Pole, Mars, Venus, Jupiter, Saturn, Pluto, the Vatican, Hollywood,
        Manhattan, Loch Ness, Lake Victoria, Mount Everest, Kilimanjaro, the Eiffel Tower, Stonehenge
    """),
    phrases("""
        Madagascar, Uruguay, Mongolia, Bhutan, Lithuania, Honduras, Zanzibar, Greenland, Patagonia, Siberia,
        Sardinia, Namibia, Paraguay, Moldova, Tanzania, Guatemala, Slovakia, Malta, Fiji, Corsica, Tasmania,
        Normandy, Bavaria, Nepal, Senegal, Estonia, Venezuela, Sumatra
    """),
)
PEOPLE = Pool(
    phrases("""
        Einstein, Napoleon, Mozart, Shakespeare, Newton, Darwin, Picasso, Beethoven, Gandhi, Lincoln,
        Cleopatra, Plato, Galileo, Marie Curie, Tesla, Julius Caesar, Columbus, Bach, Kant, Alan Turing, Ada
        Lovelace, Goethe, Schiller, Dante, Cervantes, Dostoevsky, Chekhov, Dickens, Jane Austen, Mark Twain,
        Hemingway, Orwell, Oscar Wilde, Agatha Christie, Tolkien, Astrid Lindgren, the Brothers Grimm, Victor
        Hugo, Jules Verne, Balzac, Flaubert, Proust, Sartre, Camus, Nietzsche, Hegel, Marx, Engels, Freud,
        Jung, Socrates, Seneca, Cicero, Augustus, Nero, Trajan, Attila, Genghis Khan, Charlemagne, Joan of
        Arc, Henry the Eighth, Elizabeth the First, Queen Victoria, Churchill, Stalin, Lenin, Trotsky,
        Kennedy, Roosevelt, Nixon, Obama, Washington, Jefferson, Franklin, Martin Luther King, Rosa Parks,
        Mandela, Mother Teresa, the Dalai Lama, the Pope, Buddha, Confucius, Lao Tse, Moses, Muhammad Ali,
        Pele, Maradona, Messi, Ronaldo, Zidane, Serena Williams, Roger Federer, Usain Bolt, Michael Jordan,
        Tiger Woods, Leonardo da Vinci, Michelangelo, Raphael, Van Gogh, Monet, Manet, Renoir, Degas, Matisse,
        Dali, Miro, Klimt, Kandinsky, Warhol, Frida Kahlo, Bruegel, Velazquez, Goya, Haydn, Schubert,
        Schumann, Liszt, Wagner, Verdi, Puccini, Vivaldi, Tchaikovsky, Stravinsky, Elvis, John Lennon, Bob
        Dylan, David Bowie, Madonna, Michael Jackson, Beyonce, Taylor Swift, Edison, Bell, Marconi, Watt,
        Nobel, Hawking, Bohr, Heisenberg, Planck, Feynman, Maxwell, Ampere, Volta, Copernicus, Tycho Brahe,
        Halley, Gauss, Euler, Leibniz, Pascal, Fermat, Riemann, Hilbert, Goedel, Boole, Babbage, Grace Hopper,
        Linus Torvalds, Bill Gates, Steve Jobs, Elon Musk, Jeff Bezos, Mark Zuckerberg, Neil Armstrong,
        Gagarin, Amundsen, Captain Cook, Vasco da Gama, Marco Polo, Humboldt, Mendel, Linnaeus, Chaplin,
        Hitchcock, Spielberg, Audrey Hepburn, Marilyn Monroe, Walt Disney, James Bond, Sherlock Holmes, Robin
        Hood, King Arthur, Zeus, Athena, Thor, Odin, Hercules, the king of England, the first president, the
        prime minister, the mayor of this town, the man in the moon
    """),
    phrases("""
        Aristotle, Kepler, Rembrandt, Voltaire, Tolstoy, Chopin, Faraday, Pasteur, Magellan, Hannibal,
        Nefertiti, Spinoza, Kafka, Dvorak, Vermeer, Descartes, Euclid, Archimedes, Boudica, Garibaldi,
        Bolivar, Lavoisier, Brahms, Ovid, Ramanujan, Hypatia, Gutenberg, Caravaggio
    """),
)
THINGS = Pool(
    phrases("""
        gravity, democracy, blockchain, bitcoin, quantum physics, evolution, inflation, relativity, magnetism,
        electricity, philosophy, poetry, chemistry, biology, the moon, the sun, the internet, black
        holes, atoms, the human cell, volcanoes, the stock market, climate change, neutron stars, DNA, love,
        happiness, economics, jazz, opera, Rust, Java, Docker, Kubernetes, HTML, SQL, recursion,
        pointers, databases, sorting algorithms, compilers, football, basketball, chess rules, cricket, yoga,
        whales, dinosaurs, elephants, bees, spiders, mushrooms, trees, bread, cheese, wine, pasta, sushi,
        soup, the Big Bang, galaxies, comets, asteroids, eclipses, rainbows, clouds, thunder, lightning,
        tides, earthquakes, tornadoes, deserts, rainforests, coral reefs, rivers, mountains, the ozone layer,
        recycling, nuclear power, wind turbines, batteries, magnets, lasers, radar, microscopes, telescopes,
        satellites, rockets, airplanes, helicopters, ships, trains, cars, bicycles, bridges, tunnels,
        skyscrapers, castles, pyramids, cathedrals, museums, the Roman Empire, the Middle Ages, the French
        Revolution, the First World War, the Cold War, the Vikings, the Aztecs, the Incas, the Ottoman Empire,
        slavery, colonialism, capitalism, communism, socialism, liberalism, monarchy, parliament, the
        constitution, elections, taxes, insurance, mortgages, interest rates, shares, bonds, the euro, gold,
        diamonds, oil, coal, steel, glass, plastic, paper, cotton, silk, leather, perfume, soap, vitamins,
        proteins, sugar, salt, pepper, garlic, coffee, tea, chocolate, beer, whisky, honey, olive oil, rice,
        potatoes, tomatoes, apples, bananas, avocados, cucumbers, carrots, onions, the brain, the heart, the
        liver, the lungs, blood, bones, muscles, skin, sleep, dreams, memory loss, viruses, bacteria,
        vaccines, antibiotics, cancer, diabetes, asthma, allergies, the immune system, hormones, genes,
        cloning, bats, owls, eagles, penguins, parrots, sharks, dolphins, octopuses, jellyfish, snakes, frogs,
        turtles, crocodiles, lions, tigers, wolves, bears, monkeys, gorillas, kangaroos, camels, horses, cows,
        sheep, goats, pigs, ants, butterflies, mosquitoes, worms, roses, tulips, orchids, sunflowers, oaks,
        pines, grass, moss, algae, calculus, algebra, geometry, prime numbers, probability,
        infinity, logic, ethics, religion, Buddhism, Islam, Christianity, Hinduism, mythology, astrology,
        magic, ghosts, aliens, robots, cyber security, encryption, firewalls, routers, wifi, bluetooth,
        smartphones, video games, social media, television, radio, cinema, theatre, ballet, painting,
        sculpture, architecture, music theory, guitars, violins, drums, the piano, rock music, hip hop,
        grammar, the alphabet of Greece, Sanskrit, sign language, tennis, golf, rugby, boxing, surfing,
        skiing, the Olympics, marathons, camping, hiking, gardening, knitting, photography, fashion,
        furniture, carpets, clocks, calendars, money, banks, the post office, hospitals, prisons, police work,
        the army, diplomacy, marriage, friendship, music, loneliness, courage, justice, freedom, beauty,
        humour, genetics, neurons, backpropagation, deep learning, neural networks, convolution, reinforcement
        learning, robotics, self-driving cars, drones, 3D printing
    """),
    phrases("""
        photosynthesis, osmosis, thermodynamics, cryptography, plate tectonics, feudalism, mitochondria,
        glaciers, cubism, sonar, gluten, meiosis, tsunamis, aqueducts, asphalt, hieroglyphs, solar panels,
        saffron, the Renaissance, dark matter, stoicism, sourdough, magma, penicillin, trigonometry, reindeer,
        submarines, impressionism, bagpipes, monsoons, entropy, gargoyles
    """),
)
QUALITIES = words("""
    red blue old new deep open closed hidden thermal golden wooden digital modern ancient silent broken
    double round square hollow public private northern southern wild electric magnetic liquid solid wet dry
    royal common rare famous average medical legal local global native linear hydraulic nuclear organic
    solar lunar polar marine folded frozen burning rotating flying floating secret soft hard heavy light
""")
MATTERS = words("""
    engine hedge valve market theory river law fever bridge season tower crystal spring mirror pump filter
    lens rope ladder bell tide index rate curve wave field cell plate bond chain wheel lever screw gear
    motor furnace oven kiln mill forge loom saw anchor sail mast hull rudder harbour orchard meadow marsh
    canyon ridge cave reef island glade forest desert dune storm breeze frost dew shadow ring crown sword
    shield helmet banner scroll ink quill pigment canvas statue column arch dome vault cellar attic gutter
    chimney fence contract treaty tax fee tariff loan budget audit union strike party vote senate court jury
    verdict fossil mineral comet orbit nebula gland nerve vein tissue enzyme acid salt alloy resin fibre
    yarn
""")
TRADES = words("""
    captain doctor king queen general painter composer singer inventor explorer saint professor admiral poet
    president minister actor
""")


def draw_place(rng: Random) -> str:
    """A country or region, a town, or a place on no map."""
    kind = rng.random()
    if kind < 0.6:
        return PLACES.draw(rng)
    return TOWNS.draw(rng) if kind < 0.8 else invent(rng)


def draw_person(rng: Random) -> str:
    """Somebody famous, or somebody of whom nobody ever heard."""
    kind = rng.random()
    if kind < 0.5:
        return PEOPLE.draw(rng)
    if kind < 0.8:
        return f"{draw_name(rng)} {invent(rng)}"
    return f"{rng.choice(TRADES)} {invent(rng)}" if kind < 0.9 else invent(rng)


def draw_subject(rng: Random) -> str:
    """A thing or a field of knowledge, one put together from two words, or one that does not exist."""
    kind = rng.random()
    if kind < 0.5:
        return THINGS.draw(rng)
    if kind < 0.75:
        return permitted(lambda: f"{article(rng)}{rng.choice(QUALITIES)} {rng.choice(MATTERS)}", HELD_OUT)
    if kind < 0.9:
        return article(rng) + invent(rng).lower()
    return permitted(lambda: f"{article(rng)}{invent(rng).lower()} {rng.choice(MATTERS)}", HELD_OUT)


def invent(rng: Random) -> str:
    """A word that is no word, and none that is kept for the evaluation."""
    return permitted(lambda: invent_name(rng), HELD_OUT)


def article(rng: Random) -> str:
    """What may stand before a noun that begins with any sound."""
    return rng.choice(("the ", "the ", ""))


HELD_OUT = {value for pool in (PLACES, PEOPLE, THINGS) for value in pool.held_out}
