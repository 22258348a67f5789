"""An address that was typed without a scheme gets the one that answers."""

from collections.abc import Callable

import pytest

from footfall.archive.addresses import address_from
from footfall.archive.schemes import answering_url
from footfall.ports.capturing import CaptureFailed, Reason


def asking(asked: list[str], **failing: Reason) -> Callable[[str], object]:
    def ask(url: str) -> None:
        asked.append(url)
        reason = failing.get(url.partition(":")[0])
        if reason is not None:
            raise CaptureFailed(reason, "no")

    return ask


def test_https_is_asked_first_and_is_enough() -> None:
    asked: list[str] = []
    assert answering_url(address_from("news.example/a"), asking(asked)) == "https://news.example/a"
    assert asked == ["https://news.example/a"]


@pytest.mark.parametrize("reason", [Reason.NO_CONNECTION, Reason.BAD_CERTIFICATE, Reason.TOO_SLOW])
def test_http_is_asked_when_https_does_not_answer(reason: Reason) -> None:
    asked: list[str] = []
    assert answering_url(address_from("news.example"), asking(asked, https=reason)) == "http://news.example/"
    assert asked == ["https://news.example/", "http://news.example/"]


@pytest.mark.parametrize("reason", [Reason.NO_SUCH_HOST, Reason.BLOCKED_ADDRESS])
def test_what_is_so_for_both_is_asked_once(reason: Reason) -> None:
    asked: list[str] = []
    with pytest.raises(CaptureFailed) as failed:
        answering_url(address_from("news.example"), asking(asked, https=reason))
    assert failed.value.reason is reason
    assert len(asked) == 1


def test_nobody_answers_and_the_last_reason_is_told() -> None:
    with pytest.raises(CaptureFailed) as failed:
        answering_url(address_from("news.example"), asking([], https=Reason.BAD_CERTIFICATE, http=Reason.NO_CONNECTION))
    assert failed.value.reason is Reason.NO_CONNECTION


def test_an_address_with_a_scheme_is_not_tried() -> None:
    asked: list[str] = []
    assert answering_url(address_from("http://news.example/"), asking(asked)) == "http://news.example/"
    assert asked == []
