"""`footfall metrics` on a directory that no instance runs on."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from footfall.metrics.definition import Counted

OSSIE = json.loads((Path(__file__).with_name("ossie_0_2.schema.json")).read_text(encoding="utf-8"))


class Metrics:
    """The command with what every call of a test has."""

    def __init__(self, shell: Any, data: str) -> None:
        self.shell = shell
        self._named = ("--data", data, "--brand", "abc")

    def run(self, *words: str, code: int = 0) -> str:
        assert self.shell.run("metrics", *words, *self._named) == code, self.shell.complained()
        return str(self.shell.printed())

    def json(self, *words: str, code: int = 0) -> Any:
        return json.loads(self.run(*words, "--json", code=code).splitlines()[-1])

    def add(self, name: str, formula: str = "", *more: str) -> Any:
        kind = ("--value-type", "HYBRID", "--formula", formula) if formula else ("--value-type", "SCALAR")
        return self.json("add", name, *kind, *more)


@pytest.fixture
def metrics(tmp_path: Path, shell: Any) -> Metrics:
    folder = str(tmp_path / "data")
    assert shell.run("brands", "add", "abc", "--data", folder) == 0
    shell.printed()
    return Metrics(shell, folder)


def test_a_metric_goes_through_its_life(metrics: Metrics) -> None:
    assert metrics.add("reads", "", "--unit", "hits", "--dimension", "section")["version"] == 1
    metrics.add("visitors", "", "--unit", "visitors", "--dimension", "section")
    assert metrics.add("rate", "reads / visitors")["unit"] == "hits/visitors"
    changed = metrics.json("update", "rate", "--formula", "ratio(reads, visitors, 0)", "--reason", "no gaps")
    assert (changed["version"], changed["reason"]) == (2, "no gaps")
    metrics.run("update", "rate", "--title", "Rate", "--version", "1", code=4)
    assert "version 2 of 'rate' was saved meanwhile" in metrics.shell.complained()
    assert metrics.json("update", "rate", "--title", "Rate")["hash"] == changed["hash"]
    assert [one["version"] for one in metrics.json("versions", "rate")["items"]] == [3, 2, 1]
    assert "hybridFormula" in metrics.run("diff", "rate", "--from", "1", "--to", "2")
    assert metrics.json("get", "rate", "--version", "1")["hybridFormula"] == "reads / visitors"
    assert "rate" in metrics.run("lineage", "reads")
    assert [one["name"] for one in metrics.json("search", "rate")["items"]] == ["rate"]
    assert [one["name"] for one in metrics.json("list", "--uses", "reads")["items"]] == ["rate"]
    metrics.run("remove", "reads", code=4)
    assert "is used by rate" in metrics.shell.complained()
    gone = metrics.json("deprecate", "rate", "--reason", "old", "--replacement", "reads")
    assert gone["replacement"] == "reads"
    assert "deprecated" in metrics.run("list", "--deprecated")
    assert "deprecatedAt" not in metrics.json("restore", "rate")
    assert metrics.json("remove", "rate")["name"] == "rate"
    acts = json.loads(_audit(metrics))["items"]
    assert [one["act"] for one in acts][:3] == ["metric-removed", "metric-restored", "metric-deprecated"]
    assert all(one["by"].startswith("command line") for one in acts)


def test_footfalls_own_counts_are_defined_once_under_the_names_that_are_free(metrics: Metrics) -> None:
    metrics.json("add", "reads", "--counts", "hits")
    metrics.json("add", "paid_viewers", "--counts", "viewers", "--where", "paidType:paid")
    metrics.add("minutes", "", "--unit", "minutes")
    answer = metrics.json("own")
    assert answer["added"] == ["visitors", "viewers", "playbacks", "completions", "follows", "unfollows"]
    assert (answer["there"], answer["taken"]) == ({"hits": "reads"}, ["minutes"])
    completions = metrics.json("get", "completions")
    assert completions["description"] == "Viewings that have seen at least 90 hundredths of the asset."
    assert (completions["unit"], metrics.json("get", "unfollows")["unit"]) == ("completions", "follows")
    assert completions["relatedDimensions"] == ["paidType", "resourceType", "section"]
    assert metrics.json("get", "follows")["relatedDimensions"] == ["followerKind", "kind"]
    acts = json.loads(_audit(metrics))["items"]
    assert [one["act"] for one in acts[:6]] == ["metric-added"] * 6
    assert metrics.json("own")["added"] == []
    assert "hits: reads counts them already." in metrics.run("own")
    assert "minutes is another metric here" in metrics.shell.complained()
    metrics.run("own", "reads", code=2)


def test_own_defines_a_metric_for_everything_that_is_counted(metrics: Metrics) -> None:
    own = [one.value for one in Counted if one is not Counted.PUSHED]
    assert metrics.run("own").splitlines()[-len(own) :] == [f"{name} is defined." for name in own]


def _audit(metrics: Metrics) -> str:
    assert metrics.shell.run("audit", *metrics._named, "--json") == 0
    return str(metrics.shell.printed()).splitlines()[-1]


def test_a_wrong_formula_is_refused_with_its_character(metrics: Metrics) -> None:
    metrics.run("add", "x", "--value-type", "HYBRID", "--formula", "a +", code=4)
    assert "(character 4)" in metrics.shell.complained()


def test_a_kind_that_the_settings_do_not_have_is_refused_and_one_that_was_saved_stays(
    metrics: Metrics, tmp_path: Path
) -> None:
    new = ("add", "new", "--counts", "follows", "--where", "kind:playlist")
    metrics.run(*new, code=4)
    assert "source.where.kind: 'playlist' is not a kind here; those are member, series," in metrics.shell.complained()
    setting = tmp_path / "data" / "footfall.toml"
    setting.write_text('audience_kinds = "playlist"\n', encoding="utf-8")
    metrics.run(*new)
    setting.unlink()
    folder = tmp_path / "metrics"
    metrics.run("export", str(folder))
    assert metrics.json("apply", str(folder))["unchanged"] == 1
    assert metrics.json("update", "new", "--title", "New")["version"] == 2
    (file,) = folder.iterdir()
    file.write_text(file.read_text(encoding="utf-8").replace("playlist", "playlists"), encoding="utf-8")
    (refused,) = metrics.json("apply", str(folder), code=4)["refused"]
    assert refused["field"] == "source.where.kind"


def test_a_metric_comes_from_a_file_of_either_kind(metrics: Metrics, tmp_path: Path) -> None:
    one, other = tmp_path / "one.yaml", tmp_path / "other.json"
    one.write_text("name: reads\nvalueType: SCALAR\nchainedMetric: old\nchainCutoffDate: 2026-01-31\n")
    other.write_text('{"name": "old", "valueType": "SCALAR"}')
    metrics.run("add", "--file", str(one), code=4)
    assert metrics.json("add", "--file", str(other))["version"] == 1
    assert metrics.json("add", "--file", str(one))["chainCutoffDate"] == "2026-01-31"
    one.write_text("name: reads\nvalueType: SCALAR\ntitle: Reads\n")
    assert "chainedMetric" not in metrics.json("update", "--file", str(one))
    two = tmp_path / "two.yaml"
    two.write_text("name: a\n---\nname: b\n")
    metrics.run("add", "--file", str(two), code=2)


@pytest.mark.parametrize(
    "words", [("add",), ("get",), ("search",), ("list", "reads"), ("export",), ("apply",), ("update", "--title", "x")]
)
def test_words_that_make_no_sense_together_are_wrong_usage(words: tuple[str, ...], metrics: Metrics) -> None:
    metrics.run(*words, code=2)


def test_a_brand_that_is_not_there_is_refused(metrics: Metrics) -> None:
    assert metrics.shell.run("metrics", "list", *metrics._named[:2], "--brand", "nobody") == 4


def test_what_is_exported_and_applied_changes_nothing(metrics: Metrics, tmp_path: Path) -> None:
    metrics.add("reads", "", "--unit", "hits", "--description", "two\nlines", "--title", "yes")
    metrics.add("Été/heures ouvrées", "reads * 2")
    metrics.add("CON", "reads * 3")
    metrics.run("deprecate", "CON", "--reason", "old")
    folder = tmp_path / "files"
    metrics.run("export", str(folder))
    written = {one.name: one.read_bytes() for one in folder.iterdir()}
    assert len(written) == 3
    plan = metrics.json("apply", str(folder), "--prune")
    assert (plan["unchanged"], plan["applied"]) == (3, True)
    assert not any(plan[part] for part in ("added", "changed", "deprecated", "restored", "removed", "refused"))
    metrics.run("export", str(folder))
    assert "0 of its files were written" in metrics.shell.complained()
    assert {one.name: one.read_bytes() for one in folder.iterdir()} == written


def test_an_export_leaves_comments_and_places_as_they_are(metrics: Metrics, tmp_path: Path) -> None:
    metrics.add("a")
    metrics.add("b")
    folder = tmp_path / "files"
    (folder / "team").mkdir(parents=True)
    both = folder / "team" / "ours.yml"
    both.write_text("# Ours.\nname: b\nvalueType: SCALAR\nunit: ratio\n---\nname: a\nvalueType: SCALAR\nunit: ratio\n")
    before = both.read_bytes()
    metrics.run("export", str(folder))
    assert (both.read_bytes(), len(list(folder.rglob("*.y*ml")))) == (before, 1)
    metrics.run("update", "a", "--title", "A")
    metrics.run("remove", "b")
    metrics.run("export", str(folder))
    assert [one["title"] for one in yaml.safe_load_all(both.read_text())] == ["A"]
    metrics.run("remove", "a")
    metrics.run("export", str(folder))
    assert not both.exists()


def test_a_plan_tells_everything_and_a_dry_run_changes_nothing(metrics: Metrics, tmp_path: Path) -> None:
    for name in ("stays", "changes", "goes", "retires"):
        metrics.add(name, "", "--unit", "hits")
    metrics.add("goes_too", "goes * 2")
    (tmp_path / "m.yaml").write_text(
        "name: stays\nvalueType: SCALAR\nunit: hits\n---\n"
        "name: changes\nvalueType: SCALAR\nunit: hits\ntitle: Changed\n---\n"
        "name: retires\nvalueType: SCALAR\nunit: hits\ndeprecated: {reason: old, replacement: comes}\n---\n"
        "name: comes\nvalueType: HYBRID\nhybridFormula: stays + changes\n"
    )
    told = metrics.run("apply", str(tmp_path), "--dry-run", "--prune")
    for line in (
        "+ comes  m.yaml:15",
        "~ changes  m.yaml:5",
        'title: nothing -> "Changed"',
        "! retires",
        "- goes",
        "- goes_too",
    ):
        assert line in told, told
    assert "Would be: 1 added, 1 changed, 1 deprecated, 0 restored, 2 removed, 1 unchanged." in told
    assert len(metrics.json("list")["items"]) == 5, "nothing was changed"
    without = metrics.json("apply", str(tmp_path), "--dry-run")
    assert (without["others"], without["removed"]) == (2, [])
    metrics.run("apply", str(tmp_path), "--prune", "--reason", "the autumn review")
    assert {one["name"] for one in metrics.json("list")["items"]} == {"stays", "changes", "retires", "comes"}
    assert metrics.json("get", "comes")["reason"] == "the autumn review"
    assert metrics.json("get", "retires")["replacement"] == "comes"
    assert metrics.json("apply", str(tmp_path), "--prune")["unchanged"] == 4


def test_when_one_metric_is_refused_none_is_written(metrics: Metrics, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "name: good\nvalueType: SCALAR\n---\nname: bad\nvalueType: HYBRID\nhybridFormula: good +\n"
    )
    (tmp_path / "b.yaml").write_text(
        "name: good\nvalueType: SCALAR\n---\nname: x\nvalueType: HYBRID\nhybridFormula: y * 2\n"
    )
    (tmp_path / "c.yaml").write_text(
        "name: y\nvalueType: HYBRID\nhybridFormula: x * 2\n---\nname: z\nvalueType: GOLD\n"
    )
    metrics.run("apply", str(tmp_path), code=4)
    told = metrics.shell.complained()
    for line in (
        "a.yaml:6: bad: hybridFormula: ends too early (character 7)",
        "b.yaml:1: good: name: 'good' is defined a second time; the first is at a.yaml:1",
        "would be computed from itself: ",
        "c.yaml:6: z: valueType:",
    ):
        assert line in told, told
    assert metrics.json("list")["items"] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name: a\nname: b\n", "bad.yaml:2: 'name' stands there twice"),
        ("name: a\n  b: [\n", "bad.yaml:2:"),
        ("- a\n", "bad.yaml:1: is not a metric"),
        ("name: &x a\nunit: 1\nsource: &y {where: {}}\nrelatedDimensions: [*y]\n", "write it out"),
        ("name: !!python/object:os.system a\n", "is not a kind of value"),
    ],
)
def test_a_file_that_is_no_metric_is_refused_with_its_line(
    metrics: Metrics, tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "bad.yaml").write_text(text)
    metrics.run("apply", str(tmp_path), code=4)
    assert words in metrics.shell.complained()


def test_the_open_form_is_what_its_schema_says_and_leaves_out_what_it_cannot_say(
    metrics: Metrics, tmp_path: Path
) -> None:
    metrics.add("reads", "", "--unit", "hits", "--dimension", "section")
    metrics.add("o'clock", "", "--unit", "hits", "--aggregation", "LAST_DAY_OF_PERIOD")
    metrics.add("rate", "reads / max(reads, 2[hits]) + coalesce(reads / reads, 0) - ratio(reads, reads, 1)")
    metrics.add("growth", "reads - shift(reads, 1 week)")
    whole = metrics.json("export", "--format", "ossie")
    jsonschema_rs.validate(OSSIE, whole)
    (model,) = whole["semantic_model"]
    assert [one["name"] for one in model["metrics"]] == ["rate", "reads"]
    extension = json.loads(model["metrics"][1]["custom_extensions"][0]["data"])
    assert (extension["version"], extension["unit"]) == (1, "hits")
    left = json.loads(model["custom_extensions"][0]["data"])["notExpressible"]
    assert {one["name"]: one["reason"] for one in left} == {
        "growth": "it is shifted by 1 week", "o'clock": "a period has the value of its last day",
    }  # fmt: skip
    metrics.run("export", str(tmp_path / "model.yaml"), "--format", "ossie")
    assert yaml.safe_load((tmp_path / "model.yaml").read_text()) == whole


def test_every_field_of_a_definition_is_said_by_a_flag(metrics: Metrics) -> None:
    said = metrics.json(
        "add", "paid", "--counts", "hits", "--where", "paidType:paid,metered", "--where", "resourceType:article",
        "--dimension", "section", "--title", "Paid reads", "--description", "d", "--owner", "o", "--reason", "r",
    )  # fmt: skip
    where = {"paidType": ["metered", "paid"], "resourceType": ["article"]}
    assert said["source"] == {"counts": "hits", "where": where}
    assert (said["valueType"], said["unit"], said["relatedDimensions"]) == ("SCALAR", "hits", ["section"])
    # What no flag names stays, and a flag without text takes its field away.
    said = metrics.json("update", "paid", "--where", "paidType:paid", "--owner", "")
    assert said["source"] == {"counts": "hits", "where": {"paidType": ["paid"]}}
    assert (said["title"], said.get("owner", "")) == ("Paid reads", "")
    said = metrics.json("update", "paid", "--where", "")
    assert (said["source"]["counts"], said["source"]["where"]) == ("hits", {})
    said = metrics.json("update", "paid", "--dimension", "")
    assert said["relatedDimensions"] == []
    assert "source" not in metrics.json("update", "paid", "--counts", "")
    lowest = metrics.json("add", "fastest", "--percentile", "0", "--unit", "seconds")
    assert (lowest["valueType"], lowest["aggregationParam"]) == ("PERCENTILE", 0)
    assert metrics.json("add", "rate", "--formula", "paid / 2")["valueType"] == "HYBRID"
    last = ("--value-type", "SCALAR", "--aggregation", "LAST_DAY_OF_PERIOD")
    metrics.json("add", "old", *last)
    chained = metrics.json("add", "new", *last, "--chained", "old", "--cutoff", "2026-11-01")
    assert (chained["chainedMetric"], chained["chainCutoffDate"]) == ("old", "2026-11-01")
    assert "chainedMetric" not in metrics.json("update", "new", "--chained", "")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--where", "paidType:paid"), 2, "give --counts hits, or another of them, too"),
        (("--counts", "clicks"), 4, "'clicks'"),
        (("--counts", "hits", "--where", "paid"), 4, "'paid' is not a condition such as section:news,sports"),
        (("--counts", "visitors", "--where", "country:fi"), 4, "'country' is not kept of visitors: paidType, "),
        (("--counts", "hits", "--unit", "minutes"), 4, "unit: is hits: that is what is counted"),
        ((), 4, "valueType"),
    ],
)
def test_a_flag_that_makes_no_sense_is_told(metrics: Metrics, words: tuple[str, ...], code: int, said: str) -> None:
    metrics.run("add", "x", *words, code=code)
    assert said in metrics.shell.complained()


def test_what_can_be_grouped_by_has_one_name_in_every_answer(metrics: Metrics) -> None:
    metrics.add("reads", "", "--unit", "hits", "--dimension", "section", "--dimension", "country")
    metrics.add("users", "", "--unit", "users", "--dimension", "section")
    metrics.add("rate", "reads / users")
    got = metrics.json("get", "rate")
    assert (got["dimensions"], got["relatedDimensions"]) == (["section"], [])
    assert got["dimensions"] == metrics.json("lineage", "rate")["dimensions"]
    (listed,) = metrics.json("search", "rate")["items"]
    assert listed["dimensions"] == got["dimensions"]
    assert metrics.json("get", "reads")["dimensions"] == ["country", "section"]


def test_what_is_refused_and_what_is_typed_wrong_have_codes_of_their_own(metrics: Metrics, tmp_path: Path) -> None:
    metrics.add("reads", "", "--unit", "hits")
    for words in (
        ("add", "reads", "--value-type", "SCALAR"),
        ("get", "nothing"),
        ("update", "nothing", "--title", "T"),
        ("lineage", "nothing"),
        ("get-data", "nothing", "--from", "2026-01-01", "--to", "2026-01-02"),
        ("diff", "reads", "--from", "1", "--to", "7"),
    ):
        metrics.run(*words, code=4)
    gone = str(tmp_path / "gone")
    for words, told in (
        (("get-data", "reads", "--from", "yesterday", "--to", "2026-01-02"), "--from 'yesterday' is not a day"),
        (("get-data", "reads", "--from", "2026-01-01"), "--to is missing"),
        (("push", "reads", gone), "gone cannot be read"),
        (("apply", gone), "gone is not a folder"),
        (("add", "--file", gone), "gone cannot be read"),
        (("diff", "reads", "--from", "2026-01-01"), "--from of diff is the number of a version"),
    ):
        metrics.run(*words, code=2)
        assert told in metrics.shell.complained()


def test_another_dimension_is_no_other_total(metrics: Metrics) -> None:
    metrics.add("reads", "", "--unit", "hits", "--dimension", "section")
    for flags, told in (
        (("--dimension", "country"), "Both give the same totals, grouped otherwise."),
        (("--title", "T"), "Both give the same numbers."),
        (("--unit", "users"), "They give different numbers."),
    ):
        metrics.run("update", "reads", *flags)
        metrics.run("diff", "reads")
        assert metrics.shell.complained().splitlines()[-1] == told


def test_whoever_builds_on_a_deprecated_metric_is_told(metrics: Metrics, tmp_path: Path) -> None:
    metrics.add("reads", "", "--unit", "hits")
    metrics.add("views", "", "--unit", "hits")
    metrics.run("deprecate", "reads", "--reason", "prefetched pages", "--replacement", "views")
    metrics.shell.complained()
    metrics.run("add", "twice", "--formula", "reads * 2")
    assert "Note: 'reads' is deprecated: prefetched pages; use 'views' instead." in metrics.shell.complained()
    (tmp_path / "more.yaml").write_text("name: more\nvalueType: HYBRID\nhybridFormula: reads * 3\n")
    metrics.run("apply", str(tmp_path), "--dry-run")
    assert "more: 'reads' is deprecated: prefetched pages; use 'views' instead" in metrics.shell.complained()
    metrics.run("get-data", "twice", "--from", "2026-11-01", "--to", "2026-11-02")
    assert "reads is deprecated: prefetched pages. Use views instead." in metrics.shell.complained()


def test_a_section_that_nothing_has_is_told(metrics: Metrics) -> None:
    metrics.add("reads", "", "--unit", "hits", "--dimension", "section")
    metrics.run("get-data", "reads", "--from", "2026-11-01", "--to", "2026-11-02", "--where", "section:nwes")
    assert "No data of the span have section nwes." in metrics.shell.complained()
