"""A backup that is made under load brings back every hit that was acknowledged before it began."""

import json
import time
from collections import Counter
from pathlib import Path

from tests.scenarios.instance import Starter, footfall
from tests.scenarios.witness import BRAND, Witness

LOAD_S = 0.7  # Before and after the backup: hits are on their way at each of its steps.


def test_a_backup_under_load_holds_all_that_was_acknowledged(starter: Starter, data: Path, tmp_path: Path) -> None:
    instance = starter.start(data)
    witness = Witness(instance.port)
    with witness.sending():
        time.sleep(LOAD_S)
        before = Counter(witness.books.acknowledged)
        ended = footfall("backup", "--data", str(data), str(tmp_path / "backup.tar.zst"))
        assert ended.returncode == 0, ended.stderr
        time.sleep(LOAD_S)
        witness.check()  # The server goes on as if nothing had happened.
        ended = footfall("restore", str(tmp_path / "backup.tar.zst"), "--data", str(data), "--replace")
        assert ended.returncode == 1
        assert f"in use by another footfall (process {instance.process.pid})" in ended.stderr
    after = witness.books.acknowledged + witness.books.unanswered
    instance.terminate()
    assert before.total() > 100

    for name in ("one", "two"):
        ended = footfall("restore", str(tmp_path / "backup.tar.zst"), "--data", str(tmp_path / name))
        assert ended.returncode == 0, ended.stderr
    assert contents(tmp_path / "one") == contents(tmp_path / "two")

    restored = starter.start(tmp_path / "one")
    listed = restored.listed(BRAND)  # The ledger balances, and the list adds up to what it calls counted.
    assert {asset: hits for asset, hits in listed.items() if not before[asset] <= hits <= after[asset]} == {}
    assert set(before) <= set(listed)
    require_recount_changes_nothing(tmp_path / "one", restored.get(f"/v1/ledger?brand={BRAND}").json())
    assert restored.listed(BRAND) == listed
    # It is a whole instance: it takes hits, and a repeat of what was acknowledged before is one.
    assert restored.post({"brand": BRAND, "assetId": "new"}).status == 202
    assert restored.listed(BRAND) == {**listed, "new": 1}
    examined = footfall("doctor", "--data", str(tmp_path / "one"), "--json")
    assert json.loads(examined.stdout)["running"] is True
    assert examined.returncode == 0, examined.stdout


def require_recount_changes_nothing(data: Path, book: dict[str, object]) -> None:
    now_s = int(time.time())
    span = [time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(now_s + shift)) for shift in (-600, 60)]
    ended = footfall("recount", "--data", str(data), "--brand", BRAND, "--from", span[0], "--to", span[1])
    assert ended.returncode == 0, ended.stderr
    assert "changed 0" in ended.stdout
    assert f"hits {book['counted']:,}" in ended.stdout


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}
