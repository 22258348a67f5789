"""What the tracker tells of a browser, and which browsers nobody has."""

import pytest

from footfall.screening.clients import REMEMBERED_MAX, Clients
from footfall.screening.labels import Reason


@pytest.mark.parametrize(
    ("client", "reason"),
    [
        ("1920x1080 Europe/Helsinki", Reason.NONE),
        ("390x844 Asia/Calcutta", Reason.NONE),
        ("390x844 UTC", Reason.NONE),
        ("390x844 +05:30", Reason.NONE),
        ("390x844 undefined", Reason.NONE),
        ("Etc/Unknown", Reason.NONE),
        ("1536.5x864.25", Reason.NONE),
        ("", Reason.NONE),
        ("false,1920,GMT+0200", Reason.NONE),
        (",390,GMT+0545", Reason.NONE),
        ("false,,GMT-0330", Reason.NONE),
        ("true,1920,GMT+0200", Reason.HEADLESS),
        ("false,0,GMT+0200", Reason.IMPOSSIBLE),
        ("false,1920,GMT+0217", Reason.IMPOSSIBLE),
        ("false,1920,GMT-1300", Reason.IMPOSSIBLE),
        ("1920x1080 Europe/Helsinki driven", Reason.HEADLESS),
        ("0x0 Europe/Helsinki", Reason.IMPOSSIBLE),
        ("-1x600", Reason.IMPOSSIBLE),
        ("1920x99999999999999999999", Reason.IMPOSSIBLE),
        ("1920x1080 Mars/Phobos", Reason.IMPOSSIBLE),
        ("1920x1080 Europe/Atlantis", Reason.IMPOSSIBLE),
        ("1920x1080 +25:00", Reason.IMPOSSIBLE),
        ("<script>", Reason.IMPOSSIBLE),
    ],
)
def test_a_client_that_nobody_has_is_told(client: str, reason: Reason) -> None:
    assert Clients()[client] is reason


def test_clients_that_are_made_up_take_bounded_room() -> None:
    clients = Clients()
    for number in range(REMEMBERED_MAX + 10):
        assert clients[f"{number}x0"] is Reason.IMPOSSIBLE
    assert len(clients) <= REMEMBERED_MAX
