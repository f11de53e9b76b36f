"""The login of the page, with a real OpenID Connect provider, and what happens without one."""

import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import oidc_provider_mock
import pytest
from browsing import FIGURES, answers, ask, button, line, running_page
from click.testing import CliRunner
from conftest import Server
from paths import ROOT
from streamlit.testing.v1 import AppTest
from support import free_port

from model_core.errors import TritonchatError
from streamlit_client.shared.people import identify
from triton_server.cli.tritonchat import cli
from triton_server.launch.page_login import read_login

playwright = pytest.importorskip("playwright.sync_api")
expect, Page = playwright.expect, playwright.Page

ISSUER = "https://accounts.example"


def write_login(file: Path, port: int, provider: str) -> Path:
    """The settings of a login for the page at a port of this machine."""
    file.write_text(
        f"""[auth]
redirect_uri = "http://localhost:{port}/oauth2callback"
cookie_secret = "{secrets.token_hex(32)}"
client_id = "tritonchat"
client_secret = "{secrets.token_hex(16)}"
server_metadata_url = "{provider}/.well-known/openid-configuration"
"""
    )
    return file


def show_owner() -> None:
    """A page that shows who its visitor is."""
    import streamlit as st

    from streamlit_client.shared.people import owner, show_person

    person = owner()
    st.session_state.setdefault("texts", []).append("seen")
    st.text(person)
    st.text(len(st.session_state.texts))
    show_person()


def test_without_login_everybody_is_one_person():
    page = AppTest.from_function(show_owner).run()
    assert not page.exception
    assert [text.value for text in page.text] == ["", "1"]
    assert not page.button


def test_stranger_sees_only_the_login():
    page = AppTest.from_function(show_owner)
    page.secrets["auth"] = {"client_id": "1", "google": {"client_id": "2"}, "cookie_secret": "x"}
    page.user = {"is_logged_in": False}
    page.session_state["texts"] = ["of somebody else"]
    page.run()
    assert not page.exception
    assert not page.text
    assert [button.label for button in page.button] == ["Log in", "Log in with Google"]
    assert "texts" not in page.session_state


def test_person_is_the_issuers_subject():
    page = AppTest.from_function(show_owner)
    page.user = {"is_logged_in": True, "iss": ISSUER, "sub": "7", "name": "Ada *Lovelace*"}
    page.run()
    assert [text.value for text in page.text] == [identify(ISSUER, "7"), "1"]
    assert page.caption[0].value == r"Logged in as Ada \*Lovelace\*"
    page.run()
    assert page.text[1].value == "2"  # the session goes on
    page.user = {"is_logged_in": True, "iss": ISSUER, "sub": "8", "email": "eve@example.com"}
    page.run()  # somebody else in the same session: it begins anew
    assert [text.value for text in page.text] == [identify(ISSUER, "8"), "1"]


def test_no_page_is_shown_without_the_entry():
    """Streamlit shows the files of such a folder to the first visitors, and does not run page.py."""
    assert not (ROOT / "streamlit_client" / "pages").exists()


def test_owners_differ_and_stay():
    people = [("https://a.example", "1"), ("https://a.example", "2"), ("https://b.example", "1")]
    people += [("https://a.example1", ""), ("https://a.exampl", "e1")]
    assert len({identify(*person) for person in people}) == len(people)
    assert identify("https://a.example", "1") == (
        "c9ffaa9fa4d2f028e6df6b125808d4cb5c7732122a0b5b7e8cb7dbd9cceed63b"
    )


PROVIDER = "client_id = '1'\nclient_secret = '2'\nserver_metadata_url = 'u'\n"


def section(redirect: str = "x", secret: str = "tell nobody") -> str:
    return f"[auth]\nredirect_uri = '{redirect}'\ncookie_secret = '{secret}'\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[auth", "cannot be read as TOML"),
        ("", r"no section \[auth\]"),
        ("auth = 3", r"no section \[auth\]"),
        ("[auth]\nredirect_uri = 3\n", r"\[auth\] needs redirect_uri, cookie_secret"),
        (section(), "needs client_id, client_secret, server_metadata_url"),
        (
            section() + "[auth.okta]\nclient_id = '1'",
            r"\[auth.okta\] needs client_secret, server_metadata_url",
        ),
        (section() + "[auth.my_own]\n" + PROVIDER, "without an underscore"),
        (section() + PROVIDER, "at least 32 random characters"),
        (section(secret="s" * 32) + PROVIDER, "redirect_uri must be the address of the page"),
    ],
)
def test_wrong_settings_are_named(text: str, message: str, tmp_path: Path):
    file = tmp_path / "secrets.toml"
    file.write_text(text)
    with pytest.raises(TritonchatError, match=message) as refusal:
        read_login(file)
    assert "tell nobody" not in str(refusal.value)


def test_address_of_the_page_is_that_of_the_login(tmp_path: Path):
    assert read_login(write_login(tmp_path / "secrets.toml", 8501, ISSUER)) == "http://localhost:8501"


def test_command_line_checks_the_login_first(tmp_path: Path):
    file = tmp_path / "secrets.toml"
    file.write_text(section() + PROVIDER)
    for command in ("up", "ui"):
        result = CliRunner().invoke(cli, [command, "--host", "0.0.0.0", "--login", str(file)])
        assert "at least 32 random characters" in str(result.exception)


@pytest.fixture
def provider() -> Iterator[str]:
    """A provider that knows Ada and Eve."""
    people = [oidc_provider_mock.User(sub=name, claims={"name": name.title()}) for name in ("ada", "eve")]
    with oidc_provider_mock.run_server_in_thread(user_claims=people) as server:
        yield f"http://localhost:{server.server_port}"


def test_two_people_do_not_see_each_others_chats(
    visit: Callable[..., Page], server: Server, provider: str, tmp_path: Path
):
    port = free_port()
    login = write_login(tmp_path / "secrets.toml", port, provider)
    with running_page(server.grpc_url, tmp_path, port, login):
        address = f"http://localhost:{port}"

        def log_in(name: str) -> Page:
            page = visit(address, has_line=False)
            expect(page.get_by_text("Log in to see your conversations.")).to_be_visible()
            expect(line(page)).to_have_count(0)
            button(page, "Log in").click()
            page.get_by_role("button", name=name).click()  # at the provider
            expect(page.get_by_text(f"Logged in as {name.title()}")).to_be_visible()
            return page

        ada = log_in("ada")
        ask(ada, "My name is Ada and I live in Ulm.")
        expect(answers(ada)).to_contain_text(FIGURES)
        expect(ada).to_have_url(re.compile(r"\?chat="))
        sidebar = ada.get_by_test_id("stSidebar")
        expect(
            sidebar.get_by_role("button", name="My name is Ada and I live in Ulm.", exact=True)
        ).to_be_visible()

        eve = log_in("eve")
        expect(line(eve)).to_be_visible()
        expect(eve.get_by_test_id("stSidebar").get_by_text("My name is Ada")).to_have_count(0)
        eve.goto(ada.url)  # the address of Ada's conversation
        expect(eve.get_by_text("Logged in as Eve")).to_be_visible()
        expect(eve.get_by_role("alert")).to_be_visible()
        expect(eve.get_by_text("My name is Ada")).to_have_count(0)

        ada.reload()
        expect(answers(ada)).to_contain_text(FIGURES)
        button(ada, "Log out").click()
        ada.wait_for_url(re.compile("end_session"))  # of the provider
        ada.goto(address)
        expect(ada.get_by_text("Log in to see your conversations.")).to_be_visible()
