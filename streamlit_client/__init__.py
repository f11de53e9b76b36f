"""The page people chat on: a Streamlit script in front of a tritonchat server."""
