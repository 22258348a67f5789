"""The log is lines of text or of JSON, and never spells out a key or an address."""

import ipaddress
import json
import logging
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.app.logs import JsonLines, OwnLink, TextLines, fields, without_secrets

KEYS = ("ffsec_0123456789abcdefXYZ-_", "ffpub_zzzz")
AROUND = st.sampled_from([" ", "(", "'", "[", "=", ", ", ": ", ":", '"', "x "])
BEHIND = st.sampled_from(["", " ", ")", "'", "]", ".", ",", ": ", ":8080", '"', "/24", "?"])


def record(message: str, *args: object, error: bool = False, **named: object) -> logging.LogRecord:
    trace = None
    if error:
        failure = ValueError("no such key: ffsec_inatrace")
        trace = (ValueError, failure, None)
    made = logging.LogRecord("footfall.x", logging.WARNING, "", 0, message, args, trace)
    made.created, made.msecs = 1_794_744_000.25, 250.0
    made.__dict__.update(fields(**named))
    return made


def test_a_line_of_text_has_time_level_process_event_and_fields() -> None:
    line = TextLines("front").format(record("request %s", "refused", status=400, detail='is "odd"', path="/v1/hits"))
    assert line == (
        '2026-11-15T12:00:00.250Z WARNING front request refused status=400 detail="is \\"odd\\"" path=/v1/hits'
    )


def test_a_line_of_json_is_one_object() -> None:
    line = JsonLines("count").format(record("two\nlines", brand="abc", hits=3))
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "2026-11-15T12:00:00.250Z",
        "level": "warning",
        "process": "count",
        "event": "two\nlines",
        "brand": "abc",
        "hits": 3,
    }


@pytest.mark.parametrize("make", [TextLines, JsonLines])
def test_a_link_of_our_own_can_be_opened_and_what_stands_around_it_stays_hidden(
    make: Callable[[str], logging.Formatter],
) -> None:
    own = OwnLink("http://127.0.0.1:8899/reset#p_1~x")
    line = make("front").format(record("asked from 10.1.2.3", link=own, peer="10.1.2.4", error=True))
    assert own in line
    assert "10.1.2" not in line
    assert "inatrace" not in line


def test_a_field_cannot_take_the_place_of_the_events_own() -> None:
    assert json.loads(JsonLines("front").format(record("x", level="debug", event="y")))["event"] == "x"


def test_nobody_can_begin_a_line_of_their_own_in_the_text() -> None:
    line = TextLines("front").format(record("a\nb", path="c\r\nd"))
    assert line.splitlines() == [line]


@pytest.mark.parametrize("make", [TextLines, JsonLines])
def test_a_trace_is_told_without_its_secrets(make: Callable[[str], logging.Formatter]) -> None:
    line = make("front").format(record("a route failed", error=True))
    assert "ValueError: no such key: ffsec_[hidden]" in line
    assert "inatrace" not in line


@pytest.mark.parametrize("make", [TextLines, JsonLines])
@pytest.mark.parametrize(
    "secret", [*KEYS, "203.0.113.201", "2001:db8:7a7a::beef", "::ffff:203.0.113.9", "010.020.030.040"]
)
def test_no_place_of_a_line_holds_a_secret(make: Callable[[str], logging.Formatter], secret: str) -> None:
    line = make("front").format(record("from %s", secret, detail=f"it was {secret}.", more=secret))
    assert secret not in line


@pytest.mark.parametrize(
    "text", ["Authorization: Bearer abc.def", "GET /v1/popular?key=abc.def&brand=x", "bearer   abc.def"]
)
def test_a_token_of_any_kind_is_hidden(text: str) -> None:
    assert "abc.def" not in without_secrets(text)


@given(st.ip_addresses().filter(lambda address: int(address) > 0), AROUND, BEHIND)
def test_an_address_is_hidden_wherever_it_stands(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address, around: str, behind: str
) -> None:
    for text in {str(address), address.exploded, str(address).upper()}:
        assert text not in without_secrets(f"it was{around}{text}{behind}")


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-15T12:00:00.250Z",
        "at 14:30:00 o'clock",
        "records 0:1234 and 12:7",
        "footfall.app.counting ended by itself; it starts again in 0.2 s",
        "std::vector is not a brand",
        "version 3.54.1",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert without_secrets(text) == text
