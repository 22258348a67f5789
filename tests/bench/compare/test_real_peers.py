"""Every peer as it is compared, on its own libraries and servers: a tiny load, whose lists are as they are told to be.

`make soak` has them, after `python -m bench.compare.installing`; a peer that is not installed here fails, with how to
install it.
"""

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.compare.budget import Budget
from bench.compare.peers import DICTIONARY, OURS, PEERS
from bench.compare.planned import DAY, LOAD
from bench.compare.points import Point, Points, Size
from bench.compare.running import Run
from bench.compare.sides import BUILD

HITS, ASSETS = 20_000, 1_000
OTHERS = [name for name in PEERS if name not in {DICTIONARY, *OURS}]

pytestmark = pytest.mark.soak  # Servers and a Java runtime for each.


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that a server can reach which refuses to be root: pytest's own lie where nobody else may look."""
    BUILD.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="soak-", dir=BUILD))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


def measured(peer: str, kind: str, folder: Path, *, hits: int = HITS, assets: int = ASSETS) -> Point:
    run = Run(Points(folder / "points"), Budget(time.monotonic, time.monotonic()), folder)
    point = run.point(peer, Size(kind, hits, assets))
    assert not point.failed, f"{point.failed} (`python -m bench.compare.installing` installs the peers)"
    return point


@pytest.mark.parametrize("peer", OTHERS)
def test_a_real_peer_counts_every_hit_of_a_load_and_has_its_lists_right(peer: str, folder: Path) -> None:
    point = measured(peer, LOAD, folder)
    assert (point.failed, point.stopped, point.wrong) == ("", "", "")
    assert (point.hits, point.is_right, point.lists_asked) == (HITS, True, 255)
    assert point.cpu_total_s > 0
    assert point.again is not None


@pytest.mark.parametrize("peer", [one for one in OTHERS if one != "dynamodb"])
def test_a_real_peer_adds_the_windows_of_a_day_up(peer: str, folder: Path) -> None:
    point = measured(peer, DAY, folder)
    assert (point.failed, point.stopped, point.wrong, point.hits) == ("", "", "", HITS)


def test_rows_of_the_first_500_have_wrong_lists_of_sections_where_there_are_more_assets(folder: Path) -> None:
    hits = 10 * HITS  # so many that the 500th of a brand has several: whoever ties with it is kept
    point = measured("dynamodb", LOAD, folder, hits=hits, assets=10_000)
    assert (point.failed, point.hits, point.is_right) == ("", hits, False)
    assert point.exactness["1%"] < 1
