"""The socket in a data directory on which the instance that runs there is asked: what it takes to ask, and no more.

Requests are one line of JSON, so that whoever may read the directory may ask. Answers are lines as well: any number of
{"progress": 0..1}, then {"done": {...}} or {"error": "..."}, with "refused": true where what was asked is at fault and
not the instance.
"""

import json
import os
import socket
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from footfall.app.control_errors import ControlFailed, ControlRefused

SOCKET_FILE = "control.sock"

OnProgress = Callable[[float], None]


@contextmanager
def socket_path(directory: Path) -> Generator[str]:
    """Give a path to the control socket that is short enough for the system, however long the directory's is."""
    number = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{number}/{SOCKET_FILE}"
    finally:
        os.close(number)


def ask(directory: Path, request: Mapping[str, Any], on_progress: OnProgress) -> Mapping[str, Any]:
    """Return what the running instance answers; ConnectionRefusedError or FileNotFoundError when none runs."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line, socket_path(directory) as path:
        line.connect(path)
        line.sendall(json.dumps(request).encode() + b"\n")
        with line.makefile("rb") as answers:
            for text in answers:
                answer = json.loads(text)
                if "progress" in answer:
                    on_progress(float(answer["progress"]))
                elif "done" in answer:
                    return answer["done"]
                else:
                    kind = ControlRefused if answer.get("refused") else ControlFailed
                    raise kind(str(answer.get("error", "the server's answer makes no sense")))
    raise ControlFailed("the server went away before it was done; look at its log and ask again")
