"""Capturing with Debian's Chromium, driven by Playwright, through the gate alone."""

from importlib.util import find_spec

from footfall.ports.errors import Unavailable

for _name in ("playwright", "PIL"):
    if find_spec(_name) is None:
        raise Unavailable(f"Captures need {_name}, which is not installed: `pip install 'footfall[archive]'`")
