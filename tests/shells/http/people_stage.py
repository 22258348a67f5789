"""People on a stage: browsers that keep their cookie, and repeat what a session tells them."""

import re
from dataclasses import dataclass, field
from typing import Any

import msgspec

from footfall.accounts.sessions import COOKIE
from tests.shells.http.stage import Reply, Stage

PASSWORD = "a horse that reads"
SITE = {"host": "footfall.example.com", "origin": "http://footfall.example.com"}
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@dataclass(slots=True)
class Browser:
    """One browser of one person."""

    stage: Stage
    cookie: str = ""
    csrf: str = ""
    last: Reply | None = field(default=None, repr=False)

    def ask(self, method: str, target: str, document: Any = None, headers: dict[str, str] | None = None) -> Reply:
        """Send what a page of ours would send."""
        sent = {**SITE, "user-agent": AGENT, **({"cookie": f"{COOKIE}={self.cookie}"} if self.cookie else {})}
        if self.csrf and method != "GET":
            sent["x-footfall-csrf"] = self.csrf
        body = b"" if document is None else msgspec.json.encode(document)
        reply = self.stage.ask(target, method=method, headers={**sent, **(headers or {})}, body=body)
        self._keep(reply)
        return reply

    def _keep(self, reply: Reply) -> None:
        set_cookie = reply.headers.get("set-cookie", "")
        if found := re.fullmatch(rf"{COOKIE}=([^;]*); Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=\d+", set_cookie):
            self.cookie = found[1]
            self.csrf = reply.json().get("csrf") or ""


def set_up(stage: Stage, **more: Any) -> Browser:
    """Return the browser of the first owner."""
    code = stage.runner.run(stage.state.desk.look(lambda register: register.people.setup_code()))
    browser = Browser(stage)
    person = {"email": "Owner@Example.com", "password": PASSWORD, "name": "Olga Owner"}
    reply = browser.ask("POST", "/v1/setup", {"code": code, **person, **more})
    assert reply.status == 201, reply.text
    return browser


def invited(owner: Browser, brand: str, role: str, email: str) -> Browser:
    """Return the browser of somebody who took an invitation."""
    made = owner.ask("POST", "/v1/invitations", {"brand": brand, "role": role})
    assert made.status == 201, made.text
    browser = Browser(owner.stage)
    token = made.json()["link"].partition("#")[2]
    person = {"email": email, "password": PASSWORD, "name": email.partition("@")[0].title()}
    reply = browser.ask("POST", "/v1/invitations/accept", {"token": token, **person})
    assert reply.status == 201, reply.text
    return browser
