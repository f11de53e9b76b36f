"""The web page for chats: a Streamlit script, which is a client of a tritonchat server."""
