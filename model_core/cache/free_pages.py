"""Pages of KV memory that hold nothing. Nothing here knows sequences or tokens."""

from .memory import KVCache

_SPARE_BYTES = 2**26  # memory that is provided before it is needed: often that of a prompt
_HUGE_PAGE = 2**21  # bytes


class FreePages:
    """The pages of a KV cache that hold nothing.

    Attributes:
        total: how many pages there are, used ones included.
        given_back: those that were used, in the order in which they came back.
        first_untouched: pages from here on have never been used.
    """

    def __init__(self, cache: KVCache) -> None:
        self._cache, self.total = cache, cache.pages
        self.given_back: list[int] = []
        self.first_untouched = 0
        self._first_unprovided = 0  # the system has provided no memory for pages from here on

    def __len__(self) -> int:
        return len(self.given_back) + self.total - self.first_untouched

    def take(self) -> int:
        """One of them, which is free no more. There must be one."""
        if self.given_back or self.first_untouched == self.total:
            return self.given_back.pop()
        self.first_untouched += 1
        return self.first_untouched - 1

    @property
    def is_short(self) -> bool:
        """Whether memory for the next pages is still to be provided."""
        start, end = self._range_to_provide()
        return start < end

    def provide(self) -> None:
        """Have the system provide memory for some of the next pages.

        A call takes as long as the system needs for a huge page: some 100 us, or some milliseconds where a
        virtual machine gets memory only as it uses it.
        """
        start, end = self._range_to_provide()
        self._first_unprovided = min(end, start + max(1, _HUGE_PAGE // self._cache.page_bytes))
        self._cache.provide(start, self._first_unprovided)

    def _range_to_provide(self) -> tuple[int, int]:
        """The first page, and the page after the last, whose memory is to be provided."""
        start = max(self._first_unprovided, self.first_untouched)
        return start, min(self.total, self.first_untouched + _SPARE_BYTES // self._cache.page_bytes)
