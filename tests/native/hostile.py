"""Bodies and packs as nobody should send them: plain ones, every kind of odd one, and both with bytes changed.

Chance comes from a seed, so the same ones are made here and in the process that runs under a sanitizer.
"""

import json
from random import Random

import msgspec

BRANDS_MAX = 64
SIZES = (0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 300)
NUMBERS = (
    b"0", b"7", b"563", b"132141398", b"999999999999999999", b"1000000000000000000", b"9223372036854775807",
    b"9223372036854775808", b"18446744073709551616", b"007", b"00", b"-1", b"-0", b"1.5", b"1e3", b"1E2", b"0x1", b"+1",
)  # fmt: skip
ODD_VALUES = (b"null", b"true", b"[]", b"{}", b'["1"]', b'{"a":"b"}', b"", b"'a'", b"NaN", b'"open', b'"\xff"')
ODD_TEXTS = (
    "a\\u0062",
    '\\"',
    "\\\\",
    "\x00",
    "\x01",
    "\x1f",
    "\x7f",
    "é",
    "日本",
    "\ud800",
    "a\tb",
    "</",
    "\\/",
    "{},:[]",
)
BLANKS = (b"", b"", b"", b"", b" ", b"  ", b"\t", b"\r", b"\n", b" \r\n ", b"\x0b", b"\xa0")
NAMES = ("assetId", "sectionId", "resourceType", "paidType", "brand")
ODD_NAMES = ("assetid", "asset", "assetIdd", "url", "", "brand ", "Brand", "at", "x" * 40)
FIRST_MS = 1_794_700_800_000
MOMENTS_MS = (100_000_000_000, 253_370_764_799_999, FIRST_MS)  # the least and the most that is a time
ODD_MOMENTS = (b"99999999999", b"253370764800000", b"1794700800", b"1794700800000.5", b"999999999999999999")
PLAIN = "abcXYZ019 -_./:,{}[]'abd"
LABELS = ("", "article", "video", "free", "paid", "a,b", "news 24", "12")


def text_of_size(size: int, chance: Random) -> str:
    """Return printable ASCII without what ends a text."""
    start = chance.randrange(len(PLAIN))
    return (PLAIN * (size // len(PLAIN) + 2))[start : start + size]


class Bodies:
    """Bodies of hits; `oddity` is how often something in one is not as it should be.

    In half of them nearly every hit is written as the one before, as programs write them, which native code makes use
    of; in some each has a time.
    """

    def __init__(self, chance: Random, *, oddity: float, brands: int) -> None:
        self._chance = chance
        self._oddity = oddity
        self._brands = [f"brand-{number}" for number in range(brands)]
        self._otherwise = 1.0 if chance.random() < 0.5 else 0.02  # how often a hit is not written as the others
        self._gap = chance.choice(BLANKS[:7])
        self._has_brand = chance.random() < 0.8
        self._is_timed = chance.random() < 0.4
        self._is_number = {name: chance.random() < 0.5 for name in NAMES[:2]}

    def body(self, hits: int, *, lines: bool) -> bytes:
        """Return a body of so many hits."""
        pieces = [self._hit() for _ in range(hits)]
        if not lines:
            return (
                self._blank() + b"[" + self._joined(pieces, b",") + self._odd(b"]", (b"", b",]", b"]]")) + self._blank()
            )
        end = self._chance.choice((b"\n", b"\n", b"\r\n", b" \n"))
        ends = (b"", end, b"\n\n", b" ") if self._is_odd() else (b"", end)
        return self._odd(end, (b"\n\n", b" ", b"\r", b",", b"\n \n")).join(pieces) + self._chance.choice(ends)

    def _hit(self) -> bytes:
        fields = [(name, self._value(name)) for name in NAMES]
        if self._is_timed != self._is_odd():
            fields.append(("at", self._value("at")))
        is_branded = self._chance.random() < 0.8 if self._is_otherwise() else self._has_brand
        if not is_branded:
            fields = [one for one in fields if one[0] != "brand"]
        if self._is_otherwise() and self._chance.random() < 0.3:
            self._chance.shuffle(fields)
        if self._is_odd():
            fields = self._with_other_fields(fields)
        named = [self._blank() + _quoted(name) + self._blank() + b":" + self._blank() + value for name, value in fields]
        return b"{" + self._joined(named, b",") + self._odd(b"}", (b"", b",}", b"}}"))

    def _with_other_fields(self, fields: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
        chance, fields = self._chance, list(fields)
        match chance.choice("dmou"):
            case "d":  # a key that stands twice
                fields.append((chance.choice(fields)[0], self._value("sectionId")))
            case "m":
                del fields[chance.randrange(len(fields))]
            case "o":
                fields.insert(chance.randrange(6), (chance.choice(ODD_NAMES), chance.choice(ODD_VALUES[:6])))
            case _:
                fields[chance.randrange(len(fields))] = ("asset\\u0049d", self._value("assetId"))
        return fields

    def _value(self, name: str) -> bytes:
        chance = self._chance
        if self._is_odd():
            return chance.choice((*ODD_VALUES, *NUMBERS, *ODD_MOMENTS, *map(_quoted, ODD_TEXTS)))
        if name == "at":
            return b"%d" % (chance.choice(MOMENTS_MS) if self._is_otherwise() else FIRST_MS + chance.randrange(10**6))
        if name == "brand":
            return _quoted(chance.choice(self._brands) if chance.random() < 0.95 else self._sized(BRANDS_MAX))
        if name in NAMES[:2] and (chance.random() < 0.5 if self._is_otherwise() else self._is_number[name]):
            return chance.choice(NUMBERS[:5]) if chance.random() < 0.3 else b"%d" % chance.randrange(10**9)
        if chance.random() < 0.2:
            return _quoted(self._sized(256 if name == "assetId" else 64) or "a")
        return _quoted(chance.choice(LABELS) if name != "assetId" else f"/story/{chance.randrange(50)}")

    def _sized(self, most: int) -> str:
        size = self._chance.choice(SIZES if self._is_odd() else [size for size in SIZES if size <= most])
        return text_of_size(size, self._chance)

    def _joined(self, pieces: list[bytes], between: bytes) -> bytes:
        return self._odd(between, (b"", b",,", b":", b"\n")).join(piece + self._blank() for piece in pieces)

    def _is_otherwise(self) -> bool:
        return self._chance.random() < self._otherwise

    def _is_odd(self) -> bool:
        return self._chance.random() < self._oddity

    def _odd(self, plain: bytes, others: tuple[bytes, ...]) -> bytes:
        return self._chance.choice(others) if self._is_odd() else plain

    def _blank(self) -> bytes:
        if not self._is_otherwise():
            return self._gap
        return self._chance.choice(BLANKS if self._is_odd() else BLANKS[:7])


def hostile_body(chance: Random) -> tuple[bytes, bool]:
    """Return a body, and whether it is one of lines: about a third plain, a third odd, a third with bytes changed."""
    lines = chance.random() < 0.5
    kind = chance.choice("pom")
    brands = chance.choice((1, 1, 2, 5, BRANDS_MAX, BRANDS_MAX + 2))
    hits = chance.choice((0, 1, 2, 3, 15, 16, 17, 40, 200) if brands <= BRANDS_MAX else (200, 400))
    body = Bodies(chance, oddity=0.02 if kind == "o" else 0.0, brands=brands).body(hits, lines=lines)
    return (mutated(body, chance) if kind == "m" else body), lines


def mutated(data: bytes, chance: Random) -> bytes:
    """Return bytes with a few of them changed, dropped, doubled or cut off."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        place = chance.randrange(len(changed) + 1)
        match chance.choice("cccdirtt"):
            case "c" if place < len(changed):
                changed[place] = chance.choice((chance.randrange(256), changed[place] ^ 1 << chance.randrange(8)))
            case "d":
                del changed[place : place + chance.choice((1, 1, 2, 8, 40))]
            case "i":
                changed[place:place] = chance.choice(
                    (b"\\", b'"', b"\x00", b"\xff", b"\xdd", b"\x94", b"0", b"{", b"\n")
                )
            case "r":
                changed[place:place] = changed[place : place + chance.choice((1, 8, 40))]
            case "t":
                del changed[place:]
            case _:
                pass
    return bytes(changed)


def hostile_pack(chance: Random) -> tuple[bytes, int]:
    """Return packed keys and how many there are said to be: plain, packed in other ways, with bytes changed."""
    keys = [_key(chance) for _ in range(chance.choice((0, 1, 2, 15, 16, 17, 40, 300)))]
    packed = b"".join(map(_packed_oddly if chance.random() < 0.2 else _packed, keys, [chance] * len(keys)))
    head = chance.choice((_head, _head, _head, _wide_head, _wider_head))
    count = len(keys) if chance.random() < 0.95 else chance.choice((0, 1, 16, 65_535, 2**31, 2**32 - 1))
    pack = head(count) + packed
    hits = count if chance.random() < 0.9 else chance.choice((0, -1, 1, 17, 2**32, 2**62, len(keys)))
    return (mutated(pack, chance) if chance.random() < 0.4 else pack), hits


def _key(chance: Random) -> list[str]:
    if chance.random() < 0.1:
        return [text_of_size(chance.choice((*SIZES, 1_000, 65_535)), chance) for _ in range(4)]
    asset = str(chance.randrange(60)) if chance.random() < 0.7 else f"/é/{chance.randrange(30)}"
    return [asset, chance.choice(LABELS), chance.choice(LABELS), chance.choice(("free", "paid", "日本"))]


def _packed(key: list[str], _chance: Random) -> bytes:
    return msgspec.msgpack.encode(key)


def _packed_oddly(key: list[str], chance: Random) -> bytes:
    """Return a key with heads that are longer than they need be, or of something that is no text."""
    heads = [chance.choice((b"\x94", b"\x94", b"\x94", b"\xdc\x00\x04", b"\xdd\x00\x00\x00\x04"))]
    for text in key:
        data = text.encode()
        size = len(data)
        ways = [msgspec.msgpack.encode(text)]
        ways += [b"\xd9" + size.to_bytes(1, "big") + data] if size < 256 else []
        ways += [b"\xda" + size.to_bytes(2, "big") + data, b"\xdb" + size.to_bytes(4, "big") + data]
        ways += [b"\xc4\x00", b"\xc0", b"\x07", b"\xa2\xc3\x28", b"\xa3\xed\xa0\x80"] if chance.random() < 0.05 else []
        heads.append(chance.choice(ways))
    return b"".join(heads)


def _head(count: int) -> bytes:
    return (
        b"\xdd" + count.to_bytes(4, "big")
        if count >= 2**16
        else msgspec.msgpack.encode([0] * count)[: 1 if count < 16 else 3]
    )


def _wide_head(count: int) -> bytes:
    return b"\xdc" + (count % 2**16).to_bytes(2, "big")


def _wider_head(count: int) -> bytes:
    return b"\xdd" + (count % 2**32).to_bytes(4, "big")


def _quoted(text: str) -> bytes:
    """Return a text between quotation marks, as it is: escapes in it are the caller's, and so is what may not be."""
    return b'"' + text.encode("utf-8", "surrogatepass") + b'"'


def plain_bodies() -> dict[str, tuple[bytes, bool]]:
    """Return bodies that senders send all the time, each with whether it is one of lines."""
    hit = {"brand": "abc", "assetId": "132141398", "sectionId": 563, "resourceType": "article", "paidType": "free"}
    hits = [hit | {"assetId": str(number)} for number in range(100)]
    numbers = [one | {"assetId": number} for number, one in enumerate(hits)]
    texts = [one | {"sectionId": "sports"} for one in hits]
    unbranded = [{name: value for name, value in one.items() if name != "brand"} for one in hits]
    brands = [one | {"brand": f"brand-{number % BRANDS_MAX}"} for number, one in enumerate(hits)]
    timed = [one | {"at": FIRST_MS + 7 * number} for number, one in enumerate(hits)]
    compact = json.JSONEncoder(separators=(",", ":")).encode
    return {
        "asset as text, section as number": (compact(hits).encode(), False),
        "both as numbers": (compact(numbers).encode(), False),
        "both as texts": (compact(texts).encode(), False),
        "texts and numbers mixed": (compact([*hits, *texts, *numbers]).encode(), False),
        "without a brand": (compact(unbranded).encode(), False),
        "as many brands as are told apart": (compact(brands).encode(), False),
        "with times": (compact(timed).encode(), False),
        "more than 65,535 hits with times": (compact(timed * 656).encode(), False),
        "lines with times": ("\n".join(map(compact, timed)).encode(), True),
        "indented": (json.dumps(hits, indent=2).encode(), False),
        "with spaces": (json.dumps(hits).encode(), False),
        "in another order": (json.dumps(hits, sort_keys=True).encode(), False),
        "one hit": (json.dumps([hit]).encode(), False),
        "more than 65,535 hits": (compact([hit] * 65_536).encode(), False),
        "lines": ("\n".join(map(compact, hits)).encode(), True),
        "lines with an end": ("".join(compact(one) + "\n" for one in hits).encode(), True),
        "lines as Windows has them": ("".join(compact(one) + "\r\n" for one in hits).encode(), True),
        "one line": (compact(hit).encode(), True),
    }
