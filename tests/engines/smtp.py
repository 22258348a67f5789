"""A mail server for tests that speaks SMTP: it keeps what it is handed, and asks for a name where it is told to."""

import base64
import socketserver
import ssl
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass(slots=True)
class Mailbox:
    """What a server has taken, and how it behaves."""

    port: int = 0
    letters: list[str] = field(default_factory=list[str])
    recipients: list[str] = field(default_factory=list[str])
    said: list[str] = field(default_factory=list[str])  # commands, without what was logged in with
    login: str = ""  # as name:password; empty: nobody has to
    refuses: bool = False
    tls: ssl.SSLContext | None = None  # With it, STARTTLS is offered.


class _Talk(socketserver.StreamRequestHandler):
    mailbox: Mailbox
    is_known = False

    def handle(self) -> None:
        with suppress(OSError):  # Whoever does not trust the certificate goes away.
            self._talk()

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()
        self.request.close()

    def _talk(self) -> None:
        self._say("220 mail.test ESMTP")
        while line := self.rfile.readline():
            words = line.decode().strip()
            verb = words.partition(" ")[0].upper()
            self.mailbox.said.append(verb)
            if verb == "QUIT":
                self._say("221 bye")
                return
            self._answer(verb, words)

    def _answer(self, verb: str, words: str) -> None:
        box = self.mailbox
        if verb == "EHLO":
            offers = [*(["STARTTLS"] if box.tls and not isinstance(self.request, ssl.SSLSocket) else []), "AUTH PLAIN"]
            self._say("\r\n".join(["250-mail.test", *(f"250-{one}" for one in offers), "250 8BITMIME"]))
        elif verb == "STARTTLS" and box.tls:
            self._say("220 go on")
            self.request = box.tls.wrap_socket(self.request, server_side=True)
            self.rfile, self.wfile = self.request.makefile("rb"), self.request.makefile("wb", 0)
        elif verb == "AUTH":
            sent = base64.b64decode(words.split()[-1]).decode().replace("\0", ":").lstrip(":")
            self.is_known = sent == box.login
            self._say("235 hello" if self.is_known else "535 who are you?")
        elif verb == "DATA":
            self._take()
        elif verb == "RCPT" and (box.refuses or (box.login and not self.is_known)):
            self._say("550 not here")
        else:
            if verb == "RCPT":
                box.recipients.append(words.partition("<")[2].partition(">")[0])
            self._say("250 well")

    def _take(self) -> None:
        self._say("354 go on")
        lines: list[str] = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.decode())
        self.mailbox.letters.append("".join(lines))
        self._say("250 taken")

    def _say(self, text: str) -> None:
        self.wfile.write(text.encode() + b"\r\n")


@contextmanager
def mail_server(**more: object) -> Generator[Mailbox]:
    """Run a mail server for as long as the block lasts."""
    mailbox = Mailbox(**more)  # pyright: ignore[reportArgumentType] - what a test says of it
    talk = type("Talk", (_Talk,), {"mailbox": mailbox})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), talk) as server:
        server.daemon_threads = True
        mailbox.port = server.server_address[1]
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        try:
            yield mailbox
        finally:
            server.shutdown()
            serving.join()
