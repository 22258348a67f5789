"""The send command: one hit or a file, in batches, with what was refused and why."""

import json
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.signatures import signature_from_header, signer_of


def lines_of(hits: list[Any]) -> bytes:
    return b"".join(json.dumps(hit).encode() + b"\n" for hit in hits)


def test_one_hit_is_made_of_the_flags(shell: Any, server: Any) -> None:
    server.answer({"accepted": 1, "refused": []}, status=202)
    flags = "--asset 132141398 --section 563 --type article --paid free --at 2026-11-15T14:30Z"
    assert shell.run("send", "--url", server.url, "--brand", "abc", *flags.split()) == 0
    asked = server.asked[0]
    assert (asked.method, asked.path) == ("POST", "/v1/hits")
    assert asked.headers["idempotency-key"] == "key-0"
    assert asked.headers["content-type"] == "application/json"
    assert asked.json() == [
        {
            "brand": "abc",
            "assetId": "132141398",
            "sectionId": "563",
            "resourceType": "article",
            "paidType": "free",
            "at": 1_794_753_000_000,
        }
    ]
    assert shell.printed() == "1 accepted, 0 refused\n"


def test_every_try_is_signed_anew_when_a_file_with_a_signing_key_is_named(
    shell: Any, server: Any, tmp_path: Path
) -> None:
    secret, signing = tmp_path / "secret.key", tmp_path / "signing.key"
    secret.write_text("ffsec_a_b\n")
    signing.write_text("ffsig_c_d\n")
    server.answer({"detail": "busy"}, status=503)
    server.answer({"accepted": 1}, status=202)
    flags = ("--asset", "1", "--secret-file", str(secret), "--sign", str(signing))
    assert shell.run("send", "--url", server.url, *flags) == 0
    first, second = (signature_from_header(asked.headers["footfall-signature"]) for asked in server.asked)
    assert first.nonce != second.nonce
    for asked, signature in zip(server.asked, (first, second), strict=True):
        assert signer_of(signature, ["ffsig_c_d"], asked.body) == 0
        assert asked.headers["idempotency-key"] == "key-0"


def test_what_was_not_given_is_not_sent(shell: Any, server: Any) -> None:
    server.answer({"accepted": 1}, status=202)
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--asset", "1") == 0
    assert server.asked[0].json() == [{"brand": "abc", "assetId": "1"}]


def test_a_file_is_sent_in_batches_of_500_with_a_key_each(shell: Any, server: Any, tmp_path: Path) -> None:
    file = tmp_path / "hits.ndjson"
    file.write_bytes(lines_of([{"assetId": number} for number in range(1_001)]))
    server.answer({"accepted": 500}, status=202)
    server.answer({"accepted": 500}, status=202)
    server.answer({"accepted": 1}, status=202)
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--file", str(file)) == 0
    assert [len(asked.json()) for asked in server.asked] == [500, 500, 1]
    assert [asked.headers["idempotency-key"] for asked in server.asked] == ["key-0", "key-1", "key-2"]
    assert len({asked.connection for asked in server.asked}) == 1
    assert shell.printed() == "1,001 accepted, 0 refused\n"


def test_an_array_is_sent_like_lines_and_a_brand_of_its_own_stays(shell: Any, server: Any) -> None:
    shell.stdin = b' [ {"assetId": 1,\n "brand": "def"},\n {}, { "assetId" : 99999999999999999999 } ]\n'
    server.answer({"accepted": 3}, status=202)
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--file", "-") == 0
    assert server.asked[0].json() == [
        {"brand": "def", "assetId": 1},
        {"brand": "abc"},
        {"brand": "abc", "assetId": 99_999_999_999_999_999_999},
    ]


def test_a_file_whose_hits_name_their_brands_needs_no_brand(shell: Any, server: Any) -> None:
    shell.stdin = b'{"brand": "abc", "assetId": 1}\n{"assetId": 2}\n'
    server.answer({"accepted": 2, "duplicates": 0}, status=202)
    assert shell.run("send", "--url", server.url, "--file", "-") == 0
    assert server.asked[0].json() == [{"brand": "abc", "assetId": 1}, {"assetId": 2}]


def test_one_asset_needs_a_brand(shell: Any) -> None:
    assert shell.run("send", "--asset", "1") == 2
    assert "--asset needs a --brand" in shell.complained()


def test_refused_hits_are_named_by_their_line_and_give_code_4(shell: Any, server: Any) -> None:
    shell.stdin = b'{"assetId":"1"}\n\nnonsense\n[1]\n{"assetId":""}\n'
    server.answer({"accepted": 1, "refused": [{"index": 1, "field": "assetId", "reason": "is empty"}]}, status=202)
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--file", "-") == 4
    assert shell.printed() == "1 accepted, 3 refused\n"
    complaints = shell.complained().splitlines()
    assert complaints[0].startswith("refused: hit 3: is not a JSON object")
    assert complaints[1].startswith("refused: hit 4: is not a JSON object")
    assert complaints[2] == "refused: hit 5: assetId: is empty"


def test_a_refused_single_hit_is_a_sentence_and_code_4(shell: Any, server: Any) -> None:
    server.answer({"status": 400, "field": "assetId", "detail": "assetId: is empty"}, status=400)
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--asset", "") == 4
    assert shell.complained() == "refused: hit 1: assetId: is empty\n"
    assert shell.printed() == "0 accepted, 1 refused\n"


def test_a_brand_that_is_unknown_ends_it_with_code_4(shell: Any, server: Any) -> None:
    server.answer({"status": 404, "field": "brand", "detail": "brand: 'abc' is not a brand here"}, status=404)
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--asset", "1") == 4
    assert (
        shell.complained()
        == "footfall: The server refused (404): brand: 'abc' is not a brand here; add it with footfall brands add.\n"
    )
    assert shell.printed() == ""


def test_a_key_says_whose_hits_they_are(shell: Any, server: Any, tmp_path: Path) -> None:
    server.answer({"accepted": 1}, status=202)
    (tmp_path / "key").write_text("ffsec_x_y\n")
    assert shell.run("send", "--url", server.url, "--asset", "1", "--secret-file", f"{tmp_path}/key") == 0
    assert server.asked[0].json() == [{"assetId": "1"}]
    assert server.asked[0].headers["authorization"] == "Bearer ffsec_x_y"


def test_a_missing_key_is_told_in_words_of_the_command_line_and_nothing_is_summed_up(shell: Any, server: Any) -> None:
    detail = "brand: 'abc' is not open to everybody here; send a key of it in Authorization: Bearer, or ask"
    server.answer({"status": 401, "field": "brand", "detail": detail}, status=401)
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--asset", "1") == 4
    assert shell.printed() == ""
    assert "--secret-file" in shell.complained()
    assert "Bearer" not in shell.complained()


def test_a_batch_of_which_nothing_is_taken_names_each_hit(shell: Any, server: Any) -> None:
    shell.stdin = lines_of([{"assetId": ""}] * 2)
    refused = [{"index": index, "field": "assetId", "reason": "is empty"} for index in range(2)]
    server.answer({"status": 400, "detail": "none of the 2 hits can be taken", "refused": refused}, status=400)
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--file", "-") == 4
    assert shell.printed() == "0 accepted, 2 refused\n"
    assert "refused: hit 2: assetId: is empty" in shell.complained()


def test_only_the_first_reasons_are_shown(shell: Any, server: Any) -> None:
    shell.stdin = b"x\n" * 300
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--file", "-") == 4
    assert len(shell.complained().splitlines()) == 21
    assert shell.printed() == "0 accepted, 300 refused\n"
    assert server.asked == []


def test_a_busy_server_is_asked_again_with_the_same_key_and_body(shell: Any, server: Any) -> None:
    server.answer({}, status=429, headers={"Retry-After": "2"})
    server.answer({}, status=503)
    server.answer({"accepted": 1}, status=202)
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--asset", "1") == 0
    assert shell.pauses == [2.0, 0.5]
    assert len({(asked.body, asked.headers["idempotency-key"]) for asked in server.asked}) == 1


def test_a_server_that_stays_busy_is_code_4_and_the_key_is_told(shell: Any, server: Any) -> None:
    server.answer({"detail": "The disk is full"}, status=503)
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--asset", "1") == 4
    assert "with --idempotency-key key and no hit is counted twice" in shell.complained()
    assert "The server refused (503): The disk is full." in shell.complained()


def test_an_earlier_try_goes_on_under_its_key(shell: Any, server: Any) -> None:
    server.answer({"accepted": 1, "duplicates": 1}, status=202)
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--asset", "1", "--idempotency-key", "mine") == 0
    assert server.asked[0].headers["idempotency-key"] == "mine-0"
    assert shell.printed() == "1 accepted, 1 of them sent before, 0 refused\n"


def test_big_hits_make_smaller_batches(shell: Any, server: Any) -> None:
    shell.stdin = lines_of([{"assetId": "x" * 400_000}] * 3)
    server.answer({"accepted": 1}, status=202)
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--file", "-") == 0
    assert [len(asked.json()) for asked in server.asked] == [2, 1]


def test_a_line_that_is_too_long_is_refused_and_the_next_is_sent(shell: Any, server: Any) -> None:
    shell.stdin = b'{"assetId":"' + b"x" * 2_000_000 + b'"}\n{"assetId":"2"}\n'
    server.answer({"accepted": 1}, status=202)
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--file", "-") == 4
    assert "refused: hit 1: is longer than" in shell.complained()
    assert server.asked[0].json() == [{"brand": "abc", "assetId": "2"}]


def test_a_line_that_is_nested_too_deeply_is_refused(shell: Any, server: Any) -> None:
    shell.stdin = b'{"assetId":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--file", "-") == 4
    assert "nested too deeply" in shell.complained()


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_an_empty_file_sends_nothing(shell: Any, server: Any, content: bytes) -> None:
    shell.stdin = content
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--file", "-") == 0
    assert shell.printed() == "0 accepted, 0 refused\n"


def test_a_broken_array_is_an_error_and_nothing_is_sent(shell: Any, server: Any) -> None:
    shell.stdin = b'[{"assetId": 1},'
    assert shell.run("send", "--url", server.url, "--brand", "abc", "--file", "-") == 1
    assert "starts like a JSON array" in shell.complained()
    assert server.asked == []


def test_a_missing_file_is_an_error(shell: Any, tmp_path: Path) -> None:
    assert shell.run("send", "--brand", "abc", "--file", str(tmp_path / "gone")) == 1
    assert "gone cannot be read: No such file or directory." in shell.complained()


@pytest.mark.parametrize("flags", [(), ("--asset", "1", "--file", "-"), ("--file", "-", "--section", "5")])
def test_flags_that_exclude_each_other_are_code_2(shell: Any, flags: tuple[str, ...]) -> None:
    assert shell.run("send", "--brand", "abc", *flags) == 2
    assert shell.complained().count("\n") == 1
