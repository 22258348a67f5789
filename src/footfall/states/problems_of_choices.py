"""What can be wrong with the rules of a Choice state."""

from collections.abc import Container, Iterator

from footfall.states.choices import ASKING, COMPARISONS, JOINING
from footfall.states.problem import Object, Problem, below, path_problems
from footfall.states.timestamps import nanoseconds_of
from footfall.states.values import Json, is_number


def choice_problems(fields: Object, place: str, siblings: Container[str]) -> Iterator[Problem]:
    """Yield what is wrong with a Choice state's own fields."""
    rules = fields.get("Choices")
    if not isinstance(rules, list) or not rules:
        yield Problem(below(place, "Choices"), "has to be an array of at least one rule")
    for number, rule in enumerate(rules if isinstance(rules, list) else []):
        where = f"{below(place, 'Choices')}[{number}]"
        if not isinstance(rule, dict):
            yield Problem(where, "has to be an object")
            continue
        following = rule.get("Next")
        if not isinstance(following, str) or following not in siblings:
            yield Problem(below(where, "Next"), f"has to name a state beside this one, not {following!r}")
        yield from _rule_problems({name: value for name, value in rule.items() if name != "Next"}, where)
    default = fields.get("Default")
    if "Default" in fields and (not isinstance(default, str) or default not in siblings):
        yield Problem(below(place, "Default"), f"has to name a state beside this one, not {default!r}")


def _rule_problems(rule: Object, place: str) -> Iterator[Problem]:
    if "Next" in rule:
        yield Problem(below(place, "Next"), "stands only in the outermost rule")
    makes = [name for name in rule if name in COMPARISONS or name in JOINING]
    for name in rule:
        if name not in makes and name not in ("Variable", "Comment", "Next"):
            yield Problem(below(place, name), "is no field of a rule")
    if len(makes) != 1:
        yield Problem(place, f"has to make exactly one comparison, not {len(makes)}")
        return
    if makes[0] in JOINING:
        yield from _joined_problems(rule, makes[0], place)
        return
    if "Variable" not in rule:
        yield Problem(place, "needs Variable")
    yield from path_problems(rule, "Variable", place)
    yield from _value_problems(rule, makes[0], place)


def _joined_problems(rule: Object, name: str, place: str) -> Iterator[Problem]:
    where, inner = below(place, name), rule[name]
    if "Variable" in rule:
        yield Problem(below(place, "Variable"), f"does not go with {name}")
    if name == "Not":
        inner = [inner]
    if not isinstance(inner, list) or not inner:
        yield Problem(where, "has to be an array of at least one rule")
        return
    for number, one in enumerate(inner):
        at = where if name == "Not" else f"{where}[{number}]"
        if isinstance(one, dict):
            yield from _rule_problems(one, at)
        else:
            yield Problem(at, "has to be a rule")


def _value_problems(rule: Object, name: str, place: str) -> Iterator[Problem]:
    if name.endswith("Path"):
        yield from path_problems(rule, name, place)
    elif not _fits(name, rule[name]):
        yield Problem(below(place, name), f"cannot be compared with {rule[name]!r}")


def _fits(name: str, value: Json) -> bool:
    if name in ASKING or name.startswith("Boolean"):
        return isinstance(value, bool)
    if name.startswith("Numeric"):
        return is_number(value)
    if name.startswith("Timestamp"):
        return nanoseconds_of(value) is not None
    return isinstance(value, str)
