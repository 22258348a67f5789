"""`footfall restore`: a data directory from a backup, checked byte by byte before it takes its place."""

import argparse
from pathlib import Path

from footfall.shells.cli.command import DATA, Argument, Command, Exit, Surroundings, WrongUsage


class WhereTo(WrongUsage):
    """A restore has to be told its directory: a default would be a guess about where data should be."""


def restore(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Restore the backup and say what came of it."""
    # Adapters and archives take a moment to load, which the other commands should not wait for.
    from footfall.app.restore import restore as put_back

    if arguments.data is None:
        raise WhereTo("Name the directory to restore to with --data.")
    directory = Path(arguments.data)
    source = around.stdin if arguments.file == "-" else Path(arguments.file)
    restored = put_back(source, directory, clock=around.clock, replace_it=arguments.replace)
    manifest = restored.manifest
    names = ", ".join(one.name for one in manifest.files)
    around.say(f"Restored {directory} as of {manifest.made_at} (made by footfall {manifest.footfall}): {names}.")
    if restored.kept is not None:
        around.say(f"What was there is kept in {restored.kept}; remove it when all is well.")
    return Exit.OK


COMMAND = Command(
    name="restore",
    says="Restore a data directory from a backup.",
    example="footfall restore footfall-2026-11-15.tar.zst --data /var/lib/footfall",
    run=restore,
    tells="Every byte is checked before anything is changed. The directory must be absent or empty; with --replace a\n"
    "directory with data is kept beside the restored one. No server may run on it.",
    more_examples=(
        "footfall restore footfall-2026-11-15.tar.zst --data /var/lib/footfall --replace",
        "ssh backup.example.com 'cat footfall.tar.zst' | footfall restore - --data /var/lib/footfall",
    ),
    arguments=(
        Argument("file", "The backup, - for the standard input.", shows="FILE"),
        DATA,
        Argument("--replace", "Put it in the place of a directory with data, which is kept beside.", is_switch=True),
    ),
)
