"""Audience: what a follow costs beside the table writes that it needs, on both grounds, and what reading it takes.

Sketch. A follow with counts is one transaction of three small items, some 100 us of one core on SQLite, most of it the
table's own; what is added is two keys and a hash. On DynamoDB it is one call. So the ratio to the raw writes should be
near one, and the same for a thing with a million followers: its shard is calculated.

Units are DynamoDB Local's own report, and the talk's schema is written on the same engine. Two exact counts cannot cost
as little as two writes that count nothing, and an index that moves cannot cost as little as one that does not: these
rows miss, and docs/formats/audience.md says why.

A history write is two updates and what is added to them is one small function, so it should be near one as well; a beat
is one update. The most recent series are one query of an index, whatever lies behind its first page.
"""

from bench.audience_follows import follow_rows
from bench.audience_history import history_rows
from bench.audience_units import unit_rows
from bench.plan import Plan
from bench.results import Row
from tests.engines.dynamodb import running


def run(plan: Plan) -> list[Row]:
    """Measure every part of the audience."""
    folder = plan.directory / "dynamodb-units"
    folder.mkdir()
    with running(folder) as engine:
        rows = unit_rows(engine)
    return [*rows, *follow_rows(plan), *history_rows(plan)]
