"""Commands of an operator on an instance on AWS: straight on its tables, its archive and its stream."""

import getpass
import json
from contextlib import closing
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from footfall.app import wiring
from footfall.app.screening import KeptScreen
from footfall.app.settings import NAMES
from footfall.flow.collect.fields import Hit
from footfall.flow.collect.senders import Sender
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.shells.cli.command import Exit
from footfall.shells.cli.deploy_report import CHOSEN
from footfall.shells.lambdas.count import Count
from footfall.values.window import MINUTE_MS, instant_text
from tests.engines.aws_ground import AwsGround, NewGround
from tests.shells.lambdas.events import (
    CLOCK,
    Minutes,
    append,
    entries_of,
    hits_of,
    kinesis_events,
    ledger,
    minutes,
)


@pytest.fixture
def ground(new_ground: NewGround, shell: Any) -> AwsGround:
    made = new_ground()
    shell.variables = dict(made.variables())
    return made


def count_all(ground: AwsGround) -> None:
    count = Count(ground.settings, CLOCK)
    for event in kinesis_events(ground):
        assert count.answer(event, Minutes()) == {"batchItemFailures": []}


def test_brands_and_keys_are_added_listed_and_removed_without_a_data_directory(ground: AwsGround, shell: Any) -> None:
    assert shell.run("brands", "add", "stored", "--zone", "Asia/Kolkata", "--url", "https://a.example") == 0
    assert "https://a.example/footfall.js" in shell.printed()
    assert shell.run("keys", "add", "--brand", "stored", "--public") == 0
    assert shell.run("brands", "list", "--json") == 0
    listed = json.loads(shell.printed().splitlines()[-1])["brands"]
    assert [(one["brand"], one["isOpen"]) for one in listed] == [("abc", True), ("kathmandu", True), ("stored", False)]
    assert wiring.zone_of(ground.settings, CLOCK)("stored") == "Asia/Kolkata"
    assert shell.run("brands", "remove", "stored", "--yes") == 0


def test_a_brand_that_was_counted_in_a_zone_stays_in_it(ground: AwsGround, shell: Any) -> None:
    append(ground, entries_of(ground, hits_of(3, brand="kathmandu")))
    count_all(ground)
    assert shell.run("brands", "add", "kathmandu", "--zone", "UTC") != 0
    assert "'Asia/Kathmandu'" in shell.complained()


def test_a_recount_counts_from_the_archive_and_changes_nothing_that_was_right(ground: AwsGround, shell: Any) -> None:
    began_ms = CLOCK.now_ms() // MINUTE_MS * MINUTE_MS
    append(ground, entries_of(ground, hits_of(30)))
    count_all(ground)
    ends_ms = CLOCK.now_ms() // MINUTE_MS * MINUTE_MS + MINUTE_MS
    span = ("--from", instant_text(began_ms), "--to", instant_text(ends_ms))
    assert shell.run("recount", "--brand", "abc", *span) == 0, shell.complained()
    assert minutes(ground, began_ms, ends_ms) == 30
    append(ground, entries_of(ground, hits_of(5)))
    count_all(ground)
    assert (ledger(ground).counted, minutes(ground, began_ms, CLOCK.now_ms() + MINUTE_MS)) == (35, 35)


def test_rules_are_tried_on_the_archive(ground: AwsGround, shell: Any, tmp_path: Path) -> None:
    began_ms = CLOCK.now_ms() // MINUTE_MS * MINUTE_MS
    keys = [("/preview/1", "", "", ""), ("read", "", "", "")]
    pack = Pack(VERSION, RULES, CLOCK.now_ms(), keys)
    append(ground, [Entry(0, "abc", 2, record_from_pack(pack), pack.arrived_at_ms)])
    count_all(ground)
    file = tmp_path / "rules.json"
    file.write_text('{"paths": ["/preview/*"]}', encoding="utf-8")
    shell.clock.set(CLOCK.now_ms() + MINUTE_MS)
    assert shell.run("screen", "try", "--rules", str(file), "--from", instant_text(began_ms), "--json") == 0
    (one,) = json.loads(shell.printed())["brands"]
    assert (one["brand"], one["hits"], one["changed"]) == ("abc", 2, 1)


def test_dead_letters_are_listed_shown_and_replayed(ground: AwsGround, shell: Any) -> None:
    append(ground, [Entry(1, "abc", 2, b"not a pack", CLOCK.now_ms())])
    append(ground, entries_of(ground, hits_of(3, at=CLOCK.now_ms() - 25 * 3_600_000)))
    count_all(ground)
    assert (ledger(ground).dead, ledger(ground).late, ledger(ground).counted) == (2, 3, 0)
    assert shell.run("dead-letters", "list", "--brand", "abc", "--json") == 0
    (item,) = json.loads(shell.printed())["items"]
    assert shell.run("dead-letters", "show", item["position"], "--brand", "abc") == 0
    assert b"not a pack".hex() in shell.printed()
    assert shell.run("dead-letters", "replay", "--all", "--brand", "abc") == 0
    assert "stays where it is" in shell.printed()  # It is no more readable than before.
    assert shell.run("dead-letters", "replay", "--all", "--kind", "late", "--brand", "abc") == 0
    count_all(ground)
    assert (ledger(ground).dead, ledger(ground).late, ledger(ground).counted) == (2, 0, 3)


def test_a_brand_that_nobody_knows_is_refused(ground: AwsGround, shell: Any) -> None:
    assert shell.run("dead-letters", "list", "--brand", "misspelt") != 0
    assert "'misspelt' is not a brand of footfall" in shell.complained()


def test_settings_of_the_audience_that_are_not_the_stacks_are_told(ground: AwsGround, shell: Any) -> None:
    follow = ("audience", "follow", "member:1", "series:dark", "--brand", "abc")
    assert shell.run(*follow) == Exit.OK
    assert "Not taken from the stack" in shell.complained()
    assert "audience_uncounted_brands" in shell.complained()
    before = len(shell.complained())
    shell.variables |= {name: str(NAMES[name.removeprefix("FOOTFALL_").lower()].default) for name in CHOSEN}
    assert shell.run(*follow) == Exit.OK
    assert shell.complained()[before:] == ""


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("AWS_ACCOUNTS_TABLE", ("brands", "list")),
        ("AWS_STORE_TABLE", ("brands", "list")),
        ("AWS_RAW_BUCKET", ("dead-letters", "list", "--brand", "abc")),
        ("AWS_STREAM", ("dead-letters", "list", "--brand", "abc")),
    ],
)
def test_what_is_missing_is_named(shell: Any, name: str, command: tuple[str, ...]) -> None:
    named = ("AWS_STREAM", "AWS_STORE_TABLE", "AWS_ACCOUNTS_TABLE", "AWS_CATALOG_TABLE", "AWS_RAW_BUCKET")
    shell.variables = {f"FOOTFALL_{one}": "x" for one in named if one != name} | {"FOOTFALL_GROUND": "aws"}
    assert shell.run(*command) != 0
    assert f"{name.lower()} is empty: set it, or FOOTFALL_{name}" in shell.complained()


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("serve",), "footfall deploy"),
        (("backup", "x.tar"), "35 days"),
        (("doctor",), "footfall deploy status"),
        (("import", "--brand", "abc", "access.log"), "feed-from-firehose"),
    ],
)
def test_what_only_has_a_meaning_in_a_directory_says_what_to_do_instead(
    shell: Any, command: tuple[str, ...], says: str
) -> None:
    shell.variables = {"FOOTFALL_GROUND": "aws"}
    assert shell.run(*command) != 0
    assert "works on a data directory, and ground is 'aws'" in shell.complained()
    assert says in shell.complained()


@pytest.mark.parametrize(
    "command",
    [
        ("assets", "list", "--brand", "abc"),
        ("assets", "load", "--brand", "abc", "articles.csv"),
        ("popular", "--brand", "abc"),
        ("ledger", "--brand", "abc"),
    ],
)
def test_what_goes_through_the_api_asks_for_its_address(shell: Any, server: Any, command: tuple[str, ...]) -> None:
    shell.variables = {"FOOTFALL_GROUND": "aws"}
    assert shell.run(*command) == Exit.USAGE
    assert f"footfall {command[0]} goes through the API, and FOOTFALL_GROUND is 'aws': give --url" in shell.complained()
    assert server.asked == []


def test_with_the_address_the_api_is_asked(shell: Any, server: Any) -> None:
    shell.variables = {"FOOTFALL_GROUND": "aws"}
    server.answer({"items": []})
    assert shell.run("assets", "list", "--brand", "abc", "--url", server.url) == Exit.OK, shell.complained()
    assert [asked.path.partition("?")[0] for asked in server.asked] == ["/v1/assets"]


def test_lists_and_rules_of_the_door_lie_in_the_table_of_the_accounts(
    ground: AwsGround, shell: Any, tmp_path: Path
) -> None:
    networks = tmp_path / "clouds.txt"
    # No pattern in them, so that the list needs more than one item.
    numbers = [number * 2_654_435_761 % 2**32 for number in range(150_000)]
    networks.write_text("\n".join(str(IPv4Address(number)) for number in numbers), encoding="ascii")
    assert shell.run("lists", "update", str(networks)) == 0, shell.complained()
    assert shell.run("rules", "add", "--brand", "abc", "--path", "/preview/*") == 0, shell.complained()
    with closing(wiring.open_accounts(ground.settings, CLOCK)) as opened:
        (stored,) = opened.register.screening.lists().values()
        assert (stored.parts > 1, stored.version, stored.by) == (True, 1, f"command line, user {getpass.getuser()}")
        kept = KeptScreen(ground.settings)
        kept.follow(opened.register)
    hit = Hit("abc", ("/preview/1", "", "", ""))
    server = Sender("192.0.2.1", "", wants_privacy=False, is_server=True)
    page = Sender(str(IPv4Address(numbers[-1])), "Mozilla/5.0 (X11; rv:132.0) Gecko/20100101 Firefox/132.0", False)
    judged = [kept.screen.of_single("abc", hit, one, visitor=b"", now_ms=CLOCK.now_ms()) for one in (server, page)]
    assert judged == ["rule-path", "data-centre"]


def test_metrics_are_kept_applied_and_written_down_on_aws(ground: AwsGround, shell: Any, tmp_path: Path) -> None:
    named = ("--brand", "abc", "--json")
    (tmp_path / "metrics.yaml").write_text(
        "name: twice\nvalueType: HYBRID\nhybridFormula: reads * 2\n---\nname: reads\nvalueType: SCALAR\nunit: hits\n"
    )
    assert shell.run("metrics", "apply", str(tmp_path), *named) == 0, shell.complained()
    assert shell.run("metrics", "update", "twice", "--formula", "reads * 3", *named) == 0, shell.complained()
    assert shell.run("metrics", "update", "twice", "--formula", "reads * 4", "--version", "1", *named) == 4
    assert shell.run("metrics", "remove", "reads", *named) == 4
    assert shell.run("metrics", "lineage", "reads", *named) == 0
    lineage = json.loads(shell.printed().splitlines()[-1])
    assert [(one["name"], one["version"]) for one in lineage["usedBy"]] == [("twice", 2)]
    with closing(wiring.open_accounts(ground.settings, CLOCK)) as accounts:
        entries, _ = accounts.register.trail.page("abc", limit=10)
    assert [one.act for one in entries] == ["metric-changed", "metrics-applied"]
