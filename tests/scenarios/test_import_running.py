"""A log is imported into an instance that runs, is killed, and goes on; each of its hits is counted once."""

import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest

from footfall.app import wiring
from footfall.app.control_errors import ControlFailed
from footfall.app.importing import ImportBroken, ImportedHits, ImportSession, open_import
from footfall.app.settings import Settings
from footfall.values.clock import SystemClock
from footfall.values.window import DAY_MS
from tests.scenarios.instance import Starter, footfall, until

CLOCK = SystemClock()
LOG = b"0123456789abcdef"
STRETCH_HITS = 500
STRETCHES = 40


def stretch(number: int, *, days: int = 700) -> ImportedHits:
    """Return hits of all ages: one of each stretch of the log is of yesterday."""
    now_ms = CLOCK.now_ms()
    keys = [(f"/story/{(number + at) % 37}", "news", "article", "free") for at in range(STRETCH_HITS)]
    times = [now_ms - DAY_MS - (number * STRETCH_HITS + at) * days * 4_000 for at in range(STRETCH_HITS)]
    return ImportedHits(keys, times, None, ["/story"] * STRETCH_HITS)


def settings_of(folder: Path) -> Settings:
    return Settings(data_dir=str(folder))


def test_each_stretch_is_counted_once_though_the_instance_is_killed(starter: Starter, data: Path) -> None:
    for _ in range(2):
        instance = starter.start(data)
        killer = threading.Timer(0.25, instance.kill)
        killer.start()
        with suppress(ImportBroken), open_import(settings_of(data), "abc") as session:
            for number in range(session.position(LOG), STRETCHES):
                session.take(LOG, begins=number, ends=number + 1, hits=stretch(number))
            session.flush()
        killer.join()
        instance.kill()
    instance = starter.start(data)
    with open_import(settings_of(data), "abc") as session:
        for number in range(STRETCHES):
            session.take(LOG, begins=number, ends=number + 1, hits=stretch(number))
        done = session.finish()
    assert done.stored + done.again == STRETCHES * STRETCH_HITS
    book = instance.ledger("abc")
    assert (book["accepted"], book["counted"], book["inFlight"]) == (20_000, 20_000, 0)
    instance.terminate()


def test_an_import_shares_a_running_instance_with_whoever_sends_hits(starter: Starter, data: Path) -> None:
    instance = starter.start(data, env={"FOOTFALL_STREAM_SHARDS": "2"})
    with open_import(settings_of(data), "abc") as session:
        salt = session.salt(0)
        assert (session.salt(0), len(salt)) == (salt, 32)
        for number in range(4):
            session.take(LOG, begins=number, ends=number + 1, hits=stretch(number, days=1))
            assert instance.post([{"brand": "abc", "assetId": "live"}]).status == 202
        with open_import(settings_of(data), "abc") as second:  # Another import of the same log, a step behind.
            assert second.salt(0) == salt
            second.take(LOG, begins=0, ends=1, hits=stretch(0))
            assert second.position(LOG) == 4
            assert second.finish().again == STRETCH_HITS
        assert session.salt(0) == salt
        assert session.position(LOG) == 4
        assert session.finish().stored == 4 * STRETCH_HITS
        assert session.salt(0) != salt
    instance.drained("abc")
    until(lambda: instance.popular("abc", "justnow"), lambda it: it == {"live": 4}, seconds=10)
    assert instance.ledger("abc")["counted"] == 4 * STRETCH_HITS + 4
    until(lambda: sum(instance.popular("abc", "week").values()), lambda hits: hits > 4, seconds=10)


def test_what_goes_wrong_is_said(starter: Starter, data: Path) -> None:
    instance = starter.start(data, "--brand", "abc", dev=False)
    with pytest.raises(ControlFailed, match="nobody"), open_import(settings_of(data), "nobody"):
        pass
    with open_import(settings_of(data), "abc") as session:
        session.take(LOG, begins=5, ends=6, hits=stretch(0))
        with pytest.raises(ImportBroken, match="stands elsewhere"):
            session.flush()
    with open_import(settings_of(data), "abc") as session:
        session.take(LOG, begins=0, ends=6, hits=stretch(0))
        session.flush()
        instance.kill()
        with pytest.raises(ImportBroken, match="goes on where it was"):
            session.position(LOG)


def salts_in(data: Path, salt: bytes) -> bool:
    return any(salt in path.read_bytes() for path in data.glob("salts.db*"))


def test_the_salts_of_a_finished_import_go_while_another_of_its_brand_goes_on(starter: Starter, data: Path) -> None:
    starter.start(data)
    today_ms = CLOCK.now_ms() // DAY_MS * DAY_MS
    with open_import(settings_of(data), "abc") as following, open_import(settings_of(data), "abc") as session:
        shared = following.salt(today_ms)
        salts = [session.salt(day * DAY_MS) for day in range(3_000)]
        assert len(set(salts)) == 3_000
        assert session.salt(today_ms) == shared
        assert salts_in(data, salts[7])
        session.finish()
        assert not any(salts_in(data, salt) for salt in salts[::500])
        assert following.salt(today_ms) == shared
        following.finish()
    assert not salts_in(data, shared)


def hand_over(session: ImportSession, number: int) -> None:
    session.take(LOG, begins=number, ends=number + 1, hits=stretch(number))
    session.flush()


def test_an_import_of_a_brand_that_is_removed_meanwhile_ends_and_stores_no_more(starter: Starter, data: Path) -> None:
    instance = starter.start(data, "--brand", "other", dev=False)
    assert footfall("brands", "add", "abc", "--data", str(data)).returncode == 0
    with open_import(settings_of(data), "abc") as session:
        hand_over(session, 0)
        assert footfall("brands", "remove", "abc", "--data", str(data), "--yes").returncode == 0
        with pytest.raises(ImportBroken, match="was removed"):
            hand_over(session, 1)
    with pytest.raises(ControlFailed), open_import(settings_of(data), "abc"):
        pass
    instance.terminate()
    with closing(wiring.open_stream(settings_of(data), CLOCK, read_only=True)) as stream:
        assert stream.appended()["abc"] == STRETCH_HITS
