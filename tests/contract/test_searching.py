"""What every search promises, asked of the full-text index and of words in a table."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footfall.adapters.embedded.fts_search import FtsSearch
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.archive.indexing import rebuild
from footfall.archive.word_search import WordSearch
from footfall.ports.searching import QUERY_CHARACTERS_MAX, SPACES_MAX, Searching, Text
from footfall.values.clock import SetClock
from footfall.values.errors import Refused
from tests.archive.captured_pages import captured
from tests.contract.conftest import NOON_MS, on_dynamodb

MINE, YOURS = "member:mine", "member:yours"
LOCK = Text(
    "01", [MINE], 1, "https://site.example/news/lock-closed", "Rotterdam closes a lock", "Ships have to wait.",
    ["harbour", "Rotterdam"],
)  # fmt: skip
CAFE = Text("02", [MINE, "brand:b"], 2, "https://site.example/c", "Le Café à Rotterdam", "", ["café"])
YOUR_LOCK = Text("03", [YOURS], 3, "https://site.example/lock", "A lock of yours", "", [])
PORT = Text("04", [MINE], 4, "https://site.example/zh", "鹿特丹港口下周关闭", "", [])


def fts(_: pytest.FixtureRequest) -> Searching:
    return FtsSearch(":memory:")


def words_in_sqlite(_: pytest.FixtureRequest) -> Searching:
    return WordSearch(SqliteTable(":memory:", clock=SetClock(NOON_MS)))


def words_in_dynamodb(request: pytest.FixtureRequest) -> Searching:
    return WordSearch(on_dynamodb(request.getfixturevalue("dynamodb"))(clock=SetClock(NOON_MS)))


# A further adapter is one more line: what makes an empty one.
ADAPTERS: dict[str, Callable[[pytest.FixtureRequest], Searching]] = {
    "full text in sqlite": fts,
    "words in sqlite": words_in_sqlite,
    "words in dynamodb": words_in_dynamodb,
}


@pytest.fixture(scope="module", params=list(ADAPTERS))
def searching(request: pytest.FixtureRequest) -> Iterator[Searching]:
    made = ADAPTERS[request.param](request)
    yield made
    if isinstance(made, FtsSearch):
        made.close()


@pytest.fixture
def search(searching: Searching) -> Searching:
    searching.clear()
    for text in (LOCK, CAFE, YOUR_LOCK, PORT):
        searching.add(text)
    return searching


def found(search: Searching, query: str, *spaces: str) -> set[str]:
    return {hit.id for hit in search.search(query, spaces=spaces or [MINE]).hits}


def test_all_words_must_be_there_whatever_their_case_and_accents(search: Searching) -> None:
    assert found(search, "ROTTERDAM") == {"01", "02"}
    assert found(search, "cafe rotterdam") == {"02"}
    assert found(search, "Café") == {"02"}
    assert found(search, "rotterdam nowhere") == set()
    assert found(search, "site example lock-closed") == {"01"}
    assert found(search, "harbour") == {"01"}


def test_nothing_is_found_in_a_space_that_was_not_asked_for(search: Searching) -> None:
    assert found(search, "lock", MINE) == {"01"}
    assert found(search, "lock", YOURS) == {"03"}
    assert found(search, "lock", MINE, YOURS) == {"01", "03"}
    assert found(search, "rotterdam", "brand:b") == {"02"}
    assert found(search, "lock", "member:nobody") == set()
    assert list(search.search("lock", spaces=[]).hits) == []


def test_words_in_quotes_follow_each_other_and_a_star_stands_for_an_end(search: Searching) -> None:
    assert found(search, '"closes a lock"') == {"01"}
    assert found(search, '"lock a closes"') == set()
    assert found(search, '"closes a lock') == {"01"}  # An end that was forgotten.
    assert found(search, "rott*") == {"01", "02"}
    assert found(search, "rott") == set()
    assert found(search, "rott* clos*") == {"01"}


def test_a_script_without_spaces_is_found_by_any_of_its_words(search: Searching) -> None:
    assert found(search, "港口") == {"04"}
    assert found(search, "鹿特丹") == {"04"}
    assert found(search, "口港") == set()


def test_found_words_are_marked_in_the_excerpt(search: Searching) -> None:
    (hit,) = search.search("closes", spaces=[MINE]).hits
    assert "\x02closes\x03" in hit.excerpt


def test_a_text_added_again_stands_in_the_place_of_the_old_one(search: Searching) -> None:
    search.add(replace(LOCK, title="Something else", keywords=[], address="https://other.example/", spaces=[YOURS]))
    assert found(search, "rotterdam") == {"02"}
    assert found(search, "something else", YOURS) == {"01"}
    assert found(search, "something else", MINE) == set()


def test_a_removed_text_is_found_no_more(search: Searching) -> None:
    search.remove("01")
    search.remove("01")
    search.remove("there was never one")
    assert found(search, "rotterdam") == {"02"}


def test_pages_follow_each_other_without_gap_or_repetition(search: Searching) -> None:
    for number in range(7):
        search.add(Text(f"p{number}", [MINE], number, "https://site.example/", "Same words", "", []))
    seen: list[str] = []
    after: str | None = None
    while True:
        page = search.search("same words", spaces=[MINE], limit=3, after=after)
        seen += [hit.id for hit in page.hits]
        after = page.after
        if after is None:
            break
    assert seen == [f"p{number}" for number in reversed(range(7))]  # Of equals, the newest first.


def test_what_is_over_a_limit_is_refused(search: Searching) -> None:
    with pytest.raises(Refused):
        search.search("x" * (QUERY_CHARACTERS_MAX + 1), spaces=[MINE])
    with pytest.raises(Refused):
        search.search("x", spaces=[MINE] * (SPACES_MAX + 1))
    for after in ("nonsense", "-1", "99999999999999", "１"):  # noqa: RUF001 - a digit of another script
        with pytest.raises(Refused):
            search.search("x", spaces=[MINE], after=after)


NASTY = [
    "", " ", '"', '""', '"""', "*", "a*b", "AND", "NOT", "OR NOT", "NEAR(a b)", "title:lock", "lock AND", "(lock",
    "lock)", "^lock", "{a b}:c", "-lock", "+lock", "a\x00b", "\ud800", "½", "'; DROP TABLE texts", "\\", "lock*\"", "%",
    "_", "#", "~", "a#b", "\u200b", "İ", "\U0010ffff", "ß", "e\u0301",
]  # fmt: skip


def test_nothing_that_is_typed_is_an_error(search: Searching) -> None:
    for query in NASTY:
        search.search(query, spaces=[MINE])
        search.search(f"lock {query}", spaces=[MINE])
        search.search(f'"{query}', spaces=[MINE, 'x" OR 1'])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60), st.text(max_size=30))
def test_any_text_can_be_added_and_any_query_asked(query: str, title: str) -> None:
    for search in (FtsSearch(":memory:"), words_in_sqlite(None)):  # pyright: ignore[reportArgumentType] - asks for nothing
        search.add(Text("x", [MINE], 1, title, title, query, [query[:20]]))
        search.search(query, spaces=[MINE])
        search.search(f'"{title}"', spaces=[MINE])
        if isinstance(search, FtsSearch):
            search.close()


def test_a_search_is_made_anew_from_captures(search: Searching) -> None:
    captures = [captured(id="A", spaces=[MINE], title="Kept one"), captured(id="B", spaces=[YOURS], title="Kept two")]
    assert rebuild(search, captures, lambda _: b"A text of the page") == 2
    assert found(search, "kept", MINE, YOURS) == {"A", "B"}
    assert found(search, "rotterdam") == set()
