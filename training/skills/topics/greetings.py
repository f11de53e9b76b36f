"""Hello and goodbye, and greetings in languages that the model does not know."""

from training.phrasing import lines
from training.talk import phrases, words

HELLO = lines("""
    (hi|hello|hey|hiya|howdy|yo|greetings|hi there|hello there|hey there|hello Tiny|hi Tiny|hey Tiny|heya|
        hallo there|hullo|g'day|hei|helo|hii|hiii|heyy|helloo|hellooo|sup Tiny|salutations|welcome back)(!|.|)
    (hi|hello|hey)(,|!|) (again|everyone|everybody|friend|you|bot|buddy|dear|robot|my friend|little one|
        computer|machine|assistant|pal)(!|.|)
    (hi|hello|hey)(,|!|) (it's me|I'm back|I am back|here I am|me again|I am here|nice to see you|
        long time no see)( again|)(!|.|)
    (can|shall|could|may) (we|I) (talk|chat|speak)( a bit| a little| with you| to you|)(?| please?)
    (let me|I want to|I'd like to|I just want to|I came to) (say hello|say hi|greet you)(!|.|)
    (say hello|say hi|greet me|say hello to me)(!|.| please.|)
    (peekaboo|ahoy|aloha|knock on your door|what a pleasure to see you|look who is here|wazzup|hi hi|hey hey|
        hello hello)(!|.|)
    (start|begin|let's start|let's go|here we go|let's begin)(!|.|)
    (hi|hello|hey)(,|) (little bot|dear Tiny|sweet bot|old friend|friendly robot|my favourite bot|
        little helper)(!|.|)
    (hello|hi|hey)(,|!|.) (I am new here|first time here|I just found you|my first time with a bot|
        just dropping in|just popping in)(.|!|)
    (well hello|oh hello|why hello|a big hello|hello to you|hi to you|warm greetings|
        a very warm welcome to you|hello from me)( there|)(!|.|)
    (I'm|I am) (back|here again|here now|back again|online)(!|.|)
""")
DAYTIME = lines("""
    good {part}(!|.|)
    (hi|hello|hey)(,|!|) good {part}(!|.|)
    (a |)(very |) good {part} (to you|Tiny|everyone|my friend|sir|there|dear)( too|)(!|.|)
""")
MORNING = (
    "(morning|mornin|good mornin|gm|top of the morning to you|rise and shine|morning Tiny|goodmorning)(!|.|)"
)
BYE = lines("""
    (bye|goodbye|bye bye|see you|see you later|farewell|cya|see ya|take care|until next time|so long|later|
        laters|ttyl|gtg|g2g|bb|cu|over and out|peace out|cheerio|ta ta|good bye|bye then|byebye|
        catch you later|see you around|bye for now|adieu|cu later|toodle pip)(!|.|)
    (bye|goodbye|see you|take care|see you later|farewell|cheers)(,|) (Tiny|my friend|bot|dear|buddy|
        little one|everyone|then|for now|friend|and thanks|and thank you)(!|.|)
    (I|I really|sorry, I|ok I|well, I) (have to|must|need to|should|'ve got to|got to|gotta|will) (go|leave|
        run|stop|be off|go home|log off|say goodbye|get back to work|get going)( now| soon|)(.|!|)
    (I'm|I am) (leaving|off|going|going home|done for today|out|off now|logging off|signing off|gone|
        on my way out)( now| then|)(.|!|)
    (ok|okay|thanks|great|well|alright|all right|cool|nice|thank you|fine|good)(,|) (bye|goodbye|see you|
        see you later|bye bye|take care)(!|.|)
    (that's|that is|that was|this was) all(,|.|) (bye|goodbye|thanks and bye|see you|thank you and goodbye)(!|
        .|)
    (talk|speak|chat|write) to you (later|soon|tomorrow|again|another time|next time)(.|!|)
    (see|meet|talk to) you (tomorrow|soon|again|next week|next time|another day|on monday|in a bit|around|
        there)(.|!|)
    have a (nice|good|great|lovely|wonderful|pleasant) (day|one|rest of the day|day too|afternoon|life)(.|!|
        , bye!|)
    (it was|it's been) (nice|good|great|a pleasure|fun) (talking|chatting|speaking)( to you| with you|)(,|
        .) (bye|goodbye|see you|take care)(!|.|)
    (time to go|I quit|end of chat|the end|let's stop here|we are done|until tomorrow|until we meet again|
        until later|exit|quit|let's end this chat|end the chat|end this conversation)(.|!|)
    (brb|be right back|back soon|I will be back|I'll be back|back in a minute|afk|wait, I have to go)(.|!|)
    (say|wave|tell me) (goodbye|bye|bye bye|farewell)(.|!| please.|)
    (I|I'll|I will) (talk|chat|write|be back|come back|see you) (later|tomorrow|another day|next week|
        soon)(.|!|, bye.|)
    my (mum|mother|wife|boss|friend|bus) (is calling|calls|is waiting|is here)(.|,) (bye|I have to go|
        I must go|see you)(.|!|)
    (dinner|lunch|school|work|the bus) is (ready|waiting|starting|here)(.|,) (bye|I have to go|got to go|
        see you later)(.|!|)
    (well|ok|right)(,|) (I'm off|I'll be off|that's me done|I will leave you now|I'll let you go|
        I should get going)(.|!|)
    (bye|goodbye)(,|) (it was nice talking to you|it was fun|I enjoyed our chat|until next time|
        have a good one|sleep tight)(.|!|)
    (nice|good|great|lovely) (talking|chatting|speaking) (to|with) you( today|, Tiny|)(!|.|)
    it (was|has been) (nice|good|great|a pleasure|lovely) to (talk to|chat with) you( today|)(!|.|)
""")
NIGHT = lines("""
    (good night|goodnight|night|gn|night night|nighty night|sleep well|sweet dreams|sleep tight|gute night|
        good nite|nite|have a good night)(!|.|)
    (good night|goodnight|night|sleep well)(,|) (Tiny|my friend|bot|dear|little one|everyone|buddy|and thanks|
        then)(!|.|)
    (I am|I'm) (going to bed|going to sleep|off to bed|going to bed now|off to sleep|in bed already)(.|
        , good night.|!|)
    (time to sleep|time for bed|bedtime|off to bed|it's bedtime|time to say good night|I have to go to bed|
        I need to go to bed)(.|!|)
    (ok|okay|thanks|well|thank you|alright)(,|) (good night|goodnight|I am going to bed|I'm off to bed|
        night)(!|.|)
    (good night|night|sleep well)(,|.) (see you tomorrow|until tomorrow|I am off to bed|sweet dreams|
        don't let the bedbugs bite|I am tired)(.|!|)
    (mum|mummy|my mother|dad) says (I have to go to bed|it is bedtime|I must sleep now)(.|!|)
    (I am|I'm) (falling asleep, good night|so tired, good night|off to dreamland|hitting the sack|
        turning in)(.|!|)
""")

FOREIGN_HELLO = phrases("""
    hola, bonjour, hallo, ciao, salut, servus, moin, grüß gott, guten tag, guten morgen, guten abend,
    buenos dias, buenas tardes, buenas noches, buongiorno, buonasera, ola, bom dia, boa tarde, goedemorgen,
    goedendag, hej, god dag, god morgon, hei hei, moi, terve, ahoj, dobry den, dzien dobry, czesc, privet,
    zdravstvuyte, merhaba, selam, gunaydin, namaste, namaskar, konnichiwa, ohayo, moshi moshi, ni hao,
    nihao, annyeong, annyeonghaseyo, salaam, salam, as-salamu alaykum, marhaba, shalom, yassou, kalimera,
    geia sou, sawubona, jambo, habari, xin chao, sawasdee, selamat pagi, bonsoir, coucou, hola amigo,
    hola que tal, salve, tere, labas, sveiki, szia, buna ziua, zdravo, dobar dan, привет, здравствуйте,
    добрый день, добрий день, вітаю, 你好, 您好, こんにちは, おはよう, もしもし, 안녕하세요, 안녕, مرحبا,
    السلام عليكم, שלום, नमस्ते, καλημέρα, สวัสดี, xin chào, cześć, dzień dobry, ¡hola!, olá
""")
FOREIGN = phrases("""
    wie geht es dir, wie heißt du, was kannst du, ich verstehe dich nicht, wer bist du, kannst du deutsch,
    erzähl mir einen witz, was ist das, ich habe hunger, wie spät ist es, ich liebe dich, danke schön,
    vielen dank, auf wiedersehen, gute nacht, ja natürlich, nein danke, bitte hilf mir, como estas,
    como te llamas, que puedes hacer, no entiendo, quien eres, hablas español, cuentame un chiste,
    que es esto, tengo hambre, que hora es, te quiero, muchas gracias, adios, hasta luego, por favor,
    si claro, no gracias, ayudame, comment ça va, comment tu t'appelles, que sais-tu faire,
    je ne comprends pas, qui es-tu, parlez-vous français, raconte-moi une blague, qu'est-ce que c'est,
    j'ai faim, quelle heure est-il, je t'aime, merci beaucoup, au revoir, à bientôt, s'il vous plaît,
    oui bien sûr, non merci, aide-moi, come stai, come ti chiami, cosa sai fare, non capisco, chi sei,
    parli italiano, raccontami una barzelletta, che cos'è questo, ho fame, che ore sono, ti amo,
    grazie mille, arrivederci, per favore, certo, no grazie, aiutami, como vai, tudo bem,
    qual é o seu nome, quem é você, fala português, obrigado, até logo, hoe gaat het, hoe heet je,
    wat kun je, wie ben jij, spreek je nederlands, dank je wel, tot ziens, alsjeblieft, jak się masz,
    jak masz na imię, kim jesteś, czy mówisz po polsku, dziękuję, do widzenia, proszę, hur mår du,
    vad heter du, vem är du, talar du svenska, tack så mycket, hej då, hvordan har du det, hvad hedder du,
    mange tak, mitä kuuluu, kuka sinä olet, kiitos, näkemiin, kimsin, teşekkür ederim, güle güle, как дела,
    как тебя зовут, кто ты, что ты умеешь, спасибо, пока, до свидания, расскажи анекдот, 你叫什么名字,
    你是谁, 你会做什么, 谢谢, 再见, 讲个笑话, お元気ですか, あなたは誰ですか, ありがとう, さようなら,
    이름이 뭐예요, 감사합니다, كيف حالك, من أنت, شكرا, מה שלומך, תודה, कैसे हो, तुम कौन हो, धन्यवाद,
    τι κάνεις, ποιος είσαι, ευχαριστώ, kak dela, kto ty, spasibo, arigato, sayonara, kamsahamnida, xie xie,
    shukran, dank u, gracias, merci, danke, grazie, obrigada, tack, kiitti, děkuji, jak se máš, köszönöm,
    hogy vagy, mulțumesc, ce faci, hvala, kako si
""")
# Short words of some languages, for sentences that mean nothing and still look foreign.
TONGUES = tuple(
    words(text)
    for text in (
        "ich du er sie wir ihr und oder nicht kein ein eine der die das ist sind war haben habe mit für auf "
        "wo wie was warum heute morgen gut schlecht haus baum kind hund katze möchte kann muss gehen sehen "
        "sagen essen schnell langsam immer nie schon noch aber weil bitte",
        "yo tu el ella nosotros y o no un una la los las es son era tener tengo con para en donde como que "
        "porque hoy mañana bueno malo casa árbol niño perro gato quiero puedo debo ir ver decir comer "
        "rápido lento siempre nunca ya todavía pero muy más menos favor",
        "je tu il elle nous vous et ou pas un une le la les est sont était avoir avec pour sur où comment "
        "quoi pourquoi demain bon mauvais maison arbre enfant chien chat veux peux dois aller voir dire "
        "manger vite lentement toujours jamais déjà encore mais très plus",
        "io tu lui lei noi voi e non un una il lo gli è sono era avere con per su dove come cosa perché "
        "oggi domani buono cattivo casa albero bambino cane gatto voglio posso devo andare vedere dire "
        "mangiare veloce sempre mai già ancora ma molto più meno questo quello",
        "ik jij hij zij wij en of niet een het de is zijn was hebben met voor op waar hoe wat waarom "
        "vandaag morgen goed slecht huis boom kind hond kat wil kan moet gaan zien zeggen eten snel altijd "
        "nooit al nog maar zeer meer dit dat graag alsjeblieft",
        "ja ty on ona my i albo nie jest są był mieć z dla na gdzie jak co dlaczego dziś jutro dobry zły "
        "dom drzewo dziecko pies kot chcę mogę muszę iść widzieć mówić jeść szybko zawsze nigdy już jeszcze "
        "ale bardzo więcej ten tamten proszę",
        "я ты он она мы и или не это был есть для на где как что почему сегодня завтра хороший дом дерево "
        "ребёнок собака кошка хочу могу надо идти видеть сказать есть быстро всегда никогда уже ещё но "
        "очень больше пожалуйста",
    )
)
