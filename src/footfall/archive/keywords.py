"""Keywords: a handful of words that tell what a text is about, in any language and the same every time.

A word is judged by statistics of the text alone: how often it comes and in how many sentences, how early, whether
it is written with a capital inside a sentence, and how many different neighbours it has (words such as "with" or
"nicht" stand beside everything). The measures are those of the YAKE paper (Campos and others, 2020); its program is
under the GPL and needs lists of words per language, so this is our own. Scripts without spaces (Chinese, Japanese,
Thai) have no words here: pairs of characters stand for them.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from statistics import mean, median, pstdev

from footfall.values.words import divided, has_no_spaces

KEYWORDS_MAX = 8
CHARACTERS_MAX = 60_000  # What a page is about stands at its beginning, and reading stays under a tenth of a second.
WORD_CHARACTERS_MAX = 40
_LETTERS_MIN = 4  # Shorter words are grammar in most languages, unless they are written in capitals.
_PARTS = 10
_EVERYWHERE_PARTS = 9  # What a long text is about comes in clusters; what comes in nearly every part of it is grammar.
_LONG_SENTENCES = 60
_TITLE_FACTOR = 0.4  # The lower a score, the better.

_SENTENCE = re.compile(r"[.!?…。！？\n]+(?:\s|$|(?<=[。！？\n]))")  # noqa: RUF001 - what ends a sentence in Chinese
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")  # noqa: RUF001 - an apostrophe as printers set it


@dataclass(slots=True)
class _Seen:
    times: int = 0
    capitals: int = 0
    sentences: list[int] = field(default_factory=list[int])
    before: Counter[str] = field(default_factory=Counter[str])
    behind: Counter[str] = field(default_factory=Counter[str])
    written: Counter[str] = field(default_factory=Counter[str])


def keywords_of(text: str, *, title: str = "", limit: int = KEYWORDS_MAX) -> Sequence[str]:
    """Return the words that tell most of a text, the best first, in the form in which they come most often."""
    sentences = [words for words in _sentences(f"{title}\n{text[:CHARACTERS_MAX]}") if words]
    seen = _seen(sentences)
    candidates = {word: one for word, one in seen.items() if _may_tell(word, one, sentences=len(sentences))}
    if not candidates:
        return []
    in_title = {word.casefold() for words in _sentences(title) for word in words}
    scores = _scores(candidates, sentences=len(sentences))
    for word in in_title & scores.keys():
        scores[word] *= _TITLE_FACTOR
    # A word that comes once may be anything, so it stands behind those that come again.
    ranked = sorted(scores, key=lambda word: (candidates[word].times == 1, scores[word], word))
    return [_usual_form(candidates[word].written) for word in ranked[:limit]]


def _sentences(text: str) -> Iterator[Sequence[str]]:
    for sentence in _SENTENCE.split(text):
        yield [word for found in _WORD.findall(sentence) for word in divided(found) if len(word) <= WORD_CHARACTERS_MAX]


def _seen(sentences: Sequence[Sequence[str]]) -> Mapping[str, _Seen]:
    seen: dict[str, _Seen] = {}
    for number, words in enumerate(sentences):
        folded = [word.casefold() for word in words]
        for place, word in enumerate(folded):
            one = seen.setdefault(word, _Seen())
            one.times += 1
            one.written[words[place]] += 1
            one.capitals += place > 0 and words[place][:1].isupper()
            if not one.sentences or one.sentences[-1] != number:
                one.sentences.append(number)
            if place > 0:
                one.before[folded[place - 1]] += 1
            if place + 1 < len(folded):
                one.behind[folded[place + 1]] += 1
    return seen


def _may_tell(word: str, one: _Seen, *, sentences: int) -> bool:
    if sentences >= _LONG_SENTENCES and not one.capitals and _parts_with(one, sentences) >= _EVERYWHERE_PARTS:
        return False
    if has_no_spaces(word):
        return len(word) > 1
    is_short_name = len(word) > 1 and one.written.most_common(1)[0][0].isupper()
    return len(word) >= _LETTERS_MIN or is_short_name


def _parts_with(one: _Seen, sentences: int) -> int:
    return len({number * _PARTS // sentences for number in one.sentences})


def _scores(candidates: Mapping[str, _Seen], *, sentences: int) -> dict[str, float]:
    times = [one.times for one in candidates.values()]
    usual, most = mean(times) + pstdev(times), max(times)
    scores: dict[str, float] = {}
    for word, one in candidates.items():
        diversity = 1 + (_diversity(one.before) + _diversity(one.behind)) * one.times / most
        early = log(log(3 + median(one.sentences)) + 1)
        named = one.capitals / (1 + log(one.times))
        told = named + one.times / usual / diversity + len(one.sentences) / sentences / diversity
        scores[word] = diversity**2 * early / (told * sqrt(min(len(word), 12)))
    return scores


def _diversity(neighbours: Counter[str]) -> float:
    return len(neighbours) / neighbours.total() if neighbours else 0.0


def _usual_form(written: Counter[str]) -> str:
    return min(written, key=lambda form: (-written[form], form))
