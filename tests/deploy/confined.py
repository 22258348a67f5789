"""Runs a command behind what a unit forbids, with the kernel's own filter, as systemd does: `confined.py UNIT ...`.

What the filter cannot see (mounts, devices) stays as it is. Nothing is imported but the standard library, because it
runs as a user who may not read the house.
"""

import ctypes
import errno
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
EQUALS, MASKED_EQUALS, GREATER_EQUAL = 4, 7, 5  # libseccomp's ways to compare
NAMESPACES = {
    "cgroup": 0x02000000, "ipc": 0x08000000, "mnt": 0x00020000, "net": 0x40000000, "pid": 0x20000000,
    "user": 0x10000000, "uts": 0x04000000,
}  # fmt: skip
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16, "AF_PACKET": 17}
PROT_WRITE_AND_EXEC, PROT_EXEC = 2 | 4, 4


class Comparison(ctypes.Structure):
    """How an argument of a system call is looked at."""

    _fields_ = [("argument", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


class Filter:
    """One filter of the kernel; several hold together."""

    def __init__(self, *, otherwise: int) -> None:
        self._library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
        self._library.seccomp_init.restype = ctypes.c_void_p
        self._made = ctypes.c_void_p(self._library.seccomp_init(ctypes.c_uint32(otherwise)))

    def add(self, action: int, name: str, *comparisons: Comparison) -> None:
        """Let a call by that name, if the machine has it and its arguments are such, be answered so."""
        number = self._library.seccomp_syscall_resolve_name(name.encode())
        if number < 0:
            return
        compared = (Comparison * max(1, len(comparisons)))(*comparisons)
        added = self._library.seccomp_rule_add_array(
            self._made, ctypes.c_uint32(action), number, len(comparisons), compared
        )
        assert added == 0, (name, added)

    def load(self) -> None:
        """Begin, for this process and all that it starts."""
        loaded = self._library.seccomp_load(self._made)
        assert loaded == 0, loaded


def values(unit: str, name: str) -> list[str]:
    """Return what a unit says of something, line by line."""
    return re.findall(rf"^{name}=(.*)$", unit, re.MULTILINE)


def calls_in(name: str) -> Iterator[str]:
    """Yield the system calls of a group, and of the groups in it."""
    if not name.startswith("@"):
        yield name
        return
    command = ["systemd-analyze", "--no-pager", "syscall-filter", name]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for line in told.splitlines()[1:]:
        if (word := line.strip()) and not word.startswith("#"):
            yield from calls_in(word)


def allowed_calls(unit: str) -> set[str]:
    """Return the system calls that a unit allows."""
    allowed = set(calls_in("@default"))
    for line in values(unit, "SystemCallFilter"):
        named = {call for word in line.removeprefix("~").split() for call in calls_in(word)}
        allowed = allowed - named if line.startswith("~") else allowed | named
    return allowed


def confine(unit: str) -> None:
    """Forbid this process what the unit forbids."""
    assert ctypes.CDLL(None).prctl(38, 1, 0, 0, 0) == 0  # NoNewPrivileges, which every unit here has
    _refuse_namespaces(unit)
    _refuse_families(unit)
    if "yes" in values(unit, "MemoryDenyWriteExecute"):
        refused = Filter(otherwise=ALLOW)
        refused.add(REFUSE, "mmap", Comparison(2, MASKED_EQUALS, PROT_WRITE_AND_EXEC, PROT_WRITE_AND_EXEC))
        refused.add(REFUSE, "mprotect", Comparison(2, MASKED_EQUALS, PROT_EXEC, PROT_EXEC))
        refused.load()
    calls = allowed_calls(unit)
    if calls:
        permitted = Filter(otherwise=REFUSE)
        for name in sorted(calls):
            permitted.add(ALLOW, name)
        permitted.load()


def _refuse_namespaces(unit: str) -> None:
    (kept,) = values(unit, "RestrictNamespaces")
    refused = Filter(otherwise=ALLOW)
    refused.add(0x00050000 | errno.ENOSYS, "clone3")  # Its flags cannot be seen; whoever uses it falls back to clone.
    for name, flag in NAMESPACES.items():
        if name not in kept.split():
            refused.add(REFUSE, "unshare", Comparison(0, MASKED_EQUALS, flag, flag))
            refused.add(REFUSE, "clone", Comparison(0, MASKED_EQUALS, flag, flag))
    refused.load()


def _refuse_families(unit: str) -> None:
    (kept,) = values(unit, "RestrictAddressFamilies")
    numbers = {FAMILIES[name] for name in kept.split()}
    refused = Filter(otherwise=ALLOW)
    for number in set(range(46)) - numbers:
        refused.add(0x00050000 | errno.EAFNOSUPPORT, "socket", Comparison(0, EQUALS, number, 0))
    refused.load()


if __name__ == "__main__":
    confine(Path(sys.argv[1]).read_text(encoding="utf-8"))
    os.execvp(sys.argv[2], sys.argv[2:])
