"""What only the full-text index does: texts themselves, ranked, from a file that several may open."""

from pathlib import Path
from threading import Thread

from footfall.adapters.embedded.database import open_database, rows
from footfall.adapters.embedded.fts_search import FtsSearch
from footfall.ports.searching import Text

SPACE = "member:p"


def text(id: str, title: str, body: str) -> Text:
    return Text(id, [SPACE], 1, "https://site.example/", title, body)


def test_a_title_weighs_more_than_a_text_and_the_excerpt_shows_where_it_was_found() -> None:
    search = FtsSearch(":memory:")
    search.add(text("body", "Ships wait", "word " * 200 + "because the lock is closed " + "word " * 200))
    search.add(text("title", "The lock", "Ships wait. " * 40))
    hits = search.search("lock", spaces=[SPACE]).hits
    assert [hit.id for hit in hits] == ["title", "body"]
    assert "because the \x02lock\x03 is closed" in hits[1].excerpt
    assert len(hits[1].excerpt) < 300
    search.close()


def test_marks_in_a_text_cannot_be_taken_for_ours_and_chinese_is_shown_as_it_was() -> None:
    search = FtsSearch(":memory:")
    search.add(text("a", "\x02fake\x03 lock", "鹿特丹港口下周关闭"))
    (hit,) = search.search("lock", spaces=[SPACE]).hits
    assert hit.excerpt.count("\x02") == hit.excerpt.count("\x03") == 1
    (hit,) = search.search("港口", spaces=[SPACE]).hits
    assert hit.excerpt == "鹿特丹\x02港口\x03下周关闭"
    search.close()


def test_a_file_is_kept_and_one_of_another_layout_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "search.db"
    search = FtsSearch(path)
    assert search.is_new
    search.add(text("a", "Lock", ""))
    search.close()
    search = FtsSearch(path)
    assert not search.is_new
    assert len(search.search("lock", spaces=[SPACE]).hits) == 1
    search.close()
    connection = open_database(path, durable=True)
    rows(connection, "PRAGMA user_version = 99")
    connection.close()
    search = FtsSearch(path)
    assert search.is_new
    assert list(search.search("lock", spaces=[SPACE]).hits) == []
    search.close()


def test_threads_and_another_opener_of_the_file_may_search_while_texts_are_added(tmp_path: Path) -> None:
    search, other = FtsSearch(tmp_path / "search.db", durable=False), FtsSearch(tmp_path / "search.db", durable=False)

    def add(number: int) -> None:
        for each in range(20):
            (search if number % 2 else other).add(text(f"{number}-{each}", "Lock", "closed"))
            other.search("lock", spaces=[SPACE])

    threads = [Thread(target=add, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(other.search("lock", spaces=[SPACE], limit=100).hits) == 80
    search.close()
    other.close()
