"""The entry. `TRITONCHAT_SERVER=127.0.0.1:8001 python -m streamlit run streamlit_client/page.py` starts it.

Streamlit runs this script, and within it the file of the page that the address names, whenever a person does
something. `st.session_state` keeps values from run to run.
"""

import gc

import streamlit as st

from streamlit_client.shared.browser import show_browser_part
from streamlit_client.shared.callbacks import run_callbacks_to_their_end
from streamlit_client.shared.people import owner, show_person

# Title -> the file and the icon of a page. Links in the side bar have the icons: if pages had them,
# browsers would fetch them from fonts.gstatic.com for their tabs.
PAGES = {
    "Chat": ("chat/chat.py", ":material/forum:"),
    "Library": ("library/library.py", ":material/local_library:"),
    "Compare": ("compare/compare.py", ":material/compare:"),
    "Votes": ("compare/votes.py", ":material/leaderboard:"),
    "Engine": ("inspection/engine.py", ":material/speed:"),
    "Explain": ("inspection/explain.py", ":material/school:"),
    "Data": ("kept/data.py", ":material/database:"),
}


def main() -> None:
    """Run the page that the visitor has chosen. Each page sets its own width."""
    run_callbacks_to_their_end()
    pages = [st.Page(path, title=title, default=title == "Chat") for title, (path, _) in PAGES.items()]
    link = st.Page("chat/link_page.py", title="Link", url_path="link")  # which only links lead to
    page = st.navigation([*pages, link], position="hidden")
    owner()  # shows a stranger the login, and nothing else
    with st.sidebar:
        with st.container(key="pages"):
            for each in pages:
                st.page_link(each, icon=PAGES[each.title][1])
        show_person()
        show_browser_part()
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
