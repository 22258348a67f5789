"""What a child process runs first: its module is read while nobody looks for garbage, for all that is read stays."""

import contextlib
import gc
import sys
from importlib import import_module


def launch() -> None:
    """Run the process of the module that is named first."""
    gc.disable()  # Looking through it again and again would be a tenth of the start; child.begin goes on with it.
    process = import_module(sys.argv.pop(1))
    with contextlib.suppress(ConnectionError):  # The parent is gone.
        process.main()


if __name__ == "__main__":
    launch()
