"""Signs and logs the receipts of a server, in a thread of its own, so that no answer waits for another's."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from model_core.errors import InvalidRequest

from ..contract.request_fields import Request
from .canonical import content_of, hash_json
from .keys import SigningKey, load_key
from .log import ReceiptLog
from .receipt import Facts, make_receipt, strip


@dataclass(frozen=True)
class PlannedReceipt:
    """A receipt that is to be made when the answer has ended.

    Attributes:
        content, content_hash: see Facts.
        is_shown, is_whole: whether the answer comes with it, and with its attachments.
    """

    content: Mapping[str, Any]
    content_hash: str
    is_shown: bool
    is_whole: bool


class ReceiptSigner:
    """Signs the receipts of a server, and writes their log. Any thread may call its methods."""

    def __init__(
        self,
        find_folder: Callable[[], Path],
        always: bool = False,
        log: Path | None = None,
        logs_content: bool = False,
    ) -> None:
        """`find_folder` finds that of the key, when there is need of it.

        `always`: make receipts for requests that do not say, too. `log`: the folder of the log; None: there
        is none. `logs_content`: it has the attachments, too.

        Raises TritonchatError if the log cannot be written.
        """
        self._find_folder, self._always, self._logs_content = find_folder, always, logs_content
        self._log = None if log is None else ReceiptLog(log)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="receipts")

    @cached_property
    def key(self) -> SigningKey:
        """The key, which is made at the first use. Raises TritonchatError."""
        return load_key(self._find_folder())

    def plan(self, request: Request) -> PlannedReceipt | None:
        """The receipt to make for a request; None for none. Raises TritonchatError."""
        asked = request.receipt if request.receipt is not None else self._always
        if request.choices is not None:
            if request.receipt:
                raise InvalidRequest(
                    "receipt and choices cannot be combined: they have no answer.", "receipt"
                )
            return None
        if not asked and self._log is None:
            return None
        self.key  # noqa: B018 - a key that cannot be used is named before the answer is computed
        content = content_of(request)
        return PlannedReceipt(content, hash_json(content), bool(asked), asked == "whole")

    async def make(self, planned: PlannedReceipt, facts: Facts) -> dict[str, Any] | None:
        """Make the receipt, write it to the log, and return it if the answer comes with it.

        Raises StorageError if it cannot be written.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._make, planned, facts)

    def _make(self, planned: PlannedReceipt, facts: Facts) -> dict[str, Any] | None:
        place = None if self._log is None else self._log.next_place()
        receipt = make_receipt(facts, self.key, place)
        if self._log is not None:
            self._log.add(receipt if self._logs_content else strip(receipt))
        if not planned.is_shown:
            return None
        return receipt if planned.is_whole else strip(receipt)

    def close(self) -> None:
        """Wait for the last receipt, and let another process write the log."""
        self._thread.shutdown()
        if self._log is not None:
            self._log.close()
