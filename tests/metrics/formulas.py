"""Formulas by chance: trees that can be written, and texts that cannot be read."""

from random import Random

from hypothesis import strategies as st

from footfall.metrics.formula import Binary, Calendar, Call, Function, Metric, Negated, Node, Number, Shift
from footfall.metrics.units import unit_from

NAMES = ("hits", "a.b", "visits", "x_1", "paid reads", "käynnit", 'the "best"', "back\\slash", "min", "shift", "日本")

_LEAVES = st.one_of(
    st.builds(Number, st.integers(0, 999).map(float)),
    st.builds(Number, st.floats(0, allow_infinity=False, allow_nan=False), st.just(unit_from("EUR/minutes"))),
    st.builds(Metric, st.sampled_from(NAMES)),
)


def _above(below: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(below, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Negated, below),
        st.builds(Binary, st.sampled_from(["+", "-", "*", "/"]), below, below),
        st.builds(Call, st.sampled_from([Function.MIN, Function.MAX, Function.COALESCE]), several),
        st.builds(Call, st.just(Function.RATIO), st.lists(below, min_size=2, max_size=3).map(tuple)),
        st.builds(lambda one: Call(Function.ABS, (one,)), below),
        st.builds(lambda one, digits: Call(Function.ROUND, (one, Number(float(digits)))), below, st.integers(0, 15)),
        st.builds(Shift, below, st.integers(-1_000, 1_000), st.sampled_from(Calendar)),
    )


TREES: st.SearchStrategy[Node] = st.recursive(_LEAVES, _above, max_leaves=25)

_PIECES = (
    "hits", "visits", "a.b", '"paid reads"', "1", "2.5", "1e3", "1e999", "+", "-", "*", "/", "×", "÷", "−", "(", ")",  # noqa: RUF001 - what people type and others mistake
    ",", "min(", "max(", "coalesce(", "ratio(", "abs(", "round(", "shift(", " month", "1 month", "-3 days", "eval(",
    "__import__('os')", "lambda", "[hits]", "[hits/", "]", '"', "\\", "'", "{", "}", ";", "\n", "\0", "\ud800", "🙂",
    " ", "  ", "\t", "..", "._", "%", "**", "//", "=", "==", "<", "and", "or", "if", "e", "0x1f", "1_000", "\u202e", "",
)  # fmt: skip


def text_by_chance(chance: Random) -> str:
    """Return a text that looks like a formula in places."""
    kind = chance.random()
    if kind < 0.6:
        return "".join(chance.choice(_PIECES) for _ in range(chance.randint(0, 30)))
    if kind < 0.7:
        return chance.choice("(-") * chance.randint(1, 1_200)
    if kind < 0.8:
        return "".join(chr(chance.choice([chance.randrange(128), chance.randrange(0x11_0000)])) for _ in range(40))
    if kind < 0.9:
        return chance.choice(["min(", "abs(", "-(", "hits+(", "shift("]) * chance.randint(1, 300)
    return " + ".join(chance.choice(_PIECES) for _ in range(chance.randint(1, 200)))
