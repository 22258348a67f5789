"""Questions to compare two servers by: taken from a file, or drawn from the labels that their lists show."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode, urlsplit

from footfall.flow.serve.query import LIMIT_MAX
from footfall.flow.serve.several import text_from_value
from footfall.values.errors import FootfallError

QUESTIONS_MAX = 100_000  # Each is asked of both servers, one after the other: some minutes.
FILE_BYTES_MAX = 64 * 1_048_576
VALUES_ASKED_MAX = 13  # As many sections as the lists of a news site ask for on average.

_LABELS = {"section": "sectionId", "resourceType": "resourceType", "paidType": "paidType"}


class QuestionsUnreadable(FootfallError):
    """The file of questions cannot be read, or holds none."""


@dataclass(frozen=True, slots=True)
class Known:
    """What one brand's lists show: its periods, and the values of each label."""

    brand: str
    periods: Sequence[str]
    labels: Mapping[str, Sequence[str]]


def known_from(brand: str, periods: Sequence[str], items: Iterable[Mapping[str, Any]]) -> Known:
    """Return what the items of some lists show of a brand."""
    seen: dict[str, set[str]] = {parameter: set() for parameter in _LABELS}
    for item in items:
        for parameter, name in _LABELS.items():
            value = item.get(name)
            if value not in (None, ""):
                seen[parameter].add(str(value))
    return Known(brand, tuple(periods), {parameter: sorted(values) for parameter, values in seen.items()})


def plain_questions(known: Known) -> list[str]:
    """Return the questions without a filter: each period, with the open window and without."""
    return [
        _text([("brand", known.brand), ("period", period), *closed])
        for period in known.periods
        for closed in ([], [("closed", "true")])
    ]


def drawn_questions(known: Sequence[Known], count: int, *, chance: Random) -> list[str]:
    """Return that many questions: the plain ones first, then any filters that the labels allow."""
    questions = [question for brand in known for question in plain_questions(brand)]
    while len(questions) < count:
        questions.append(_drawn(chance.choice(known), chance))
    return questions[:count]


def questions_from_file(path: Path) -> list[str]:
    """Return the questions that a file holds, one a line: a query, or an address that ends in one."""
    try:
        with path.open(encoding="utf-8") as file:
            lines = file.read(FILE_BYTES_MAX).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsUnreadable(f"{path} cannot be read: {error}.") from error
    questions = [_query_of(line.strip()) for line in lines if line.strip() and not line.startswith("#")]
    if not 1 <= len(questions) <= QUESTIONS_MAX:
        raise QuestionsUnreadable(f"{path} holds {len(questions):,} questions; give 1 to {QUESTIONS_MAX:,}.")
    return questions


def _query_of(line: str) -> str:
    return urlsplit(line).query if "?" in line else line


def _drawn(known: Known, chance: Random) -> str:
    pairs = [("brand", known.brand), ("period", chance.choice(known.periods))]
    for parameter, values in known.labels.items():
        if values and chance.getrandbits(1):
            asked = chance.sample(values, chance.randint(1, min(len(values), VALUES_ASKED_MAX)))
            pairs += [(parameter, text_from_value(value)) for value in sorted(asked)]
    if chance.getrandbits(1):
        pairs.append(("closed", "true"))
    if chance.getrandbits(1):
        pairs.append(("limit", str(chance.randint(1, LIMIT_MAX))))
    return _text(pairs)


def _text(pairs: Sequence[tuple[str, str]]) -> str:
    return urlencode(pairs)
