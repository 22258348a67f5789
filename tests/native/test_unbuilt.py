"""A module that could not be built, or cannot read what it is given, leaves the others and Python as they are."""

import json
import logging
import subprocess
import sys

import pytest
from msgspec import Struct

from footfall.flow.count.watch_values import Beat, Session, Stretch
from footfall.native import new_going_on

# Named as what is done in Python without them.
MODULES = {
    "hit_bodies": "reading hits",
    "key_table": "counting hits",
    "beats": "crediting pings",
    "list_rows": "writing lists",
}
PROGRAM = """
import json, sys
sys.modules["footfall.native." + sys.argv[1]] = None  # as where it was not built
from footfall import native
from footfall.flow.count.going_on import GOING_ON
made = {"reading hits": native.keys_of_body, "counting hits": native.new_key_table(), "crediting pings": GOING_ON}
made["writing lists"] = native.list_rows
print(json.dumps([list(native.IN_PYTHON), native.IS_BUILT, [what for what, one in made.items() if one is None]]))
"""


class Described(Struct):
    """A beat whose fields are no slots, as those of another release of msgspec might be."""

    @property
    def number(self) -> int:
        return 0


@pytest.mark.parametrize("module", MODULES)
def test_what_could_not_be_built_is_done_in_python_and_nothing_else_is(module: str) -> None:
    said = subprocess.check_output([sys.executable, "-c", PROGRAM, module], text=True)
    assert json.loads(said) == [[MODULES[module]], False, [MODULES[module]]]


def test_all_four_are_built_here() -> None:
    said = subprocess.check_output([sys.executable, "-c", PROGRAM, "none"], text=True)
    assert json.loads(said) == [[], True, []]


@pytest.mark.parametrize("beat", [Described, Stretch], ids=["of another layout", "with other fields"])
def test_beats_that_native_code_cannot_read_are_left_to_python(beat: type, caplog: pytest.LogCaptureFixture) -> None:
    assert new_going_on(Session, Beat, Stretch) is not None
    with caplog.at_level(logging.WARNING):
        assert new_going_on(Session, beat, Stretch) is None
    assert "Python credits" in caplog.text
