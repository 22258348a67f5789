"""What can be wrong with Retry and Catch: names of errors, numbers out of bounds, a wildcard that is not last."""

from collections.abc import Container, Iterator

from footfall.states.failing import ALL, RESERVED
from footfall.states.problem import Object, Problem, below, reference_problems, whole_problems
from footfall.states.values import Json, is_number

DELAY_S_MAX = 31_622_400  # The language: less than a year and a day.
_RETRIER = frozenset(
    {"ErrorEquals", "IntervalSeconds", "MaxAttempts", "BackoffRate", "MaxDelaySeconds", "JitterStrategy", "Comment"}
)
_CATCHER = frozenset({"ErrorEquals", "Next", "ResultPath", "Comment"})


def retry_problems(fields: Object, place: str) -> Iterator[Problem]:
    """Yield what is wrong with a state's retriers."""
    for one, where in _each(fields, "Retry", place):
        yield from _unknown(one, _RETRIER, where)
        yield from whole_problems(one, "IntervalSeconds", where, least=1)
        yield from whole_problems(one, "MaxAttempts", where, least=0)
        yield from whole_problems(one, "MaxDelaySeconds", where, least=1, most=DELAY_S_MAX)
        yield from _retrier_problems(one, where)
    yield from _lists(fields, "Retry", place)


def catch_problems(fields: Object, place: str, siblings: Container[str]) -> Iterator[Problem]:
    """Yield what is wrong with a state's catchers."""
    for one, where in _each(fields, "Catch", place):
        yield from _unknown(one, _CATCHER, where)
        yield from reference_problems(one, "ResultPath", where, or_null=True)
        following = one.get("Next")
        if not isinstance(following, str) or following not in siblings:
            yield Problem(below(where, "Next"), f"has to name a state beside this one, not {following!r}")
    yield from _lists(fields, "Catch", place)


def _retrier_problems(one: Object, where: str) -> Iterator[Problem]:
    rate = one.get("BackoffRate", 2.0)
    if not is_number(rate) or not isinstance(rate, int | float) or rate < 1:
        yield Problem(below(where, "BackoffRate"), f"has to be a number of at least 1.0, not {rate!r}")
    jitter = one.get("JitterStrategy", "NONE")
    if jitter not in ("FULL", "NONE"):
        yield Problem(below(where, "JitterStrategy"), f"has to be FULL or NONE, not {jitter!r}")
    longest, interval = one.get("MaxDelaySeconds"), one.get("IntervalSeconds", 1)
    if isinstance(longest, int) and isinstance(interval, int) and longest <= interval:
        yield Problem(below(where, "MaxDelaySeconds"), f"has to be more than IntervalSeconds, which is {interval}")


def _each(fields: Object, name: str, place: str) -> Iterator[tuple[Object, str]]:
    several = fields.get(name)
    if isinstance(several, list):
        for number, one in enumerate(several):
            if isinstance(one, dict):
                yield one, f"{below(place, name)}[{number}]"


def _unknown(one: Object, known: frozenset[str], where: str) -> Iterator[Problem]:
    for name in one:
        if name not in known:
            yield Problem(below(where, name), "is no field that stands here")


def _lists(fields: Object, name: str, place: str) -> Iterator[Problem]:
    """Yield what is wrong with the form of the whole list, and with the names of errors in it."""
    if name not in fields:
        return
    several, where = fields[name], below(place, name)
    if not isinstance(several, list):
        yield Problem(where, "has to be an array")
        return
    for number, one in enumerate(several):
        if not isinstance(one, dict):
            yield Problem(f"{where}[{number}]", "has to be an object")
            continue
        names_at = below(f"{where}[{number}]", "ErrorEquals")
        yield from _name_problems(one.get("ErrorEquals"), names_at, is_last=number == len(several) - 1)


def _name_problems(names: Json, place: str, *, is_last: bool) -> Iterator[Problem]:
    if not isinstance(names, list) or not names:
        yield Problem(place, "has to be an array of at least one error name")
        return
    for number, name in enumerate(names):
        if not isinstance(name, str):
            yield Problem(f"{place}[{number}]", f"has to be the name of an error, not {name!r}")
        elif name.startswith("States.") and name not in RESERVED:
            yield Problem(
                f"{place}[{number}]", f"{name!r} is no error of the language, and names with States. are its own"
            )
    if ALL in names and len(names) > 1:
        yield Problem(place, f"{ALL} has to stand alone")
    if ALL in names and not is_last:
        yield Problem(place, f"{ALL} has to stand last: what comes after it is never asked")
