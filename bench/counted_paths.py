"""Run hot paths between the marks of callgrind: `python -m bench.counted_paths MARKS [NAME ...]`, under valgrind.

Every path is done at two sizes. What is the same at both, such as the call itself, is in neither's difference.
"""

import ctypes
import gc
import sys
from collections.abc import Sequence

from bench.hot_inputs import HotPath
from bench.hot_paths import HOT_PATHS

SIZES = (2, 6)
WARM_ROUNDS = 3  # The interpreter learns what its instructions work on, and what is made once is made.


def count(paths: Sequence[HotPath], marks: ctypes.CDLL) -> None:
    """Do each path between marks, at both sizes; how many things it was done to is part of the name."""
    gc.disable()  # Or one path would pay for what another has left.
    for path in paths:
        for size in SIZES:
            step = path.ready(size)
            for _ in range(WARM_ROUNDS):
                step.do()
            gc.collect()
            name = f"{path.what}|{step.count}".encode()
            marks.begin_counting()
            step.do()
            marks.end_counting(name)


def main() -> None:
    """Count what was named, or everything."""
    marks, *names = sys.argv[1:]
    count([path for path in HOT_PATHS if not names or path.what in names], ctypes.CDLL(marks))


if __name__ == "__main__":
    main()
