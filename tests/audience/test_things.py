"""Things have ids in any script, and one key each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.audience.things import ID_BYTES_MAX, KINDS, Kinds, Thing, UnknownKind, thing_from_key
from footfall.ports.table import SORT_BYTES_MAX
from footfall.values.errors import Refused

ANY = Kinds()
IDS = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters=[chr(n) for n in range(32)]), min_size=1
).filter(lambda id: len(id.encode()) <= ID_BYTES_MAX)


@given(st.lists(st.tuples(st.sampled_from(KINDS), IDS), min_size=2, max_size=2, unique=True))
def test_two_things_never_have_one_key_and_every_key_tells_its_thing(pairs: list[tuple[str, str]]) -> None:
    things = [ANY.thing(kind, id, field="thing") for kind, id in pairs]
    assert len({one.key for one in things}) == len(things)
    assert [thing_from_key(one.key) for one in things] == things
    assert [ANY.thing_from(str(one), field="thing") for one in things] == things
    assert not any("#" in one.key for one in things)


def test_the_longest_id_fits_into_a_key_with_another() -> None:
    longest = Thing("a" * 32, "#" * ID_BYTES_MAX)
    assert len(longest.key.encode()) * 2 + 100 < SORT_BYTES_MAX


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("wizard:1", "'wizard' is not a kind here; those are member, series, asset, author, actor, playlist"),
        ("member", "'member' names no thing; send kind and id, as in member:42"),
        ("member:", "has no id; say which member, as in member:42"),
        ("member:" + "é" * 129, "has 258 bytes, at most 256 are taken"),
        ("member:\ud800", "has a lone surrogate, which is not a character"),
        ("member:a\x1fb", "has a control character"),
        (None, "is missing or no text; name a thing by kind and id, as in member:42"),
        (7, "is missing or no text; name a thing by kind and id, as in member:42"),
    ],
)
def test_what_names_no_thing_is_refused_with_a_sentence(text: object, reason: str) -> None:
    with pytest.raises(Refused) as refused:
        Kinds(["playlist"]).thing_from(text, field="target")
    assert (refused.value.field, refused.value.reason) == ("target", reason)


def test_settings_add_kinds_and_cannot_spell_them_anyhow() -> None:
    assert Kinds(["playlist", "member"]).thing_from("playlist:7", field="thing") == Thing("playlist", "7")
    with pytest.raises(UnknownKind):
        ANY.thing_from("playlist:7", field="thing")
    for wrong in ("", "Playlist", "a#b", "a:b", "1st", "a" * 33):
        with pytest.raises(Refused, match="cannot be a kind"):
            Kinds([wrong])
