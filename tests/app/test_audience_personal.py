"""All that is kept of a member, over all parts of the audience: erased in steps, the names in the watch log first."""

from contextlib import closing
from pathlib import Path

from footfall.app.audience_follows import FollowActs
from footfall.app.audience_opening import open_audience
from footfall.app.audience_personal import erase_some
from footfall.app.settings import Settings
from footfall.audience.erased import erased_members
from footfall.audience.things import Thing
from footfall.flow.store.watch_log import member_digest
from footfall.values.clock import SetClock

NOW_MS = 1_794_744_000_000
ANN = Thing("member", "ann")


def test_whoever_stops_after_the_first_step_has_erased_the_names_in_the_watch_log(tmp_path: Path) -> None:
    with closing(open_audience(Settings(data_dir=str(tmp_path)), SetClock(NOW_MS))) as opened:
        acts = FollowActs(opened.audience, "daily")
        for number in range(5):
            acts.follow("member:ann", f"series:{number}")
        assert not erase_some(opened.audience, "daily", ANN, limit=2).is_done
        assert list(erased_members(opened.audience.table, "daily")) == [member_digest("ann")]
