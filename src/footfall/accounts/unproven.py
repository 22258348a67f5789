"""What a signature or a token failed to prove: a sentence for whoever sent it, and one word for those who count."""

from enum import StrEnum

from footfall.values.errors import Refused

SIGNATURE_FIELD, TOKEN_FIELD = "Footfall-Signature", "token"


class Why(StrEnum):
    """Why a request was not believed; the words that counts are kept under."""

    SIGNATURE_MISSING = "signature-missing"
    SIGNATURE_MALFORMED = "signature-malformed"
    SIGNATURE_STALE = "signature-stale"
    SIGNATURE_FORGED = "signature-forged"
    SIGNATURE_REPLAYED = "signature-replayed"
    TOKEN_MISSING = "token-missing"  # noqa: S105 - a word for a count
    TOKEN_MALFORMED = "token-malformed"  # noqa: S105 - a word for a count
    TOKEN_STALE = "token-stale"  # noqa: S105 - a word for a count
    TOKEN_FORGED = "token-forged"  # noqa: S105 - a word for a count
    TOKEN_ELSEWHERE = "token-elsewhere"  # noqa: S105 - a word for a count


class Unproven(Refused):
    """A request does not prove what its brand asks it to prove, or proves it wrongly."""

    def __init__(self, why: Why, reason: str) -> None:
        super().__init__(TOKEN_FIELD if why.startswith(TOKEN_FIELD) else SIGNATURE_FIELD, reason)
        self.why = why
