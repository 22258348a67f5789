"""An import while no instance runs is the instance: each stretch of a log is stored once and counted."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from footfall.accounts.brands import Brand, UnknownBrand
from footfall.app import wiring
from footfall.app.import_stretches import NotAFingerprint, OutOfStep, StretchTooLong
from footfall.app.importing import ImportDone, ImportedHits, open_import, opened_places
from footfall.app.lock import InUse, take_lock
from footfall.app.settings import Settings
from footfall.catalog.asset import Asset
from footfall.flow.store.checkpoints import Lines, load_checkpoint
from footfall.flow.store.columns import CountKey, rows
from footfall.flow.store.merging import merge
from footfall.flow.store.summaries import Summaries
from footfall.values.clock import SystemClock
from footfall.values.window import DAY_MS, Grain, window_of

CLOCK = SystemClock()
LOG, OTHER_LOG = b"0123456789abcdef", b"fedcba9876543210"
LONG_AGO_MS = CLOCK.now_ms() - 700 * DAY_MS


def settings_in(folder: Path, **changes: object) -> Settings:
    brands = {"abc": Brand("abc"), "xyz": Brand("xyz", unlabelled="hold")}
    return Settings(data_dir=str(folder), brands=brands, **changes)  # pyright: ignore[reportArgumentType]


def hits_of(*assets: str, at_ms: int = LONG_AGO_MS, resource_type: str = "article") -> ImportedHits:
    keys = [(asset, "news", resource_type, "free") for asset in assets]
    return ImportedHits(keys, [at_ms] * len(assets), [b"12345678"] * len(assets))


def counted(folder: Path, at_ms: int = LONG_AGO_MS, brand: str = "abc") -> dict[CountKey, int]:
    with closing(wiring.open_store(settings_in(folder), CLOCK, read_only=True)) as table:
        parts = Summaries(table, CLOCK).live(brand, window_of(at_ms, Grain.DAY, "UTC"))
        return {
            (row.asset, row.slice[0], row.slice[1], row.slice[2]): row.hits
            for row in rows(merge([part.columns for part in parts]))
        }


def lines_of(folder: Path, brand: str = "abc") -> Lines:
    with closing(wiring.open_store(settings_in(folder), CLOCK, read_only=True)) as table:
        checkpoint = load_checkpoint(table, 0)
        assert checkpoint is not None
        return checkpoint.lines.get(brand, Lines())


def imported(folder: Path, stretches: Sequence[tuple[int, int, ImportedHits]], brand: str = "abc") -> ImportDone:
    with open_import(settings_in(folder), brand) as session:
        for begins, ends, hits in stretches:
            session.take(LOG, begins=begins, ends=ends, hits=hits)
        session.flush()
        return session.finish()


def key_of(asset: str) -> CountKey:
    return asset, "news", "article", "free"


def test_a_log_of_years_ago_is_counted_in_its_day(tmp_path: Path) -> None:
    done = imported(tmp_path, [(0, 100, hits_of("1", "2", "1")), (100, 150, hits_of("1"))])
    assert done == ImportDone(stored=4, again=0, refused={}, set_aside={})
    assert counted(tmp_path) == {key_of("1"): 3, key_of("2"): 1}
    assert lines_of(tmp_path).counted == 4


def test_places_are_looked_up_while_an_instance_has_the_directory(tmp_path: Path) -> None:
    with opened_places(settings_in(tmp_path), "abc") as places:
        assert places(LOG) == 0
    assert list(tmp_path.iterdir()) == []
    with open_import(settings_in(tmp_path), "abc") as session:
        session.take(LOG, begins=0, ends=100, hits=hits_of("1"))
        session.flush()
        with opened_places(settings_in(tmp_path), "abc") as places:
            assert (places(LOG), places(OTHER_LOG)) == (100, 0)
        with opened_places(settings_in(tmp_path), "xyz") as places:
            assert places(LOG) == 0
    with pytest.raises(UnknownBrand), opened_places(settings_in(tmp_path), "none"):
        pass


def test_a_log_that_is_imported_again_is_not_counted_again(tmp_path: Path) -> None:
    stretches = [(0, 100, hits_of("1", "2")), (100, 150, hits_of("1"))]
    imported(tmp_path, stretches[:1])
    done = imported(tmp_path, [*stretches, (150, 160, hits_of("3"))])
    assert (done.stored, done.again) == (2, 2)
    assert imported(tmp_path, stretches).again == 3
    assert counted(tmp_path) == {key_of("1"): 2, key_of("2"): 1, key_of("3"): 1}


def test_an_import_says_how_far_it_came_and_each_brand_has_its_own_place(tmp_path: Path) -> None:
    with open_import(settings_in(tmp_path), "abc") as session:
        assert session.position(LOG) == 0
        session.take(LOG, begins=0, ends=100, hits=hits_of("1"))
        session.take(LOG, begins=100, ends=900, hits=hits_of())  # No hit in it, and not to be read again either.
        assert session.position(LOG) == 900
        assert session.position(OTHER_LOG) == 0
    with open_import(settings_in(tmp_path), "xyz") as session:
        assert session.position(LOG) == 0
    with open_import(settings_in(tmp_path), "abc") as session:
        assert session.position(LOG) == 900


def test_an_import_that_was_broken_off_is_counted_by_whoever_comes_next(tmp_path: Path) -> None:
    with open_import(settings_in(tmp_path), "abc") as session:
        session.take(LOG, begins=0, ends=100, hits=hits_of("1"))  # And it never says that it is finished.
    assert imported(tmp_path, [(100, 200, hits_of("2"))]).stored == 1
    assert counted(tmp_path) == {key_of("1"): 1, key_of("2"): 1}


def test_a_stretch_that_does_not_follow_is_an_error_and_nothing_of_it_is_stored(tmp_path: Path) -> None:
    imported(tmp_path, [(0, 100, hits_of("1"))])
    with pytest.raises(OutOfStep, match="stands elsewhere"):
        imported(tmp_path, [(50, 150, hits_of("1"))])
    assert imported(tmp_path, [(100, 101, hits_of("2"))]).stored == 1
    assert counted(tmp_path) == {key_of("1"): 1, key_of("2"): 1}


def test_hits_that_are_left_out_or_set_aside_are_told(tmp_path: Path) -> None:
    ancient = hits_of("1", "2", at_ms=CLOCK.now_ms() - 8_000 * DAY_MS)
    future = hits_of("3", at_ms=CLOCK.now_ms() + DAY_MS)
    done = imported(tmp_path, [(0, 1, ancient), (1, 2, future), (2, 3, hits_of("4", resource_type=""))], "xyz")
    assert done == ImportDone(stored=2, again=0, refused={"tooOld": 2}, set_aside={"future": 1, "unlabelled": 1})
    lines = lines_of(tmp_path, "xyz")
    assert (lines.counted, lines.future, lines.unlabelled) == (0, 1, 1)


def test_imported_hits_get_the_labels_of_the_catalogue(tmp_path: Path) -> None:
    with closing(wiring.open_catalog_table(settings_in(tmp_path), CLOCK)):
        pass
    catalogue = wiring.open_catalogue(settings_in(tmp_path), CLOCK)
    catalogue.put("xyz", [Asset(id="7", section="sport", resource_type="video")])
    done = imported(tmp_path, [(0, 1, hits_of("7", resource_type=""))], "xyz")
    assert done.set_aside == {}
    assert counted(tmp_path, brand="xyz") == {("7", "sport", "video", "free"): 1}


def test_salts_last_until_the_import_is_finished(tmp_path: Path) -> None:
    with open_import(settings_in(tmp_path), "abc") as session:
        first = session.salt(0)
        assert (session.salt(0), len(first)) == (first, 32)
    with open_import(settings_in(tmp_path), "abc") as session:
        assert session.salt(0) == first
        session.finish()
    assert not any(first in path.read_bytes() for path in tmp_path.iterdir())
    with open_import(settings_in(tmp_path), "abc") as session:
        assert session.salt(0) != first


def test_an_unknown_brand_is_refused_unless_any_is_taken(tmp_path: Path) -> None:
    with pytest.raises(UnknownBrand, match="nobody"), open_import(settings_in(tmp_path), "nobody"):
        pass
    with open_import(settings_in(tmp_path, dev=True), "nobody") as session:
        session.take(LOG, begins=0, ends=1, hits=hits_of("1"))
        assert session.finish().stored == 1


def test_a_directory_that_is_in_use_is_refused(tmp_path: Path) -> None:
    take_lock(tmp_path)
    with pytest.raises(InUse), open_import(settings_in(tmp_path), "abc"):
        pass


def test_what_no_log_can_be_is_refused(tmp_path: Path) -> None:
    with open_import(settings_in(tmp_path), "abc") as session:
        with pytest.raises(NotAFingerprint):
            session.position(b"short")
        with pytest.raises(StretchTooLong):
            session.take(LOG, begins=0, ends=1, hits=hits_of(*["1"] * 50_001))


def test_much_is_counted_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from footfall.app import import_offline

    monkeypatch.setattr(import_offline, "COUNT_EVERY_HITS", 3)
    with open_import(settings_in(tmp_path), "abc") as session:
        for at in range(5):
            session.take(LOG, begins=at, ends=at + 1, hits=hits_of("1"))
        assert counted(tmp_path)[key_of("1")] == 3
        session.finish()
    assert counted(tmp_path)[key_of("1")] == 5
