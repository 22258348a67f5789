"""The digest of a day: put together once when it is over, kept, written as Markdown, and gone with its time."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.audit import Act, Note
from footfall.accounts.brands import Brand
from footfall.accounts.verdict_store import VerdictStore
from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.app import wiring
from footfall.app.answering import Answering
from footfall.app.digesting import DELAY_MS, DigestGround, Digesting, DigestsOfDirectory, day_name
from footfall.app.kept_blobs import open_blobs
from footfall.app.settings import Settings
from footfall.flow.serve.digest_markdown import digest_markdown
from footfall.flow.store.digests import newest_digest, require_day, stored_digest
from footfall.ports.blobs import Blobs
from footfall.ports.errors import Unavailable
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import State, Verdict
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, window_of
from tests.app.stage import NOON_MS, Instance
from tests.app.test_shown import send_screened

MIDNIGHT_MS = NOON_MS + 10 * HOUR_MS  # of Helsinki: 2026-11-15T22:00Z
DAY = "2026-11-16"
FILE = f"digests/abc/{DAY}.md"


class Stage:
    """An instance whose counting writes digests into a directory."""

    def __init__(self, folder: Path) -> None:
        brand = Brand("abc", zone="Europe/Helsinki", screening="hold")
        self.settings = Settings(data_dir=str(folder), brands={"abc": brand}, dev=True, screening_keep_days=5)
        self.instance = Instance(self.settings)
        self.clock = self.instance.clock
        self.accounts = wiring.open_accounts(self.settings, self.clock)
        trail = self.accounts.register.trail
        self.trail, self.verdicts = trail, VerdictStore(self.accounts.table, trail, clock=self.clock)
        self.digests = DigestsOfDirectory(self.settings, self.instance.table, self.clock)

    @property
    def blobs(self) -> Blobs:
        return open_blobs(self.settings)

    def until(self, moment_ms: int) -> None:
        while self.clock.now_ms() < moment_ms:
            self.clock.set(min(self.clock.now_ms() + HOUR_MS, moment_ms))
            self.instance.count()

    def write(self) -> int:
        steps = 0
        while self.digests.step(lambda: ["abc", "abc~uniques"]):
            steps += 1
        return steps

    def digest(self, day: str = DAY) -> dict[str, Any]:
        content = stored_digest(self.instance.table, "abc", day)
        assert content is not None
        return json.loads(content)


@pytest.fixture
def stage(tmp_path: Path) -> Any:
    made = Stage(tmp_path)
    with closing(made.accounts):
        yield made


def a_day(stage: Stage) -> None:
    """Let two days pass with hits, a verdict that is found and settled, and an act."""
    send_screened(stage.instance, "1", ["", "", "bot-agent"])
    stage.until(MIDNIGHT_MS + 2 * MINUTE_MS)
    send_screened(stage.instance, "1|x", ["", "reload", "reload", "rate"])
    found = Verdict(
        *(SubjectKind.ASSET, "7|x", MIDNIGHT_MS, MIDNIGHT_MS + HOUR_MS, Cause.CLOCKWORK, State.HELD),
        stage.clock.now_ms(),
        words="As even as a clock",
    )
    stage.verdicts.find("abc", [found], since={})
    stage.until(MIDNIGHT_MS + 5 * HOUR_MS)
    stage.verdicts.settle("abc", found.id, State.CONFIRMED, by="key-1", since={})
    stage.clock.advance(1)
    stage.trail.write(Note("abc", "key-1", Act.ASSET_HIDDEN, "7"))
    stage.until(MIDNIGHT_MS + DAY_MS + 2 * MINUTE_MS)
    stage.trail.write(Note("abc", "key-1", Act.ASSET_HIDDEN, "of the next day"))


def test_a_digest_tells_the_day_with_its_change_its_reasons_and_what_was_found_and_done(stage: Stage) -> None:
    a_day(stage)
    stage.clock.set(MIDNIGHT_MS + DAY_MS + DELAY_MS)
    assert stage.write() > 0
    told = stage.digest()
    assert (told["day"], told["from"], told["to"]) == (DAY, "2026-11-15T22:00Z", "2026-11-16T22:00Z")
    assert (told["hits"], told["hitsBefore"], told["exact"]) == (4, 3, True)
    labels = {one["label"]: (one["hits"], one["change"]) for one in told["labels"]}
    assert (labels["person"], labels["suspected"], labels["bot"]) == ((1, -1), (3, 3), (0, -1))
    assert told["reasons"] == {"reload": 2, "rate": 1}
    assert [(one["assetId"], one["suspected"]) for one in told["items"]] == [("1|x", 3)]
    assert (told["found"], told["settled"]) == (1, 1)
    assert (told["foundVerdicts"][0]["cause"], told["settledVerdicts"][0]["by"]) == ("clockwork", "key-1")
    assert [(one["act"], one["subject"]) for one in told["acts"]] == [
        ("verdict-confirmed", "asset 7|x"),
        ("asset-hidden", "7"),
    ]
    written = stage.blobs.get(FILE)
    assert written is not None
    assert written.decode() == digest_markdown(told)
    assert "| 1\\|x | 3 | 1 | 75% |" in written.decode()


def test_the_day_before_has_its_own_and_the_newest_is_found(stage: Stage) -> None:
    a_day(stage)
    stage.clock.set(MIDNIGHT_MS + DAY_MS + DELAY_MS)
    stage.write()
    assert stage.digest("2026-11-15")["hits"] == 3  # It was missed, and is made up for.
    # Nobody noted its reasons when it began: they are those since the brand was first counted, and it says so.
    assert stage.digest("2026-11-15")["reasonsSince"] > "2026-11-15T12:00"
    assert newest_digest(stage.instance.table, "abc") == stored_digest(stage.instance.table, "abc", DAY)
    assert stored_digest(stage.instance.table, "abc", "2026-11-14") is None  # Nobody came.


def test_nothing_is_written_before_it_is_due_and_nothing_twice(stage: Stage) -> None:
    a_day(stage)
    stage.clock.set(MIDNIGHT_MS + DAY_MS + DELAY_MS - 1)
    stage.write()
    assert stage.blobs.get(FILE) is None
    stage.clock.set(MIDNIGHT_MS + DAY_MS + DELAY_MS + MINUTE_MS)
    stage.write()
    first = stage.digest()
    stage.trail.write(Note("abc", "key-1", Act.ASSET_SHOWN, "8"))
    stage.blobs.delete(FILE)  # Whoever was killed before it was written.
    stage.digests = DigestsOfDirectory(stage.settings, stage.instance.table, stage.clock)
    stage.write()
    assert stage.digest() == first
    assert stage.blobs.get(FILE) == digest_markdown(first).encode()
    stage.blobs.put(FILE, b"mailed")
    stage.digests = DigestsOfDirectory(stage.settings, stage.instance.table, stage.clock)
    stage.write()
    assert stage.blobs.get(FILE) == b"mailed"


def all_steps(digesting: Digesting) -> None:
    while digesting.step(lambda: ["aaa", "abc"]):
        pass


class Failing(FileBlobs):
    """Objects of which those of one brand cannot be written."""

    def put(self, name: str, data: bytes) -> None:
        if name.startswith("digests/aaa/"):
            raise Unavailable("the disk is not well")
        super().put(name, data)


def test_what_fails_for_one_brand_keeps_no_other_waiting(stage: Stage, tmp_path: Path) -> None:
    stage.instance.send("1", brand="aaa")  # It lives in UTC, where that day is over as well.
    a_day(stage)
    stage.clock.set(MIDNIGHT_MS + DAY_MS + DELAY_MS)
    instance, lookup = stage.instance, wiring.brand_lookup(stage.settings, stage.clock)
    ground = DigestGround(
        *(instance.table, Failing(tmp_path / "blobs"), stage.trail, stage.verdicts),
        lambda: Answering(stage.settings, instance.table, clock=stage.clock, brands=lookup),
    )
    digesting = Digesting(ground, clock=stage.clock, zone_of=lookup.zone_of, keep_ms=DAY_MS)
    with pytest.raises(Unavailable):
        all_steps(digesting)
    assert stage.blobs.get(FILE) is not None


def test_old_digests_go(stage: Stage) -> None:
    a_day(stage)
    stage.blobs.put("digests/abc/2026-11-01.md", b"old")
    stage.blobs.put("digests/abc/2026-11-14.md", b"kept")
    stage.clock.set(MIDNIGHT_MS + DAY_MS + DELAY_MS)
    stage.write()
    assert stage.blobs.get("digests/abc/2026-11-01.md") is None
    assert stage.blobs.get("digests/abc/2026-11-14.md") == b"kept"


def test_counting_writes_digests_beside_its_other_chores(stage: Stage) -> None:
    stage.instance.counting._digests = stage.digests  # pyright: ignore[reportPrivateUsage]
    a_day(stage)
    stage.until(MIDNIGHT_MS + DAY_MS + DELAY_MS + HOUR_MS)
    assert stage.digest()["hits"] == 4


def test_without_accounts_nothing_is_written(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path), dev=True)
    instance = Instance(settings)
    digests = DigestsOfDirectory(settings, instance.table, instance.clock)
    assert not digests.step(lambda: ["abc"])


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles", "Asia/Kathmandu"])
def test_a_day_has_the_date_of_its_zone(zone: str) -> None:
    names = [day_name(window_of(NOON_MS + day * DAY_MS, Grain.DAY, zone), zone) for day in range(3)]
    first = int(names[0][-2:])
    assert names == [f"2026-11-{first + day:02d}" for day in range(3)]


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-1", "2026-13-01", "2026-02-30", "2026/11/15", "٢٠٢٦-11-15"])
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        require_day(text)
