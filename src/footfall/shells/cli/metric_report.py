"""What `footfall metrics` prints: lists, versions, differences, lineages and plans."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from rich.table import Table

from footfall.shells.cli.command import Surroundings, printable

SHOWN_MAX = 200  # of each part of a plan; --json tells all
VALUE_CHARACTERS_MAX = 100
# What differs between versions whose totals are the same.
_NO_TOTALS = ("title", "description", "owner", "deprecatedReason", "replacement", "relatedDimensions")


def tell_list(answer: Mapping[str, Any], around: Surroundings) -> None:
    """Show a page of metrics."""
    items: Sequence[Mapping[str, Any]] = answer["items"]
    if not items:
        around.say("There are none.")
        return
    rows = [{**one, "dimensions": ", ".join(one["dimensions"]), "state": _state(one)} for one in items]
    _draw(rows, ("name", "valueType", "unit", "version", "dimensions", "state", "title"), around)
    if "after" in answer:
        around.complain(f"There are more: --after '{answer['after']}' shows them.")


def tell_own(answer: Mapping[str, Any], around: Surroundings) -> None:
    """Say which of footfall's own counts have a metric now, and which by another name."""
    for name in answer["added"]:
        around.say(f"{name} is defined.")
    for counts, name in answer["there"].items():
        around.say(f"{counts}: {printable(name)} counts them already.")
    for name in answer["taken"]:
        around.complain(f"{name} is another metric here: footfall metrics add NAME --counts {name} defines it.")


def tell_versions(answer: Mapping[str, Any], around: Surroundings) -> None:
    """Show the versions of a metric."""
    _draw(answer["items"], ("version", "hash", "updatedAt", "updatedBy", "reason"), around)


def tell_diff(answer: Mapping[str, Any], around: Surroundings) -> None:
    """Show in what two versions differ."""
    around.complain(f"{answer['name']}: version {answer['from']} and version {answer['to']}")
    if not answer["differences"]:
        around.say("They say the same.")
    for one in answer["differences"]:
        _tell_difference(one, around)
    if answer["differences"]:
        around.complain(_same_words(answer))


def _same_words(answer: Mapping[str, Any]) -> str:
    if answer["sameNumbers"]:
        return "Both give the same numbers."
    if all(one["field"] in _NO_TOTALS for one in answer["differences"]):
        return "Both give the same totals, grouped otherwise."
    return "They give different numbers."


def tell_lineage(answer: Mapping[str, Any], around: Surroundings) -> None:
    """Show what a metric is computed from, and what is computed from it."""
    for direction, title in (("needs", "computed from"), ("usedBy", "used by")):
        around.say(f"{title}:")
        for one in answer[direction]:
            around.say(f"{'  ' * one['depth']}{printable(one['name'])} ({one['unit']})")
        if not answer[direction]:
            around.say("  nothing")
    if answer["isCut"]:
        around.complain("There are more than are shown.")


def tell_plan(plan: Mapping[str, Any], around: Surroundings, *, is_dry: bool) -> None:
    """Show what applying files does, or would do."""
    _each([f"+ {printable(one['name'])}  {one['place']}" for one in plan["added"]], around)
    for one in plan["changed"][:SHOWN_MAX]:
        around.say(f"~ {printable(one['name'])}  {one['place']}")
        for difference in one["differences"]:
            _tell_difference(difference, around)
    _left_out(plan["changed"], around)
    _each(
        [f"! {printable(one['name'])}  is deprecated: {printable(one['reason'])}" for one in plan["deprecated"]], around
    )
    _each([f"! {printable(one)}  is not deprecated any more" for one in plan["restored"]], around)
    _each([f"- {printable(one)}" for one in plan["removed"]], around)
    for one in plan["refused"]:
        where = f"{one['place']}: " if one["place"] else ""
        at = f" (character {one['at']})" if "at" in one and "(character" not in one["reason"] else ""
        around.complain(f"{where}{printable(one['name'])}: {one['field']}: {one['reason']}{at}")
    for one in plan["warnings"][:SHOWN_MAX]:
        around.complain(f"{one['place']}: {printable(one['name'])}: {printable(one['reason'])}")
    parts = ("added", "changed", "deprecated", "restored", "removed")
    told = [f"{len(plan[part]):,} {part}" for part in parts] + [f"{plan['unchanged']:,} unchanged"]
    if plan["others"]:
        told.append(f"{plan['others']:,} in no file")
    around.say(("Would be: " if is_dry else "") + ", ".join(told) + ".")
    if plan["refused"]:
        around.complain(f"{len(plan['refused']):,} refused, so that nothing is written.")


def _each(lines: Sequence[str], around: Surroundings) -> None:
    for one in lines[:SHOWN_MAX]:
        around.say(one)
    _left_out(lines, around)


def _left_out(items: Sequence[Any], around: Surroundings) -> None:
    if len(items) > SHOWN_MAX:
        around.say(f"  and {len(items) - SHOWN_MAX:,} more")


def _tell_difference(one: Mapping[str, Any], around: Surroundings) -> None:
    around.say(f"    {one['field']}: {_short(one['before'])} -> {_short(one['after'])}")


def _short(value: object) -> str:
    text = "nothing" if value is None else msgspec.json.encode(value).decode()
    return str(printable(text if len(text) <= VALUE_CHARACTERS_MAX else text[: VALUE_CHARACTERS_MAX - 1] + "…"))


def _state(one: Mapping[str, Any]) -> str:
    return "deprecated" if one["isDeprecated"] else ""


def _draw(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], around: Surroundings) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for one in rows:
        table.add_row(*(printable(one.get(column)) for column in columns))
    around.console().print(table)
