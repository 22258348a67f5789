"""A whole catalogue from files: what would become of it is planned first, and written only when nothing is refused."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from footfall.metrics.catalogue import MetricCatalogue, is_other_for_users
from footfall.metrics.definition import Definition, definition_from
from footfall.metrics.formula import Node
from footfall.metrics.grammar import formula_from
from footfall.metrics.names import in_one_form
from footfall.metrics.retiring import warnings_of
from footfall.metrics.stepping import in_steps
from footfall.metrics.versions import Version, differences, document_of
from footfall.metrics.writing import ACTIONS_MAX, Saved, actions_count, in_order
from footfall.values.errors import FootfallError, Refused

WANTED_MAX = 200_000
DEPRECATED = "deprecated"
_OF_DEPRECATION = ("reason", "replacement")
USERS_NAMED = 20
DEFAULT_REASON = "applied from files"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A metric as a file has it, and where it stands there, to be told back."""

    document: Mapping[str, Any]
    place: str = ""
    lines: Mapping[str, int] = field(default_factory=dict[str, int])  # of its fields, for whoever wrote it


@dataclass(frozen=True, slots=True)
class Retirement:
    """That a metric should not be used any more, as a file says it."""

    name: str
    reason: str
    replacement: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What keeps a plan from being carried out."""

    place: str
    name: str
    field_name: str
    reason: str
    more: Mapping[str, object] = field(default_factory=dict[str, object])

    def document(self) -> dict[str, object]:
        """Return it as people read it."""
        return {"place": self.place, "name": self.name, "field": self.field_name, "reason": self.reason, **self.more}


@dataclass(slots=True)
class Plan:
    """What would become of a brand's catalogue."""

    saved: list[Saved] = field(default_factory=list[Saved])  # each based on the version that the plan saw
    steps: list[list[Saved]] = field(default_factory=list[list[Saved]])  # the same: what is written at once
    deprecated: list[Retirement] = field(default_factory=list[Retirement])
    restored: list[str] = field(default_factory=list[str])
    removed: list[str] = field(default_factory=list[str])  # those that need others before those
    added: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    changed: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    refused: list[Refusal] = field(default_factory=list[Refusal])
    warnings: list[dict[str, object]] = field(default_factory=list[dict[str, object]])  # what is applied all the same
    unchanged: int = 0
    others: int = 0  # in the catalogue and in no file

    @property
    def is_empty(self) -> bool:
        """Tell whether everything is as it should be already."""
        return not (self.saved or self.deprecated or self.restored or self.removed)

    def document(self) -> dict[str, object]:
        """Return it as people read it."""
        return {
            "added": self.added,
            "changed": self.changed,
            "deprecated": [{"name": one.name, "reason": one.reason} for one in self.deprecated],
            "restored": self.restored,
            "removed": self.removed,
            "unchanged": self.unchanged,
            "others": self.others,
            "refused": [one.document() for one in self.refused],
            "warnings": self.warnings,
        }


@dataclass(slots=True)
class _Read:
    """The files, each metric with its place."""

    saved: dict[str, Saved] = field(default_factory=dict[str, Saved])
    places: dict[str, str] = field(default_factory=dict[str, str])
    retired: dict[str, Retirement] = field(default_factory=dict[str, Retirement])
    before: dict[str, Definition] = field(default_factory=dict[str, Definition])  # as the catalogue had it
    followers: dict[str, list[str]] = field(default_factory=dict[str, list[str]])  # whom a change of it may break


def planned(
    catalogue: MetricCatalogue, brand: str, wanted: Sequence[Wanted], *, by: str, reason: str = "", prune: bool = False
) -> Plan:
    """Return what applying the files would do; all that speaks against it is in the plan."""
    if len(wanted) > WANTED_MAX:
        raise Refused("metrics", f"are {len(wanted):,}, at most {WANTED_MAX:,} are applied at once")
    plan = Plan()
    read = _read(wanted, plan, reason=reason or DEFAULT_REASON)
    rehearsal = catalogue.rehearsal({name: one.definition for name, one in read.saved.items()})
    rows = list(catalogue.rows(brand))
    needs = {row.name: row.needs for row in rows}
    for one in in_order([*read.saved.values()], others=needs, with_circles=True):
        _try_one(plan, read, one.definition.name, lambda one=one: _save(plan, read, rehearsal, brand, one, by))
    for name in read.saved:
        _try_one(plan, read, name, lambda name=name: _retire(plan, read, rehearsal, brand, name, by))
    _warn(plan, read, rehearsal, brand)
    gone = [row.name for row in rows if row.name not in read.places]
    if prune:
        for name in _users_first(gone, needs):
            _try_one(plan, read, name, lambda name=name: _remove(plan, rehearsal, brand, name))
    else:
        plan.others = len(gone)
    if not plan.refused:
        read.followers = {name: list(catalogue.users(brand, name)) for name in read.followers}
        plan.steps = in_steps(plan.saved, followers=read.followers, needs=needs)
        _require_steps_fit(plan, read)
    return plan


def _warn(plan: Plan, read: _Read, rehearsal: MetricCatalogue, brand: str) -> None:
    """Tell of what is new or changed and needs a metric that should not be used any more."""
    for one in plan.saved:
        name = one.definition.name
        saved = rehearsal.known(brand, name)
        if saved is not None and saved.deprecation is None:
            for reason in warnings_of(one.definition, lambda needed: rehearsal.known(brand, needed)):
                plan.warnings.append({"place": read.places[name], "name": name, "reason": reason})


def _require_steps_fit(plan: Plan, read: _Read) -> None:
    """Refuse what would have to be written at once and is more than a transaction holds."""
    for step in plan.steps:
        size = sum(actions_count(one.definition, read.before.get(one.definition.name)) for one in step)
        if len(step) > 1 and size > ACTIONS_MAX:
            names = [one.definition.name for one in step]
            name = next(one for one in names if one in read.followers)
            reason = (
                f"this and {len(names) - 1:,} other metrics would have to change at once, {size} entries of the table, "
                f"and a transaction holds {ACTIONS_MAX}; define a new metric, move its users one by one, deprecate this"
            )
            plan.refused.append(Refusal(read.places[name], name, "unit", reason, {"users": names[:USERS_NAMED]}))


def carry_out(catalogue: MetricCatalogue, brand: str, plan: Plan, *, by: str) -> None:
    """Write what a plan says, or raise Refused when it may not be.

    Where it takes several transactions the catalogue is right after each, and whoever was stopped applies once more.
    """
    if plan.refused:
        raise Refused("metrics", f"{len(plan.refused):,} of the metrics are refused, so that none is written")
    with catalogue.together():
        _write(catalogue, brand, plan, by=by)


def _write(catalogue: MetricCatalogue, brand: str, plan: Plan, *, by: str) -> None:
    if plan.steps:
        catalogue.save_steps(brand, plan.steps, by=by)
    for one in plan.deprecated:
        catalogue.deprecate(brand, one.name, reason=one.reason, replacement=one.replacement, by=by)
    for name in plan.restored:
        catalogue.restore(brand, name, reason="", by=by)
    for name in plan.removed:
        catalogue.delete(brand, name)


def saved_from(document: Mapping[str, Any], *, based_on: int | None = None, reason: str = "") -> Saved:
    """Return what is to be saved of a document, with its formula as it was written."""
    definition = definition_from(document)
    return Saved(definition, based_on=based_on, reason=reason, written=_written(document, definition))


def _written(document: Mapping[str, Any], definition: Definition) -> Node | None:
    """Return the formula as somebody wrote it, where that is not how it is kept."""
    text: object = document.get("hybridFormula")
    return formula_from(text) if isinstance(text, str) and text != definition.hybrid_formula else None


def _read(wanted: Iterable[Wanted], plan: Plan, *, reason: str) -> _Read:
    read = _Read()
    for one in wanted:
        name = one.document.get("name")
        shown = name if isinstance(name, str) else ""
        try:
            _read_one(one, read, reason=reason)
        except Refused as refused:
            plan.refused.append(Refusal(one.place, shown, refused.field, refused.reason, refused.more))
            if shown:  # It is there, whatever is wrong with it: nobody means to have it removed.
                read.places.setdefault(shown, one.place)
    return read


def _read_one(one: Wanted, read: _Read, *, reason: str) -> None:
    document = {name: value for name, value in one.document.items() if name != DEPRECATED}
    saved = saved_from(document, reason=reason)
    name = saved.definition.name
    if name in read.places:
        raise Refused(
            "name", f"{name!r} is defined a second time; the first is at {read.places[name] or 'another place'}"
        )
    retirement = _retirement(name, one.document.get(DEPRECATED))
    read.places[name], read.saved[name] = one.place, saved
    if retirement is not None:
        read.retired[name] = retirement


def _retirement(name: str, told: object) -> Retirement | None:
    if told is None:
        return None
    if not isinstance(told, Mapping):
        raise Refused(DEPRECATED, "is not an object with a reason and, perhaps, a replacement")
    fields = cast("Mapping[str, object]", told)
    for field_name, value in fields.items():
        if field_name not in _OF_DEPRECATION or not isinstance(value, str):
            raise Refused(f"{DEPRECATED}.{field_name}"[:64], "is not a text under reason or replacement")
    return Retirement(name, str(fields.get("reason", "")), in_one_form(str(fields.get("replacement", ""))))


def _try_one(plan: Plan, read: _Read, name: str, do: Any) -> None:
    try:
        do()
    except Refused as refused:
        refusal = Refusal(read.places.get(name, ""), name, refused.field, refused.reason, refused.more)
        plan.refused.append(refusal)
    except FootfallError as error:
        plan.refused.append(Refusal(read.places.get(name, ""), name, "name", str(error), error.more))


def _save(plan: Plan, read: _Read, rehearsal: MetricCatalogue, brand: str, one: Saved, by: str) -> None:
    name = one.definition.name
    before = rehearsal.known(brand, name)
    after = rehearsal.save(brand, one, by=by)
    if before is None:
        plan.added.append({"name": name, "place": read.places[name]})
    elif after.number == before.number:
        plan.unchanged += name not in read.retired and before.deprecation is None
        return
    else:
        told = {"name": name, "place": read.places[name], "version": before.number}
        plan.changed.append({**told, "differences": differences(before, after)})
        read.before[name] = before.definition
        if is_other_for_users(before.definition, after.definition):
            read.followers[name] = []
    number = 0 if before is None else before.number
    plan.saved.append(Saved(one.definition, based_on=number, reason=one.reason, written=one.written))


def _retire(plan: Plan, read: _Read, rehearsal: MetricCatalogue, brand: str, name: str, by: str) -> None:
    newest, wanted = rehearsal.known(brand, name), read.retired.get(name)
    if newest is None:  # Its definition was refused.
        return
    if wanted is None:
        if newest.deprecation is not None:
            rehearsal.restore(brand, name, reason="", by=by)
            plan.restored.append(name)
        return
    if _is_retired(newest, wanted):
        plan.unchanged += 1
        return
    rehearsal.deprecate(brand, name, reason=wanted.reason, replacement=wanted.replacement, by=by)
    plan.deprecated.append(wanted)


def _is_retired(newest: Version, wanted: Retirement) -> bool:
    is_so = newest.deprecation
    return is_so is not None and (is_so.reason, is_so.replacement) == (wanted.reason, wanted.replacement)


def _remove(plan: Plan, rehearsal: MetricCatalogue, brand: str, name: str) -> None:
    rehearsal.delete(brand, name)
    plan.removed.append(name)


def _users_first(names: Sequence[str], needs: Mapping[str, frozenset[str]]) -> list[str]:
    """Return names so that each comes after those of them that need it."""
    gone, placed = {*names}, dict[str, None]()
    for start in names:
        stack: list[tuple[str, bool]] = [(start, False)]
        while stack:
            name, is_left = stack.pop()
            if name in placed:
                continue
            if is_left:
                placed[name] = None
                continue
            stack.append((name, True))
            stack.extend((one, False) for one in sorted(needs.get(name, ())) if one in gone)
    return [*placed][::-1]


def document_of_file(version: Version) -> dict[str, object]:
    """Return a metric as its file has it: what people decide, in one order, and nothing that is only counted up."""
    told = document_of(version)
    kept = {name: told[name] for name in FILE_FIELDS if told.get(name) not in (None, "", [], ())}
    if (gone := version.deprecation) is not None:
        kept[DEPRECATED] = {"reason": gone.reason, **({"replacement": gone.replacement} if gone.replacement else {})}
    return kept


FILE_FIELDS = (
    "name", "title", "description", "owner", "valueType", "aggregationStyle", "aggregationParam", "unit", "source",
    "relatedDimensions", "hybridFormula", "chainedMetric", "chainCutoffDate",
)  # fmt: skip
