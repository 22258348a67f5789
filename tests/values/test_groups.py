"""Names of groups and windows beside a brand's own are told apart, and their windows are found."""

from footfall.values.groups import (
    brand_of_group,
    completions_name,
    counters_group,
    follows_name,
    is_beside,
    is_of_counters,
    is_of_follows,
    is_of_pings,
    pings_group,
    plays_name,
    shows_name,
    unfollows_name,
    watch_name,
    window_names,
)


def test_each_group_is_of_one_kind_and_knows_its_brand() -> None:
    groups = (counters_group("abc"), pings_group("abc"), follows_name("abc"), unfollows_name("abc"))
    kinds = [(is_of_counters(one), is_of_pings(one), is_of_follows(one)) for one in groups]
    assert kinds == [(True, False, False), (False, True, False), (False, False, True), (False, False, True)]
    assert all(is_beside(one) and brand_of_group(one) == "abc" for one in groups)
    assert not is_of_follows("abc")
    assert len(set(groups)) == 4


def test_windows_of_all_that_came_are_found_so_that_they_can_be_forgotten() -> None:
    assert window_names(["abc", counters_group("abc")]) == {"abc"}
    of_pings = {watch_name("abc"), shows_name("abc"), plays_name("abc"), completions_name("abc")}
    assert window_names([pings_group("abc")]) == {"abc", *of_pings}
    assert window_names([follows_name("abc")]) == {"abc", "abc~follows"}
    assert window_names([unfollows_name("abc"), "xyz"]) == {"abc", "abc~unfollows", "xyz"}
