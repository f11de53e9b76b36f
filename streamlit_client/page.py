"""The entry. `TRITONCHAT_SERVER=127.0.0.1:8001 python -m streamlit run streamlit_client/page.py` starts it.

Streamlit runs this script, and within it the file of the page that the address names, whenever a person does
something. `st.session_state` keeps values from run to run.
"""

import gc

import streamlit as st

from streamlit_client.shared.people import is_stranger, owner, show_person


def main() -> None:
    """Run the page that the visitor has chosen. Each page sets its own width."""
    pages = [
        st.Page("chat/chat.py", title="Chat", icon="💬", default=True),
        st.Page("compare/compare.py", title="Compare", icon=":material/compare:"),
        st.Page("compare/votes.py", title="Votes", icon=":material/leaderboard:"),
        st.Page("inspection/engine.py", title="Engine", icon=":material/speed:"),
        st.Page("inspection/explain.py", title="Explain", icon=":material/school:"),
    ]
    page = st.navigation(pages, position="hidden" if is_stranger() else "sidebar")
    owner()  # shows a stranger the login, and nothing else
    with st.sidebar:
        show_person()
    page.run()
    leave_out_of_collections(page.title)


@st.cache_resource(show_spinner=False)
def leave_out_of_collections(page: str) -> None:
    """Let garbage collections pass over all that is loaded now; once for each page, as each loads modules.

    Streamlit collects garbage after each run of a script, and meanwhile no thread of this process goes on.
    With all modules that takes 50 ms or more: the answers of all visitors would halt when anybody clicks.
    """
    gc.collect()
    gc.freeze()


main()
