"""On the first screen of the embedded model: real models that fit the server's machine, and a way to them."""

from typing import Any

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.server import get_client
from streamlit_client.shared.settings import choose, get_chosen

EMBEDDED = "embedded"  # the name of the model that is a part of the package
_LOOK_AGAIN_S = 1.0  # while a model is on its way


def show_real_models() -> None:
    """Say how to get a real model. While one is on its way, its bar moves."""
    try:
        offers = get_client().recommend()
    except TritonchatError:
        return  # of an older server, or one that does not answer, which the page says elsewhere
    is_busy = any(_is_on_its_way(model) for model in offers["models"])
    st.fragment(_draw, run_every=_LOOK_AGAIN_S if is_busy else None)(offers, is_busy)


def _draw(offers: dict[str, Any], was_busy: bool) -> None:
    if was_busy:
        try:
            offers = get_client().recommend()
        except TritonchatError as error:
            st.error(describe_error(error))
            return
        if not any(_is_on_its_way(model) for model in offers["models"]):
            st.rerun()
    if not offers["models"]:
        return
    with st.expander("This model is tiny. Real ones that fit this machine", expanded=True):
        for model in offers["models"]:
            _show_model(model, offers["allows_getting"], was_busy)
        if any(model["speed"] is None for model in offers["models"]):
            st.caption("`tritonchat recommend` on the server's machine measures the speed to expect.")


def _show_model(model: dict[str, Any], allows_getting: bool, is_busy: bool) -> None:
    facts = [
        model["licence"],
        f"{model['form']} of {model['download_bytes'] / 2**30:.1f} GiB",
        f"{model['memory_bytes'] / 2**30:.1f} GiB of memory",
    ]
    if model["speed"] is not None:
        facts.append(f"about {model['speed']['answer']:.0f} tokens a second")
    st.markdown(f"**{escape(model['name'])}**  \n{escape(', '.join(facts))}")
    download = model["download"] or {"state": None}
    if download["state"] == "downloading":
        total, completed = download.get("total") or 0, download.get("completed") or 0
        share = min(1.0, completed / total) if total else 0.0
        st.progress(share, f"{completed / 2**20:.0f} of {total / 2**20:.0f} MiB" if total else "Connecting")
        return
    if download["state"] == "failed":
        st.error(escape(download["error"]))
    if not allows_getting:
        st.code(model["command"], language=None)
    elif download["state"] == "done":
        st.button("Chat with it", key=f"choose-{model['name']}", on_click=_chat_with, args=[model["name"]])
    else:
        st.button(
            "Download and load",
            key=f"get-{model['name']}",
            icon=":material/download:",
            on_click=_get,
            args=[model["name"]],
            disabled=is_busy,
        )


def _is_on_its_way(model: dict[str, Any]) -> bool:
    return model["download"] is not None and model["download"]["state"] == "downloading"


def _get(name: str) -> None:
    try:
        get_client().get_model(name)
    except TritonchatError as error:
        st.toast(describe_error(error))


def _chat_with(name: str) -> None:
    choose({**get_chosen(), "model": name})
