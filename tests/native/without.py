"""A while without native code: Python does the same, as where there was no compiler."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from footfall.flow.collect import parse
from footfall.flow.count import going_on, place_tally, referred
from footfall.flow.serve import leading, popular
from footfall.flow.store import known_keys
from footfall.flow.stream import moments


@contextmanager
def without_native_code() -> Generator[None]:
    """Let every module that uses native code find none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse, "keys_of_body", None)
        patch.setattr(moments, "span_of_moments", None)
        patch.setattr(going_on, "GOING_ON", None)
        patch.setattr(leading, "list_rows", None)
        patch.setattr(popular, "list_rows", None)
        for module in (place_tally, referred, known_keys):
            patch.setattr(module, "new_key_table", lambda: None)
        yield
