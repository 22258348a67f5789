"""What a metric may be called: one line in any script, in one Unicode form, that people see as it is."""

import unicodedata
from collections.abc import Mapping

from footfall.metrics.errors import RESERVED_ENDS
from footfall.values.errors import Refused

NAME_BYTES_MAX = 200

_JOINERS = "\u200c\u200d"  # They stand inside Persian and Indian words, and inside the pictures of families.


class ImpossibleName(Refused):
    """A name has a character that none has; `at` is that character, counted from 1."""

    def __init__(self, field: str, reason: str, at: int) -> None:
        super().__init__(field, f"{reason} (character {at})")
        self.told, self.at = reason, at

    @property
    def more(self) -> Mapping[str, object]:
        """Return where in the name it is."""
        return {"at": self.at}


def in_one_form(text: str) -> str:
    """Return a text in Unicode's form NFC, whatever keyboard it comes from."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def require_metric_name(name: str, *, field: str = "name") -> str:
    """Return a metric's name in its one Unicode form, or raise Refused."""
    if not isinstance(name, str) or not name.strip():  # pyright: ignore[reportUnnecessaryIsInstance] - documents come from outside
        raise Refused(field, f"{name!r} is not a name: one line of text, with no space at its ends")
    written = in_one_form(name)
    _require_characters(written, field)
    size = len(written.encode())
    if size > NAME_BYTES_MAX:
        raise Refused(field, f"has {size:,} bytes, at most {NAME_BYTES_MAX:,} are taken")
    parts = written.split("/")
    if not all(parts) or {".", ".."} & {*parts} or parts[-1] in RESERVED_ENDS:
        # Proxies decode what is encoded in an address, and would take it for another one.
        ends = ", ".join(RESERVED_ENDS)
        raise Refused(field, f"{name!r} cannot be in an address: no part may be empty or dots, nor the last {ends}")
    return written


def require_no_controls(text: str, *, field: str, what: str) -> None:
    """Raise Refused for a text with a character that is no text, such as a NUL."""
    if text.isprintable():
        return
    for at, character in enumerate(text, 1):
        if unicodedata.category(character) == "Cc":
            raise ImpossibleName(field, f"{what} has {_named(character)}, which is no text", at)


def _require_characters(written: str, field: str) -> None:
    if written.isascii() and written.isprintable() and written == written.strip():
        return
    for at, character in enumerate(written):
        if character in _JOINERS and _joins(written, at):
            continue
        if not character.isprintable():
            reason = "which nobody sees, or which is no text: a name is one line of text"
            raise ImpossibleName(field, f"has {_named(character)}, {reason}", at + 1)
        if character.isspace() and at in (0, len(written) - 1):
            raise ImpossibleName(field, "has a space at its ends, which nobody sees", at + 1)
    _require_one_script(written, field)


def _joins(written: str, at: int) -> bool:
    """Tell whether a joiner stands where it is seen: between two letters, marks or pictures that are not Latin."""
    around = (written[at - 1 : at], written[at + 1 : at + 2])
    return all(one and not one.isascii() and unicodedata.category(one)[0] in "LMS" for one in around)


def _require_one_script(written: str, field: str) -> None:
    """Raise for a word of Latin and Cyrillic letters, of which twenty look alike."""
    before = ""
    for at, character in enumerate(written):
        script = _script(character)
        if before and script and script != before:
            reason = f"has {_named(character)} in a word of {before} letters, where nobody can tell it from another"
            raise ImpossibleName(field, reason, at + 1)
        is_in_word = unicodedata.category(character)[0] in "LM"
        before = (script or before) if is_in_word else ""


def _script(character: str) -> str:
    name = unicodedata.name(character, "") if character.isalpha() else ""
    return next((one.title() for one in ("LATIN", "CYRILLIC") if name.startswith(one)), "")


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()
