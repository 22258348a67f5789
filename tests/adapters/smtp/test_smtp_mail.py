"""Letters reach a real mail server, or the sender is told why not."""

import email
import socket
import ssl
import subprocess
from email.policy import default
from pathlib import Path

import pytest

from footfall.adapters.smtp.smtp_mail import SmtpMail, SmtpServer
from footfall.ports.mail import Letter, NotMailed
from footfall.values.clock import SetClock
from tests.engines.smtp import mail_server

LETTER = Letter("ann@example.com", "Grüße", "Ein Link:\n\nhttps://footfall.example.com/reset#p_x~secret\n.\nEnde\n")


def mail(server: SmtpServer) -> SmtpMail:
    return SmtpMail(server, sender="footfall@example.com", clock=SetClock(1_794_744_000_250))


def test_a_letter_arrives_as_it_was_written() -> None:
    with mail_server() as box:
        mail(SmtpServer("127.0.0.1", box.port, "none")).send(LETTER)
    assert box.recipients == ["ann@example.com"]
    message = email.message_from_string(box.letters[0], policy=default)
    assert (message["From"], message["To"], message["Subject"]) == ("footfall@example.com", "ann@example.com", "Grüße")
    assert message["Auto-Submitted"] == "auto-generated"
    assert "https://footfall.example.com/reset#p_x~secret" in message.get_content()


def test_every_letter_says_when_it_was_written_and_has_a_name_of_its_own_at_the_senders_domain() -> None:
    with mail_server() as box:
        for _ in range(2):
            mail(SmtpServer("127.0.0.1", box.port, "none")).send(LETTER)
    first, second = (email.message_from_string(one, policy=default) for one in box.letters)
    assert first["Date"] == "Sun, 15 Nov 2026 12:00:00 -0000"
    assert first["Message-ID"].endswith("@example.com>")
    assert first["Message-ID"] != second["Message-ID"]


def test_a_server_that_asks_who_it_is_is_told() -> None:
    with mail_server(login="user:pass") as box:
        mail(SmtpServer("127.0.0.1", box.port, "none", "user", "pass")).send(LETTER)
        with pytest.raises(NotMailed, match="did not take"):
            mail(SmtpServer("127.0.0.1", box.port, "none", "user", "wrong")).send(LETTER)
    assert len(box.letters) == 1


def test_trying_out_sends_nothing_and_does_the_rest() -> None:
    with mail_server(login="user:pass") as box:
        mail(SmtpServer("127.0.0.1", box.port, "none", "user", "pass")).try_out()
    assert box.letters == []
    assert box.said == ["EHLO", "AUTH", "NOOP", "QUIT"]


def test_a_password_is_not_sent_to_a_server_without_encryption_when_it_is_asked_for() -> None:
    with mail_server(login="user:pass") as box:
        for security in ("starttls", "tls"):
            with pytest.raises(NotMailed):
                mail(SmtpServer("127.0.0.1", box.port, security, "user", "pass")).send(LETTER)
    assert "AUTH" not in box.said
    assert "pass" not in repr(SmtpServer("127.0.0.1", 25, password="pass"))


def test_a_server_whose_certificate_is_trusted_gets_it_encrypted(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
         key, "-out", certificate, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    trusts = ssl.create_default_context(cafile=str(certificate))
    with mail_server(tls=context, login="user:pass") as box:
        mail(SmtpServer("127.0.0.1", box.port, "starttls", "user", "pass", trusts)).send(LETTER)
        with pytest.raises(NotMailed):
            mail(SmtpServer("127.0.0.1", box.port, "starttls", "user", "pass")).send(LETTER)
    assert len(box.letters) == 1


def test_a_server_that_refuses_or_is_not_there_is_told_of() -> None:
    with mail_server(refuses=True) as box, pytest.raises(NotMailed, match="did not take"):
        mail(SmtpServer("127.0.0.1", box.port, "none")).send(LETTER)
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        port = int(line.getsockname()[1])
    with pytest.raises(NotMailed):
        mail(SmtpServer("127.0.0.1", port, "none")).send(LETTER)
