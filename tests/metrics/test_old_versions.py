"""The numbers of an old version: by the definitions as they last stood with it, so that it gives what it gave."""

from typing import Any

import pytest

from footfall.metrics.applying import Wanted, carry_out, planned
from footfall.metrics.errors import NoSuchMetric
from footfall.values.clock import SetClock
from tests.metrics.stage import BRAND, NOON_MS, Stage, hybrid, scalar

SPAN: dict[str, Any] = {"first": "2026-10-01", "to": "2026-10-02"}
MINUTE_MS = 60_000


class Ticking(SetClock):
    """A clock that never says the same twice."""

    def now_ms(self) -> int:
        """Return a moment after all that it told before."""
        self.advance(1)
        return super().now_ms()


def used(stage: Stage, name: str, **asked: Any) -> dict[str, int]:
    """Return which version of each metric gave the numbers."""
    return {name: one["version"] for name, one in stage.ask(name, **SPAN, **asked)["versions"].items()}


def staged() -> Stage:
    """Return metrics of which one was changed twice, and what it needs in between."""
    stage = Stage()
    stage.define(scalar("reads", unit="hits"), hybrid("twice", "reads * 2"), hybrid("d", "twice + 1[hits]"))
    for definition in (hybrid("twice", "reads * 3"), hybrid("d", "reads + 2[hits]"), hybrid("twice", "reads * 4")):
        stage.clock.advance(MINUTE_MS)
        stage.define(definition)
    stage.push("reads", [{"at": "2026-10-01", "value": 10}])
    return stage


def test_what_an_old_version_needs_is_as_it_last_was_with_it() -> None:
    stage = staged()
    assert used(stage, "d", version=1) == {"d": 1, "reads": 1, "twice": 2}
    assert stage.values("d", **SPAN, version=1) == [31.0]
    digest = stage.catalogue.version(BRAND, "d", 1).definition.hash
    assert stage.ask("d", **SPAN, digest=digest) == stage.ask("d", **SPAN, version=1)
    assert used(stage, "twice", version=3) == used(stage, "twice")


def test_an_old_version_has_the_unit_that_what_it_needs_had() -> None:
    stage = staged()
    stage.define(hybrid("twice", "reads * 1[minutes/hits]"))  # Nobody needs it any more, so it may.
    told = stage.ask("d", **SPAN, version=1)
    assert (told["unit"], told["versions"]["twice"]["version"]) == ("hits", 2)


def test_what_changed_together_is_not_mixed_with_what_was_before() -> None:
    stage = Stage()
    stage.define(scalar("a", unit="hits"), hybrid("h", "a + 1[hits]"))
    stage.clock.advance(MINUTE_MS)
    files = [Wanted(scalar("a", unit="reads")), Wanted(hybrid("h", "a + 2[reads]"))]
    carry_out(stage.catalogue, BRAND, planned(stage.catalogue, BRAND, files, by="ann"), by="ann")
    assert used(stage, "h", version=1) == {"a": 1, "h": 1} == used(stage, "h", as_of_ms=NOON_MS)
    assert stage.ask("h", **SPAN, version=1)["unit"] == "hits"
    assert stage.ask("h", **SPAN, version=2)["unit"] == "reads"


def test_an_old_version_makes_no_circle_with_newer_ones() -> None:
    stage = Stage()
    stage.define(scalar("a"), hybrid("h", "a"), hybrid("g", "h"))
    for definition in (hybrid("g", "a"), hybrid("h", "g")):
        stage.clock.advance(MINUTE_MS)
        stage.define(definition)
    assert used(stage, "g", version=1) == {"a": 1, "g": 1, "h": 1}


def test_an_old_version_that_needs_what_was_removed_says_what_and_when() -> None:
    stage = staged()
    stage.clock.advance(MINUTE_MS)
    stage.catalogue.delete(BRAND, "twice")
    for asked in ({"version": 1}, {"as_of_ms": NOON_MS}):
        with pytest.raises(NoSuchMetric, match=r"1 of 'd' needs 'twice': it was removed at 2026-11-15T12:04Z"):
            stage.ask("d", **SPAN, **asked)
    stage.clock.advance(MINUTE_MS)
    stage.define(hybrid("twice", "reads * 2"))  # Another metric of the same name is not the one that was.
    with pytest.raises(NoSuchMetric, match="it was removed at 2026-11-15T12:04Z"):
        stage.ask("d", **SPAN, version=1)
    assert used(stage, "d") == {"d": 2, "reads": 1}


def test_all_that_is_saved_together_has_one_moment() -> None:
    stage = Stage(clock=Ticking(NOON_MS))
    one, other = stage.define(scalar("a"), hybrid("h", "a * 2"))
    assert one.updated_at_ms == other.updated_at_ms
