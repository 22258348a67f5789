"""A re-count puts past hits under the labels that the catalogue has now, and says which version of it that was."""

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.labels import KnownLabels
from footfall.flow.count.recount import Asked, Done
from footfall.values.window import HOUR_MS, Grain
from tests.flow.count.stage import NOON_MS, Side, Stage, key_of


def recounted(side: Side, ground: SqliteTable) -> Done:
    progress = list(side.recounter.run(Asked("abc", NOON_MS, NOON_MS + HOUR_MS), KnownLabels(ground)))
    done = progress[-1]
    assert isinstance(done, Done)
    return done


def test_labels_that_changed_move_past_hits_when_they_are_counted_again() -> None:
    stage = Stage()
    ground = SqliteTable(":memory:", clock=stage.clock)
    side = stage.side()
    stage.send("1", "2", "1")
    stage.send_pack([key_of("1", section="sport"), key_of("2")])
    stage.clock.advance(2 * HOUR_MS)
    side.count()
    before = stage.checksums()
    done = recounted(side, ground)
    assert (done.changed, done.catalogue, stage.checksums()) == (0, 0, before)
    Catalogue(ground, stage.clock).put("abc", [Asset("1", section="culture")])
    assert stage.counts(NOON_MS, Grain.HOUR)[key_of("1")] == 2  # Only a re-count moves what was counted.
    done = recounted(side, ground)
    assert done.catalogue == 1
    assert done.changed > 0
    expected = {key_of("1", section="culture"): 3, key_of("2"): 2}
    assert stage.counts(NOON_MS, Grain.HOUR) == expected
    assert stage.counts(NOON_MS, Grain.MINUTE) == expected
    assert stage.lines().counted == 5
    assert recounted(side, ground).changed == 0
