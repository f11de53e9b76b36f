"""Who uses the page: a person who has logged in; without a login, everybody on this machine as one person.

Streamlit does the login (OpenID Connect) if its secrets have a section `[auth]`.
"""

import hashlib
from collections.abc import Mapping
from datetime import tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from streamlit_client.shared.markdown import escape

LOCAL_OWNER = ""  # owns the conversations of everybody who uses the page without a login
_OWNER = "owner"  # in the session's state


def has_login() -> bool:
    """Whether people have to log in."""
    return "is_logged_in" in st.user


def is_stranger() -> bool:
    """Whether the visitor still has to log in."""
    return has_login() and not st.user.is_logged_in


def owner() -> str:
    """The name under which the visitor's conversations are kept; "" for everybody on this machine.

    It shows a stranger the login and ends the run. So a script that asks for the owner first shows nothing of
    anybody to a stranger.
    """
    if is_stranger():
        st.session_state.clear()
        show_login()
        st.stop()
    if not has_login():
        return LOCAL_OWNER
    person = identify(str(st.user["iss"]), str(st.user["sub"]))
    if st.session_state.setdefault(_OWNER, person) != person:  # the session was somebody else's
        st.session_state.clear()
        st.session_state[_OWNER] = person
    return person


def identify(issuer: str, subject: str) -> str:
    """The owner that stands for a person: a hash of what names one for ever, unlike an e-mail address."""
    # The length in front keeps other issuers and subjects from giving the same bytes.
    return hashlib.sha256(f"{len(issuer)} {issuer}{subject}".encode()).hexdigest()


def show_login() -> None:
    """Show a button for each provider of the login."""
    st.set_page_config(page_title="tritonchat", page_icon="💬", layout="centered")
    st.subheader("tritonchat", anchor=False)
    st.markdown("Log in to see your conversations.")
    for provider in find_providers():
        label = "Log in" if provider is None else f"Log in with {escape(provider.capitalize())}"
        st.button(label, icon=":material/login:", on_click=st.login, args=[provider])


def show_person() -> None:
    """Show who has logged in, and a button to log out; nothing without a login."""
    if has_login():
        name = next((str(st.user[key]) for key in ("name", "email", "sub") if st.user.get(key)), "")
        st.caption(f"Logged in as {escape(name)}")
        st.button("Log out", icon=":material/logout:", on_click=st.logout)


def find_providers() -> list[str | None]:
    """The providers in Streamlit's secrets; None stands for the one without a name."""
    auth = st.secrets["auth"]
    named = [name for name, value in auth.items() if isinstance(value, Mapping) and "client_id" in value]
    return ([None] if "client_id" in auth else []) + named


def find_zone() -> tzinfo | None:
    """The visitor's time zone; None: that of this machine."""
    try:
        return ZoneInfo(st.context.timezone) if st.context.timezone else None
    except (ZoneInfoNotFoundError, ValueError):
        return None
