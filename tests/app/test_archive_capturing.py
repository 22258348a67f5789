"""Settings of the archive that cannot be stop the start with a sentence."""

import pytest

from footfall.app.settings import ImpossibleSetting
from footfall.app.settings_reading import read_settings

URL = "https://footfall.example.com"


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"ARCHIVE_ALLOWED": "intranet.example"}, "no host with a port"),
        ({"ARCHIVE_REPLAY_URL": "replay.example.com"}, "archive_replay_url"),
        ({"ARCHIVE_REPLAY_URL": "https://replay.example.com/"}, "without a path"),
        ({"ARCHIVE_REPLAY_URL": "https://Replay.example.com"}, "small letters"),
        ({"ARCHIVE_REPLAY_URL": "javascript:alert(1)"}, "archive_replay_url"),
        ({"ARCHIVE_REPLAY_URL": URL, "PEOPLE_URL": URL}, "another address than people_url"),
    ],
)
def test_hosts_and_origins_that_cannot_be_are_refused(variables: dict[str, str], says: str) -> None:
    with pytest.raises(ImpossibleSetting, match=says):
        read_settings(variables={f"FOOTFALL_{name}": value for name, value in variables.items()})


def test_an_origin_of_its_own_is_taken() -> None:
    given = {"FOOTFALL_ARCHIVE_REPLAY_URL": "https://replay.example.com", "FOOTFALL_PEOPLE_URL": URL}
    assert read_settings(variables=given).archive_replay_url == "https://replay.example.com"
