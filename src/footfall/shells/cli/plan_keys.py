"""`footfall plan keys`: how hot a key design will be, before a table is built with it."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from rich.table import Table

from footfall.planning.key_designs import KeyScore, score
from footfall.planning.key_schemas import schema_from_yaml
from footfall.planning.quantities import binary_size, short
from footfall.shells.cli.command import Exit, Surroundings, WrongUsage, printable

FILE_BYTES_MAX = 1_000_000  # A schema is a page of text.


def score_keys(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Score the design of a file; one that is hot or lacks capacity is code 1, so that a build can stop at it."""
    if not arguments.schema:
        raise WrongUsage("say which design: --schema FILE; docs/how-to/plan-costs.md has one to copy.")
    path = Path(arguments.schema)
    try:
        text = path.read_bytes()[: FILE_BYTES_MAX + 1]
    except OSError as error:
        raise WrongUsage(f"--schema: {path} cannot be read: {error.strerror or error}.") from error
    if len(text) > FILE_BYTES_MAX:
        raise WrongUsage(f"--schema: {path} has more than {FILE_BYTES_MAX:,} bytes, and a schema is a page of text.")
    found = score(schema_from_yaml(text, named=str(path)), seed=arguments.seed)
    if arguments.json:
        around.say(msgspec.json.encode(score_as_json(found)).decode())
    else:
        tell_score(found, around)
    return Exit.OK if found.verdict.may_be_built else Exit.FAILED


def tell_score(found: KeyScore, around: Surroundings) -> None:
    """Show each access and index with its hottest key, and the sentences."""
    around.say(f"{printable(found.table)}: {found.verdict.value}")
    table = Table(box=None, pad_edge=False)
    for name, right in (
        ("access", False),
        ("does", False),
        ("keys", True),
        ("hottest has", True),
        ("units/s", True),
        ("limit", True),
        ("under it", True),
        ("verdict", False),
    ):
        table.add_column(name, justify="right" if right else "left")
    for part in found.parts:
        table.add_row(
            printable(part.name),
            part.does.value,
            short(part.keys),
            f"{100 * part.hottest_share:.3g} %",
            short(part.hottest_units),
            short(part.limit_units),
            binary_size(part.collection_bytes),
            part.verdict.value,
        )
    around.console().print(table)
    for sentence in found.sentences:
        around.say(f"  - {printable(sentence)}")
    if found.suggestion:
        around.say(f"  ! {printable(found.suggestion)}")


def score_as_json(found: KeyScore) -> Mapping[str, Any]:
    """Return a score as values that JSON has."""
    return {
        "version": 1,
        "table": found.table,
        "verdict": found.verdict.value,
        "throttledFirst": found.throttled_first,
        "throttledLast": found.throttled_last,
        "shards": found.shards,
        "sentences": list(found.sentences),
        "suggestion": found.suggestion,
        "parts": [
            {
                "name": part.name,
                "does": part.does.value,
                "keys": part.keys,
                "hottestShare": part.hottest_share,
                "hottestUnits": part.hottest_units,
                "limitUnits": part.limit_units,
                "collectionBytes": part.collection_bytes,
                "verdict": part.verdict.value,
                "shards": part.shards,
            }
            for part in found.parts
        ],
    }
