"""Measure the list of messages in Chromium: a long conversation opened and scrolled, and a fast answer.

    python benchmarks/message_list.py [--turns 500] [--rate 1000] [--seconds 10] [--chromium PATH]

The list gets its data from a page without a server, so the figures are those of the browser alone. Prints a
table in Markdown, with the bars, and names the machine.
"""

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from serving import processor_name

sys.path.append(str(Path(__file__).parents[1] / "tests" / "streamlit_client" / "messages"))
from message_page import chat, serve_messages, turn

ANSWER = r"""The **sum** of the first \(n\) numbers is
\[
\sum_{{k=1}}^{{n}} k = \frac{{n(n+1)}}{{2}}
\]
as turn {number} shows. It grows with $n^2$, see [the book](https://example.org/{number}).

1. Take the *first* and the last number.
2. Their sum is `n + 1`, and there are $n/2$ such pairs.

| n | sum |
| -: | -: |
| 10 | 55 |
| {number} | {sum} |

```python
def sum_to(n: int) -> int:
    '''The sum of the numbers from 1 to n.'''
    return n * (n + 1) // 2  # exact
```

So it is a polynomial of degree two, and no loop is needed. A proof by induction takes two lines, and the
picture of a staircase takes none: two of them make a rectangle of n by n + 1 squares.
"""

OPEN = """async (data) => {
  const begin = performance.now();
  show(data);
  const drawn = performance.now() - begin;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const painted = performance.now() - begin;
  const last = [...document.querySelectorAll('.tc-turn')].at(-1);
  const isShown = last?.textContent.includes('staircase') ?? false;
  return { drawn, painted, isShown };
}"""
SCROLL = """async (seconds) => {
  let main = document.querySelector('.tc-list');
  while (!/auto|scroll/.test(getComputedStyle(main).overflowY)) main = main.parentElement;
  const frames = [];
  const end = performance.now() + 1000 * seconds;
  let last = await new Promise(requestAnimationFrame);
  let blank = 0;
  while (performance.now() < end) {
    main.scrollTop -= 60; // 3,600 pixels a second
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
    const box = main.getBoundingClientRect();
    const seen = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const shown = seen?.closest('.tc-turn');
    if (shown && !shown.textContent) blank += 1;
  }
  return { frames, blank };
}"""
STREAM = """async ({ key, text, rate, seconds }) => {
  const perTick = rate * 4 / 20; // characters: a token has about four, and the feed comes 20 times a second
  const times = [];
  const list = document.querySelector('.tc-list');
  new MutationObserver(() => times.push(performance.now())).observe(list, {
    childList: true, characterData: true, subtree: true,
  });
  const tasks = [];
  new PerformanceObserver((all) => tasks.push(...all.getEntries().map((each) => each.duration)))
    .observe({ entryTypes: ['longtask'] });
  const begin = performance.now();
  let given = 0;
  const isDone = () => given >= text.length || performance.now() > begin + 1000 * seconds;
  while (!isDone()) {
    given = Math.round((performance.now() - begin) / 50) * perTick;
    const start = Math.max(0, given - 4000);
    feed({
      chat: '1', key, start, text: text.slice(start, given), note: '',
      reasoning_start: 0, reasoning: '', reasoning_label: '',
    });
    await new Promise((done) => setTimeout(done, 50));
  }
  const gaps = times.slice(1).map((time, place) => time - times[place]);
  return { given, gaps, tasks };
}"""


def percentile(values: list[float], part: float) -> float:
    """The value below which `part` of the values lie."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def open_and_scroll(page: Page, turns: int) -> list[tuple[str, str, str]]:
    """Open a conversation, and scroll up in it."""
    answers = [ANSWER.format(number=number, sum=number * (number + 1) // 2) for number in range(turns)]
    data = chat(*(turn(number, text, f"Question {number}?") for number, text in enumerate(answers)))
    opened = page.evaluate(OPEN, data)
    assert opened["isShown"]
    nodes = page.evaluate("document.querySelectorAll('*').length")
    scrolled = page.evaluate(SCROLL, 5)
    frames = scrolled["frames"]
    return [
        (f"{turns} turns open: until the paint", f"{opened['painted']:.0f} ms", "1,000 ms"),
        ("elements in the page then", f"{nodes:,}", ""),
        ("scrolling: frames a second", f"{1000 * len(frames) / sum(frames):.0f}", "50"),
        ("scrolling: frame at the 99th percentile", f"{percentile(frames, 0.99):.0f} ms", ""),
        ("scrolling: frames with an empty middle", f"{scrolled['blank']} of {len(frames)}", ""),
    ]


def stream(page: Page, kind: str, text: str, options: argparse.Namespace) -> list[tuple[str, str, str]]:
    """Stream an answer after a conversation of 20 turns."""
    page.evaluate("show({ chat: 'none', turns: [] })")
    before = [turn(number, ANSWER.format(number=number, sum=number)) for number in range(20)]
    running: dict[str, Any] = {"is_running": True, "notes": ["answering …"]}
    page.evaluate("data => { show(data) }", chat(*before, turn(kind, "", **running)))
    page.wait_for_timeout(1000)
    given = {"key": kind, "text": text, "rate": options.rate, "seconds": options.seconds}
    found = page.evaluate(STREAM, given)
    longest = max(found["tasks"], default=0)
    return [
        (
            f"{kind}: longest gap in {found['given']:,.0f} characters",
            f"{max(found['gaps']):.0f} ms",
            "100 ms",
        ),
        (f"{kind}: gap at the 99th percentile", f"{percentile(found['gaps'], 0.99):.0f} ms", ""),
        (f"{kind}: longest task of the browser", f"{longest:.0f} ms", ""),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=500)
    parser.add_argument("--rate", type=int, default=1000, help="tokens a second")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    options = parser.parse_args()
    rows: list[tuple[str, str, str]] = []
    mixed = "\n\n".join(ANSWER.format(number=number, sum=number) for number in range(200))
    code = "```python\n" + "\n".join(f"value_{n} = compute({n}, 'text')  # step" for n in range(4000))
    items = "\n".join(f"{n}. The *item* number {n} has \\(x_{{{n}}}\\) and `code`." for n in range(1, 3000))
    table = "| n | square |\n|-|-|\n" + "\n".join(f"| {n} | **{n * n}** |" for n in range(4000))
    prose = "A long paragraph without an end, " * 4000
    kinds = {"mixed": mixed, "code": code, "list": items, "table": table, "paragraph": prose}
    with serve_messages() as address, sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-gpu"]
        browser = driver.chromium.launch(executable_path=options.chromium, args=flags)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(address)
        page.wait_for_function("window.isReady")
        rows += open_and_scroll(page, options.turns)
        for kind, text in kinds.items():
            rows += stream(page, kind, text, options)
        browser.close()
    print(f"{processor_name()}, Chromium\n\n| | measured | bar |\n| --- | --: | --: |")
    for row in rows:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
