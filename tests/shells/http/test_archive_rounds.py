"""Rounds of the watch list in an instance: what editors watch is asked for, and its changes are told by alerts."""

from pathlib import Path

from footfall.shells.http.archive_rounds import WatchRounds
from tests.shells.http.archive_stage import BRAND, archive_staged

OF = f"?brand={BRAND}"
QUARTER_MS = 15 * 60_000


def test_a_watched_page_is_asked_for_by_rounds_and_its_change_is_told(tmp_path: Path) -> None:
    with archive_staged(tmp_path) as ground:
        stage, eve, owner = ground.stage, ground.people["eve"], ground.people["owner"]

        async def made() -> WatchRounds:
            return WatchRounds(stage.state)

        rounds = stage.runner.run(made())
        alert = {"name": "Changes", "kind": "page-changes", "webhooks": ["https://hooks.example.com/x"]}
        alert_id = owner.ask("POST", f"/v1/alerts{OF}", alert).json()["id"]
        rule = {"kind": "page", "url": "https://news.example/", "everyMinutes": 15}
        watch = eve.ask("POST", f"/v1/archive/watches{OF}", {"rule": rule, "alert": {"places": [alert_id]}}).json()
        begin_ms, kept = stage.clock.now_ms(), None
        for number, text in enumerate(("Harbour open", "Harbour closed")):
            stage.clock.set(begin_ms + number * QUARTER_MS)
            assert stage.runner.run(rounds.round()) == 1
            assert stage.runner.run(rounds.round()) == 0
            kept = ground.work(text)
            stage.runner.run(rounds.round())
        (told,) = owner.ask("GET", f"/v1/alerts/history{OF}").json()["items"]
        assert (told["type"], told["alert"]["id"]) == ("page-changed", alert_id)
        assert kept is not None
        assert (told["about"]["added"], told["about"]["capture"]) == (["Harbour closed"], kept.id)
        seen = ground.people["bob"].ask("GET", f"/v1/archive/library{OF}&of=brand").json()["captures"]
        assert [one["by"] for one in seen] == [f"watch:{watch['id']}"] * 2
        after = eve.ask("GET", f"/v1/archive/watches/{watch['id']}{OF}").json()
        assert (after["says"], after["lastAt"] < after["nextAt"]) == ("Asked for 1 page.", True)
