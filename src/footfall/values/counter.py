"""Named counters: what their names may be, and what is wrong with what is asked of one."""

from footfall.values.errors import FootfallError, Refused

NAME_BYTES_MAX = 256
SKETCH_PATH = "/sketch"  # What the address of a counter's sketch ends with.


class UnknownCounter(Refused):
    """The brand has no counter of this name."""

    def __init__(self, name: str) -> None:
        super().__init__("name", f"{name[:80]!r} is no counter here; add a value with POST /v1/uniques/{{name}}")


class SharesUntold(FootfallError):
    """A counter was imported without what intersections and differences are told from."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name[:80]!r} was imported as an HLL sketch alone, which can only be united; "
            "import its Theta sketch as well with PUT /v1/uniques/{name}/sketch?kind=theta"
        )


class SharesTold(FootfallError):
    """A Theta sketch came for a counter that knows already what it shares with others."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name[:80]!r} has a Theta sketch of its own values, and another would add what it never met; import an "
            "HLL sketch before it, which replaces the counter, and send this one when that is counted"
        )


class KeyReused(Refused):
    """An Idempotency-Key came with another body, or for another counter, before."""

    def __init__(self) -> None:
        super().__init__("Idempotency-Key", "came with another body before; use a new key for new values")


def require_counter_name(name: str, *, field: str = "name") -> str:
    """Return the name, or refuse one that is empty, too long, no text, or the address of something else."""
    try:
        size = len(name.encode())
    except UnicodeEncodeError as error:
        raise Refused(field, "has a lone surrogate, which is not a character") from error
    if not size:
        raise Refused(field, "is empty; name a counter")
    if size > NAME_BYTES_MAX:
        raise Refused(field, f"has {size} bytes, at most {NAME_BYTES_MAX} are taken")
    if name.endswith(SKETCH_PATH):
        raise Refused(field, f"ends with {SKETCH_PATH!r}, which is the address of a sketch; choose another name")
    return name
