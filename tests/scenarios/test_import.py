"""Old logs brought into a running instance: the lists are those of a plain recount, and no line counts twice."""

import gzip
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.scenarios.instance import Instance, Starter, footfall, until

BRAND = "old"
QUICK = ("--set", "count_flush_ms=100", "--set", "serve_refresh_ms=50", "--set", "store_days_days=7320")
FIRST = datetime(2023, 11, 1, tzinfo=UTC)
DAYS = 3
AGENT = "Mozilla/5.0 (X11; Linux x86_64) Firefox/119.0"


def log_of(lines: int, *, seed: int) -> list[tuple[datetime, str, bytes]]:
    """Return lines of three days in 2023: when, which page (or none), and the line."""
    chance = random.Random(seed)
    moments = sorted(FIRST + timedelta(seconds=chance.randrange(DAYS * 86_400)) for _ in range(lines))
    written: list[tuple[datetime, str, bytes]] = []
    for moment in moments:
        path = f"/story-{int(chance.paretovariate(0.7)) % 60}"
        kind = chance.randrange(10)
        target, status = (f"{path}.png", 200) if kind == 0 else (path, 404 if kind == 1 else 200)
        # Helsinki's clock, which is two hours ahead in November.
        at = (moment + timedelta(hours=2)).strftime("%d/%b/%Y:%H:%M:%S +0200")
        address = f"192.0.2.{chance.randrange(200)}"
        line = f'{address} - - [{at}] "GET {target} HTTP/1.1" {status} 512 "-" "{AGENT}"\n'
        written.append((moment, path if kind > 1 else "", line.encode()))
    return written


def recount(lines: Iterable[tuple[datetime, str, bytes]], *, day: int | None = None) -> Counter[str]:
    """Count the plain way, all days or one."""
    since = FIRST + timedelta(days=day or 0)
    until_moment = FIRST + timedelta(days=DAYS if day is None else day + 1)
    return Counter(path for moment, path, _ in lines if path and since <= moment < until_moment)


def listed(instance: Instance, from_day: int, to_day: int) -> dict[str, int]:
    since, end = (f"{FIRST + timedelta(days=day):%Y-%m-%dT%H:%MZ}" for day in (from_day, to_day))
    answer = instance.get(f"/v1/popular?brand={BRAND}&from={since}&to={end}&limit=100")
    assert answer.status == 200, answer.body
    return {item["assetId"]: item["hits"] for item in answer.json()["items"]}


def accepted(instance: Instance) -> int:
    answer = instance.get(f"/v1/ledger?brand={BRAND}")
    return int(answer.json()["accepted"]) if answer.status == 200 else 0


def import_logs(instance: Instance, *logs: Path) -> str:
    ended = footfall("import", "--data", str(instance.data), "--brand", BRAND, *map(str, logs))
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_a_three_year_old_log_gives_the_lists_of_a_plain_recount(starter: Starter, data: Path, tmp_path: Path) -> None:
    instance = starter.start(data, *QUICK)
    lines = log_of(3_000, seed=1)
    text = b"".join(line for _, _, line in lines)
    # As a server leaves them: an old part compressed, and the rest still growing.
    half = text.index(b"\n", len(text) // 2) + 1
    (tmp_path / "access.log.1.gz").write_bytes(gzip.compress(text[:half]))
    (tmp_path / "access.log").write_bytes(text[half:])
    said = import_logs(instance, tmp_path / "access.log.1.gz", tmp_path / "access.log")
    expected = recount(lines)
    assert f"Imported: 3,000 lines read, {sum(expected.values()):,} counted." in said
    book = instance.drained(BRAND)
    assert book["counted"] == book["accepted"] == sum(expected.values())
    for day in range(DAYS):
        until(
            lambda day=day: listed(instance, day, day + 1),
            lambda it, day=day: it == recount(lines, day=day),
            seconds=10,
        )
    assert listed(instance, 0, DAYS) == expected
    # The same again, whole and under one name that it never had, changes nothing but what is new in it.
    again = import_logs(instance, tmp_path / "access.log.1.gz", tmp_path / "access.log")
    assert "Imported: 0 lines read, 0 counted." in again
    assert instance.drained(BRAND)["counted"] == sum(expected.values())


def test_an_import_that_is_killed_half_way_and_run_again_counts_each_line_once(
    starter: Starter, data: Path, tmp_path: Path
) -> None:
    instance = starter.start(data, *QUICK)
    lines = log_of(8_000, seed=2)
    text = b"".join(line for _, _, line in lines)
    command = ["import", "--data", str(data), "--brand", BRAND, "-"]
    importer = subprocess.Popen(
        [sys.executable, "-m", "footfall.shells.cli.main", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert importer.stdin is not None
    with importer:
        try:
            importer.stdin.write(text[: len(text) // 2])
            importer.stdin.flush()
            until(lambda: accepted(instance), lambda hits: hits > 1_000, seconds=20)
        finally:
            importer.kill()
    expected = recount(lines)
    assert 0 < instance.drained(BRAND)["counted"] < sum(expected.values())
    (tmp_path / "access.log").write_bytes(text)
    import_logs(instance, tmp_path / "access.log")
    assert instance.drained(BRAND)["counted"] == sum(expected.values())
    until(lambda: listed(instance, 0, DAYS), lambda it: it == expected, seconds=10)
