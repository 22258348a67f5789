"""Links that people get by mail, through a real mail server."""

from pathlib import Path

import pytest

from footfall.app.logs import TextLines
from footfall.app.people_links import link_to
from footfall.app.settings import Settings
from footfall.shells.http.password import send_link
from footfall.shells.http.reception import Reception
from tests.engines.smtp import Mailbox, mail_server
from tests.shells.http.people_stage import PASSWORD, Browser, set_up
from tests.shells.http.stage import Stage, staged

URL = "https://footfall.example.com"


def mailing(box: Mailbox) -> dict[str, object]:
    return {
        "smtp_host": "127.0.0.1",
        "smtp_port": box.port,
        "smtp_security": "none",
        "smtp_from": "footfall@example.com",
        "people_url": URL,
    }


def waited(stage: Stage, box: Mailbox, letters: int) -> None:
    while len(box.letters) < letters or box.said[-1] != "QUIT":  # The answer did not wait for it.
        Browser(stage).ask("GET", "/v1/session")


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """Return the log as an operator reads it."""
    return "\n".join(map(TextLines("front").format, caplog.records))


def link_in(letter: str, page: str) -> str:
    return letter.replace("=\r\n", "").replace("=3D", "=").partition(f"{URL}/{page}#")[2].split()[0]


def test_an_invitation_and_a_reset_arrive_by_mail_and_are_not_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    with mail_server() as box, staged(tmp_path, brands={}, **mailing(box)) as stage:
        owner = set_up(stage, brand="abc")
        made = owner.ask("POST", "/v1/invitations", {"brand": "abc", "role": "viewer", "email": "vera@example.com"})
        assert made.json()["isMailed"] is True
        assert made.json()["link"].startswith(f"{URL}/invitation#abc~")
        vera = {"email": "vera@example.com", "password": PASSWORD, "name": "Vera"}
        token = link_in(box.letters[0], "invitation")
        assert Browser(stage).ask("POST", "/v1/invitations/accept", {"token": token, **vera}).status == 201
        evil = {"host": "evil.example", "origin": "http://evil.example"}
        assert Browser(stage).ask("POST", "/v1/password/reset", {"email": "vera@example.com"}, evil).status == 202
        waited(stage, box, 2)
        token = link_in(box.letters[1], "reset")
        sent = {"token": token, "password": "two horses that read"}
        assert Browser(stage).ask("POST", "/v1/password/reset/accept", sent).status == 200
    assert box.recipients == ["vera@example.com", "vera@example.com"]
    assert "evil" not in "".join(box.letters)
    assert "#p_" not in logged(caplog)


def test_a_server_that_takes_no_mail_leaves_the_link_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    with mail_server(refuses=True) as box, staged(tmp_path, brands={}, **mailing(box)) as stage:
        set_up(stage)
        assert Browser(stage).ask("POST", "/v1/password/reset", {"email": "owner@example.com"}).status == 202
        while f"{URL}/reset#p_" not in logged(caplog):
            Browser(stage).ask("GET", "/v1/session")
    assert "did not take the mail" in logged(caplog)


def test_a_logged_link_can_be_opened_although_its_host_is_an_address(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    with staged(tmp_path, brands={}, http_host="127.0.0.1", http_port=8899) as stage:
        set_up(stage)
        assert Browser(stage).ask("POST", "/v1/password/reset", {"email": "owner@example.com"}).status == 202
        while "/reset#p_" not in logged(caplog):
            Browser(stage).ask("GET", "/v1/session")
        token = logged(caplog).partition("link=http://127.0.0.1:8899/reset#")[2].split()[0]
        sent = {"token": token, "password": "two horses that read"}
        assert Browser(stage).ask("POST", "/v1/password/reset/accept", sent).status == 200


@pytest.mark.parametrize(
    ("host", "opened"),
    [("0.0.0.0", "localhost"), ("::", "localhost"), ("::1", "[::1]"), ("news.example", "news.example")],
)
def test_a_link_names_a_host_that_a_browser_can_open(host: str, opened: str) -> None:
    assert link_to(Settings(http_host=host, http_port=8899), "reset", "t") == f"http://{opened}:8899/reset#t"


def test_for_somebody_unknown_the_server_is_asked_where_an_answer_waits_for_it_and_nothing_is_sent(
    tmp_path: Path,
) -> None:
    with mail_server() as box, staged(tmp_path, brands={}, **mailing(box)) as stage:
        reception = Reception(stage.state)
        stage.runner.run(send_link(reception, "nobody@example.com", is_waited_for=False))
        assert box.said == []
        stage.runner.run(send_link(reception, "nobody@example.com", is_waited_for=True))
    assert (box.letters, box.said) == ([], ["EHLO", "NOOP", "QUIT"])
