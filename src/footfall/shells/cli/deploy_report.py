"""What `footfall deploy` prints: outputs, changes, health, and what to do next."""

import argparse
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from rich.table import Table

from footfall.app.settings import NAMES
from footfall.shells.cli.command import Surroundings, printable

if TYPE_CHECKING:
    from footfall.adapters.aws.stacks import ChangeSet, Stack
    from footfall.app.deploying import Cleared, Health
    from footfall.app.deploying_archive import Packed

# The settings that name a stack's parts, and the outputs that hold them.
SETTINGS: Final = {
    "FOOTFALL_AWS_STREAM": "Stream",
    "FOOTFALL_AWS_STORE_TABLE": "StoreTable",
    "FOOTFALL_AWS_ACCOUNTS_TABLE": "AccountsTable",
    "FOOTFALL_AWS_CATALOG_TABLE": "CatalogTable",
    "FOOTFALL_AWS_METRICS_TABLE": "MetricsTable",
    "FOOTFALL_AWS_AUDIENCE_TABLE": "AudienceTable",
    "FOOTFALL_AWS_SALTS_TABLE": "SaltsTable",
    "FOOTFALL_AWS_ROWS_TABLE": "RowsTable",
    "FOOTFALL_AWS_RAW_BUCKET": "RawBucket",
    "FOOTFALL_STREAM_SHARDS": "CountingShards",
    "FOOTFALL_AWS_FRESHNESS_S": "FreshnessSeconds",
}
# Settings that a stack's parameters hold and that commands read as functions do; the audience's are all of that kind.
CHOSEN: Final = {
    setting.variable: "".join(part.capitalize() for part in setting.name.split("_"))
    for setting in NAMES.values()
    if setting.name.startswith("audience_")
}
ENDPOINTS: Final = ("DYNAMODB", "KINESIS", "S3", "OTHER")


def exports(stack: "Stack", arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the lines that make a shell's footfall commands work on a stack."""
    values = {"FOOTFALL_GROUND": "aws", "FOOTFALL_AWS_STACK": stack.name}
    values |= {name: stack.outputs[output] for name, output in SETTINGS.items() if output in stack.outputs}
    # What is empty is said, too: it holds against a settings file of this machine.
    values |= {name: stack.parameters[chosen] for name, chosen in CHOSEN.items() if chosen in stack.parameters}
    if "RowsTable" in stack.outputs:
        values["FOOTFALL_STORE_LAYOUT"] = "rows"
    if arguments.region:
        values["FOOTFALL_AWS_REGION"] = arguments.region
    if arguments.endpoint:
        values |= {f"FOOTFALL_AWS_{name}_ENDPOINT": arguments.endpoint for name in ENDPOINTS}
    # For commands that are not ours, such as curl; at the second there is no cache, so keys are heard there for lists.
    values["ADDRESS"] = stack.outputs.get("Address", "")
    values["API_ADDRESS"] = stack.outputs.get("ApiAddress", "")
    for name, value in values.items():
        yield f"export {name}={shlex.quote(value)}"


def where(arguments: argparse.Namespace) -> str:
    """Return the flags that say again which deployment is meant."""
    flags = [("--name", arguments.name if arguments.name != "footfall" else None)]
    flags += [("--region", arguments.region), ("--endpoint", arguments.endpoint)]
    return "".join(f" {flag} {shlex.quote(value)}" for flag, value in flags if value)


def show_packed(packed: "Packed", around: Surroundings) -> None:
    """Say what was packed and how large it is."""
    around.say(
        f"Packed {packed.path}: {_megabytes(packed.packed_bytes)}, {_megabytes(packed.unpacked_bytes)} unpacked."
    )
    around.say(f"It runs on Lambda's python{packed.target.runtime} on {packed.target.architecture}.")
    if not packed.target.is_compiled_here:
        around.say(
            "Modules are not compiled in it, so each cold start takes longer; pack with Python "
            f"{packed.target.runtime} to have them compiled."
        )


def show_up(stack: "Stack", arguments: argparse.Namespace, around: Surroundings) -> None:
    """Say where it is and what to type next."""
    address = stack.outputs.get("Address", "")
    around.say(f"{stack.name} is up.")
    around.say("")
    _outputs(stack, around)
    around.say("")
    around.say("Next, a brand with its keys:")
    around.say(f'  eval "$(footfall deploy status{where(arguments)} --exports)"')
    around.say(f"  footfall brands add BRAND --zone Europe/Helsinki --url {address}")
    around.say("It prints a secret key, and the line for your pages:")
    around.say(f'  <script async src="{address}/footfall.js" data-key="PUBLIC-KEY"></script>')
    around.say("The first hit, and the list it is in after a minute:")
    around.say(f"  curl -H 'Authorization: Bearer SECRET-KEY' -d '{{\"assetId\":101}}' {address}/v1/hits")
    around.say(f"  curl '{address}/v1/popular?brand=BRAND'")


def show_changes(change_set: "ChangeSet", around: Surroundings) -> None:
    """Print what a change would do, part by part."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("change", "part", "kind", "made anew", "because of"):
        table.add_column(column)
    for one in sorted(change_set.changes, key=lambda one: (one.replaces == "no", one.action, one.name)):
        cells = (one.action.lower(), one.name, one.kind, one.replaces, ", ".join(one.because))
        table.add_row(*(printable(cell) for cell in cells))
    around.console().print(table)


def show_status(health: "Health", around: Surroundings) -> None:
    """Say how a deployment is doing."""
    stack = health.stack
    around.say(f"{stack.name}: {stack.state}{f' ({stack.reason})' if stack.reason else ''}")
    newer = "" if health.deployed == health.installed else "; `footfall deploy update` brings it to that"
    around.say(f"Deployed is {health.deployed or 'an archive of another making'}, installed {health.installed}{newer}.")
    if health.mapping is None:
        around.say("Nothing counts the stream: the stack has no mapping.")
    else:
        lag = "no figure of how far it is behind" if health.lag_ms is None else f"{health.lag_ms / 1_000:,.1f} s behind"
        result = f", last: {health.mapping.last_result}" if health.mapping.last_result else ""
        around.say(f"Counting is {health.mapping.state}, {lag}{result}.")
    for name, says in health.alarms.items():
        around.say(f"ALARM {name}: {says}")
    if not health.alarms:
        around.say("No alarm.")
    around.say("")
    _outputs(stack, around)


def show_cleared(name: str, cleared: "Cleared", around: Surroundings) -> None:
    """Say what was removed and what stays."""
    around.say(f"Removed {name}: {len(cleared.removed)} parts.")
    for one in cleared.stays:
        around.say(f"Stays: {one.name}, {one.kind} {one.id}")
    if cleared.stays:
        around.say("What stays is paid for, and a new stack begins empty beside it (docs/deploying.md, Leave).")
    if cleared.code_bucket:
        around.say(f"Stays: the bucket of archives {cleared.code_bucket}, which other stacks may use.")


def _outputs(stack: "Stack", around: Surroundings) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, value in stack.outputs.items():
        table.add_row(printable(name), printable(value))
    around.console().print(table)


def _megabytes(count: int) -> str:
    return f"{count / 1_000_000:,.1f} MB"
