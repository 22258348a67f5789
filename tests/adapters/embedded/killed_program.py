"""A program that prints a number for each thing that it has made durable, until it is killed."""

import subprocess
import sys


def told_before_kill(program: str, *arguments: str, wanted: int) -> list[int]:
    """Run a program until it has told of so many things, kill it, and return all that it told of."""
    with subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        told = [int(child.stdout.readline()) for _ in range(wanted)]
        child.kill()
        return told + [int(line) for line in child.stdout if line.endswith(b"\n")]
