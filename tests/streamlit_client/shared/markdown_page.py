"""A page with many texts, each sanitized as a model's text is; with `?raw=1` they are not."""

import json
import os
from pathlib import Path

import streamlit as st

from streamlit_client.shared.markdown import sanitize

show = str if st.query_params.get("raw") else sanitize
for text in json.loads(Path(os.environ["TEXTS"]).read_text()):
    st.markdown(show(text))
st.text("That is all.")
