"""Two servers side by side: the same hits give the same lists, and one hit more is found."""

import json
from pathlib import Path

from tests.scenarios.instance import Starter, footfall, hit, until


def test_two_servers_with_the_same_hits_agree_until_one_has_another(starter: Starter, tmp_path: Path) -> None:
    left, right = (starter.start(tmp_path / side) for side in ("left", "right"))
    hits = [
        hit(str(number % 7), sectionId=number % 3, resourceType="article" if number % 2 else "video")
        for number in range(60)
    ]
    for instance in (left, right):
        assert instance.post(hits).status == 202
        instance.drained("abc")
    command = ("compare", "--left", left.url, "--right", right.url, "--brand", "abc", "--queries", "40")
    until(lambda: footfall(*command), lambda done: done.returncode == 0, seconds=40)
    assert right.post([hit("3", sectionId=0, resourceType="article")]).status == 202
    right.drained("abc")
    done = until(lambda: footfall(*command, "--json"), lambda done: done.returncode == 4, seconds=40)
    told = json.loads(done.stdout)
    assert told["asked"] == 40
    assert ("hits", "3") in {(one["what"], one["asset"]) for one in told["differences"]}
    for instance in (left, right):
        instance.terminate()
