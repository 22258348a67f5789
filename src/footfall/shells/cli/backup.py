"""`footfall backup`: one moment of a data directory in one file, while its server goes on."""

import argparse
import os
import sys
from pathlib import Path
from typing import BinaryIO

from footfall.shells.cli.asking import settings_of
from footfall.shells.cli.command import CONFIG, DATA, Argument, Command, Exit, Surroundings, WrongUsage

NICENESS = 10  # The server on the same machine goes first.
REST_S = 0.002  # After each step of 4 MB, so that a slow disk is not all ours.


class NoPlaceForBytes(WrongUsage):
    """The standard output takes no bytes, or is a terminal."""


def backup(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Make the backup and say what is in it."""
    from footfall.app.backup import Source, back_up, back_up_to_file, left_out

    settings = settings_of(arguments, around, only_directory="backup")
    source = Source(Path(settings.data_dir), Path(arguments.config) if arguments.config else None)
    os.nice(NICENESS)

    def rest() -> None:
        around.pause(REST_S)

    if arguments.file == "-":
        out = _output()
        manifest = back_up(source, out, scratch=None, clock=around.clock, between=rest)
        out.flush()
    else:
        target = Path(arguments.file)
        manifest = back_up_to_file(source, target, clock=around.clock, between=rest, overwrite=arguments.overwrite)
    names = ", ".join(f"{one.name} ({one.bytes:,} bytes)" for one in manifest.files)
    if manifest.objects:
        names += f", {manifest.objects:,} objects of the archive ({manifest.objects_bytes:,} bytes)"
    around.complain(f"Backed up {settings.data_dir} as of {manifest.made_at}: {names}.")
    for sentence in left_out(source):
        around.complain(f"{sentence}.")
    return Exit.OK


def _output() -> BinaryIO:
    if sys.stdout.isatty():
        raise NoPlaceForBytes("A backup is no text; send the standard output to a file or a pipe.")
    return sys.stdout.buffer


COMMAND = Command(
    name="backup",
    says="Write a backup of a data directory, while its server runs or not.",
    example="footfall backup --data /var/lib/footfall footfall-2026-11-15.tar.zst",
    run=backup,
    tells="The file is a compressed tar with one moment of the stream, the store, the brands, the catalogue, the\n"
    "archive and the settings, and a digest of every byte. The visitors' salts are left out: they must not outlive\n"
    "their day, and so are executions of state machines, which would run a second time where they are restored.\n"
    "While it is written it takes up to twice the size of the data in the folder of the file.",
    more_examples=(
        "footfall backup --data /var/lib/footfall --overwrite latest.tar.zst",
        "footfall backup --data /var/lib/footfall - | ssh backup.example.com 'cat > footfall.tar.zst'",
    ),
    arguments=(
        Argument("file", "The file to write, - for the standard output.", shows="FILE"),
        DATA,
        CONFIG,
        Argument("--overwrite", "Replace a file of that name.", is_switch=True),
    ),
)
