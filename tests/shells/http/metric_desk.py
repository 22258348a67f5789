"""An editor who works on metrics over HTTP, in a brand of a test's own."""

import json
from typing import Any

from footfall.accounts.brands import Brand
from tests.shells.http.stage import Reply, Stage


class Desk:
    """An editor of one brand at the front."""

    def __init__(self, stage: Stage, brand: str, *scopes: str) -> None:
        self._stage = stage
        self.brand = brand
        made = stage.runner.run(stage.state.desk.change(brand, lambda one: one.add_secret_key(brand, scopes)))
        self.headers = {"authorization": f"Bearer {made.text}"}

    def ask(self, method: str, target: str, body: Any = None, **headers: str) -> Reply:
        sent = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        data = b"" if body is None else json.dumps(body).encode()
        return self._stage.ask(f"/v1/metrics{target}", method=method, headers=sent, body=data)

    def add(self, name: str, formula: str = "", **more: Any) -> Reply:
        kind = {"valueType": "HYBRID", "hybridFormula": formula} if formula else {"valueType": "SCALAR"}
        return self.ask("POST", "", {"name": name, **kind, **more})

    def json(self, target: str) -> dict[str, Any]:
        reply = self.ask("GET", target)
        assert reply.status == 200, reply.text
        return reply.json()


def new_desk(stage: Stage, test: str) -> Desk:
    """Make a brand for a test, and return whoever may do everything with its metrics."""
    name = f"b{abs(hash(test)) % 10**12}"
    stage.runner.run(stage.state.desk.change(name, lambda one: one.add(Brand(name), zone_in_use=None)))
    return Desk(stage, name, "edit", "read", "admin")
