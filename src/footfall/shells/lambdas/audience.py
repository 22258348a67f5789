"""The audience in a function: asked and changed at once, each change on the condition that nobody was faster."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # Whoever only takes hits starts without it.
    from footfall.app.audience_opening import Audience

_T = TypeVar("_T")


class FunctionAudience:
    """Reads and changes what members do; the table is opened when somebody first asks for it."""

    def __init__(self, open_audience: "Callable[[], Audience]") -> None:
        self._open = open_audience
        self._audience: Audience | None = None

    async def asked(self, brand: str, question: "Callable[[Audience], _T]") -> _T:
        """Return what the audience answers to a brand's question, or what came of a change."""
        del brand
        if self._audience is None:
            self._audience = self._open()
        return question(self._audience)
