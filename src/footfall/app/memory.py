"""How a process that works on large arrays gives their memory back when it is done with them.

The C library keeps freed blocks for later and moves the size above which it returns them up with each large one; a
process that merged a day's columns once would hold the room for it ever after.
"""

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # glibc's names for mallopt
RETURNED_BYTES_MIN = 262_144


def give_memory_back() -> None:
    """Have every larger block returned to the system as soon as it is freed, where the C library can."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for option, value in ((_MMAP_THRESHOLD, RETURNED_BYTES_MIN), (_TRIM_THRESHOLD, RETURNED_BYTES_MIN)):
            mallopt(option, value)
        mallopt(_ARENA_MAX, 1)
