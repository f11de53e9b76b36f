"""Chat templates that requests bring: each in a process of its own, as that of the model is."""

import threading
from collections import OrderedDict
from collections.abc import Mapping

from ..errors import InvalidRequest, ModelError
from .template import ChatTemplate

_KEPT = 4  # processes


class RequestTemplates:
    """The templates of requests to one model. Those used last keep their processes.

    Its methods may be called from any thread.
    """

    def __init__(self, special_tokens: Mapping[str, str], max_context: int) -> None:
        """`special_tokens`: variables. `max_context`: tokens, which limit the length of texts."""
        self._special_tokens, self._max_context = special_tokens, max_context
        self._lock = threading.Lock()
        self._templates: OrderedDict[str, ChatTemplate] = OrderedDict()  # by source, the last used at the end

    def find(self, source: str) -> ChatTemplate:
        """The compiled template. Raises InvalidRequest if it is not one, or takes too much time or memory."""
        with self._lock:
            template = self._templates.get(source)
            if template is None:
                try:
                    template = ChatTemplate(
                        {"default": source}, self._special_tokens, None, self._max_context
                    )
                except ModelError as error:
                    raise InvalidRequest(str(error), "chat_template") from None
                self._templates[source] = template
            self._templates.move_to_end(source)
            while len(self._templates) > _KEPT:
                # Another thread may render with it, so its process ends when nobody has it any more.
                self._templates.popitem(last=False)
            return template

    def close(self) -> None:
        """End the processes."""
        with self._lock:
            for template in self._templates.values():
                template.close()
            self._templates.clear()
