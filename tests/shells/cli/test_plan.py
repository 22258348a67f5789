"""`footfall plan`: a table, JSON, a page, explanations, and one sentence for whatever is wrong."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from footfall.values.window import HOUR_MS
from tests.app.test_planning_actual import counted
from tests.shells.cli.conftest import NOW_MS, Shell

UNTIL_MS = NOW_MS // HOUR_MS * HOUR_MS
SMALL = ("--hits-per-day", "2M", "--assets", "5k", "--brands", "2")
SCHEMA = """
table: hits
fields:
  asset: {zipf: 100000}
  minute: {time: minute}
partition: "{asset}"
sort: "{minute}"
access:
  - {name: count a hit, does: writes, per_second: %s, bytes: 200}
"""


def last(shell: Any) -> Any:
    """Return the JSON that was printed last."""
    return msgspec.json.decode(shell.printed().splitlines()[-1])


def planned(shell: Any, *argv: str) -> Any:
    assert shell.run("plan", *SMALL, *argv, "--json") == 0
    return last(shell)


@pytest.fixture(scope="module")
def told() -> Any:
    """Return the plan of a small site as JSON; whoever only reads it shares it."""
    return planned(Shell())


@pytest.fixture(scope="module")
def printed() -> str:
    """Return the plan of a small site as a person reads it."""
    shell = Shell()
    assert shell.run("plan", *SMALL) == 0
    return shell.printed()


def test_a_plan_is_told_with_its_bill_and_what_breaks_first(printed: str) -> None:
    for part in ("DynamoDB", "Kinesis", "Lambda", "HTTP API", "CloudFront", "S3", "CloudWatch"):
        assert part in printed
    for title in (
        "A month, by part",
        "The table's units",
        "Limits, the nearest first",
        "Over the months",
        "What to do",
    ):
        assert title in printed
    assert "First to break: " in printed
    assert re.search(r"\$\d[\d,.]* a month on AWS", printed)


def test_what_was_typed_is_what_every_month_says(told: Any) -> None:
    assert told["traffic"]["hitsPerDay"] == pytest.approx(2_000_000)
    assert [one["hitsPerDay"] for one in told["months"]] == pytest.approx([2_000_000] * len(told["months"]))


def test_what_cannot_be_reserved_has_no_price_and_advice_stands_apart(printed: str) -> None:
    assert "reserved 1 y, reserved 3 y: nothing to reserve (sold by the hundred)" in " ".join(printed.split())
    assert not re.search(r"^reserved .*none", printed, re.MULTILINE)
    assert "\n\nWhat to do\n" in printed


def test_json_has_the_shape_that_is_documented(told: Any) -> None:
    page = Path(__file__).parents[3] / "docs" / "formats" / "plans.md"
    documented = set(re.findall(r"^\| `(\w+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert set(told) == documented
    assert told["version"] == 1
    assert float(told["bill"]["usd"]) == pytest.approx(
        sum(float(one["usd"]) for one in told["bill"]["parts"]), abs=0.01
    )
    named = {one["name"] for one in told["figures"]}
    assert all(name in named for one in told["figures"] for name in one.get("inputs", ()))


def test_the_same_seed_gives_the_same_bytes(shell: Any) -> None:
    assert planned(shell, "--seed", "7") == planned(shell, "--seed", "7")


def test_more_traffic_costs_more_and_batches_cost_less(shell: Any, told: Any) -> None:
    once = float(told["bill"]["usd"])
    twice = float(planned(shell, "--hits-per-day", "4M")["bill"]["usd"])
    batched = float(planned(shell, "--batch", "50")["bill"]["usd"])
    assert batched < once < twice


class Seen(HTMLParser):
    """What a page is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.outside += [value for name, value in attrs if name in ("src", "href") and value]


def test_the_page_needs_nothing_else_and_has_a_table_for_every_picture(shell: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert shell.run("plan", *SMALL, "--spike", "5x", "--growth", "8%", "--html", str(path)) == 0
    assert shell.printed() == ""
    text = path.read_text(encoding="utf-8")
    seen = Seen()
    seen.feed(text)
    assert seen.outside == []
    assert not re.search(r"url\(|@import|<script", text)
    assert seen.tags.count("svg") == seen.tags.count("figure") >= 10
    assert seen.tags.count("svg") <= seen.tags.count("table")
    assert seen.tags.count("title") == seen.tags.count("svg") + 1
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"\bnan\b|\binf\b|NaN|None", text)


def test_traffic_may_shrink(shell: Any) -> None:
    months = planned(shell, "--growth", "-8%")["months"]
    assert months[-1]["hitsPerDay"] < months[0]["hitsPerDay"]


def test_a_page_that_cannot_be_written_is_code_2(shell: Any, tmp_path: Path) -> None:
    assert shell.run("plan", *SMALL, "--html", str(tmp_path / "no" / "report.html")) == 2
    assert "cannot be written" in shell.complained()


def test_every_number_can_be_explained_down_to_its_sources(shell: Any) -> None:
    assert shell.run("plan", "explain", *SMALL) == 0
    assert "bill.total" in shell.printed()
    assert shell.run("plan", "explain", "bill.table-writes", *SMALL) == 0
    printed = shell.printed()
    assert "writes.minutes" in printed
    assert "price.dynamodb.write-request = 0.625 USD  [price]" in printed
    assert "https://aws.amazon.com/dynamodb/pricing/on-demand/" in printed


def test_names_can_be_looked_up_before_there_is_traffic(shell: Any) -> None:
    assert shell.run("plan", "explain") == 0
    assert "bill.table-writes" in shell.printed()
    assert "these are the numbers of 50M hits a day" in shell.complained()


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ((), "say how many hits come"),
        (("--hits-per-day", "0"), "too few: 1 at least"),
        (("--hits-per-day", "-5"), "below zero"),
        (("--hits-per-day", "-5M"), "'-5M' is below zero"),
        (("--hits-per-day", "lots"), "is not a quantity; write it as 250000, 100k, 50M or 1.5B"),
        (("--hits-per-day", "900T"), "more than everybody on Earth"),
        ((*SMALL, "--region", "mars-1"), "'mars-1' is not in the prices"),
        ((*SMALL, "--prices", "/none.yaml"), "/none.yaml: cannot be read"),
        ((*SMALL, "--trace", "x.csv"), "both tell the traffic"),
        (("--trace", "/none.csv"), "/none.csv cannot be read"),
        ((*SMALL, "--ids", "2"), "'2' is no share"),
        ((*SMALL, "--growth", "9999%"), "is no growth of a month"),
        ((*SMALL, "--evening", "2000000x"), "is no multiple"),
        ((*SMALL, "--evening", "0"), "'0' is no multiple between 1 and 1,000"),
        ((*SMALL, "--shards", "8", "--counting-shards", "4"), "no hit would go to the others"),
        (("explain", "bill.nothing", *SMALL), "no number of this plan is called 'bill.nothing'"),
        (("show", "bill.total", *SMALL), "write `footfall plan explain bill.total`"),
        (("keys",), "--schema FILE"),
        (("keys", "--schema", "/none.yaml"), "/none.yaml cannot be read"),
        ((*SMALL, "--schema", "x"), "--schema belongs to `footfall plan keys`"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_code_2(shell: Any, argv: tuple[str, ...], says: str, capsys: Any) -> None:
    assert shell.run("plan", *argv) == 2
    said = shell.complained() + capsys.readouterr().err
    assert re.search(says, said)
    assert said.count("\n") == 1


def test_prices_of_ones_own_are_taken_and_old_ones_are_told_of(shell: Any, told: Any, tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(
        "version: 1\ndated: 2025-01-01\ncurrency: USD\nsources: {own: {title: our contract, address: 'https://example.com/'}}\n"
        "prices:\n- {name: api-gateway.http-request, unit: request, per: 1000000, usd: {us-east-1: 0}, source: own}\n"
    )
    before = {one["part"]: float(one["usd"]) for one in told["bill"]["parts"]}
    after = {one["part"]: float(one["usd"]) for one in planned(shell, "--prices", str(path))["bill"]["parts"]}
    assert before["HTTP API"] > 0
    assert after["HTTP API"] == 0
    assert after["DynamoDB"] == before["DynamoDB"]
    assert "2025-01-01" in shell.complained()


def test_negative_prices_are_refused(shell: Any, tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(
        "version: 1\ndated: 2026-11-01\ncurrency: USD\nsources: {own: {title: our contract, address: 'https://example.com/'}}\n"
        "prices:\n- {name: lambda.request, unit: request, per: 1000000, usd: {us-east-1: -1}, source: own}\n"
    )
    assert shell.run("plan", *SMALL, "--prices", str(path)) == 2
    assert "nothing costs less than nothing" in shell.complained()


def test_a_cool_design_is_code_0_and_a_hot_one_code_1(shell: Any, tmp_path: Path) -> None:
    path = tmp_path / "keys.yaml"
    path.write_text(SCHEMA % "500")
    assert shell.run("plan", "keys", "--schema", str(path)) == 0
    assert "cool" in shell.printed()
    path.write_text(SCHEMA % "500000")
    assert shell.run("plan", "keys", "--schema", str(path), "--json") == 1
    assert last(shell)["verdict"] == "hot"


def test_sizes_under_a_key_are_of_one_kind(shell: Any, tmp_path: Path) -> None:
    path = tmp_path / "keys.yaml"
    path.write_text(SCHEMA % "500")
    assert shell.run("plan", "keys", "--schema", str(path)) == 0
    in_table, in_sentence = re.findall(r"([\d,.]+) GB\b(?! would)", shell.printed())[:2]
    assert in_table == in_sentence


def test_keys_of_a_table_that_lacks_capacity_stop_a_build(shell: Any, tmp_path: Path) -> None:
    path = tmp_path / "keys.yaml"
    path.write_text(SCHEMA % 500 + "capacity: {writes: 20}\n", encoding="utf-8")
    assert shell.run("plan", "keys", "--schema", str(path)) == 1
    assert "too little capacity" in shell.printed()


def test_a_schema_that_is_none_is_refused(shell: Any, tmp_path: Path) -> None:
    path = tmp_path / "keys.yaml"
    path.write_text("table: [")
    assert shell.run("plan", "keys", "--schema", str(path)) == 2
    assert "is not YAML" in shell.complained()


def test_plan_and_actual_are_put_beside_each_other(shell: Any, tmp_path: Path) -> None:
    counted(tmp_path, hours=30, until_ms=UNTIL_MS)
    at = ("--data", str(tmp_path), "--actual", "--days", "3")
    assert shell.run("plan", *at, "--hits-per-day", "1M") == 0
    printed = shell.printed()
    assert "Plan against actual, of 30 hours that were counted" in printed
    assert "what peaks within one is not known" in shell.complained()
    assert re.search(r"! .* hits a day, where the plan has 1M", printed)
    assert shell.run("plan", *at, "--json") == 0
    assert last(shell)["traffic"]["brands"] == 1


def test_an_instance_that_has_counted_nothing_is_code_1(shell: Any, tmp_path: Path) -> None:
    counted(tmp_path, hours=1, until_ms=UNTIL_MS)
    assert shell.run("plan", "--actual", "--data", str(tmp_path)) == 1
    assert "fewer than 2 whole hours" in shell.complained()
