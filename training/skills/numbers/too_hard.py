"""Sums that are declined as too hard: large numbers, divisions, roots, percentages and the like."""

from training.asking import order, question, want
from training.phrasing import lines
from training.skills.numbers.forms import Forms
from training.talk import phrases

# Brackets are in the slots, as templates have another use for them.
BEYOND: Forms = {
    want: lines("""
        ({big} + {any}|{any} + {big}|{big}+{other}|{any}+{big}|{big} plus {any}|{any} plus {big}|
            {big} and {other})
        ({big} - {any}|{any} - {big}|{big}-{other}|{big} minus {any}|{big} minus {other}|
            {other} take away {any})
        ({big} x {any}|{big} * {any}|{big}*{any}|{big} times {any}|{any} times {big}|{big} times {other})
        ({long} x {longer}|{long}*{longer}|{long} times {longer}|{few} * {long}|{long} times {few}|
            {long} x {few})
        ({any} divided by {few}|{any} / {few}|{any}/{few}|{big} / {few}|{any} \u00f7 {few}|
            {big} divided by {any})
        the (square root|root|cube root|logarithm|log|sine|cosine|factorial) of ({any}|{big}|{few})
        ({any} cubed|{few} to the power of {power}|{few}^{power}|{few}**{power}|{any} factorial|
            {any} modulo {few}|
            {any}!)
        ({long} squared|{long}^2|the square of {long}|{big} squared|the {power}th power of {few})
        ({any}%|{any} percent|a third|a quarter|a tenth|three quarters) of ({any}|{big})
        (-{any} + {few}|{few} + -{any}|-{any} - {few}|-{few} * {few}|minus {any} plus {few}|
            minus {few} times {few})
        ({few}.{few} + {less}.{few}|{few}.{few} * {few}|{any}.{few} - {few}|1/{few} + 1/{less}|
            {few}/{less} of {any})
        ({few} * {sum}|{sum} * {few}|{few} x {less} + {few}|{few} + {less} * {few}|{sum} / {few}|
            {few} times {sum})
        the (integral|derivative) of (x^{few}|x squared|{few}x + {less})
        the (average|mean|remainder) of ({any} and {few}|{any}, {few} and {big})
        (pi to {any} digits|pi times {few}|pi squared|the number pi|e to the power of {few})
        the sum of (all |the |)(numbers|integers) (from 1 |)(up |)to ({any}|{big})
        the (sum|difference|product|total) of {big} and ({any}|{other})
        ({huge} plus {any}|{huge} minus {few}|{few} times {huge}|{huge} and {huge}|{any} minus {huge})
        the (result|answer|solution) (of|to|for) ({big} + {any}|{big} - {other}|{any} / {few}|{big} x {few})
        {any} (shared|split|divided) (by|among|between) {few}
        ({big} + {other} + {any}|{big}+{any}+{few}|{big} - {any} - {few}|{big} plus {any} plus {few})
        ({any} hours in minutes|{few} hours in seconds|{big} minutes in hours|{any} miles in kilometres|
            {any} degrees in fahrenheit|{any} pounds in kilos|{big} dollars in euros)
        ({any}:{few}|{big}:{few}|{any} over {few}|the quotient of {any} and {few})
        the (area|perimeter) of a (square|room|rectangle) of {any} by {few} metres
        the (median|average|mean) of ({few}, {less} and {any}|these numbers: {few}, {less}, {any})
    """),
    order: lines("""
        (split|share|divide) {any} (apples|euros|sweets|cards|cakes) (among|between) {few} (people|friends|
            children)
        (round|convert) ({big} to the nearest hundred|{any} to binary|{big} to binary|{any} to roman numerals)
        (simplify|expand|differentiate|integrate) ({few}x + {less}x|x^{power}|{any}/{few}|{few}x^{power})
        (draw|plot|solve) (y = {few}x + {less}|x^{power} + {few}x = {any})
        raise {few} to the power of {power}
            (add|sum up) ({big} and {any}|{other} to {big}|{any} and {big}|{huge} and {few})
        (subtract|take) ({any}|{other}) from ({big}|{huge})
        multiply ({big} by {any}|{long} by {longer}|{long} and {longer})
        divide ({any}|{big}|{huge}) by {few}
        (solve|work out|find x in|solve for x:) ({few}x + {less} = {any}|x + {any} = {big}|x^2 = {any}|
            {few}x = {any})
        (calculate|compute|work out|solve) ({big} + {other}|{big} - {any}|{big} * {any}|{any} / {few}|
            {big}/{few})
    """),
    question: lines("""
        (if|when) {few} (people|friends|children) share {any} (euros|apples|sweets|cards)(,|) (how many|
            how much) does each get
        how (many|much) (is|are) {any} (divided|shared|split) (by|among|between) {few}
        what do I get (if|when) I (divide {any} by {few}|add {big} and {any}|take {any} from {big}|
            multiply {long} by {longer})
        (is {any} divisible by {few}|can you divide {any} by {few}|does {few} go into {any}|
            is {few} a factor of {any})
        how (many minutes are {any} hours|many seconds are {any} minutes|many hours are {big} minutes)
        (can you do|do you know|can you work out) (square roots|percentages|fractions|algebra|long division|
            {big} + {other}|{big} x {any})
        what (percentage|percent) of {big} is {any}
        {any} (divided by|shared by|over) {few} (is|makes|gives) (what|how much|)
        how much (is|are) ({big} plus {any}|{any} plus {big}|{big} times {any}|{big} + {other}|
            {big} minus {any})
        how much (is|are) ({any} divided by {few}|{any} / {few}|{any}% of {big}|{any} percent of {any})
        (is {big} a prime number|is {any} prime|what are the factors of {big}|
            what are the prime factors of {any})
        how (many times does|often does) {few} go into {any}
        ({big}+{other}|{big} + {any}|{big}-{any}|{big}*{any}|{any}/{few}|{root}|{long}*{longer}|{any}^{power})
    """),
}

HUGE = phrases("""
    a hundred, one hundred, two hundred, three hundred and ten, a hundred and five, five hundred, a thousand,
    ten thousand, two thousand, a million, one million, a billion, nine hundred, six hundred and twelve,
    four hundred and one, twelve hundred, twenty thousand, half a million, two million, a hundred and fifty
""")
