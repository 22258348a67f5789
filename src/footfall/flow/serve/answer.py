"""An answer on its way out, whatever it is about."""

from dataclasses import dataclass

from xxhash import xxh3_64_hexdigest


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as bytes, with what a server needs to send it and a cache to keep it."""

    body: bytes
    etag: str  # with its quotes, as the header has it
    max_age_s: int
    exact: bool


def answer_from(body: bytes, *, max_age_s: int, exact: bool) -> Answer:
    """Return an answer of these bytes."""
    return Answer(body=body, etag=f'"{xxh3_64_hexdigest(body)}"', max_age_s=max_age_s, exact=exact)
