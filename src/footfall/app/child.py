"""What every child process of an instance does at its start: take its settings, log, and end with its parent."""

import gc
import os
import signal
import socket
import sys
import threading

from footfall.app.link import Link
from footfall.app.logs import begin_logging
from footfall.app.settings import Settings, settings_from_json


def begin(name: str) -> tuple[Settings, Link]:
    """Return what the parent handed over: settings on standard input, and a socket by its number.

    Standard input stays open as long as the parent lives. Its end means that the parent was killed, and then this
    process must not go on beside the one that follows: it ends at once, as if it had been killed as well.
    """
    # The parent decides when to stop; a Ctrl-C, or a service supervisor, reaches every process of the instance.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    settings = settings_from_json(sys.stdin.readline())
    begin_logging(settings, process=name)
    gc.freeze()  # What was imported stays; looking through it for garbage would be a pause of 20 ms.
    gc.enable()
    threading.Thread(target=_end_with_parent, name=f"{name}-lifeline", daemon=True).start()
    return settings, Link(socket.socket(fileno=int(sys.argv[1])))


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)
