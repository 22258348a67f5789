"""Rules that are tried say of stored hits what the door would have said when they came."""

from collections.abc import Sequence
from random import Random

import pytest

from footfall.flow.collect import trial as trials
from footfall.flow.collect.fields import Draft, Hit
from footfall.flow.collect.screen import Screen, ScreenLimits
from footfall.flow.collect.senders import Sender
from footfall.flow.collect.trial import Trial, TriedRules, tried_rules_from_document
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Record
from footfall.screening.lists import Lists
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, MINUTE_MS

NOON_MS = 1_794_744_000_000
LIMITS = ScreenLimits()
DOCUMENT = {"paths": ["/preview/*"], "repeatsMax": 3, "visitorPerMinute": 6, "referrerSpam": ["spam.example"]}


def pack(at_ms: int, hits: Sequence[Hit], *, screened: dict[int, str] | None = None) -> Pack:
    return Pack(
        *(VERSION, RULES, at_ms, [hit.key for hit in hits]),
        screened=screened or None,
        visitors=[hit.visitor.encode() for hit in hits],
        urls=[hit.url for hit in hits],
        referrers=[hit.referrer for hit in hits],
    )


def hit(asset: str = "one", *, visitor: str = "", url: str = "", referrer: str = "") -> Hit:
    return Hit("abc", (asset, "", "", ""), visitor=visitor, url=url, referrer=referrer)


def trial(tried: TriedRules | None = None, *, shown: frozenset[str] = frozenset({""})) -> Trial:
    tried = tried or tried_rules_from_document(DOCUMENT, LIMITS)
    return Trial("abc", tried, from_ms=NOON_MS, to_ms=NOON_MS + DAY_MS, lateness_ms=DAY_MS, shown=shown)


def record(one: Pack, **more: object) -> Record:
    return Record(1, "abc", len(one.keys), record_from_pack(one), one.arrived_at_ms, **more)  # pyright: ignore[reportArgumentType]


def test_what_is_tried_is_what_the_door_would_have_said() -> None:
    chance = Random(3)
    urls, spam = ("", "https://x.example/preview/1", "https://x.example/news"), ("", "", "https://a.spam.example/")
    packs = [
        (
            NOON_MS + number * 700,
            [
                hit(
                    f"asset {chance.randrange(3)}",
                    visitor=chance.choice(("visitor1", "visitor2", "")),
                    url=chance.choice(urls),
                    referrer=chance.choice(spam),
                )
                for _ in range(chance.randrange(1, 4))
            ],
        )
        for number in range(600)
    ]
    tried = tried_rules_from_document(DOCUMENT, LIMITS)
    door = Screen(tried.limits, secret=b"another" * 4)
    door.take_rules({"abc": tried.rules})
    door.take_lists(Lists(spam_domains=tried.spam))
    server = Sender("203.0.113.9", "curl/8", wants_privacy=False, is_server=True)
    tries, said = trial(tried), dict[str, int]()
    for at_ms, hits in packs:
        draft = Draft("abc", [one.key for one in hits], range(len(hits)), hits=hits)
        visitors = [one.visitor.encode() for one in hits]
        for reason in door.of_draft("abc", draft, server, visitors=visitors, now_ms=at_ms).values():
            said[reason] = said.get(reason, 0) + 1
        tries.add(record(pack(at_ms, hits)))
    assert {reason: count for reason, count in tries.after.reasons.items() if reason} == said
    assert said.keys() == {"rule-path", "referrer-spam", "reload", "rate"}
    assert tries.before.reasons == {"": tries.hits}
    assert tries.changed == sum(said.values())


def test_what_the_door_said_of_things_that_are_not_stored_stays() -> None:
    tries = trial()
    hits = [hit("a", url="/preview/1"), hit("b"), hit("c"), hit("d")]
    tries.add(
        record(pack(NOON_MS, hits, screened={0: "bot-agent", 1: "rule-path", 2: "referrer-spam", 3: "rule-address"}))
    )
    assert tries.before.reasons == {"bot-agent": 1, "rule-path": 1, "referrer-spam": 1, "rule-address": 1}
    assert tries.after.reasons == {"bot-agent": 1, "": 2, "rule-address": 1}


def test_what_was_said_of_readers_who_are_not_stored_stays_unless_a_rule_says_more() -> None:
    hits = [hit(), hit(), hit(url="https://x.example/preview/1")]
    tries = trial()
    tries.add(record(pack(NOON_MS, hits, screened={0: "reload", 1: "rate", 2: "reload"})))
    assert tries.after.reasons == {"reload": 1, "rate": 1, "rule-path": 1}


def test_a_door_that_is_switched_off_says_nothing_and_logs_keep_what_was_said_of_them() -> None:
    tries = trial(tried_rules_from_document({"isOn": False}, LIMITS))
    tries.add(record(pack(NOON_MS, [hit("a"), hit("b")], screened={0: "bot-agent", 1: "robot"})))
    assert tries.after.reasons == {"": 1, "robot": 1}


def test_hits_outside_the_span_repeats_and_what_is_set_aside_are_not_counted() -> None:
    tries = trial()
    tries.add(record(pack(NOON_MS - MINUTE_MS, [hit()])))
    tries.add(record(pack(NOON_MS, [hit(), hit("b")], screened={1: "late"}), repeats=(0,)))
    tries.add(record(pack(NOON_MS, [hit()]), repeated=True))
    tries.add(Record(2, "abc", 7, b"nothing", NOON_MS))
    assert (tries.hits, tries.unreadable) == (0, 7)


def test_hits_of_an_old_log_are_taken_as_they_are() -> None:
    tries = trial()
    old = Pack(*(VERSION, RULES, NOON_MS + 3 * DAY_MS, [("/preview/1", "", "", "")]), at_ms=[NOON_MS], trusted=True)
    tries.add(record(old))
    assert tries.after.reasons == {"": 1}


def test_whoever_came_shortly_before_the_span_is_known_by_its_beginning() -> None:
    tries = trial()
    tries.add(record(pack(NOON_MS - 1_000, [hit(visitor="visitor1")] * 3)))
    tries.add(record(pack(NOON_MS + 1_000, [hit(visitor="visitor1")])))
    assert tries.after.reasons == {"reload": 1}


def test_the_list_tells_ranks_and_hits_then_and_now() -> None:
    tries = trial()
    tries.add(record(pack(NOON_MS, [hit("bad", url="/preview/1")] * 3 + [hit("good")] * 2 + [hit("fair")])))
    assert tries.top(1) == [
        {"assetId": "good", "rank": 1, "rankBefore": 2, "hits": 2, "hitsBefore": 2},
        {"assetId": "bad", "rank": None, "rankBefore": 1, "hits": 0, "hitsBefore": 3},
    ]
    assert (tries.before.shown, tries.after.shown) == (6, 3)


def test_when_there_are_too_many_assets_those_with_the_fewest_hits_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "ASSETS_MAX", 3)
    tries = trial()
    tries.add(record(pack(NOON_MS, [hit("much")] * 5)))
    for number in range(9):
        tries.add(record(pack(NOON_MS, [hit(f"little {number}")])))
    assert not tries.is_exact
    assert tries.top(1)[0]["hits"] == 5


def test_rules_that_the_past_cannot_tell_about_are_named_with_the_reason() -> None:
    document = {"addresses": ["203.0.113.0/24"], "agents": ["Example"], "countries": ["FI", "SE"], "paths": ["/x"]}
    told = tried_rules_from_document(document, LIMITS).not_tried()
    assert [(one["rule"], one["entries"]) for one in told] == [("addresses", 1), ("countries", 2), ("agents", 1)]
    assert all("not stored" in str(one["why"]) for one in told)


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({"repeatsMax": -1}, "repeatsMax"),
        ({"repeatsMinutes": 0}, "repeatsMinutes"),
        ({"visitorPerMinute": True}, "visitorPerMinute"),
        ({"referrerSpam": "spam.example"}, "referrerSpam"),
        ({"referrerSpam": ["no domain"]}, "list"),
        ({"pathes": []}, "pathes"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused(document: dict[str, object], field: str) -> None:
    with pytest.raises(Refused) as refused:
        tried_rules_from_document(document, LIMITS)
    assert refused.value.field == field
