"""Clicks that come right after each other: each one's callback runs to its end, none is lost.

Streamlit ends a run when the browser asks for another one, at the next call that draws something, or reads or
sets a value of the session. It does so within callbacks too, and before they begin: what was clicked would be
half done, or not done at all, for the next run does not know of it. Without `runner.fastReruns`, which lets
the next run begin beside the one that is to end, it is enough that callbacks are not ended.
"""

from functools import wraps
from typing import Any

from streamlit.runtime.state.safe_session_state import SafeSessionState

_run_callbacks = SafeSessionState.on_script_will_rerun


@wraps(_run_callbacks)
def _run_whole_callbacks(self: SafeSessionState, *args: Any, **kwargs: Any) -> None:
    runner = self._yield_callback.__self__  # type: ignore[attr-defined]
    # A runner that is not executing a script ends nothing. Right after the callbacks it looks again.
    runner._execing = False
    try:
        _run_callbacks(self, *args, **kwargs)
    finally:
        runner._execing = True


def run_callbacks_to_their_end() -> None:
    """Do so in all sessions of this process. Streamlit runs the script of the page again and again."""
    SafeSessionState.on_script_will_rerun = _run_whole_callbacks  # type: ignore[method-assign]
