"""Files of two users: in a folder that is its group's as well, so is what is made in it, whatever the umask says.

A worker that captures pages runs as another user than the server, and both write the archive's files.
"""

import os
from pathlib import Path

OF_GROUP = 0o070
FOLDER, FILE = 0o770, 0o660


def is_of_group(folder: Path) -> bool:
    """Tell whether a folder's group may do in it what its owner may."""
    return folder.stat().st_mode & OF_GROUP == OF_GROUP


def make_folders(folder: Path) -> None:
    """Make a folder, and those around it, unless they are there."""
    if folder.is_dir():
        return
    make_folders(folder.parent)
    folder.mkdir(exist_ok=True)
    if is_of_group(folder.parent) and folder.stat().st_uid == os.geteuid():
        folder.chmod(FOLDER)


def make_database(path: Path) -> None:
    """Make an empty file for SQLite, which gives its log and its index of it the same mode; one that is there stays."""
    if not is_of_group(path.parent):
        return
    try:
        # Only when there is none: to close a file drops the locks that this very process has on it.
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    os.fchmod(number, FILE)
    os.close(number)
