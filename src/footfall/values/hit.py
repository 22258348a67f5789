"""A hit's fields and their limits."""

from footfall.values.errors import Refused

ASSET_BYTES_MAX = 256
LABEL_BYTES_MAX = 64
ADDRESS_BYTES_MAX = 2_048  # of a url or a referrer
AGENT_BYTES_MAX = 1_024  # of a reader's user agent
PURPOSE_BYTES_MAX = 64  # of what a reader's request said that it was for
CLIENT_BYTES_MAX = 128  # of what the tracker tells of its browser
ID_BYTES_MAX = 128  # of a hit's own id and of a visitor
NUMBER_MAX = 2**63 - 1  # ids are 64-bit numbers where they are numbers
AT_MS_MIN = 100_000_000_000  # A whole number below this is a time in seconds, sent by mistake.
AT_MS_MAX = 253_370_764_799_999  # the end of the year 9998, the last that windows are made for


def require_text(field: str, value: str, *, bytes_max: int) -> str:
    """Return the text, or refuse one that is too long or has characters that no id or label needs."""
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise Refused(field, "has a lone surrogate, which is not a character") from error
    if size > bytes_max:
        raise Refused(field, f"has {size} bytes, at most {bytes_max} are taken")
    if not value.isprintable() and any(ord(character) < 32 for character in value):
        raise Refused(field, "has a control character")
    return value


def require_number(field: str, value: int) -> str:
    """Return the number as the text that stands for the same id, or refuse it."""
    if not 0 <= value <= NUMBER_MAX:
        raise Refused(field, f"is {value}, a number must lie between 0 and 2^63 - 1")
    return str(value)
