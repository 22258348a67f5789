"""Webhooks to a real receiver: what comes back, an end to what is slow, and no way to where nobody may go."""

import socket
import ssl
import subprocess
import threading
from pathlib import Path

import pytest

from footfall.adapters.web.http_webhooks import HttpWebhooks
from footfall.ports.webhooks import NotAPlace, NotPosted, Post
from tests.engines.webhook import webhook_receiver

BODY = b'{"id":"evt_1"}'


def anywhere(_address: str, _port: int, _is_secure: bool) -> bool:
    return True


def test_a_message_arrives_as_it_is_with_its_headers_and_what_came_back_is_told() -> None:
    with webhook_receiver() as receiver:
        receiver.answers = [(429, {"Retry-After": "7"})]
        posted = HttpWebhooks(anywhere).post(Post(f"{receiver.url}?a=b", BODY, {"Content-Type": "application/json"}))
    assert (posted.status, posted.reason, posted.retry_after) == (429, "Too Many Requests", "7")
    assert receiver.bodies == [BODY]
    assert receiver.paths == ["/hook?a=b"]
    assert receiver.headers[0]["user-agent"].startswith("footfall/")
    assert receiver.headers[0]["host"] == f"127.0.0.1:{receiver.port}"
    assert receiver.headers[0]["content-type"] == "application/json"


def test_a_redirect_is_not_followed() -> None:
    with webhook_receiver() as elsewhere, webhook_receiver() as receiver:
        receiver.answers = [(307, {"Location": elsewhere.url})]
        assert HttpWebhooks(anywhere).post(Post(receiver.url, BODY)).status == 307
    assert elsewhere.bodies == []


def test_an_answer_that_comes_a_byte_at_a_time_ends_with_its_time() -> None:
    with webhook_receiver() as receiver:
        receiver.drips_s = 0.02
        # Without its end it would go on for as long as the receiver likes.
        with pytest.raises(NotPosted, match="no answer within"):
            HttpWebhooks(anywhere, timeout_s=0.3).post(Post(receiver.url, BODY))


def test_a_handshake_that_never_ends_ends_with_its_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        held: list[socket.socket] = []
        thread = threading.Thread(target=lambda: held.append(server.accept()[0]), daemon=True)
        thread.start()
        with pytest.raises(NotPosted):
            HttpWebhooks(anywhere, timeout_s=0.3).post(Post(f"https://127.0.0.1:{port}/", BODY))
        thread.join(5)
        for one in held:
            one.close()


def test_nobody_is_connected_to_whom_the_rule_does_not_allow() -> None:
    asked: list[tuple[str, int, bool]] = []

    def nowhere(address: str, port: int, is_secure: bool) -> bool:
        asked.append((address, port, is_secure))
        return False

    with webhook_receiver() as receiver, pytest.raises(NotAPlace):
        HttpWebhooks(nowhere).post(Post(receiver.url, BODY))
    assert asked == [("127.0.0.1", receiver.port, False)]
    assert receiver.bodies == []


def test_a_name_is_connected_to_as_it_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that leads elsewhere at the second look must lead nowhere else."""
    with webhook_receiver() as receiver:
        answers = ["127.0.0.1", "203.0.113.7"]
        found = socket.getaddrinfo

        def changing(host: str, *rest: object, **more: object) -> object:
            return found(answers.pop(0) if host == "hooks.example" else host, *rest, **more)  # pyright: ignore[reportArgumentType]

        monkeypatch.setattr(socket, "getaddrinfo", changing)
        posted = HttpWebhooks(lambda address, _port, _is_secure: address == "127.0.0.1").post(
            Post(f"http://hooks.example:{receiver.port}/hook", BODY)
        )
    assert posted.status == 200
    assert answers == ["203.0.113.7"]


def test_nothing_that_answers_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(NotPosted):
        HttpWebhooks(anywhere).post(Post(f"http://127.0.0.1:{port}/", BODY))


def test_a_receiver_is_reached_by_tls_when_its_certificate_is_trusted_and_not_otherwise(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
         key, "-out", certificate, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    trusts = ssl.create_default_context(cafile=str(certificate))
    with webhook_receiver(tls=context) as receiver:
        assert HttpWebhooks(anywhere, trusts=trusts).post(Post(receiver.url, BODY)).status == 200
        with pytest.raises(NotPosted, match="certificate"):
            HttpWebhooks(anywhere).post(Post(receiver.url, BODY))
    assert receiver.bodies == [BODY]
