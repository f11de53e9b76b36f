"""The entry. `TRITONCHAT_SERVER=127.0.0.1:8001 python -m streamlit run streamlit_client/page.py` starts it.

Streamlit runs this script, and within it the file of the page that the address names, whenever a person does
something. `st.session_state` keeps values from run to run.
"""

import streamlit as st


def main() -> None:
    """Run the page that the visitor has chosen. Each page sets its own width."""
    st.navigation([st.Page("pages/chat.py", title="Chat", icon=":material/forum:", default=True)]).run()


main()
