"""Names are of any script, in one form, and what nobody can see in one is refused at its character."""

import pytest

from footfall.metrics.definition import definition_from
from footfall.metrics.grammar import MalformedFormula, formula_from
from footfall.metrics.listing import Listings, Sought
from footfall.metrics.names import ImpossibleName, require_metric_name
from footfall.metrics.pushed import PointRefused
from footfall.values.errors import Refused
from tests.metrics.stage import BRAND, Stage, hybrid, scalar

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
PERSIAN = "می\u200cخواهم"  # noqa: RUF001 - what people type and others mistake
DECOMPOSED = "e\u0301te\u0301"


@pytest.mark.parametrize(
    "name",
    [FAMILY, f"{FAMILY} \u2764\ufe0f", PERSIAN, "क्\u200dष", "日本 #1 / 'x'", "запросы SQL", "Leser/Tag", "naïve"],
)
def test_names_of_every_script_are_taken(name: str) -> None:
    assert require_metric_name(name) == name
    assert definition_from(scalar(name)).name == name


@pytest.mark.parametrize(
    ("name", "at", "said"),
    [
        ("re\u200bads", 3, "U+200B ZERO WIDTH SPACE"),
        ("re\u200cads", 3, "U+200C ZERO WIDTH NON-JOINER"),  # Latin words have none, and "reads" would look the same.
        (f"{PERSIAN}\u200c", 9, "U+200C"),
        (f"{FAMILY}\u200d\u200d", 6, "U+200D"),
        ("a\nb", 2, "U+000A"),
        ("a\0", 2, "U+0000"),
        ("\u202edaer", 1, "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("a\u00a0b", 2, "U+00A0 NO-BREAK SPACE"),
        ("a\ud800", 2, "U+D800"),
        (" a", 1, "a space at its ends"),
        ("a ", 2, "a space at its ends"),
        ("re\u0430ds", 3, "U+0430 CYRILLIC SMALL LETTER A in a word of Latin letters"),
        ("чтениe", 6, "U+0065 LATIN SMALL LETTER E in a word of Cyrillic letters"),  # noqa: RUF001 - what people type and others mistake
    ],
)
def test_what_nobody_sees_in_a_name_is_refused_at_its_character(name: str, at: int, said: str) -> None:
    with pytest.raises(ImpossibleName) as refused:
        definition_from(scalar(name))
    assert said in refused.value.reason
    assert (refused.value.field, refused.value.more) == ("name", {"at": at})


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a//b"])
def test_what_is_no_name_at_all_is_refused(name: str) -> None:
    with pytest.raises(Refused):
        require_metric_name(name)


def test_a_name_that_a_mac_types_is_the_same_wherever_it_stands() -> None:
    assert require_metric_name("cafe\u0301") == "café"
    stage = Stage()
    stage.define(scalar("été", unit="hits"))
    assert formula_from(f'"{DECOMPOSED}"') == formula_from('"été"')
    (made,) = stage.define(hybrid("h", f'"{DECOMPOSED}" + 0[hits]'))
    assert made.definition.consumed_metrics == ("été",)
    chained = definition_from(scalar("c", unit="hits", chainedMetric=DECOMPOSED, chainCutoffDate="2026-01-01"))
    assert chained.chained_metric == "été"
    listing = Listings(stage.catalogue).of(BRAND)
    for sought in (Sought(uses=DECOMPOSED), Sought(prefix="h"), Sought(uses="été")):
        assert [name for name, row in listing.rows.items() if sought.fits(row)] == ["h"]
    assert Sought(prefix=DECOMPOSED).fits(listing.rows["été"])


def test_a_name_that_is_none_is_refused_at_its_character_of_the_formula() -> None:
    with pytest.raises(MalformedFormula, match=r"U\+200B ZERO WIDTH SPACE") as refused:
        definition_from(hybrid("h", 'a + "re\u200bads"'))
    assert (refused.value.field, refused.value.at) == ("hybridFormula", 8)


def test_a_value_of_a_dimension_has_no_characters_that_are_no_text() -> None:
    stage = Stage()
    stage.define(scalar("s", "section"))
    with pytest.raises(PointRefused, match=r"section has U\+0000, which is no text \(character 2\)"):
        stage.push("s", [{"at": "2026-11-01", "dimensions": {"section": "a\0b"}, "value": 1}])
    stage.push("s", [{"at": "2026-11-01", "dimensions": {"section": f"{PERSIAN} {FAMILY}"}, "value": 1}])
