"""The pages between which the menu chooses. Streamlit runs each file as a script."""
