"""The walk through what metrics need: after their needs, each once, and circles are told by their whole path."""

from collections.abc import Mapping, Sequence

from footfall.metrics.circles import after_needs


def walked(needs: Mapping[str, str], *starts: str) -> tuple[str, list[str]]:
    """Return the order of the walk, and the circles that it met."""
    circles: list[str] = []
    done: set[str] = set()

    def meet(circle: Sequence[str]) -> None:
        circles.append("".join(circle))

    return "".join(
        name
        for start in starts
        for name in after_needs(start, lambda path: needs.get(path[-1], ""), done=done, on_circle=meet)
    ), circles


def test_each_comes_once_and_after_what_it_needs() -> None:
    assert walked({"a": "bc", "b": "d", "c": "d"}, "a", "d", "c") == ("dbca", [])


def test_a_circle_is_told_from_where_it_begins_and_is_not_gone_round() -> None:
    assert walked({"a": "b", "b": "c", "c": "bd"}, "a") == ("dcba", ["bcb"])
    assert walked({"a": "a"}, "a") == ("a", ["aa"])


def test_a_chain_of_many_is_no_deeper_than_a_list() -> None:
    many = 30_000
    done: set[str] = set()
    order = list(
        after_needs(
            "0",
            lambda path: [str(int(path[-1]) + 1)] if int(path[-1]) < many else [],
            done=done,
            on_circle=lambda _circle: None,
        )
    )
    assert (order[0], order[-1], len(done)) == (str(many), "0", many + 1)
