"""The tutorial works: every command on the page is typed as it stands there, and says what the page says."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.scenarios.instance import Starter, free_port

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """What is typed, and what is said in return."""

    typed: str
    said: str | None


def steps() -> list[Step]:
    """Return the page's commands in order, each with the output that stands below it."""
    blocks = [(found[1], found[2]) for found in _BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    following = [*blocks[1:], ("", "")]
    return [
        Step(text, after if kind_after == "text" else None)
        for (kind, text), (kind_after, after) in zip(blocks, following, strict=True)
        if kind == "sh"
    ]


def is_as_shown(said: str, shown: str) -> bool:
    """Tell whether an output is what the page shows, where an ellipsis stands for anything."""
    pattern = ".*".join(re.escape(piece) for piece in _tidied(shown).split("…"))
    return re.fullmatch(pattern, _tidied(said), re.DOTALL) is not None


def _tidied(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


def test_an_ellipsis_stands_for_anything_and_nothing_else_does() -> None:
    assert is_as_shown("a  b\nc 1\nd", "a b\n…\nd")
    assert not is_as_shown("a b\nc", "a b\n…\nd")
    assert not is_as_shown("ab", "a.b")


def test_whoever_follows_the_tutorial_sees_what_it_says(starter: Starter, tmp_path: Path) -> None:
    port = free_port()
    address = f"127.0.0.1:{port}"
    variables = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    walked = 0
    for step in steps():
        typed = step.typed.replace("127.0.0.1:8080", address)
        if typed.startswith("footfall serve"):
            starter.start(tmp_path / "data", dev=False, port=port)
            continue
        url = f"--url http://{address} --brand"
        typed = re.sub(r"^footfall (popular|assets load|ledger) --brand", rf"footfall \1 {url}", typed, flags=re.M)
        done = subprocess.run(
            ["bash", "-euc", typed],
            cwd=tmp_path,
            env=variables,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"{typed}\n{done.stdout}{done.stderr}"
        if step.said is not None:
            assert is_as_shown(done.stdout, step.said), f"{typed}\nsaid:\n{done.stdout}\nthe page says:\n{step.said}"
        walked += 1
    assert walked >= 12
