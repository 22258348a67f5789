"""Who may ask about watching: sums are as open as lists are, the watch log names members and is not."""

from collections.abc import Generator

import pytest

from footfall.accounts.brands import Brand
from tests.shells.http.stage import Stage, staged

LOG, VIEWERS = "/v1/audience/watched", "/v1/audience/viewers"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Generator[Stage]:
    with staged(tmp_path_factory.mktemp("data"), brands={"plain": Brand("plain")}) as one:
        yield one


def test_a_brand_without_keys_shows_how_many_watch_and_not_who(stage: Stage) -> None:
    assert stage.ask(f"{VIEWERS}?brand=plain").status == 200
    reply = stage.ask(f"{LOG}?brand=plain")
    assert reply.status == 401, reply.text
    assert "audience" in reply.text


@pytest.mark.parametrize(("scope", "status"), [("read", 403), ("edit", 403), ("audience", 200), ("admin", 200)])
def test_the_watch_log_is_for_whoever_may_know_the_members(stage: Stage, scope: str, status: int) -> None:
    brand = f"b-{scope}"
    stage.runner.run(stage.state.desk.change(brand, lambda one: one.add(Brand(brand), zone_in_use=None)))
    key = stage.runner.run(stage.state.desk.change(brand, lambda one: one.add_secret_key(brand, (scope,))))
    reply = stage.ask(LOG, headers={"authorization": f"Bearer {key.text}"})
    assert reply.status == status, reply.text
