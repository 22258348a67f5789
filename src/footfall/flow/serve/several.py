r"""Several values in one parameter: separated by commas, and a comma inside a value written as `\,`.

A backslash that belongs to a value is written as `\\`; before anything else it stands for itself, so that only values
with a comma, or with a backslash before one, look different from what they are.
"""

import re

_PIECE = re.compile(r"\\([\\,])|(,)|([^\\,]+|\\)")


def values_from_text(text: str) -> list[str]:
    """Return the values that a comma-separated text holds, empty ones among them."""
    values = [""]
    for escaped, comma, plain in _PIECE.findall(text):
        if comma:
            values.append("")
        else:
            values[-1] += escaped or plain
    return values


def text_from_value(value: str) -> str:
    """Return a value as it stands in a comma-separated text."""
    return value.replace("\\", "\\\\").replace(",", "\\,")
