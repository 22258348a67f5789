"""The keyring: which texts open which brand, for how long, and when each was last seen."""

import itertools

import msgspec
import pytest

from footfall.accounts.keyring import HOUR_MS, Keyring, UnknownKey
from footfall.accounts.keys import NewKey, new_public_key, new_secret_key

NOW_MS = 472_222 * HOUR_MS + 1_234
_COUNTER = itertools.count(1)


def some_bytes(size: int) -> bytes:
    return next(_COUNTER).to_bytes(size)


def public(brand: str) -> NewKey:
    return new_public_key(brand, label="", now_ms=NOW_MS, random_bytes=some_bytes)


def secret(brand: str, *scopes: str, expires_at_ms: int | None = None) -> NewKey:
    return new_secret_key(
        brand, scopes or ("read",), label="", now_ms=NOW_MS, random_bytes=some_bytes, expires_at_ms=expires_at_ms
    )


def test_a_key_speaks_for_its_brand() -> None:
    keyring, of_abc, of_def = Keyring(), secret("abc", "write"), public("def")
    keyring.replace("abc", [of_abc.record])
    keyring.replace("def", [of_def.record])
    caller = keyring.caller(of_abc.text, now_ms=NOW_MS)
    assert (caller.brand, caller.may, caller.is_public) == ("abc", {"write", "hits"}, False)
    caller = keyring.caller(of_def.text, now_ms=NOW_MS)
    assert (caller.brand, caller.may, caller.is_public) == ("def", {"hits"}, True)


def test_a_text_that_is_no_key_is_refused_without_being_repeated() -> None:
    keyring, known, shown = Keyring(), secret("abc"), public("abc")
    keyring.replace("abc", [known.record, shown.record])
    key_id, letters = known.record.id, known.text.rpartition("_")[2]
    for text in (
        "",
        "ffsec_",
        "ffpub_",
        known.text[:-1],
        known.text + "a",
        known.text.upper(),
        f"ffsec_{key_id}_",
        f"ffsec_{key_id}",
        f"ffsec__{letters}",
        f"ffpub_{key_id}",  # The id of a secret key is no public key.
        f"ffsec_{shown.record.id}_",  # A public key has no secret, not even an empty one.
        f"ffsec_{shown.record.id}_{letters}",
        letters,
        "ffsec_\udcff_\udcff",
    ):
        with pytest.raises(UnknownKey) as caught:
            keyring.caller(text, now_ms=NOW_MS)
        assert not letters or letters not in str(caught.value)


def test_a_key_that_is_over_is_refused_from_that_millisecond_on() -> None:
    keyring, ending = Keyring(), secret("abc", expires_at_ms=NOW_MS + 1_000)
    keyring.replace("abc", [ending.record])
    assert keyring.caller(ending.text, now_ms=NOW_MS + 999).brand == "abc"
    with pytest.raises(UnknownKey):
        keyring.caller(ending.text, now_ms=NOW_MS + 1_000)


def test_a_key_that_is_not_among_the_brands_keys_any_more_is_refused() -> None:
    keyring, first, second = Keyring(), secret("abc"), secret("abc")
    keyring.replace("abc", [first.record, second.record])
    keyring.replace("abc", [second.record])
    assert keyring.caller(second.text, now_ms=NOW_MS).key_id == second.record.id
    with pytest.raises(UnknownKey):
        keyring.caller(first.text, now_ms=NOW_MS)


def test_a_use_is_noted_once_an_hour() -> None:
    keyring, one = Keyring(), secret("abc")
    keyring.replace("abc", [one.record])
    keyring.turn_hour(now_ms=NOW_MS)
    assert keyring.uses_to_note() == []
    for _ in range(3):
        keyring.caller(one.text, now_ms=NOW_MS)
    assert keyring.uses_to_note() == [(one.record, NOW_MS // HOUR_MS * HOUR_MS)]
    noted = msgspec.structs.replace(one.record, used_at_ms=NOW_MS // HOUR_MS * HOUR_MS)
    keyring.replace("abc", [noted])
    keyring.caller(one.text, now_ms=NOW_MS)
    assert keyring.uses_to_note() == []
    keyring.turn_hour(now_ms=NOW_MS + HOUR_MS)
    keyring.caller(one.text, now_ms=NOW_MS + HOUR_MS)
    assert [hour_ms for _, hour_ms in keyring.uses_to_note()] == [(NOW_MS + HOUR_MS) // HOUR_MS * HOUR_MS]


def test_uses_of_keys_that_are_gone_are_forgotten() -> None:
    keyring, one = Keyring(), secret("abc")
    keyring.replace("abc", [one.record])
    keyring.caller(one.text, now_ms=NOW_MS)
    keyring.replace("abc", [])
    assert keyring.uses_to_note() == []
    keyring.forget_unknown_uses()
    assert dict(keyring.used) == {}


def test_a_lent_key_works_whatever_becomes_of_the_stored_ones_and_no_use_of_it_is_stored() -> None:
    keyring, lent, stored = Keyring(hour_ms=HOUR_MS), secret("demo", "write", "edit"), secret("demo")
    keyring.lend(lent.record)
    for records in ([], [stored.record], []):
        keyring.replace("demo", records)
        caller = keyring.caller(lent.text, now_ms=NOW_MS)
        assert (caller.brand, caller.may) == ("demo", {"write", "hits", "edit", "read"})
    with pytest.raises(UnknownKey):
        keyring.caller(lent.text[:-1] + "!", now_ms=NOW_MS)
    assert keyring.uses_to_note() == []
