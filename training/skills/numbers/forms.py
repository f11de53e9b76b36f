"""How people ask for a sum, a difference or a product, and for more that follows on from a result."""

from collections.abc import Callable
from random import Random

from training.asking import order, question, want
from training.phrasing import lines, mannered

# The forms of a task: what a noun names, what is to be done, whole questions, and what is said otherwise.
Forms = dict[Callable[[Random, str], str], tuple[str, ...]]

# In each of these the numbers are added in the order in which they are said.
SUM: Forms = {
    want: lines("""
        ({a} + {b}|{a}+{b}|{a} + {b}|{a}+{b}|{a} +{b})
        ({a} + {b}|{a}+{b}|{a} + {b}|{a}+ {b})
        ({a} plus {b}|{a} plus {b}|{a} and {b})
        ({a} plus {b}|{a} + {b}|{a}+{b})
        the sum of {a} and {b}
        the sum of (the numbers |the two numbers |both numbers, |){a} and {b}
        the (total|result|answer) (of|for) ({a} + {b}|{a} plus {b}|{a} and {b} together)
        the (sum|total|result|outcome)(:|,) ({a} + {b}|{a} plus {b}|{a} and {b})
        {a} added to {b}
        {a} more than {b}
        {a} and {b} (together|altogether|added|added up|combined|in total|summed up|put together)
        {a} (increased|raised) by {b}
        {a} with {b} (added|more|on top)
        {a} on top of {b}
        ({a} + {b}|{a}+{b}|{a} plus {b}) (equal to|=|equals)
        (adding|the result of adding) {a} (and|to) {b}
    """),
    order: lines("""
        add {a} (and|to) {b}
        add {a} (and|to|with|plus|on to) {b} (for me|together|up|and tell me the result)
        add (up |together |)({a} and {b}|{a} + {b}|the numbers {a} and {b})
        sum (up |)({a} and {b}|{a} + {b}|{a}, {b})
        (calculate|compute|work out|solve|calc|figure out|evaluate|do|find|answer) ({a} + {b}|{a}+{b}|
            {a} plus {b})
        (put|take|count|bring) {a} and {b} together
        (increase|raise) {a} by {b}
        (calculate|work out|find|give me|tell me|get|make) the (sum|total) (of|from) {a} and {b}
        (do|try) (the maths|the math|some maths|a sum|this sum|this one)(:|,) ({a} + {b}|{a}+{b}|{a} plus {b})
        (tell|show) me (how much|what) {a} (plus|and|+) {b} (is|makes|gives|comes to)
        (start|begin) (with|at|from) {a} and (add|count on|go up) {b}
        (take|pick) {a} and (add|put) {b} (to it|on top)
        (say|write) (what|how much) {a} plus {b} (is|makes)
    """),
    question: lines("""
        how much (is|are|would be|makes|is) ({a} plus {b}|{a} and {b}|{a} + {b}|{a}+{b})
        how much (do|does|will|would) ({a} plus {b}|{a} and {b}|{a} + {b}) (make|give|be|come to|equal)
        how many (is|are) ({a} plus {b}|{a} and {b}|{a} + {b})
        what (do|does|will|would) {a} (and|plus|+) {b} (make|give|equal|come to|add up to|be)
        ({a} plus {b}|{a} and {b}|{a} + {b}) (makes|make|is|equals|gives|are) (what|how much|how many|)
        (what|which) number (is|do I get from|comes out of) {a} plus {b}
        what (do I|do you|do we|will I|would I|does one) get (if|when) (I|you|we) add {a} (and|to) {b}
        what (do I|do you|do we|will I) get (from|for|by adding|out of) ({a} and {b}|{a} + {b})
        what (comes out|is it|happens) (if|when) (I|you|we) add {a} (and|to) {b}
        (if|when) (I|you|we|someone|somebody) (add|put|count) {a} (and|to) {b}(,|) (what do I get|what is it|
            what is the result|how much is it|what comes out)
        (suppose|say|imagine) I add {a} (and|to) {b}(, |. )(what is it|what do I get|how much is it)
        ({a}+{b}=|{a} + {b} =|{a}+{b} =|{a} + {b} = |{a} plus {b} =)
        ({a}+{b}|{a} + {b}|{a} plus {b})
        ({a}+{b}|{a} + {b}|{a} plus {b}|{a}+{b}|{a} + {b})
        {a} and then {b} more(, |. |: )(how (much|many) is that|what is that|what does that make|total)
        {a} first(,|) then {b} more(, |: )(total|how many now|how much is it|what is it)
        {a} here and {b} there(, |: |. )(how many in all|how many is that|total|how much is it)
        to {a} I add {b}(, |. )(what is it now|what do I get|result)
        what is the (result|answer|solution)(,| of| to| for) ({a} + {b}|{a} plus {b})
        (can you add|do you know how to add|how do I add|how would you add) {a} (and|to) {b}
        which number is {b} (bigger|larger|higher|more|greater) than {a}
        {a} plus {b} (would be|will be|is how much|comes to|= how much|adds up to what)
    """),
    mannered: lines("""
        (I have to|I must|I want to|I need to|I'm trying to|we have to|let's) (add|add up|
            sum up) ({a} and {b}|
            {a} + {b})(.|)
        (I need help with|I'm stuck on|I'm stuck at|my homework says|the task is|the exercise is|I got|
            the question is) ({a} + {b}|{a}+{b}|{a} plus {b})(.|)
        (I'm bad at maths|I can't do it in my head|my calculator is broken|I have no calculator here|
            I am too tired to think|maths is not my thing|I left my phone at home)(.|,|:|...) (what is|what's|
            how much is|) ({a} + {b}|{a} plus {b}|{a} and {b})?
        ({a} + {b}|{a}+{b}|{a} plus {b})(. |, |: |; |... )(what is it|how much is that|answer|result|solve|
            quick|
            go|your turn|I can't do it|help me|sum|work it out)(.|?|!|)
        (sum|total|add|plus|addition|adding|maths|math|problem|solve|calculate)(:| -|,|) ({a} + {b}|
            {a} and {b}|{a}, {b})(.|?|)
        {a}, {b}(: |, | - | )(sum|total|together|added|add them|add these|what's the sum)(.|?|)
        (the |my |our |)(teacher|son|daughter|granddaughter|boss|brother|child) (asks|asked|wants to know|
            wonders) (what|how much) {a} (plus|and|+) {b} (is|makes)(.|)
        I (think|guess|know) you (can|could|will) (add|work out|sum up) {a} and {b}(.|)
        (I forgot|I can't remember|I never know|remind me|I keep forgetting|no clue|no idea) (what|
            how much) {a} (plus|and|+) {b} (is|makes)(.|)
        (here are|I have|take|look at) two numbers(:|,) {a} and {b}. (Add them|What is their sum|
            What do they make together|Add them up)(.|?|)
        (the numbers are|my numbers are) {a} and {b}(. |, )(what is the sum|please add them|what is the total|
            how much together)(.|?|)
        (as|since|because) you (can|know how to) (add|do sums|count)(, |: )(what is|how much is) {a} + {b}?
    """),
}
SUM_OF_THREE: Forms = {
    want: lines("""
        ({a} + {b} + {c}|{a}+{b}+{c}|{a} plus {b} plus {c}|{a}, {b} and {c} together)
        ({a} + {b} + {c}|{a}+{b}+{c}|{a} plus {b} plus {c}|{a} and {b} and {c})
        the (sum|total|result) of ({a}, {b} and {c}|{a} + {b} + {c})
        {a} plus {b} and then plus {c}
    """),
    order: lines("""
        add (up |)({a}, {b} and {c}|{a} and {b} and {c}|{a} + {b} + {c})
        (calculate|work out|solve|compute|do|sum up) ({a} + {b} + {c}|{a}+{b}+{c}|{a} plus {b} plus {c})
        (put|count|take) {a}, {b} and {c} together
        add {b} to {a} and then {c}
    """),
    question: lines("""
        how much (is|are) ({a} + {b} + {c}|{a} plus {b} plus {c}|{a}+{b}+{c}|{a} and {b} and {c})
        what do {a}, {b} and {c} (make|give|come to|add up to)( together|)
        ({a}+{b}+{c}|{a} + {b} + {c}|{a} + {b} + {c} =|{a}+{b}+{c}=|{a} plus {b} plus {c})
        what do I get (if|when) I add {a}, {b} and {c}
    """),
    mannered: lines("""
        {a}, {b}, {c}(: |, )(sum|total|add them up|together|what's the sum)(.|?|)
        (I have three numbers|the numbers are|three numbers)(:|,) {a}, {b} and {c}. (What is the sum|
            Add them up|What do they make|Please add them)(.|?|)
    """),
}
# A sum and a difference in one, worked out from left to right.
UP_AND_DOWN: Forms = {
    want: lines("({a} + {b} - {c}|{a}+{b}-{c}|{a} plus {b} minus {c}|{a} plus {b} take away {c})"),
    order: lines("""
        (calculate|work out|solve|compute|do) ({a} + {b} - {c}|{a}+{b}-{c}|{a} plus {b} minus {c})
        add {a} and {b} and (then |)(take away|subtract) {c}
    """),
    question: lines("""
        how much is ({a} + {b} - {c}|{a}+{b}-{c}|{a} plus {b} minus {c})
        what (do I|will I) get (if|when) I add {a} and {b} and (then |)(take away|subtract) {c}
    """),
}
DOWN_AND_UP: Forms = {
    want: lines("({a} - {b} + {c}|{a}-{b}+{c}|{a} minus {b} plus {c}|{a} take away {b} plus {c})"),
    order: lines("""
        (calculate|work out|solve|compute|do) ({a} - {b} + {c}|{a}-{b}+{c}|{a} minus {b} plus {c})
        (start with|begin with|take) {a}, (take away|subtract) {b} and (then |)add {c}
    """),
    question: lines("how much is ({a} - {b} + {c}|{a}-{b}+{c}|{a} minus {b} plus {c})"),
}
# `less` is subtracted from `more`, though it need not be the smaller number or be said last.
DIFFERENCE: Forms = {
    want: lines("""
        ({more} - {less}|{more}-{less}|{more} - {less}|{more}-{less}|{more} -{less})
        ({more} - {less}|{more}-{less}|{more} - {less}|{more}- {less})
        ({more} minus {less}|{more} minus {less}|{more} take away {less}|{more} less {less})
        ({more} minus {less}|{more} - {less}|{more}-{less})
        {less} less than {more}
        {less} (subtracted|taken away|taken|deducted|removed) from {more}
        {more} (reduced|decreased|lowered|cut|made smaller) by {less}
        {more} with {less} (taken away|taken off|removed|subtracted|less)
        {more} without {less}
        (subtracting|taking|taking away|the result of subtracting) {less} from {more}
        the (result|answer|solution|outcome) (of|for|to) ({more} - {less}|{more} minus {less})
        ({more} - {less}|{more}-{less}|{more} minus {less}) (equal to|=|equals)
        the rest of {more} after taking {less} away
    """),
    order: lines("""
        (take|subtract|deduct|remove|take away) {less} from {more}
        take {less} (away|off) from {more}
        take {less} (out of|off) {more}
        (calculate|compute|work out|solve|calc|figure out|do|find|answer) ({more} - {less}|{more}-{less})
        (calculate|compute|work out|solve|calc|figure out|do|find|answer) {more} minus {less}
        (decrease|reduce|lower|cut|bring down) {more} by {less}
        from {more} (take|subtract|remove|deduct) (away |){less}
        (start|begin) (with|at|from) {more} and (take away|subtract|go down|count back|remove) {less}
        (do|try) (the maths|the math|some maths|this sum|this one)(:|,) ({more} - {less}|{more}-{less}|
            {more} minus {less})
        (tell|show) me (how much|what) {more} (minus|take away|-) {less} (is|makes|leaves|comes to)
        (tell me|say|work out) what is left (of {more} without {less}|when I take {less} from {more})
        (minus|subtract|take away) {less} from {more} (for me|and tell me the result|quickly)
    """),
    question: lines("""
        how much (is|are|would be|is) ({more} minus {less}|{more} - {less}|{more}-{less}|
            {more} take away {less})
        how many (is|are) ({more} minus {less}|{more} - {less}|{more} take away {less})
        how (much|many) (is|are) left (if|when) (I|you|we) (take|subtract|remove) {less} from {more}
        what is left (if|when) (I|you|we) (take|subtract|take away) {less} from {more}
        (what|how much) (remains|is left|stays) (of|from) {more} (if|when|after) (I|you|we) take away {less}
        what (do I|do you|do we|will I|would I|does one) get (if|when) (I|you|we) (take|
            subtract) {less} from {more}
        what (do I|do you|will I) get (from|for|out of) ({more} - {less}|{more} minus {less})
        (if|when) (I|you|we|someone) (take|subtract|remove) {less} from {more}(,|) (what is left|
            what do I get|
            what is it|how much remains|what remains)
        (suppose|say|imagine) I (take|subtract) {less} from {more}(, |. )(what is left|what do I get|
            what is it)
        what does {more} (minus|-|take away) {less} (make|give|equal|come to|leave)
        ({more} minus {less}|{more} - {less}) (makes|is|equals|gives|leaves) (what|how much|)
        ({more}-{less}=|{more} - {less} =|{more}-{less} =|{more} minus {less} =)
        ({more}-{less}|{more} - {less}|{more} minus {less})
        ({more}-{less}|{more} - {less}|{more} minus {less}|{more}-{less}|{more} - {less})
        {more} and then {less} less(, |. |: )(how (much|many) is that|what is that|what is left)
        {more} but {less} (are gone|are missing|fall away|have gone)(, |. |: )(how many now|what is left|
            how many are left)
        from {more} I (take|subtract) {less}(, |. )(what is left|what do I get|result)
        what is the (result|answer|solution)(,| of| to| for) ({more} - {less}|{more} minus {less})
        which number is {less} (smaller|lower|less) than {more}
        (can you take|can you subtract|how do I take|how do I subtract) {less} from {more}
        {more} minus {less} (would be|will be|is how much|comes to|= how much|leaves what)
    """),
    mannered: lines("""
        (I have to|I must|I want to|I need to|I'm trying to|we have to|let's) (subtract|take|take away|
            deduct) {less} from {more}(.|)
        (I need help with|I'm stuck on|I'm stuck at|my homework says|the task is|the exercise is|I got|
            the question is) ({more} - {less}|{more}-{less}|{more} minus {less})(.|)
        (I'm bad at maths|I can't do it in my head|my calculator is broken|I have no calculator here|
            I am too tired to think|maths is not my thing|I left my phone at home)(.|,|:|...) (what is|what's|
            how much is|) ({more} - {less}|{more} minus {less}|{more} take away {less})?
        ({more} - {less}|{more}-{less}|{more} minus {less})(. |, |: |; |... )(what is it|how much is that|
            answer|
            result|solve|quick|go|your turn|I can't do it|help me|what is left|work it out)(.|?|!|)
        (minus|subtraction|subtract|maths|math|problem|solve|calculate)(:| -|,) ({more} - {less}|
            {more} minus {less}|{more} take away {less})(.|?|)
        (the |my |our |)(teacher|son|daughter|grandson|boss|sister|child) (asks|asked|wants to know|
            wonders) (what|how much) {more} (minus|take away|-) {less} (is|makes|leaves)(.|)
        I (think|guess|know) you (can|could|will) (subtract|take|take away) {less} from {more}(.|)
        (I forgot|I can't remember|I never know|remind me|I keep forgetting|no clue|no idea) (what|
            how much) {more} (minus|take away|-) {less} (is|makes)(.|)
    """),
}
# Here the order in which the numbers are said does not matter.
APART: Forms = {
    want: lines("""
        the (difference|distance|gap|space) (between|of) {a} and {b}
        the difference (from {a} to {b}|between the numbers {a} and {b}|of the two numbers {a} and {b})
        the (missing number|missing part|rest|gap)(:|,) {less} + (?|_|...) = {more}
    """),
    order: lines("""
        (find|calculate|work out|tell me|give me) the (difference|distance|gap) (between|of) {a} and {b}
        (count|work out|tell me|find out) how (far|much|many) it is from {less} (up |)to {more}
        (tell me|find|work out) what I (must|have to|need to) add to {less} to (get|reach|make) {more}
        fill (up |){less} to {more}
    """),
    question: lines("""
        how far (apart are {a} and {b}|is it from {a} to {b}|is {a} from {b}|away is {a} from {b})
        how much (bigger|larger|more|higher|greater) is {more} than {less}
        how much (smaller|less|lower) is {less} than {more}
        by how much is ({more} (bigger|larger|more|greater) than {less}|{less} (smaller|less) than {more})
        how (much|many) (is|are) (missing|lacking|still missing|left) from {less} (up |)to {more}
        how (much|many) (more |)(do I|do we|must I) (need|add|have to add) (to get |to go |to come |
            )from {less} to {more}
        how many (steps|more|numbers|points|years|pages|units) (is it |are there |)from {less} to {more}
        what (do|must|should|have) I (need to |have to |)add to {less} to (get|reach|make|have) {more}
        what (must|should|has to) be added to {less} to (get|reach|make|give) {more}
        (which|what) number (is missing|goes|belongs|do I need|fits)(:| in|) {less} + (_|?|...|__) = {more}
        {less} plus (what|how much|how many|which number) (is|makes|gives|equals) {more}
        {less} + (?|_|what|...|__) = {more}
        (what|how much) (is the difference|is the distance|lies) between {a} and {b}
        how many (more|extra) than {less} is {more}
        I (have|am at|got to|am on page|counted to) {less} and (want|need|must get) to (have|get to|
            reach|be at) {more}(, |. )(how many more|how much is missing|how far is it|what is missing)
    """),
    mannered: lines("""
        (from {less} to {more}|between {less} and {more})(: |, )(how much is missing|what's the difference|
            how far is that|difference|how far|how many more)(.|?|)
        {more} and {less}(: |, )(difference|what's the difference|how far apart|the gap)(.|?|)
        (I need|we need|I want) {more}(, | but )(I|we) (have|have only|only have|got) {less}(. |
            , )(how much is missing|
            how many more|what is missing|how many do I still need|how many are missing)?
    """),
}
PRODUCT: Forms = {
    want: lines("""
        ({a} x {b}|{a}x{b}|{a} * {b}|{a}*{b}|{a} \u00d7 {b}|{a}\u00d7{b}|{a} times {b}|{a} times {b})
        ({a} x {b}|{a}x{b}|{a} * {b}|{a}*{b}|{a} times {b})
        {a} multiplied (by|with) {b}
        the (product|result) of ({a} and {b} multiplied|{a} times {b}|{a} x {b})
        the product of {a} and {b}
        ({a} x {b}|{a} times {b}|{a}*{b}) (equal to|=|equals)
        the (answer|result|solution) (to|of|for) ({a} x {b}|{a} times {b}|{a} * {b})
    """),
    order: lines("""
        multiply {a} (by|with|and) {b}
        (calculate|compute|work out|solve|do|find|figure out) ({a} x {b}|{a}*{b}|{a} * {b}|{a} times {b})
        (take|count) {a} times {b}
        (tell|show) me (what|how much) {a} times {b} (is|makes)
        (find|work out|give me) the product of {a} and {b}
    """),
    question: lines("""
        how much (is|are) ({a} times {b}|{a} x {b}|{a}*{b}|{a} * {b}|{a} multiplied by {b})
        how many (is|are) ({a} times {b}|{a} x {b})
        what (do|does) {a} times {b} (make|give|equal|come to)
        what do (I|you|we) get (if|when) (I|you|we) multiply {a} (by|and|with) {b}
        what (comes out|is it) (if|when) (I|you|we) multiply {a} (by|and|with) {b}
        (if|when) I multiply {a} (by|and|with) {b}(,|) (what do I get|what is it|how much is it)
        {a} times {b} (is|makes|gives|equals) (what|how much|)
        ({a}*{b}=|{a} x {b} =|{a}x{b}|{a} * {b}|{a} times {b}|{a}x{b}=)
    """),
    mannered: lines("""
        ({a} x {b}|{a}*{b}|{a} times {b})(. |, |: )(what is it|how much is that|answer|quick|I forgot)(.|?|!|)
        (I forgot|I can't remember|I never know|remind me|no idea) (what|how much) {a} times {b} is(.|)
        (times tables|times table|multiplication)(:|,) ({a} x {b}|{a} times {b})(.|?|)
        (I have to|I must|I want to|I need to) multiply {a} (by|and|with) {b}(.|)
    """),
}
SQUARE = lines("({n} squared|the square of {n}|{n} to the power of two|{n}^2|{n} by {n}|{n} times itself)")
SURE = lines("""
    (are you sure|sure|really|is that right|is that correct|you sure|seriously|certain|is it)(?|??|)
    (are you (really |quite |absolutely |very |)sure( about that| of that|)|is that (really |)(true|right|
        correct))?
    (can that be (right|true)|is this right|is it right|is it really that|did you count right)?
    (I'm not sure about that|I doubt it|I don't believe it|that looks wrong|check (it|that) again|
        check again|think again|is this correct)(.|?|)
""")
MORE = lines("""
    (now |and |then |ok, now |and now |next |)(add|plus) {n}( to that| to it| more| please|)(.|?|)
    (now |and |then |next |please |)add {n} to (the result|the answer|this|what you got|that number)(.|)
    (and |)plus {n}(?|)
    (and |)+ {n}(?|)
    +{n}(?|)
    (and |now |then |)(another |and another |with ){n} (more|on top|added)(?|)
    (and |now |then |)({n} more|{n} on top)(?|)
    (and |)(what if|what is it if|how much is it if) (I|you) add {n}( more| to that|)?
    (if|when) I (then |now |)add {n}( more| to that|)(,|) (what do I get|what is it|how much is it)?
    (and |now |)(increase|raise) (it|that|the result) by {n}(.|)
    (now |)(put|count) {n} (on top|to it|more to it)(.|)
    (that|the result|this|all that) plus {n}(?|)
    (what is|what's|how much is) (that|the result|it) (plus|and|with) {n}( more|)?
    (can|could) you add {n} to (that|it|the result)?
    I (got|get|found|want to add) {n} more(. |, )(how much now|what is it now|what now|how many now)?
""")
FEWER = lines("""
    (now |and |then |ok, now |and now |next |)(subtract|take away|minus|deduct) {n}( from that| please|)(.|?|)
    (now |and |then |next |please |)(subtract|take|deduct) {n} from (the result|the answer|this|
        what you got)(.|)
    (and |)minus {n}(?|)
    (and |)- {n}(?|)
    -{n}(?|)
    (and |now |then |)(take|remove) {n} (away |)from (that|it)(.|)
    (and |now |then |){n} less(?|)
    (and |)(what if|what is left if|how much is left if) (I|you) take {n} away( from that|)?
    (if|when) I (then |now |)(take away|subtract) {n}( from that|)(,|) (what do I get|what is left|
        what is it)?
    (and |now |)(decrease|lower|reduce) (it|that|the result) by {n}(.|)
    (that|the result|this|all that) minus {n}(?|)
    (what is|what's|how much is) (that|the result|it) (minus|without|less) {n}?
    (can|could) you (take|subtract) {n} from (that|it|the result)?
    I (lost|lose|gave away|give away) {n}( of them|)(. |, )(how much now|what is left|what now|how many now)?
""")
