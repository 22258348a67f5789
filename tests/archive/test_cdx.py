"""CDX lines that other archives' tools read."""

import msgspec
import pytest

from footfall.archive.cdx import cdxj_of, json_lines_of, post_key, url_key
from footfall.archive.stored import Line

LINE = Line(
    id="01A", at_us=1_794_916_800_000_001, url="http://www.site.example/B?b=1&a=2", final_url="http://site.example/b",
    title="A “b”", status=200, height_px=1, thumbnail="", by="p",
)  # fmt: skip


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.com/", "com,example)/"),
        ("https://www2.Example.com:443/A/b?z=1&a=2&a=1#frag", "com,example)/a/b?a=2&a=1&z=1"),
        ("http://example.com:8080", "com,example:8080)/"),
        ("http://127.0.0.1/x", "1,0,0,127)/x"),
        ("urn:text:http://A/", "urn:text:http://A/"),
        ("http://[broken/", "http://[broken/"),
    ],
)
def test_an_address_is_turned_around(url: str, key: str) -> None:
    assert url_key(url) == key


# What cdxj-indexer 1.5 says of the same requests.
@pytest.mark.parametrize(
    ("kind", "body", "suffix"),
    [
        ("application/x-www-form-urlencoded", b"a=b+c&d=%C3%A9", "?__wb_method=POST&a=b c&d=é"),
        ("application/x-www-form-urlencoded", b"a=\xff", "?__wb_method=POST&__wb_post_data=YT3/"),
        ("application/json", b'{"a":{"b":1},"c":[1,2],"d":true}', "?__wb_method=POST&b=1&c=1&c.2_=2&d=True"),
        ("application/json", b"nonsense", "?__wb_method=POST"),
        ("text/plain", b'{"q":"x"}\n{"r":"y"}', "?__wb_method=POST&q=x&r=y"),
        ("text/plain;charset=UTF-8", b"words", "?__wb_method=POST&__wb_post_data=d29yZHM="),
        ("", b"\x00\x01", "?__wb_method=POST&__wb_post_data=AAE="),
        (
            "multipart/form-data; boundary=XX",
            b'--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n1 2\r\n'
            b'--XX\r\nContent-Disposition: form-data; name="f"; filename="x.bin"\r\n\r\n\xff\x00\r\n--XX--\r\n',
            "?__wb_method=POST&a=1+2&f=%FF%00",
        ),
    ],
)
def test_a_post_has_its_body_in_its_key(kind: str, body: bytes, suffix: str) -> None:
    found = post_key("http://site/a", method="POST", content_type=kind, body=body)
    assert found is not None
    assert found.suffix == suffix


def test_a_get_has_no_key_of_its_own_and_json_of_any_depth_is_bounded() -> None:
    assert post_key("http://site/a", method="GET", content_type="", body=b"") is None
    deep = b"[" * 100_000 + b"]" * 100_000
    found = post_key("http://site/a?b", method="PUT", content_type="application/json", body=deep)
    assert found is not None
    assert found.suffix == "&__wb_method=PUT"


def test_captures_are_told_as_cdxj_and_as_json_lines() -> None:
    (told,) = cdxj_of([LINE])
    key, moment, fields = told.rstrip("\n").split(" ", 2)
    assert (key, moment) == ("example,site)/b?a=2&b=1", "20261117120000")
    assert msgspec.json.decode(fields)["id"] == "01A"
    (told,) = json_lines_of([LINE])
    assert msgspec.json.decode(told) == {"urlkey": key, "timestamp": moment, **msgspec.json.decode(fields)}
