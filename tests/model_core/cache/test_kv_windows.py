"""Windowed groups of KV layers: pages behind the window are given back, and no byte of an answer changes."""

import random

import pytest
from test_page_pool import CopyRecorder, PoolSequence, check_pool, counts, text

from model_core.cache.memory import PAGE
from model_core.cache.page_pool import NO_PAGE, PagePool
from model_core.cache.reserve import Limits
from model_core.engine.job import Job
from model_core.engine.scheduler import Scheduler
from model_core.engine.sequence import Sequence
from model_core.engine.work import WorkItem
from model_core.model.batch import Batch
from model_core.requests.sampling import SamplingParams


class SimulatedMemory:
    """KV memory that holds, for each position, what belongs there: the tokens so far, the salt and the group.

    `run` takes the place of a model. It fails if a query reads anything else.
    """

    page_bytes, states = 1, None

    def __init__(self, windows: list[int | None], pages: int) -> None:
        self.windows, self.pages = windows, pages
        self.slots: list[list[object]] = [[None] * PAGE for _ in range(pages)]

    def copy_page(self, source: int, target: int) -> None:
        self.slots[target] = list(self.slots[source])

    def run(self, batch: Batch, work: list[WorkItem]) -> None:
        """Write the keys of a step, and read those that its queries attend to."""
        rows = [
            list(zip(batch.tokens[a:b].tolist(), batch.positions[a:b].tolist(), strict=True))
            for a, b in zip(batch.starts, batch.starts[1:], strict=False)
        ]
        contents = []
        for item, row in zip(work, rows, strict=True):
            tokens = item.sequence.tokens[: row[0][1]] + [token for token, _ in row]
            contents.append(
                [hash((item.sequence.job.cache_salt, *tokens[: i + 1])) for i in range(len(tokens))]
            )
        for group, window in enumerate(self.windows):
            tables = batch.page_tables[group].tolist()
            for row, table, content in zip(rows, tables, contents, strict=True):
                for _, position in row:
                    self.slots[table[position // PAGE]][position % PAGE] = group, content[position]
            for row, table, content in zip(rows, tables, contents, strict=True):
                first = 0 if window is None else max(0, row[0][1] - window + 1)
                for position in range(first, row[-1][1] + 1):
                    found = self.slots[table[position // PAGE]][position % PAGE]
                    assert found == (group, content[position]), (group, position)


def make_drafts(rng: random.Random, scheduler: Scheduler) -> dict[Sequence, list[int]]:
    """Drafts for some answers that are partly right: answers have three tokens only."""
    drafts = {}
    for sequence in scheduler.running:
        room = min(scheduler.max_drafts, sequence.max_new_tokens - sequence.answer_length - 1)
        if sequence.uncomputed_tokens == 1 and room > 0 and rng.random() < 0.3:
            drafts[sequence] = [rng.randrange(3) for _ in range(min(room, rng.randrange(24)))]
    return drafts


def make_sequence(rng: random.Random, prompt: list[int], max_tokens: int) -> Sequence:
    job = Job(prompt, SamplingParams(), cache_salt=rng.choice(["", "", "a"]))
    return Sequence("", job, max_tokens, sampler=None, text_stream=None, on_delta=lambda delta: None)


@pytest.mark.parametrize(
    "windows",
    [[None], [5], [20, None], [1, 17, None], [40, 33, None], [16, 16, 32], [], [3, 64]],
    ids=str,
)
@pytest.mark.parametrize("seed", range(3))
def test_queries_find_their_keys_whatever_happens(
    windows: list[int | None], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random requests with common beginnings in little memory, with drafts, failures and preemptions."""
    rng = random.Random(seed)
    step_tokens = rng.choice([1, 16, 24, 100])
    monkeypatch.setattr("model_core.engine.scheduler.STEP_TOKENS", step_tokens)
    beginnings = [[rng.randrange(3) for _ in range(size)] for size in (10, 16, 48, 75, 130)]
    longest = 200
    memory = SimulatedMemory(windows, 1)
    needed = PagePool(memory).max_pages(longest, step_tokens)
    memory = SimulatedMemory(windows, needed + rng.choice([0, 3, 12, 60]))
    scheduler = Scheduler(memory, Limits(longest + 1, 5, 100, memory.pages))
    pool = scheduler.pool
    ended = 0
    for _ in range(400):
        if len(scheduler.waiting) < 3:
            prompt = rng.choice(beginnings)[: rng.randint(1, 130)]
            prompt = prompt + [rng.randrange(3) for _ in range(rng.choice([0, 1, 5, 40]))]
            scheduler.add(make_sequence(rng, prompt, rng.randint(1, min(70, longest - len(prompt)))))
        work = scheduler.schedule(make_drafts(rng, scheduler))
        unfinished = [*scheduler.running]
        steps = [work] if work else []
        if rng.random() < 0.05 and work:  # the step fails because of one request: each is computed alone
            scheduler.remove(rng.choice(work).sequence)
            steps = [[item] for item in work if item.sequence in scheduler.running]
        for items in steps:
            memory.run(scheduler.build_batch(items), items)
            scheduler.commit(items)
            for item in items:
                accept(rng, item)
        for sequence in unfinished:
            is_done = sequence.answer_length >= sequence.max_new_tokens
            if is_done or rng.random() < 0.01:
                scheduler.remove(sequence)
                ended += is_done
        check_pool(pool, [sequence.pages for sequence in scheduler.running])
        for sequence in scheduler.running:
            used = sum(sequence.pages.count - min(f, sequence.pages.count) for f in sequence.pages.first)
            assert used <= needed
    assert ended
    for sequence in [*scheduler.running, *scheduler.waiting]:
        scheduler.remove(sequence)
    check_pool(pool, [])
    assert pool.used_pages == 0


def accept(rng: random.Random, item: WorkItem) -> None:
    """Choose a request's next tokens as the engine does."""
    sequence = item.sequence
    for i in range(item.logit_count):
        token = rng.randrange(3)
        sequence.tokens.append(token)
        is_accepted = i < len(item.drafts) and token == item.drafts[i]
        sequence.computed_tokens += is_accepted
        if not is_accepted or sequence.answer_length >= sequence.max_new_tokens:
            break


def windowed_pool(pages: int, *windows: int | None) -> PagePool:
    return PagePool(CopyRecorder(pages, windows))


def computed(pool: PagePool, tokens: list[int], chunk: int = 2 * PAGE) -> PoolSequence:
    """A sequence that is computed in chunks."""
    sequence = PoolSequence(pool, tokens)
    while sequence.computed < len(tokens):
        sequence.acquire_prefix()
        sequence.compute(min(sequence.computed + chunk, len(tokens)))
    return sequence


def usable(pool: PagePool, tokens: list[int]) -> int:
    """How many of the tokens a new request would find in the cache."""
    sequence = PoolSequence(pool, [*tokens, 0])
    sequence.acquire_prefix()
    found = sequence.computed
    sequence.release()
    return found


def test_pages_behind_a_window_stay_cached_until_memory_is_needed() -> None:
    pool = windowed_pool(30, None, 20)
    first = computed(pool, text(10 * PAGE))
    assert counts(pool) == (10 + 2, 8, 10)  # 19 positions before the next one are in two pages
    assert usable(pool, text(4 * PAGE)) == 4 * PAGE
    assert usable(pool, text(10 * PAGE)) == 10 * PAGE
    second = computed(pool, text(6 * PAGE, seed=1))  # takes the free pages
    assert counts(pool) == (12 + 6 + 2, 10, 0)
    second.release()
    assert usable(pool, text(6 * PAGE, seed=1)) == 6 * PAGE
    third = computed(pool, text(6 * PAGE, seed=2))  # takes pages behind windows, no others
    assert usable(pool, text(4 * PAGE)) == 0
    assert usable(pool, text(6 * PAGE, seed=1)) == 6 * PAGE
    check_pool(pool, [first.pages, third.pages])


def test_system_prompt_is_shared_after_a_long_answer_to_it() -> None:
    pool = windowed_pool(100, None, 20, 20)
    prompt = text(4 * PAGE)
    first = computed(pool, [*prompt, *text(8 * PAGE, seed=1)])
    second = PoolSequence(pool, [*prompt, *text(8 * PAGE, seed=2)])
    second.acquire_prefix()
    assert second.computed == 4 * PAGE
    used = pool.used_pages
    assert used == 12 + 2 * 2 + 2 * 2  # and only the pages within the window are in use again
    first.release()
    second.release()
    check_pool(pool, [])


def test_prefix_ends_where_all_windowed_pages_are_present() -> None:
    pool = windowed_pool(21, None, 40)  # 39 positions before the next one are in three pages
    sequence = computed(pool, text(10 * PAGE))
    other = PoolSequence(pool, text(4 * PAGE, seed=1))  # needs the free page and seven that the windows left
    other.start()
    other.release()
    assert not pool.behind
    nodes = list(sequence.pages.nodes)
    assert [node.pages[1] == NO_PAGE for node in nodes] == [True] * 7 + [False] * 3
    sequence.release()
    assert [usable(pool, text(size * PAGE)) for size in (3, 8, 9, 10)] == [0, 0, 0, 10 * PAGE]
    # Who computes the first pages again gives the missing ones back.
    computed(pool, text(5 * PAGE)).release()
    assert [node.pages[1] == NO_PAGE for node in nodes] == [False] * 5 + [True] * 2 + [False] * 3
    assert [usable(pool, text(size * PAGE)) for size in (3, 5, 6, 10)] == [3 * PAGE, 5 * PAGE, 5 * PAGE, 160]
    check_pool(pool, [])


def test_cached_page_that_is_passed_by_can_be_evicted() -> None:
    pool = windowed_pool(29, None, 5)
    computed(pool, text(6 * PAGE)).release()
    again = PoolSequence(pool, [*text(2 * PAGE), 0])  # uses a page that was behind the window
    again.acquire_prefix()
    again.release()
    longer = PoolSequence(pool, [*text(6 * PAGE), 0])
    longer.acquire_prefix()
    assert longer.computed == 6 * PAGE
    check_pool(pool, [longer.pages])
    assert longer.pool.allocate(longer.pages, 6 * PAGE + 11 * PAGE)  # all that it does not use itself
    assert counts(pool) == (29, 0, 0)


def test_pages_behind_the_window_that_are_not_in_the_tree_are_freed() -> None:
    pool = windowed_pool(20, None, 1)
    first, second = PoolSequence(pool, text(PAGE)), PoolSequence(pool, text(PAGE))
    assert pool.allocate(second.pages, PAGE)
    first.start()
    pool.insert(second.pages, second.tokens, PAGE)  # the first computes the same, so it cannot be inserted
    assert counts(pool) == (3, 0, 17)
    first.release()
    pool.insert(second.pages, second.tokens, PAGE)
    check_pool(pool, [second.pages])
    assert pool.used_pages == 1


def test_windowed_layers_take_little_of_a_long_context() -> None:
    """Five windowed layers to a full one: 32,768 positions take less than 0.3 of what full layers would."""
    windows = [512] * 5 + [None]
    memory = SimulatedMemory(windows, 20_000)
    scheduler = Scheduler(memory, Limits(32_768, 1, 1, 20_000))
    sequence = make_sequence(random.Random(), [1] * 32_000, 768)
    scheduler.add(sequence)
    peak = 0
    while sequence.answer_length < 768:
        work = scheduler.schedule()
        peak = max(peak, scheduler.pool.used_pages)
        scheduler.commit(work)
        if work[0].logit_count:
            sequence.tokens.append(1)
    assert scheduler.pool.max_pages(32_768, 256) == 2048 + 5 * (32 + 17)
    assert peak <= 2048 + 5 * (32 + 17) < 0.19 * 6 * 2048
    assert scheduler.kv_bytes_used == 2048 + 5 * 33
