"""The audience is opened on both grounds, with its indexes, and settings that cannot be are refused at the start."""

from contextlib import closing
from pathlib import Path

import pytest

from footfall.accounts.brands import Brand, UnknownBrand
from footfall.app.audience_follows import FollowActs
from footfall.app.audience_opening import has_audience, open_audience
from footfall.app.known_brand import require_brand
from footfall.app.settings import ImpossibleSetting, Settings
from footfall.app.settings_reading import read_settings
from footfall.audience.keys import AUDIENCE_INDEXES
from footfall.ports.errors import Unavailable
from footfall.values.clock import SystemClock
from tests.engines.dynamodb import REGION, VARIABLES, DynamoDbEngine

CLOCK = SystemClock()


def on_aws(engine: DynamoDbEngine, table: str) -> Settings:
    return Settings(ground="aws", aws_region=REGION, aws_dynamodb_endpoint=engine.endpoint, aws_audience_table=table)


def test_it_is_made_in_a_directory_when_it_is_first_opened(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path), audience_kinds="playlist, channel", audience_uncounted_brands="b")
    assert not has_audience(settings)
    for _ in range(2):
        with closing(open_audience(settings, CLOCK)) as opened:
            acts = FollowActs(opened.audience, "b")
            assert acts.follow("channel:1", "playlist:2")["state"] == "following"
            assert acts.counts("playlist:2")["followers"] is None
    assert has_audience(settings)


def test_it_is_opened_on_aws_with_its_indexes(dynamodb: DynamoDbEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    client = dynamodb.shared()
    made = on_aws(dynamodb, dynamodb.names(client, indexes=AUDIENCE_INDEXES).table)
    for for_requests in (False, True):
        with closing(open_audience(made, CLOCK, for_requests=for_requests)) as opened:
            acts = FollowActs(opened.audience, "daily")
            acts.follow("member:1", "series:dark")
            assert [one["thing"] for one in acts.followers("series:dark", limit=9, after="")["items"]] == ["member:1"]
    with pytest.raises(Unavailable, match="add that index to it"):
        open_audience(on_aws(dynamodb, dynamodb.names(client).table), CLOCK)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("audience_kinds", "playlist,Über", "'Über' cannot be a kind"),
        ("audience_uncounted_brands", "a,B", "'B' is not a brand name"),
        ("audience_plans", "basic=0", "audience_plans.*is not a plan"),
    ],
)
def test_settings_that_cannot_be_are_refused_at_the_start(name: str, value: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ImpossibleSetting, match=says):
        read_settings(variables={"FOOTFALL_DATA_DIR": str(tmp_path), f"FOOTFALL_{name.upper()}": value})


def test_a_brand_that_is_none_is_refused(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path), brands={"daily": Brand("daily")})
    require_brand(settings, CLOCK, "daily")
    with pytest.raises(UnknownBrand, match="'dialy' is not a brand here"):
        require_brand(settings, CLOCK, "dialy")
