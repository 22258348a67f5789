"""What lists, series and sums show of hits that are no persons', by mode and by what is asked for."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from footfall.accounts.brands import Brand, Screening
from footfall.accounts.judged import Judged
from footfall.app.answering import Answering
from footfall.app.settings import Settings
from footfall.flow.stream.records import RULES, VERSION, HitKey, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.values.period import DEFAULT_PERIODS, Period, Span
from footfall.values.window import HOUR_MS
from tests.app.stage import NOON_MS, Instance

# Of each asset: hits of persons, of bots, of models, suspected ones, blocked ones.
SENT = {"1": (3, 9, 0, 0, 0), "2": (2, 0, 4, 6, 0), "3": (0, 0, 0, 1, 5), "4": (1, 0, 0, 0, 0)}
REASONS = ("", "bot-agent", "ai-agent", "reload", "rule-path")


def counted(mode: Screening = "observe") -> Instance:
    instance = Instance(Settings(brands={"abc": Brand("abc", screening=mode)}, dev=True))
    for asset, numbers in SENT.items():
        verdicts = [reason for reason, number in zip(REASONS, numbers, strict=True) for _ in range(number)]
        send_screened(instance, asset, verdicts)
    instance.count()
    return instance


def send_screened(instance: Instance, asset: str, verdicts: list[str]) -> None:
    now_ms = instance.clock.now_ms()
    key: HitKey = (asset, f"section{asset}", "article", "free")
    screened = {place: verdict for place, verdict in enumerate(verdicts) if verdict}
    pack = Pack(VERSION, RULES, now_ms, [key] * len(verdicts), screened=screened or None)
    instance.stream.append([Entry(0, "abc", len(verdicts), record_from_pack(pack), now_ms)])


def asked(instance: Instance, question: str) -> dict[str, Any]:
    told = instance.answering.answer(question)
    while told is None:
        made = instance.answering.read_some()
        told = made[0] if made else None
    assert told[:3:2] == [question, ""], told
    body = told[5]
    assert isinstance(body, bytes)
    return json.loads(body)


def hits_listed(instance: Instance, question: str) -> dict[str, int]:
    answer = asked(instance, question)
    assert answer["exact"]
    return {one["assetId"]: one["hits"] for one in answer["items"]}


@pytest.mark.parametrize(
    ("mode", "include", "expected"),
    [
        ("observe", "", {"2": 8, "1": 3, "3": 1, "4": 1}),
        ("hold", "", {"1": 3, "2": 2, "4": 1}),
        ("filter", "", {"1": 3, "2": 2, "4": 1}),
        ("filter", "include=suspected&", {"2": 8, "1": 3, "3": 1, "4": 1}),
        ("hold", "include=ai,bot&", {"1": 12, "2": 6, "4": 1}),
        ("hold", "include=blocked&", {"3": 5, "1": 3, "2": 2, "4": 1}),
        ("hold", "include=all&", {"1": 12, "2": 12, "3": 6, "4": 1}),
        ("observe", "include=all&", {"1": 12, "2": 12, "3": 6, "4": 1}),
    ],
)
def test_a_list_shows_persons_and_whoever_it_includes(mode: Screening, include: str, expected: dict[str, int]) -> None:
    instance = counted(mode)
    assert hits_listed(instance, f"brand=abc&{include}period=day") == expected
    total = sum(expected.values())
    sums = asked(instance, f"/v1/top/types?brand=abc&{include}period=day")
    assert (sums["hits"], sums["exact"]) == (total, True)
    assert asked(instance, f"/v1/top/brands?brand=abc&{include}period=day")["hits"] == total
    sections = asked(instance, f"/v1/top/sections?brand=abc&{include}period=day")
    assert {one["sectionId"][-1]: one["hits"] for one in sections["items"]} == expected
    series = asked(instance, f"/v1/series?brand=abc&grain=hour&{include}".rstrip("&"))
    assert (series["hits"], series["exact"]) == (total, True)
    for asset in SENT:
        of_asset = asked(instance, f"/v1/assets/{asset}/series?brand=abc&grain=hour&{include}".rstrip("&"))
        assert of_asset["hits"] == expected.get(asset, 0)


def test_filters_and_labels_are_asked_for_together() -> None:
    instance = counted("hold")
    assert hits_listed(instance, "brand=abc&include=ai&period=day&section=section1,section2") == {"2": 6, "1": 3}
    assert hits_listed(instance, "brand=abc&exclude=1&period=day") == {"2": 2, "4": 1}


def test_past_spans_show_the_same() -> None:
    instance = counted("hold")
    instance.clock.set(NOON_MS + 2 * HOUR_MS)
    instance.count()
    span = "from=2026-11-15T12%3A00Z"
    assert hits_listed(instance, f"brand=abc&{span}&to=2026-11-15T13%3A00Z") == {"1": 3, "2": 2, "4": 1}
    included = hits_listed(instance, f"brand=abc&{span}&include=bot&to=2026-11-15T13%3A00Z")
    assert included == {"1": 12, "2": 2, "4": 1}


def test_whoever_is_not_shown_makes_nothing_rise() -> None:
    modes: tuple[tuple[Screening, int], ...] = (("observe", 13), ("hold", 6))
    for mode, hits in modes:
        instance = counted(mode)
        rising = asked(instance, "/v1/trending?brand=abc")
        assert (rising["hits"], rising["exact"]) == (hits, True)
    assert asked(counted("hold"), "/v1/trending?brand=abc&include=all")["hits"] == 31


class Facts:
    """A brand whose mode is changed while it is asked for."""

    shows = True

    def zone_of(self, name: str) -> str:
        """Return the same for all."""
        return "UTC"

    def periods(self, name: str) -> Mapping[str, Period]:
        """Return the usual ones."""
        return DEFAULT_PERIODS

    def shows_suspected(self, name: str) -> bool:
        """Tell what was set."""
        return self.shows

    def judged(self, name: str, span: Span) -> Judged:
        """Return nothing."""
        return Judged()


def test_answers_change_when_the_mode_does() -> None:
    instance, facts = counted(), Facts()
    instance.answering = Answering(instance.settings, instance.table, clock=instance.clock, brands=facts)
    assert hits_listed(instance, "brand=abc&period=day")["2"] == 8
    instance.answering.refresh()
    assert instance.answering.refresh() == []
    facts.shows = False
    assert [brand for brand, _ in instance.answering.refresh()] == ["abc"]
    assert hits_listed(instance, "brand=abc&period=day")["2"] == 2


def test_screening_tells_hits_by_label_and_reason_and_what_is_suspected() -> None:
    instance = counted("hold")
    found = asked(instance, "/v1/screening?brand=abc&period=day")
    assert {one["label"]: one["hits"] for one in found["labels"]} == {
        "person": 6,
        "bot": 9,
        "ai": 4,
        "prefetch": 0,
        "suspected": 7,
        "blocked": 5,
    }
    assert (found["hits"], found["exact"], found["suspectedAreShown"]) == (31, True, False)
    assert found["labels"][0]["share"] == round(6 / 31, 4)
    assert found["reasons"] == {"bot-agent": 9, "reload": 7, "rule-path": 5, "ai-agent": 4}
    assert [(one["assetId"], one["suspected"], one["persons"], one["share"]) for one in found["items"]] == [
        ("2", 6, 2, 0.75),
        ("3", 1, 0, 1.0),
    ]


def test_screening_of_nobody_is_noughts() -> None:
    found = asked(Instance(), "/v1/screening?brand=abc&period=day")
    assert (found["hits"], found["reasons"], found["items"]) == (0, {}, [])
    assert {one["share"] for one in found["labels"]} == {0.0}
