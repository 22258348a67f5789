"""Payload templates: objects in which a name that ends in `.$` stands for what its path or function gives."""

from dataclasses import dataclass
from random import Random

from footfall.states.failing import PARAMETER_PATH_FAILURE, RUNTIME, StateFailed
from footfall.states.intrinsics import result_of
from footfall.states.paths import Missing, found
from footfall.states.scanning import Unreadable
from footfall.states.values import Json

MARK = ".$"


class Chance:
    """Chance that is the same each time for the same salt, drawn only when somebody asks for it."""

    __slots__ = ("_salt", "_source")

    def __init__(self, salt: str) -> None:
        self._salt = salt
        self._source: Random | None = None

    def source(self) -> Random:
        """Return where numbers are drawn from."""
        if self._source is None:
            self._source = Random(self._salt)  # noqa: S311 - jitter and ids, no secrets
        return self._source


@dataclass(frozen=True, slots=True)
class Sight:
    """What paths and functions see: the data, the context object, and chance."""

    data: Json
    context: Json
    chance: Chance

    def of(self, data: Json) -> "Sight":
        """Return the same sight on other data."""
        return Sight(data, self.context, self.chance)


def filled(template: Json, sight: Sight) -> Json:
    """Return the template with its marked names replaced; raise StateFailed."""
    if isinstance(template, list):
        return [filled(one, sight) for one in template]
    if not isinstance(template, dict):
        return template
    made: dict[str, Json] = {}
    for name, value in template.items():
        if name.endswith(MARK) and isinstance(value, str):
            made[name.removesuffix(MARK)] = value_of(value, sight)
        else:
            made[name] = filled(value, sight)
    return made


def value_of(text: str, sight: Sight) -> Json:
    """Return what a path or a function gives; raise StateFailed."""
    if not text.startswith("$"):
        return _computed(text, sight)
    try:
        return found(text, sight.data, sight.context)
    except Missing as error:
        raise StateFailed(PARAMETER_PATH_FAILURE, f"{text!r} leads nowhere in the input: {error}") from error
    except Unreadable as error:
        raise StateFailed(RUNTIME, str(error)) from error


def selected(path: str | None, sight: Sight, *, field: str) -> Json:
    """Return what InputPath or OutputPath selects: nothing at all for null, which is an empty object."""
    if path == "$":
        return sight.data
    if path is None:
        return {}
    try:
        return found(path, sight.data, sight.context)
    except (Missing, Unreadable) as error:
        raise StateFailed(RUNTIME, f"{field} {path!r} leads nowhere: {error}") from error


def _computed(text: str, sight: Sight) -> Json:
    try:
        return result_of(text, sight.data, sight.context, sight.chance.source())
    except Unreadable as error:
        raise StateFailed(RUNTIME, str(error)) from error
