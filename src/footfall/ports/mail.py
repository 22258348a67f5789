"""Mail: a few lines of text to one person. It is how links reach people who are not signed in."""

from dataclasses import dataclass
from typing import Protocol

from footfall.ports.errors import PortError

TEXT_CHARACTERS_MAX = 10_000


class NotMailed(PortError):
    """The server did not take the mail, or could not be reached."""


@dataclass(frozen=True, slots=True)
class Letter:
    """What is to be mailed."""

    to: str
    subject: str
    text: str


class Mail(Protocol):
    """The promises that every way of mailing keeps: what it took is the server's to deliver, else it raises."""

    def send(self, letter: Letter) -> None:
        """Hand a letter over, or raise NotMailed."""
        ...

    def try_out(self) -> None:
        """Do all that sending does but for the letter itself, in about the time that sending takes."""
        ...
