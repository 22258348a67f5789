"""A table's keys before it is built, as a file tells them: templates over fields, and what is done how often.

table: pings
capacity: {writes: 10000, reads: 100}      # or `on-demand`, which is also what silence means
fields:
  day: {time: day}                         # one value at a time, a new one each day
  series: {zipf: 200, exponent: 1.0}       # 200 values, the first with the most
  token: {uniform: 10000}
  at: {time: second}
partition: "{day}"
sort: "{at}"
shards: 16                                 # a calculated suffix; leave it out for none
kept_days: 90
access:
  - {name: ping, does: writes, per_second: 5000, bytes: 300, peak: 2}
indexes:
  - {name: by-series, partition: "{series}", sort: "{at}", bytes: 200}
"""

import re
from typing import Annotated, Literal

import msgspec
import yaml

from footfall.values.errors import Refused

FIELDS_MAX, ACCESS_MAX, INDEXES_MAX, SHARDS_MAX = 50, 50, 20, 10_000
VALUES_MAX = 10**12
PER_SECOND_MAX = 10_000_000.0
ITEM_BYTES_MAX = 409_600  # 400 KB, the vendor's limit of an item.
TIME_MINUTES = {"second": 1, "minute": 1, "five-minutes": 5, "hour": 60, "day": 1_440, "week": 10_080, "month": 43_200}
Time = Literal["second", "minute", "five-minutes", "hour", "day", "week", "month"]
_FIELD = re.compile(r"\{([^{}]*)\}")

Positive = Annotated[float, msgspec.Meta(gt=0, le=PER_SECOND_MAX)]
Values = Annotated[int, msgspec.Meta(ge=1, le=VALUES_MAX)]
Bytes = Annotated[int, msgspec.Meta(ge=1, le=ITEM_BYTES_MAX)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=255)]


class Distribution(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a field's values are distributed: one of these."""

    uniform: Values | None = None
    zipf: Values | None = None
    exponent: Annotated[float, msgspec.Meta(ge=0, le=5)] = 1.0
    time: Time | None = None
    constant: str | None = None


class Provision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Units a second that are provisioned; `divided` among partitions, as before adaptive capacity."""

    writes: Annotated[float, msgspec.Meta(ge=1, le=40_000)]
    reads: Annotated[float, msgspec.Meta(ge=1, le=40_000)] = 1.0
    divided: bool = False


class Access(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that is done, so often, with items so large; `partition` and `sort` where it has keys of its own."""

    name: Name
    does: Literal["writes", "reads"]
    per_second: Positive
    bytes: Bytes = 1_000
    items: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 1  # of one read
    consistent: bool = False
    peak: Annotated[float, msgspec.Meta(ge=1, le=1_000)] = 1.0  # the busiest second by the mean one
    partition: str | None = None
    sort: str | None = None


class SecondIndex(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A global secondary index; every write goes into it, with so many bytes."""

    name: Name
    partition: Name
    sort: str = ""
    bytes: Bytes = 1_000
    writes: Annotated[float, msgspec.Meta(ge=1, le=40_000)] | None = None  # provisioned; else as the table


class Schema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    table: Name
    fields: Annotated[dict[str, Distribution], msgspec.Meta(min_length=1, max_length=FIELDS_MAX)]
    partition: Name
    access: Annotated[list[Access], msgspec.Meta(min_length=1, max_length=ACCESS_MAX)]
    sort: str = ""
    shards: Annotated[int, msgspec.Meta(ge=1, le=SHARDS_MAX)] = 1
    kept_days: Annotated[float, msgspec.Meta(gt=0, le=36_500)] = 365.0
    capacity: Provision | Literal["on-demand"] = "on-demand"
    indexes: Annotated[list[SecondIndex], msgspec.Meta(max_length=INDEXES_MAX)] = []


def schema_from_yaml(text: bytes, *, named: str) -> Schema:
    """Return the schema of a file, or a sentence about what is wrong with it; `named` is what the file is called."""
    try:
        schema = msgspec.yaml.decode(text, type=Schema)
    except msgspec.ValidationError as error:
        raise Refused(named, f"is not a schema of keys: {error}") from error
    except (msgspec.DecodeError, yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise Refused(named, f"is not YAML: {' '.join(str(error).split())[:300]}") from error
    _require_fields(schema, named)
    _require_templates(schema, named)
    return schema


def fields_of(template: str) -> list[str]:
    """Return the names that a template has in braces, in their order."""
    return [found.strip() for found in _FIELD.findall(template)]


def plain_template(template: str) -> str:
    """Return a template without blanks in its braces: two that make the same keys are the same text then."""
    return _FIELD.sub(lambda found: f"{{{found.group(1).strip()}}}", template)


def _require_fields(schema: Schema, named: str) -> None:
    for name, values in schema.fields.items():
        kinds = [values.uniform, values.zipf, values.time, values.constant]
        if sum(kind is not None for kind in kinds) != 1:
            raise Refused(named, f"the field {name!r} needs one of uniform, zipf, time and constant")
    for what in ([one.name for one in schema.access], [one.name for one in schema.indexes]):
        twice = next((name for name in what if what.count(name) > 1), None)
        if twice is not None:
            raise Refused(named, f"{twice!r} stands there twice")


def _require_templates(schema: Schema, named: str) -> None:
    templates = [("the table", schema.partition, schema.sort)]
    templates += [(one.name, one.partition or schema.partition, one.sort or "") for one in schema.access]
    templates += [(index.name, index.partition, index.sort) for index in schema.indexes]
    for whose, partition, sort in templates:
        for template in (partition, sort):
            for name in fields_of(template):
                if name not in schema.fields:
                    known = ", ".join(sorted(schema.fields))
                    raise Refused(named, f"{template!r} of {whose} has the field {name!r}, and `fields` only {known}")
            if "{" in _FIELD.sub("", template) or "}" in _FIELD.sub("", template):
                raise Refused(named, f"{template!r} of {whose} has a brace too many or too few")
