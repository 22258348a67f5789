"""Words of a text, for finding it again: small letters without accents, in any script.

Scripts without spaces (Chinese, Japanese, Thai) have no words that could be told without a dictionary: pairs of their
characters stand for words.
"""

import re
import unicodedata
from collections.abc import Iterator

JOINT = "\u200b"  # A space without a width: between characters of scripts that have none.
WORD_CHARACTERS_MAX = 40  # Whatever is longer is no word that anybody types.

_NO_SPACES = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_RUN = re.compile(rf"{_NO_SPACES.pattern}+")
_BETWEEN = re.compile(rf"(?<={_NO_SPACES.pattern})(?=\w)|(?<=\w)(?={_NO_SPACES.pattern})")
_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> Iterator[str]:
    """Yield the words of a text in order, folded; of scripts without spaces, pairs of characters."""
    for found in _WORD.finditer(folded(text)):
        yield from divided(found[0])


def divided(word: str) -> Iterator[str]:
    """Yield a word, or, of scripts without spaces, its pairs of characters."""
    place = 0
    for run in _RUN.finditer(word):
        if run.start() > place:
            yield word[place : run.start()]
        characters = run[0]
        yield from (characters[at : at + 2] for at in range(max(1, len(characters) - 1)))
        place = run.end()
    if place < len(word):
        yield word[place:]


def has_no_spaces(word: str) -> bool:
    """Tell whether a word is of a script without spaces."""
    return _RUN.fullmatch(word) is not None


def folded(text: str) -> str:
    """Return the text in small letters and without accents, as it is compared."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in apart if not unicodedata.combining(character))


def spaced(text: str) -> str:
    """Return the text with a joint beside each character of a script without spaces, so that each is a word."""
    return _BETWEEN.sub(JOINT, text)
