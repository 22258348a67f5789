"""Past spans are read in turn, kept for a while, and never more of them than there is room for."""

import pytest

from footfall.app import past_reading as module
from footfall.app.past_reading import PastReading, SpanKey, TooManySpans
from footfall.flow.serve.past import Moments, PastList
from footfall.flow.serve.resolution import Ground
from footfall.flow.serve.spans import SPAN_WAIT_MS, size_between, span_between
from footfall.flow.store.summaries import Summary
from footfall.ports.errors import Corrupt
from footfall.values.clock import SetClock
from footfall.values.period import RETENTION_MS
from footfall.values.window import DAY_MS, Grain, Window, window_of
from tests.app.stage import NOON_MS
from tests.flow.serve.counting import summary

TODAY_MS = window_of(NOON_MS, Grain.DAY, "UTC").from_ms


class Reader:
    """A store whose days have one hit of one asset each, and what was read of it."""

    def __init__(self) -> None:
        self.clock = SetClock(NOON_MS)
        self.reads: list[tuple[str, Window]] = []
        self.fails = False
        self.past = PastReading(self.new_list, self.read, size_of=self.size_of, now_ms=self.clock.now_ms)

    def size_of(self, key: SpanKey) -> int:
        return 2 * size_between(key.from_ms, key.to_ms, zone="UTC")

    def new_list(self, key: SpanKey) -> PastList:
        now_ms = self.clock.now_ms()
        ground = Ground("UTC", frozenset({"s00"}), RETENTION_MS, now_ms=now_ms, seen_until_ms=now_ms)
        return PastList(span_between(key.from_ms, key.to_ms, zone="UTC"), ground, Moments(now_ms, DAY_MS))

    def read(self, brand: str, window: Window) -> list[Summary]:
        if self.fails:
            raise Corrupt("the store is not what it was")
        self.reads.append((brand, window))
        return [summary(window, {("1", "", "", ""): 1}, "all", keep=5)]

    def read_all(self) -> list[str]:
        answered: list[str] = []
        while self.past.is_busy:
            answered += [question for question, _ in self.past.step()]
        return answered


def day(back: int, brand: str = "abc") -> SpanKey:
    return SpanKey(brand, TODAY_MS - back * DAY_MS, TODAY_MS - (back - 1) * DAY_MS)


def test_all_questions_for_one_span_wait_for_one_reading() -> None:
    reader = Reader()
    for question in ("one", "two", "one"):
        assert reader.past.find(day(5), question) is None
    assert reader.read_all() == ["one", "two"]
    assert len(reader.reads) == 2  # The day, and the one before it.
    found = reader.past.find(day(5), "three")
    assert found is not None
    assert not found.is_outdated


def days(count: int, brand: str = "abc") -> SpanKey:
    return SpanKey(brand, TODAY_MS - count * DAY_MS, TODAY_MS)


def test_spans_of_one_length_are_read_in_the_order_in_which_they_were_asked_for() -> None:
    reader = Reader()
    for back in (5, 3, 9):
        reader.past.find(day(back), f"{back}")
    assert reader.past.first_waiting() == ["5"]
    assert reader.read_all() == ["5", "3", "9"]


def test_the_span_with_the_least_left_is_read_first_even_when_a_longer_one_has_begun() -> None:
    reader = Reader()
    reader.past.find(days(30), "month")
    assert reader.past.step() == []
    reader.past.find(days(7), "week")
    reader.past.find(day(3), "day")
    assert reader.read_all() == ["day", "week", "month"]
    assert len(reader.reads) == 2 * (30 + 7 + 1)  # Nothing was read twice.


def test_no_more_spans_wait_than_can_be_read_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUESTIONS_WAITING_MAX", 3)
    reader = Reader()
    for number in range(module.SPANS_WAITING_MAX):
        reader.past.find(day(1, f"brand{number}"), "q")
    with pytest.raises(TooManySpans, match="ask again"):
        reader.past.find(day(99), "q")
    for question in ("r", "s"):
        reader.past.find(day(1, "brand0"), question)
    with pytest.raises(TooManySpans, match="too many questions"):
        reader.past.find(day(1, "brand0"), "t")


def test_a_brand_has_few_spans_waiting_and_leaves_room_for_others() -> None:
    reader = Reader()
    for back in range(1, 2 + module.SPANS_OF_BRAND_MAX):
        reader.past.find(day(back), "q")
    with pytest.raises(TooManySpans, match="of the brand"):
        reader.past.find(day(9), "q")
    assert reader.past.find(day(1), "again") is None
    assert reader.past.find(day(9, "xyz"), "q") is None


def test_renewals_take_the_room_of_nobody_who_asks_and_are_bounded_among_themselves() -> None:
    reader = Reader()
    room = 1 + module.SPANS_OF_BRAND_MAX
    for back in range(1, 1 + room):
        assert reader.past.find(day(back), f"renewed{back}", is_renewal=True) is None
    with pytest.raises(TooManySpans, match="of the brand"):
        reader.past.find(day(room + 1), "q", is_renewal=True)
    asked = [f"asked{back}" for back in range(11, 11 + room)]
    for back, question in enumerate(asked, start=11):
        assert reader.past.find(day(back), question) is None
    with pytest.raises(TooManySpans, match="of the brand"):
        reader.past.find(day(99), "q")
    assert reader.read_all() == [*asked, *(f"renewed{back}" for back in range(1, 1 + room))]


def test_a_question_that_somebody_asks_is_read_before_longer_and_shorter_renewals() -> None:
    reader = Reader()
    reader.past.find(day(1), "short", is_renewal=True)
    reader.past.find(days(9), "long", is_renewal=True)
    assert reader.past.first_waiting() == []
    reader.past.find(days(5), "asked")
    assert reader.past.first_waiting() == ["asked"]
    assert reader.read_all() == ["asked", "short", "long"]


def test_whoever_asks_for_what_is_being_renewed_has_it_read_first_and_once() -> None:
    reader = Reader()
    reader.past.find(day(1), "other", is_renewal=True)
    reader.past.find(day(2), "this", is_renewal=True)
    reader.past.find(day(2), "this")
    reader.past.find(day(2), "this", is_renewal=True)
    assert reader.past.step() == []
    assert reader.past.step() == [("this", True)]
    assert reader.past.step() == []
    assert reader.past.step() == [("other", False)]
    assert len(reader.reads) == 4


def test_a_renewal_does_not_make_a_kept_span_one_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SPANS_KEPT_MAX", 2)
    reader = Reader()
    for back in (1, 2):
        reader.past.find(day(back), "q")
        reader.read_all()
    assert reader.past.find(day(1), "q", is_renewal=True) is not None
    reader.past.find(day(3), "q")
    reader.read_all()
    assert reader.past.kept(day(1)) is None
    assert reader.past.kept(day(2)) is not None


def test_waiting_work_is_bounded_by_its_windows_but_one_span_is_always_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WINDOWS_WAITING_MAX", 50)
    reader = Reader()
    assert reader.past.find(days(30), "long") is None
    with pytest.raises(TooManySpans, match="in time"):
        reader.past.find(days(30, "xyz"), "q")
    assert reader.past.find(day(1, "xyz"), "short") is None
    assert reader.read_all() == ["short", "long"]


def test_a_span_that_nobody_waits_for_any_more_is_not_read() -> None:
    reader = Reader()
    reader.past.find(days(30), "gone")
    reader.clock.advance(SPAN_WAIT_MS)
    assert not reader.past.is_busy
    assert reader.past.first_waiting() == []
    assert reader.past.step() == []
    assert reader.reads == []
    for back in range(1, 2 + module.SPANS_OF_BRAND_MAX):  # Nor does it take anybody's room.
        assert reader.past.find(day(back), f"{back}") is None
    assert reader.read_all() == [str(back) for back in range(1, 2 + module.SPANS_OF_BRAND_MAX)]


def test_a_span_that_takes_longer_than_anybody_waits_is_read_on_when_it_is_asked_for_again() -> None:
    reader = Reader()
    reader.past.find(days(5), "first")
    for _ in range(6):
        reader.past.step()
    reader.clock.advance(SPAN_WAIT_MS)
    assert not reader.past.is_busy
    assert reader.past.touch("abc", window_of(NOON_MS - 5 * DAY_MS, Grain.HOUR, "UTC"))
    reader.past.find(days(5), "second")
    assert reader.read_all() == ["second"]
    assert len(reader.reads) == 10
    found = reader.past.find(days(5), "second")
    assert found is not None
    assert found.is_outdated


def test_what_was_read_of_spans_in_vain_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SPANS_PAUSED_MAX", 1)
    reader = Reader()
    for brand in ("abc", "xyz"):
        reader.past.find(days(5, brand), "q")
        reader.past.step()
        reader.clock.advance(SPAN_WAIT_MS)
    assert not reader.past.is_busy
    assert reader.past.brands() == {"xyz"}
    reader.clock.advance(module.AGE_MS_MAX)
    assert not reader.past.is_busy
    assert reader.past.brands() == set()


def test_kept_spans_are_bounded_and_the_least_asked_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SPANS_KEPT_MAX", 3)
    reader = Reader()
    for back in (1, 2, 3):
        reader.past.find(day(back), "q")
        reader.read_all()
    assert reader.past.find(day(1), "q") is not None
    reader.past.find(day(4), "q")
    reader.read_all()
    assert reader.past.find(day(1), "q") is not None
    assert reader.past.find(day(2), "q") is None
    monkeypatch.setattr(module, "ROWS_KEPT_MAX", 1)
    reader.read_all()
    assert reader.past.find(day(2), "q") is not None
    assert reader.past.find(day(1), "q") is None


def test_an_outdated_span_is_sent_for_a_while_and_then_read_again() -> None:
    reader = Reader()
    reader.past.find(day(5), "q")
    reader.read_all()
    assert not reader.past.touch("abc", window_of(NOON_MS - DAY_MS, Grain.HOUR, "UTC"))
    assert not reader.past.touch("xyz", window_of(NOON_MS - 5 * DAY_MS, Grain.HOUR, "UTC"))
    assert reader.past.touch("abc", window_of(NOON_MS - 5 * DAY_MS, Grain.HOUR, "UTC"))
    assert not reader.past.touch("abc", window_of(NOON_MS - 5 * DAY_MS, Grain.HOUR, "UTC"))
    old = reader.past.find(day(5), "q")
    assert old is not None
    assert old.is_outdated
    assert reader.past.brands_to_be_read_again() == set()
    reader.clock.advance(module.READ_AGAIN_MS_MIN)
    assert reader.past.brands_to_be_read_again() == {"abc"}
    assert reader.past.brands_to_be_read_again() == set()
    assert reader.past.find(day(5), "q") is None
    assert not reader.past.touch("abc", window_of(NOON_MS - 5 * DAY_MS, Grain.HOUR, "UTC"))  # It has not begun.
    reader.past.step()
    # What is written while it is being read may have been read already, or not.
    assert reader.past.touch("abc", window_of(NOON_MS - 5 * DAY_MS, Grain.HOUR, "UTC"))
    reader.clock.advance(2_000)
    reader.read_all()
    again = reader.past.find(day(5), "q")
    assert again is not None
    assert again.is_outdated
    reader.clock.advance(7_000)
    assert reader.past.find(day(5), "q") is not None  # Reading took 2 s, so it rests for four times that.
    reader.clock.advance(1_000)
    assert reader.past.find(day(5), "q") is None


def test_kept_spans_grow_old() -> None:
    reader = Reader()
    for back, brand in ((0, "abc"), (5, "xyz")):
        reader.past.find(day(back, brand), "q")
    reader.read_all()
    assert reader.past.brands_outdated_by_age() == set()
    reader.clock.advance(module.AGE_MS_MAX + 1)
    assert reader.past.brands_outdated_by_age() == {"abc"}
    assert reader.past.brands_outdated_by_age() == set()
    reader.clock.advance(module.FINAL_AGE_MS_MAX)
    assert reader.past.brands_outdated_by_age() == {"xyz"}


def test_a_reading_that_fails_is_given_up_and_the_next_goes_on() -> None:
    reader = Reader()
    for back in (5, 6):
        reader.past.find(day(back), f"{back}")
    reader.fails = True
    with pytest.raises(Corrupt):
        reader.past.step()
    reader.fails = False
    assert reader.read_all() == ["6"]


def test_spans_of_a_brand_that_follows_other_rules_begin_anew() -> None:
    reader = Reader()
    for back in (5, 6):
        reader.past.find(day(back), f"{back}")
        if back == 5:
            reader.read_all()
    reader.past.step()
    before = len(reader.reads)
    reader.past.forget("abc")
    assert reader.past.brands() == {"abc"}
    assert reader.read_all() == ["6"]
    assert len(reader.reads) == before + 2
    assert reader.past.find(day(5), "q") is None
