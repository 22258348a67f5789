"""The pages work: every command of the tutorial and the how-to pages is typed as it stands, and says what they say.

Nearly all the time goes into starting commands, so the pages are walked side by side, each with a server of its own.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import pytest

from tests.scenarios.instance import Starter, free_port

DOCS = Path(__file__).resolve().parents[2] / "docs"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_ASKING = re.compile(
    r"\bfootfall (popular|trending|series|ledger|send|assets (?:load|list|show|delete)"
    r"|edit (?:pin|unpin|hide|show|list))\b"
)
_LOG = """\
192.0.2.1 - - [01/Nov/2023:10:00:00 +0000] "GET /news/a-storm-101 HTTP/1.1" 200 512 "-" "Mozilla/5.0"
192.0.2.{host} - - [01/Nov/2023:10:00:01 +0000] "GET /news/a-storm-101 HTTP/1.1" 200 512 "-" "Mozilla/5.0"
192.0.2.1 - - [01/Nov/2023:10:00:02 +0000] "GET /style.css HTTP/1.1" 200 99 "-" "Mozilla/5.0"
"""
_APP_LOG = '{"ts":"2023-11-01T10:00:00Z","req":{"uri":"/news/101","ip":"192.0.2.1"},"code":200}\n'


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the documentation, how many steps it has at least, and the files that it takes to be there."""

    name: str
    steps_min: int
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    is_demo: bool = False  # It shows no output that invented readers would change.


PAGES = (
    Page("tutorial.md", 12),
    Page(
        "how-to/import-logs.md",
        6,
        {
            "nginx/access.log": _LOG.format(host=2),
            "nginx/access.log.1": _LOG.format(host=3),
            "access.log": _LOG.format(host=4),
            "app.ndjson": _APP_LOG,
        },
    ),
    Page("how-to/ask-for-lists.md", 6),
    Page("how-to/trending-and-history.md", 4),
    Page("how-to/brands-and-keys.md", 6),
    Page("how-to/sign-events.md", 2),
    Page("how-to/see-who-did-what.md", 1),
    Page("how-to/edit-lists.md", 4),
    Page("how-to/people.md", 7),
    Page("how-to/alerts.md", 2),
    Page("how-to/describe-your-assets.md", 6),
    Page("how-to/keep-old-senders.md", 3),
    Page("how-to/metrics.md", 10, is_demo=True),
)


@dataclass(frozen=True, slots=True)
class Step:
    """What is typed, and what is said in return."""

    typed: str
    said: str | None


def steps(text: str) -> list[Step]:
    """Return a page's commands in order, each with the output that stands right below it."""
    blocks = list(_BLOCK.finditer(text))
    return [
        Step(
            block[2],
            after[2] if after and after[1] == "text" and not text[block.end() : after.start()].strip() else None,
        )
        for block, after in zip(blocks, [*blocks[1:], None], strict=True)
        if block[1] == "sh"
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


def test_an_output_belongs_to_the_command_right_above_it() -> None:
    text = "```sh\na\n```\n\n```text\nb\n```\n```sh\nc\n```\nwords\n```text\nd\n```\n"
    assert steps(text) == [Step("a\n", "b\n"), Step("c\n", None)]


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory) -> Generator[Mapping[str, Future[None]]]:
    with ThreadPoolExecutor(3) as walkers:
        yield {page.name: walkers.submit(walk, page, tmp_path_factory.mktemp("page")) for page in PAGES}


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_whoever_follows_a_page_sees_what_it_says(name: str, walks: Mapping[str, Future[None]]) -> None:
    walks[name].result()


def walk(page: Page, folder: Path) -> None:
    """Type the page's commands, and fail at the first that says something else than the page."""
    starter = Starter(folder)
    try:
        type_all(page, starter)
    finally:
        starter.end_all()


def type_all(page: Page, starter: Starter) -> None:
    """Type the page's commands in the starter's folder; the server is started where the page says so."""
    folder, port = starter.folder, free_port()
    variables = prepared(page, folder)
    walked = 0
    for step in steps((DOCS / page.name).read_text(encoding="utf-8")):
        walked += 1
        if step.typed.startswith("footfall serve"):
            flags = re.findall(r"(--set) (\S+)", step.typed)
            is_dev = "--dev" in step.typed.split()
            demo = ["--demo"] if page.is_demo and "--demo" in step.typed.split() else []
            starter.start(folder / "data", *chain.from_iterable(flags), *demo, dev=is_dev, port=port)
            continue
        typed = here(step.typed, port=port, folder=folder)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", typed],
            cwd=folder,
            env=variables,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"{typed}\n{done.stdout}{done.stderr}"
        if step.said is not None:
            assert is_as_shown(done.stdout, step.said), f"{typed}\nsaid:\n{done.stdout}\nthe page says:\n{step.said}"
    assert walked >= page.steps_min


def prepared(page: Page, folder: Path) -> dict[str, str]:
    """Put the page's files in their places and return the variables to type under."""
    for name, text in page.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    # A person sees that an answer is a refusal; here curl has to fail for it.
    (folder / ".curlrc").write_text("silent\nfail-with-body\n", encoding="utf-8")
    assert shutil.which("curl")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "CURL_HOME": str(folder)}


def here(typed: str, *, port: int, folder: Path) -> str:
    """Return a command as it is typed on this machine, where the server has another port and logs another place."""
    address = f"127.0.0.1:{port}"
    typed = typed.replace("127.0.0.1:8080", address).replace("/var/log/nginx/", f"{folder}/nginx/")
    return _ASKING.sub(rf"footfall \1 --url http://{address}", typed)
