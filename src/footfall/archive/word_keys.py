"""Where words of captures lie in the archive's table, for searching without a full-text index."""

from footfall.ports.table import Key

TEXTS = "archive-search-texts"  # the partition of all texts that can be found


def text(id: str) -> Key:
    """Return where a text lies that can be found."""
    return Key(TEXTS, id)


def words(space: str) -> str:
    """Return the partition of a space's words."""
    return f"archive-search-words#{space}"


def word(space: str, word: str, *, at_us: int, id: str) -> Key:
    """Return where it is said that a text has a word: those of one word stand in the order of time."""
    return Key(words(space), f"{word}#{at_us:017d}#{id}")


def from_word(word: str) -> str:
    """Return a sort key before every text that has exactly this word."""
    return f"{word}#"


def to_word(word: str) -> str:
    """Return a sort key behind every text that has exactly this word."""
    return f"{word}#~"


def to_beginning(word: str) -> str:
    """Return a sort key behind every text that has a word which begins so."""
    return f"{word}\U0010ffff"


def moment_of(key: Key) -> tuple[int, str]:
    """Return the moment and the id that a word's key tells."""
    _, at_us, id = key.sort.split("#", 2)
    return int(at_us), id
