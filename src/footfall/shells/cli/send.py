"""`footfall send`: one hit from the flags, or many from a file."""

import argparse
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

import msgspec

from footfall.shells.cli.batches import Refusals, whole_in
from footfall.shells.cli.calls import BUSY, Caller, RefusedByServer, Reply, Unreachable, call_patiently
from footfall.shells.cli.command import URL, Argument, Command, Exit, Surroundings, WrongUsage, brand_name, moment
from footfall.shells.cli.hits_file import Sent, batches_of, hits_in, opened
from footfall.shells.cli.secret_file import SECRET_FILE, SIGN, key_headers, signer

TRIES_MAX = 12  # About 45 seconds of a server that is away: a restart is shorter, an outage is not.


class WrongTogether(WrongUsage):
    """Flags that exclude each other were given, or one that is needed was not."""


@dataclass(slots=True)
class Outcome:
    """What became of the hits so far."""

    refusals: Refusals
    accepted: int = 0
    duplicate: int = 0


def send(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Send the hits and say which were taken."""
    _require_one_source(arguments)
    key = arguments.idempotency_key or around.new_key()
    outcome = Outcome(Refusals("hit", around))
    with ExitStack() as stack:
        headers, sign = key_headers(arguments.secret_file), signer(arguments, around)
        caller = stack.enter_context(closing(Caller(arguments.url, headers=headers, sign=sign)))
        if arguments.file:
            file = stack.enter_context(opened(arguments.file, stdin=around.stdin))
            hits: Iterable[Sent] = hits_in(file, brand=arguments.brand)
        else:
            hits = [Sent(1, _hit_of(arguments))]
        for index, batch in enumerate(batches_of(hits)):
            try:
                _send_batch(caller, batch, key=f"{key}-{index}", outcome=outcome, around=around)
            except (Unreachable, RefusedByServer) as error:
                if outcome.accepted or outcome.refusals.count:
                    _say(outcome, around)
                if outcome.accepted or isinstance(error, Unreachable) or error.status in BUSY:
                    around.complain(f"footfall: Run it again with --idempotency-key {key} and no hit is counted twice.")
                raise
    _say(outcome, around)
    return Exit.REFUSED if outcome.refusals.count else Exit.OK


def post_hits(caller: Caller, body: bytes, *, key: str) -> Reply:
    """Post one batch of hits under its key, so that posting it again counts nothing twice."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    return caller.call("POST", "/v1/hits", body=body, headers=headers)


def _send_batch(caller: Caller, batch: Sequence[Sent], *, key: str, outcome: Outcome, around: Surroundings) -> None:
    content = outcome.refusals.sent(
        batch,
        lambda body: call_patiently(
            lambda: post_hits(caller, body, key=key),
            pause=around.pause,
            tries_max=TRIES_MAX,
            on_wait=around.complain,
        ),
    )
    outcome.accepted += whole_in(content, "accepted")
    outcome.duplicate += whole_in(content, "duplicates")


def _say(outcome: Outcome, around: Surroundings) -> None:
    duplicates = f", {outcome.duplicate:,} of them sent before" if outcome.duplicate else ""
    around.say(f"{outcome.accepted:,} accepted{duplicates}, {outcome.refusals.count:,} refused")


def _hit_of(arguments: argparse.Namespace) -> bytes:
    hit = {
        "brand": arguments.brand,
        "assetId": arguments.asset,
        "sectionId": arguments.section,
        "resourceType": arguments.type,
        "paidType": arguments.paid,
        "at": arguments.at,
    }
    return msgspec.json.encode({name: value for name, value in hit.items() if value is not None})


def _require_one_source(arguments: argparse.Namespace) -> None:
    if (arguments.asset is None) == (arguments.file is None):
        raise WrongTogether("Give either --asset or --file; footfall send --help shows both.")
    if arguments.asset is not None and arguments.brand is None and arguments.secret_file is None:
        raise WrongTogether(
            "--asset needs a --brand, or a --secret-file whose key says it; only hits of a --file may name their own."
        )
    labels = ("section", "type", "paid", "at")
    if arguments.file is not None and any(getattr(arguments, name) is not None for name in labels):
        raise WrongTogether("--section, --type, --paid and --at describe one --asset; a --file says its own.")


COMMAND = Command(
    name="send",
    says="Send one hit, or the hits of a file (one JSON object a line, or one JSON array).",
    example="footfall send --brand abc --asset 132141398 --section 563 --type article --paid free",
    more_examples=("footfall send --file hits.ndjson", "zcat hits.ndjson.gz | footfall send --brand abc --file -"),
    run=send,
    arguments=(
        URL,
        Argument(
            "--brand",
            "The brand, for hits that name none; not needed with --secret-file.",
            shows="BRAND",
            reads=brand_name,
        ),
        Argument("--asset", "The asset that was seen.", shows="ASSET"),
        Argument("--section", "Its section.", shows="SECTION"),
        Argument("--type", "Its resource type.", shows="TYPE"),
        Argument("--paid", "Its paid type.", shows="PAID"),
        Argument("--at", "When it was seen, such as 2026-11-15T14:30Z; now when absent.", shows="TIME", reads=moment),
        Argument("--file", "A file with hits, - for the standard input.", shows="FILE"),
        SECRET_FILE,
        SIGN,
        Argument(
            "--idempotency-key", "The word that an earlier try told, so that nothing is counted twice.", shows="WORD"
        ),
    ),
)
