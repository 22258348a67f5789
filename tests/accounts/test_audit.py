"""The audit trail: every act is in it, with who and when, and nothing of it changes until it expires."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

import pytest

from footfall.accounts.audit import (
    COMMAND_LINE,
    DETAILS_MAX,
    KEEP_MS_DEFAULT,
    Act,
    Entry,
    Note,
    Trail,
    document_of_entry,
    document_of_page,
)
from footfall.accounts.brands import Brand
from footfall.accounts.register import Register
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.ports.errors import NoSpace
from footfall.ports.table import Action
from footfall.values.clock import SetClock
from footfall.values.errors import Refused

NOW_MS = 1_794_753_000_000


class FullTable(SqliteTable):
    """A table on a disk that is full when it is told so."""

    is_full = False

    def transact(self, actions: Sequence[Action]) -> None:
        if self.is_full:
            raise NoSpace("the disk is full, nothing was written: free some space")
        super().transact(actions)


@dataclass(slots=True)
class House:
    """A register and its trail."""

    clock: SetClock = field(default_factory=lambda: SetClock(NOW_MS))
    table: FullTable = field(init=False)
    register: Register = field(init=False)

    def __post_init__(self) -> None:
        self.table = FullTable(":memory:", clock=self.clock)
        self.register = Register(self.table, clock=self.clock, random_bytes=Random(7).randbytes)

    @property
    def trail(self) -> Trail:
        return self.register.trail

    def acts(self, brand: str = "abc") -> list[tuple[str, str, str]]:
        """Return by whom, what and to what, the oldest first."""
        entries, _ = self.trail.page(brand, limit=100)
        return [(one.by, one.act, one.subject) for one in reversed(entries)]

    def later(self) -> Register:
        """Let a millisecond pass, so that acts have an order."""
        self.clock.set(self.clock.now_ms() + 1)
        return self.register


def test_every_change_of_a_brand_and_its_keys_is_written_down_with_who_did_it() -> None:
    house = House()
    house.register.add(Brand("abc"), zone_in_use=None)
    public = house.later().add_public_key("abc", label="pages").record.id
    secret = house.later().acting("an-admin").add_secret_key("abc", ["write"]).record.id
    new = house.later().acting("an-admin").rotate("abc", secret, grace_ms=60_000).record.id
    house.later().revoke("abc", public)
    house.later().acting("an-admin").change(replace(Brand("abc"), title="The ABC", is_public=False))
    house.later().remove("abc")
    assert house.acts() == [
        (COMMAND_LINE, "brand-added", "abc"),
        (COMMAND_LINE, "key-added", public),
        ("an-admin", "key-added", secret),
        ("an-admin", "key-rotated", secret),
        (COMMAND_LINE, "key-revoked", public),
        ("an-admin", "brand-changed", "abc"),
        (COMMAND_LINE, "brand-removed", "abc"),
    ]
    (removed, changed, _, rotated, *_), _ = house.trail.page("abc", limit=100)
    assert removed.details == {"keys": 2}
    assert changed.details == {"title": "The ABC", "isPublic": False}
    assert rotated.details == {"kind": "secret", "replacedBy": new, "graceSeconds": 60}


def test_what_a_signing_key_is_made_of_is_never_written_down() -> None:
    house = House()
    house.register.add(Brand("abc"), zone_in_use=None)
    made = house.register.add_signing_key("abc", label="newsroom")
    page = str(document_of_page(house.trail, "abc", limit=100, after=""))
    assert made.record.id in page
    assert made.record.signing not in page


def test_a_change_that_is_not_made_leaves_no_trace_and_none_is_made_without_one() -> None:
    house = House()
    house.register.add(Brand("abc"), zone_in_use=None)
    with pytest.raises(Refused):
        house.later().change(replace(Brand("abc"), requires_token=True))
    house.table.is_full = True
    with pytest.raises(NoSpace):
        house.later().add_public_key("abc")
    assert house.acts() == [(COMMAND_LINE, "brand-added", "abc")]
    assert house.register.keys("abc") == []


@pytest.mark.parametrize("keys", [0, 1, 90, 91, 97, 98, 99, 100])
def test_a_brand_with_any_number_of_keys_can_be_removed(keys: int) -> None:
    house = House()
    house.register.add(Brand("abc"), zone_in_use=None)
    for _ in range(keys):
        house.register.add_public_key("abc")
    house.later().remove("abc")
    assert house.register.keys("abc") == []
    assert house.trail.page("abc", limit=1)[0][0].details == {"keys": keys}


def test_the_newest_comes_first_page_by_page_and_brands_are_apart() -> None:
    house = House()
    for number in range(7):
        house.clock.set(NOW_MS + number)
        house.trail.write(Note("abc", "k", Act.ASSET_PINNED, str(number)))
        house.trail.write(Note("abcd", "k", Act.ASSET_HIDDEN, "other"))
    seen: list[str] = []
    after, pages = "", 0
    while after or not pages:
        entries, after = house.trail.page("abc", limit=3, after=after)
        seen += [one.subject for one in entries]
        pages += 1
    assert seen == ["6", "5", "4", "3", "2", "1", "0"]
    assert pages == 3


def test_acts_of_one_millisecond_are_all_kept() -> None:
    house = House()
    for number in range(20):
        house.trail.write(Note("abc", "k", Act.VERDICT_RELEASED, f"visitor {number}"))
    assert len(house.acts()) == 20


def test_the_trail_is_kept_for_as_long_as_the_setting_says() -> None:
    house = House()
    trail = Trail(house.table, clock=house.clock, keep_ms=10)
    trail.write(Note("abc", "k", Act.ASSET_SHOWN))
    house.trail.write(Note("abc", "k", Act.ASSET_UNPINNED))
    house.clock.set(NOW_MS + 10)
    assert house.acts() == [("k", "asset-unpinned", "")]
    house.clock.set(NOW_MS + KEEP_MS_DEFAULT)
    assert house.acts() == []


def test_long_texts_are_cut_and_too_many_details_refused() -> None:
    house = House()
    house.trail.write(Note("abc", "k", Act.VERDICT_CONFIRMED, "s" * 1_000, {"reason": "r" * 1_000, "hits": 7}))
    ((entry,), _) = house.trail.page("abc", limit=1)
    assert (len(entry.subject), entry.subject[-1], len(str(entry.details["reason"]))) == (300, "…", 300)
    assert entry.details["hits"] == 7
    with pytest.raises(Refused, match="at most 20"):
        house.trail.write(Note("abc", "k", Act.ASSET_SHOWN, "", {str(n): n for n in range(DETAILS_MAX + 1)}))


def test_a_place_to_go_on_from_is_taken_only_as_it_was_told() -> None:
    for wrong in ("x", "1-2", "0" * 15 + "-" + "g" * 16):
        with pytest.raises(Refused) as caught:
            House().trail.page("abc", limit=1, after=wrong)
        assert caught.value.field == "after"


def test_an_act_of_a_later_release_is_shown_as_it_is() -> None:
    entry = Entry(NOW_MS, "k", "something-new", "x", {"a": 1})
    assert document_of_entry(entry) == {
        "at": "2026-11-15T14:30Z",
        "by": "k",
        "act": "something-new",
        "subject": "x",
        "details": {"a": 1},
    }


def test_acts_of_one_millisecond_stand_in_the_order_in_which_they_were_done() -> None:
    house = House()
    subjects = [f"asset-{number}" for number in range(300)]
    for subject in subjects:
        house.trail.write(Note("abc", COMMAND_LINE, Act.ASSET_HIDDEN, subject))
    entries, _ = house.trail.page("abc", limit=1_000)
    assert [one.subject for one in reversed(entries)] == subjects
