"""The web page for chats: a Streamlit script, which is a client of a tritonchat server.

Nothing here knows models but by what the server says of them.

No folder is called `pages`: Streamlit would show its files to the first visitors without page.py, so
without its menu and its login.
"""
