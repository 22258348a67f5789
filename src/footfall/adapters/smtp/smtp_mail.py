"""Mail through a server that speaks SMTP, as the standard library does; one connection for each letter."""

import smtplib
import ssl
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid, parseaddr
from typing import Literal

from footfall.ports.mail import Letter, NotMailed
from footfall.values.clock import Clock

TIMEOUT_S = 10.0

Security = Literal["starttls", "tls", "none"]


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """Where mail is handed over, and as whom."""

    host: str
    port: int
    security: Security = "starttls"
    user: str = ""
    password: str = field(default="", repr=False)
    trusts: ssl.SSLContext | None = None  # None: what the machine trusts


class SmtpMail:
    """Hands letters over to a mail server."""

    def __init__(self, server: SmtpServer, *, sender: str, clock: Clock) -> None:
        self._server = server
        self._sender = sender
        self._clock = clock

    def send(self, letter: Letter) -> None:
        """Hand a letter over, or raise NotMailed."""
        message = EmailMessage(policy=SMTP)
        message["From"], message["To"], message["Subject"] = self._sender, letter.to, letter.subject
        # Without these two a letter looks like junk to many servers, and this machine's name is nobody's business.
        message["Date"] = formatdate(self._clock.now_ms() / 1_000)
        message["Message-ID"] = make_msgid(domain=parseaddr(self._sender)[1].rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"  # So that nobody's absence is told to us.
        message.set_content(letter.text)
        with self._connected() as line:
            line.send_message(message, self._sender, [letter.to])

    def try_out(self) -> None:
        """Do all that sending does but for the letter itself."""
        with self._connected() as line:
            line.ehlo_or_helo_if_needed()
            line.noop()

    @contextmanager
    def _connected(self) -> Generator[smtplib.SMTP]:
        server = self._server
        context = server.trusts or ssl.create_default_context()
        try:
            if server.security == "tls":
                line = smtplib.SMTP_SSL(server.host, server.port, timeout=TIMEOUT_S, context=context)
            else:
                line = smtplib.SMTP(server.host, server.port, timeout=TIMEOUT_S)
            with line:
                if server.security == "starttls":
                    line.starttls(context=context)
                if server.user:
                    line.login(server.user, server.password)
                yield line
        except (OSError, smtplib.SMTPException) as error:
            raise NotMailed(f"{server.host} port {server.port} did not take the mail: {error}") from error
