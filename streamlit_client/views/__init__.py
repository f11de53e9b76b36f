"""The pages between which the menu chooses. Streamlit runs each file as a script.

The folder is not called `pages`: Streamlit shows the files of such a folder to the first visitors without
page.py, so without its menu and its login.
"""
