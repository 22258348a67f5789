"""Answers about minutes that were watched: windows hold milliseconds where those of hits hold hits.

Whatever makes an answer of counts makes one of milliseconds; here its words become those of time. `minutes` is rounded
down to the second digit, and `milliseconds` beside it is exact.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from footfall.flow.serve.answer import Answer, Columns, answer_from
from footfall.flow.serve.query import MINUTES, PopularQuery
from footfall.flow.serve.series_query import SeriesQuery
from footfall.values.groups import brand_of_group

_EXACT = "hits"  # of which the milliseconds are told as well
_WORDS = {
    _EXACT: "minutes",
    "hitsAtMost": "minutesAtMost",
    "hitsBefore": "minutesBefore",
    "hitsPerDay": "minutesPerDay",
}
_HUNDREDTH_MS = 600  # of a minute


def in_words_of(query: PopularQuery | SeriesQuery, made: Answer) -> Answer:
    """Return an answer in the words of what was asked for."""
    if query.by != MINUTES:
        return made
    body: dict[str, Any] = _in_minutes(msgspec.json.decode(made.body))
    body["brand"] = brand_of_group(str(body["brand"]))
    return answer_from(
        msgspec.json.encode(body), max_age_s=made.max_age_s, exact=made.exact, columns=_columns(made.columns)
    )


def minutes_of(ms: float) -> float:
    """Return milliseconds as minutes, rounded down to two digits."""
    return int(ms) // _HUNDREDTH_MS / 100


def _in_minutes(value: Any) -> Any:
    if isinstance(value, list):
        return [_in_minutes(one) for one in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict):
        return dict(_pairs(value))  # pyright: ignore[reportUnknownArgumentType]
    return value


def _pairs(fields: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        if name not in _WORDS:
            yield name, _in_minutes(value)
            continue
        yield _WORDS[name], None if value is None else minutes_of(value)
        if name == _EXACT:
            yield "milliseconds", value


def _columns(columns: Columns) -> Columns:
    named = [(_WORDS[name], "milliseconds") if name == _EXACT else (_WORDS.get(name, name),) for name in columns]
    return tuple(name for names in named for name in names)
