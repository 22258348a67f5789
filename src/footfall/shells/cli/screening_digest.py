"""`footfall screening digest`: what a day of screening came to, for people, for mails and for programs."""

import argparse
from contextlib import closing
from urllib.parse import urlencode

from footfall.flow.serve.digest_markdown import digest_markdown
from footfall.shells.cli.calls import Caller, Unreachable, answer_of
from footfall.shells.cli.command import Exit, Surroundings, WrongUsage
from footfall.shells.cli.popular import patiently_asked
from footfall.shells.cli.secret_file import brand_asked


def digest(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Ask for the digest of a day and show it."""
    named = vars(arguments)
    if any(named[name] is not None for name in ("period", "from", "to")):
        raise WrongUsage("digest is of a day; give --day, and no --period, --from or --to.")
    pairs = dict(brand_asked(arguments))
    if arguments.day is not None:
        pairs["day"] = arguments.day
    with closing(Caller(arguments.url)) as caller:
        reply = answer_of(
            patiently_asked(caller, f"/v1/screening/digest?{urlencode(pairs)}", arguments.secret_file, around)
        )
    if arguments.json:
        around.say(reply.body.decode(errors="replace").rstrip("\n"))
        return Exit.OK
    document = reply.table()
    if not isinstance(document.get("labels"), list):
        raise Unreachable("The answer is no digest; check that --url is a footfall.")
    text = digest_markdown(document)
    if arguments.markdown or not around.out.isatty():
        around.say(text.rstrip("\n"))
    else:
        from rich.markdown import Markdown  # with a reader of Markdown, which no other command needs

        around.console().print(Markdown(text))
    return Exit.OK
