"""A click that comes while the callback of another one runs."""

from streamlit.testing.v1 import AppTest

from streamlit_client.shared.callbacks import run_callbacks_to_their_end


def _script() -> None:
    import streamlit as st
    from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

    def click() -> None:
        context = get_script_run_ctx()
        assert context is not None
        runner = context.session_state._yield_callback.__self__
        runner.request_rerun(RerunData())  # what the browser's next request does
        st.session_state.is_set = True
        st.query_params["seen"] = "yes"  # which is sent, as an element is
        st.session_state.runs_before = st.session_state.runs

    st.session_state.runs = st.session_state.get("runs", 0) + 1
    st.button("Click", on_click=click)


def test_next_click_does_not_end_a_callback():
    run_callbacks_to_their_end()
    app = AppTest.from_function(_script, default_timeout=60).run()
    app.button[0].click().run()
    assert not app.exception
    assert app.session_state.is_set and app.session_state.runs_before == 1
    assert app.session_state.runs == 2  # and its run, which came to nothing, is the next one
