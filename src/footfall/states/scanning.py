"""Reading a text from left to right: what paths and intrinsic functions have in common."""

from footfall.values.errors import FootfallError

_SPACES = " \t"
_NUMBER = frozenset("0123456789+-.eE")


class Unreadable(FootfallError):
    """A path or an intrinsic function is not written as the language has it; the message says where."""


class Scanner:
    """A text and how far it has been read."""

    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def is_at_end(self) -> bool:
        """Tell whether everything has been read."""
        return self.at >= len(self.text)

    def next_is(self, *starts: str) -> bool:
        """Tell whether the rest starts with one of the texts."""
        return self.text.startswith(starts, self.at)

    def took(self, start: str) -> bool:
        """Go past the text if the rest starts with it, and tell whether it did."""
        if not self.text.startswith(start, self.at):
            return False
        self.at += len(start)
        return True

    def require(self, start: str) -> None:
        """Go past the text, which has to come next."""
        if not self.took(start):
            raise self.unreadable(f"{start!r} is missing")

    def skip_spaces(self) -> None:
        """Go past spaces."""
        while not self.is_at_end() and self.text[self.at] in _SPACES:
            self.at += 1

    def run_of(self, *, until: str) -> str:
        """Return the characters up to one of those named, or to the end."""
        begin = self.at
        while not self.is_at_end() and self.text[self.at] not in until:
            self.at += 1
        return self.text[begin : self.at]

    def number(self) -> int | float:
        """Return the number that comes next."""
        begin = self.at
        while not self.is_at_end() and self.text[self.at] in _NUMBER:
            self.at += 1
        digits = self.text[begin : self.at]
        try:
            return int(digits) if digits.lstrip("+-").isdigit() else float(digits)
        except ValueError as error:
            raise self.unreadable(f"{digits!r} is not a number") from error

    def quoted(self) -> str:
        """Return the text between two quotes of one kind; a backslash takes the next character as it is."""
        quote = self.text[self.at]
        self.at += 1
        found: list[str] = []
        while not self.is_at_end():
            character = self.text[self.at]
            self.at += 1
            if character == quote:
                return "".join(found)
            if character == "\\" and not self.is_at_end():
                character = self.text[self.at]
                self.at += 1
            found.append(character)
        raise self.unreadable(f"the closing {quote} is missing")

    def unreadable(self, why: str) -> Unreadable:
        """Return the error for what stands here."""
        return Unreadable(f"{self.text!r} at character {self.at + 1}: {why}")
