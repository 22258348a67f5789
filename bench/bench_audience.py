"""Audience: what a follow costs beside the table writes that it needs, on both grounds, and what reading it takes.

Sketch. A follow with counts is one transaction of three small items, some 100 us of one core on SQLite, most of it the
table's own; what is added is two keys and a hash. On DynamoDB it is one call. So the ratio to the raw writes should be
near one, and the same for a thing with a million followers: its shard is calculated.

A history write is two updates and what is added to them is one small function, so it should be near one as well; a beat
is one update. The most recent series are one query of an index, whatever lies behind its first page.
"""

from bench.audience_follows import follow_rows
from bench.audience_history import history_rows
from bench.plan import Plan
from bench.results import Row


def run(plan: Plan) -> list[Row]:
    """Measure every part of the audience."""
    return [*follow_rows(plan), *history_rows(plan)]
