"""The watch list as the function that keeps house has it: rounds with lists made for them, on a directory."""

from contextlib import closing
from pathlib import Path

from footfall.accounts.brands import Brand
from footfall.app import wiring
from footfall.app.archive_opening import open_archive
from footfall.app.archive_watching_on_aws import WatchesOnAws
from footfall.app.settings import Settings
from footfall.archive import queueing
from footfall.archive.watch_store import WatchStore, new_watch
from footfall.catalog.asset import Asset
from tests.shells.http.stage import NOW_MS, staged


def test_a_round_asks_for_what_is_watched_and_read_most_once(tmp_path: Path) -> None:
    with staged(tmp_path, brands={"abc": Brand("abc")}) as stage:
        assets = [Asset(f"s{n}", address=f"https://news.example/{n}") for n in range(4)]
        with closing(wiring.open_catalog_table(stage.state.settings, stage.clock)) as table:
            wiring.Catalogue(table, stage.clock).put("abc", assets)
        stage.send(*({"brand": "abc", "assetId": f"s{n}"} for n in range(4) for _ in range(5 - n)))
        stage.count()
        settings: Settings = stage.state.settings
        with closing(open_archive(settings, stage.clock)) as opened:
            store = WatchStore(opened.archive.table)
            for number, rule in enumerate(
                (
                    {"kind": "page", "url": "https://news.example/", "everyMinutes": 15},
                    {"kind": "popular", "period": "day", "top": 3, "everyMinutes": 60},
                )
            ):
                new = new_watch(f"wa_{number}", "abc", by="operator", now_ms=NOW_MS)
                store.add(store.planned(new, {"rule": rule}, require_address=lambda _: None, periods=("day",)))
            watches = WatchesOnAws(settings, stage.state.store, opened.archive, stage.clock)
            assert [watches.run(lambda: False) for _ in range(2)] == [4, 0]
            asked = {one.request.url for one in queueing.waiting(opened.archive.table, limit=10)}
        assert asked == {"https://news.example/", *(f"https://news.example/{n}" for n in range(3))}
