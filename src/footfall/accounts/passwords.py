"""Passwords: which are taken, and what is kept of them: argon2id, in a time that says nothing about whom."""

import unicodedata
from functools import cached_property
from typing import Final

import argon2
from msgspec import Struct

from footfall.accounts.keys import RandomBytes
from footfall.values.errors import Refused

CHARACTERS_MIN, CHARACTERS_MAX = 10, 200
SALT_BYTES = 16


class Cost(Struct, frozen=True):
    """What one guess costs: rounds over so much memory."""

    rounds: int = 2
    memory_kib: int = 19_456


COST: Final = Cost()  # What OWASP asks for at least: some 40 ms of one core, and memory that small functions have.

# The commonest of ten letters or more, as lists of what was stolen have them; shorter ones are refused anyway.
COMMONEST: Final = frozenset(
    """
    0000000000 0123456789 0987654321 1111111111 1122334455 1212121212 123123123123 1234512345 12345678900
    1234567890 12345678910 1234567891 123456789a 123456789q 12345qwert 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx3edc
    1qazxsw23edc 2222222222 3333333333 5555555555 6666666666 7777777777 7894561230 8888888888 9876543210
    987654321a 9999999999 aaaaaaaaaa abc1234567 abcd123456 abcdefghij abcdefghijk administrator asdfghjkl1
    asdfghjkl; babygirl12 basketball basketball1 blink182182 butterfly1 california changeme12 changeme123
    chelseafc1 chocolate1 christopher cinderella computer12 elizabeth1 evangelion footballer football12
    footfall12 footfall123 football123 iloveyou12 iloveyou123 iloveyou22 jacqueline jennifer12 letmein123
    liverpool1 liverpoolfc manchester metallica1 michelle12 microsoft1 motherlode newyork123 passw0rd12
    passw0rd123 password00 password01 password10 password11 password12 password123 password1234 password12345
    password99 passwordpassword pokemon123 princess12 princess123 q1w2e3r4t5 q1w2e3r4t5y6 qazwsxedc1 qazwsxedcrfv
    qwerty1234 qwerty12345 qwerty123456 qwertyuiop qwertyuiop1 qwertyuiop123 samsung123 skateboard
    spongebob1 starwars12 sunshine12 superman12 tinkerbell trustno123 undertaker volleyball welcome123 welcome1234
    welcome2024 welcome2025 welcome2026 whatever12 zaq12wsxcde zxcvbnm123 zxcvbnm1234
    """.split()  # noqa: SIM905 - words read better as words
)


def require_password(value: object, *, email: str, field: str = "password") -> str:
    """Return a password as it is hashed, or raise Refused for one that anybody would guess."""
    if not isinstance(value, str):
        raise Refused(field, "is not a text")
    password = normal(value)
    if not CHARACTERS_MIN <= len(password) <= CHARACTERS_MAX:
        raise Refused(field, f"has {len(password)} characters; {CHARACTERS_MIN} to {CHARACTERS_MAX} are taken")
    plain = password.casefold()
    if plain in COMMONEST or len(set(plain)) == 1:
        raise Refused(field, "is one of the commonest, which are tried first; take one of your own")
    if plain in (email, email.partition("@")[0]):
        raise Refused(field, "is the e-mail address, which others know; take another")
    return password


def normal(password: str) -> str:
    """Return a password in the one spelling that all keyboards' ways of writing it come to."""
    return unicodedata.normalize("NFKC", password)


class Passwords:
    """Makes and checks what is kept of passwords."""

    def __init__(self, random_bytes: RandomBytes, *, cost: Cost = COST) -> None:
        self._random_bytes = random_bytes
        self._argon2 = argon2.PasswordHasher(
            time_cost=cost.rounds, memory_cost=cost.memory_kib, parallelism=1, salt_len=SALT_BYTES
        )

    def hashed(self, password: str) -> str:
        """Return what is kept of a password."""
        return self._argon2.hash(normal(password), salt=self._random_bytes(SALT_BYTES))

    def is_right(self, kept: str, password: object) -> bool:
        """Tell whether it is the password; it takes the same time where there is none at all."""
        nobodys = self._nobodys  # Before anything else, or the first who asks in vain would wait for it.
        sent = normal(password)[: CHARACTERS_MAX + 1] if isinstance(password, str) else ""
        try:
            return self._argon2.verify(kept or nobodys, sent) and bool(kept)
        except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
            return False

    def is_outdated(self, kept: str) -> bool:
        """Tell whether a password was kept at another cost than today's."""
        return self._argon2.check_needs_rehash(kept)

    @cached_property
    def _nobodys(self) -> str:
        return self._argon2.hash(self._random_bytes(32), salt=self._random_bytes(SALT_BYTES))
