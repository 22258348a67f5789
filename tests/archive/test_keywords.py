"""Keywords tell what a text is about, whatever its language."""

from hypothesis import given
from hypothesis import strategies as st

from footfall.archive.keywords import KEYWORDS_MAX, keywords_of

HARBOUR = """The harbour of Rotterdam will be closed for large ships next week. Engineers found cracks in the lock
that separates the harbour from the sea. The city said that ships with a draught of more than ten metres have to wait.
Repairs of the lock take five days, according to the port authority. Shipping companies complained that the port
authority had told them too late. Last year the lock was repaired for two weeks, and that cost the companies millions.
The mayor of Rotterdam said that safety comes first."""
HAFEN = """Der Hafen von Rotterdam wird in der nächsten Woche gesperrt. Ingenieure fanden Risse in der Schleuse, die
den Hafen vom Meer trennt. Die Stadt teilte mit, dass Schiffe warten müssen. Die Reparatur der Schleuse dauert fünf
Tage, sagt die Hafenbehörde. Reedereien klagten, dass die Hafenbehörde sie zu spät unterrichtet habe."""
GANGKOU = "鹿特丹港口下周将对大型船舶关闭。工程师在船闸发现裂缝。港口管理局表示，船闸维修需要五天。港口管理局通知太晚。"  # noqa: RUF001 - Chinese


def test_an_english_a_german_and_a_chinese_text_tell_what_they_are_about() -> None:
    english = keywords_of(HARBOUR, title="Rotterdam closes its harbour as lock cracks")
    assert {"Rotterdam", "harbour", "lock"} <= set(english[:5])
    assert not {"that", "with", "have", "them"} & set(english)
    assert {"Rotterdam", "Hafen", "Schleuse", "Hafenbehörde"} & set(keywords_of(HAFEN))
    assert "港口" in keywords_of(GANGKOU)


def test_what_stands_in_every_part_of_a_long_text_is_grammar() -> None:
    text = " ".join(f"Something{'x' * (number % 7)} stands beside whatever number{number % 9}." for number in range(90))
    assert not {"beside", "whatever", "stands"} & set(keywords_of(text))


def test_a_text_without_words_has_none() -> None:
    assert keywords_of("") == []
    assert keywords_of("12 34 %% — …") == []


@given(st.text(max_size=300), st.text(max_size=30))
def test_any_text_has_at_most_a_handful_and_the_same_every_time(text: str, title: str) -> None:
    found = keywords_of(text, title=title)
    assert len(found) <= KEYWORDS_MAX
    assert found == keywords_of(text, title=title)
    assert all(word.strip() == word != "" for word in found)
