"""The formats of logs that are read, and how a log's own lines tell which one it is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from footfall.flow.collect.logfile.balancers import split_alb, split_elb
from footfall.flow.collect.logfile.clf import split_combined, split_common, split_s3, split_traefik, split_vhost
from footfall.flow.collect.logfile.jsonlines import (
    DEFAULT_NAMES,
    Names,
    split_caddy,
    split_json,
    split_traefik_json,
)
from footfall.flow.collect.logfile.line import HeaderLine, NotUnderstood, Split
from footfall.flow.collect.logfile.moments import Moments
from footfall.flow.collect.logfile.w3c import W3cSplit
from footfall.values.errors import FootfallError

SAMPLE_LINES_MAX = 200  # More lines tell nothing new, and a log may begin with junk.


class UnknownFormat(FootfallError):
    """No format that is known reads the lines of a log."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name on the command line, whose it is, and a splitter for a log's lines."""

    name: str
    says: str
    splitter: Callable[[], Split]
    names_hosts: bool = False
    has_agents: bool = False  # in every line, so that one without is cut off


@dataclass(frozen=True, slots=True)
class Guess:
    """The format that reads most of a sample, and how much of it."""

    format: Format
    understood: int
    lines: int


def _always(split: Split) -> Callable[[], Split]:
    return partial(_same, split)


def _same(split: Split) -> Split:
    return split


# Where two read the same lines, the earlier says more: a line behind a host is also a line whose address is a host.
FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        one.name: one
        for one in (
            Format("w3c", "W3C extended: IIS, CloudFront standard logs", W3cSplit, names_hosts=True),
            Format("caddy", "Caddy's JSON", _always(split_caddy), names_hosts=True),
            Format("traefik-json", "Traefik's JSON", _always(split_traefik_json), names_hosts=True),
            Format(
                "json", "JSON lines by the usual names of fields", _always(split_json(DEFAULT_NAMES)), names_hosts=True
            ),
            Format("alb", "AWS Application Load Balancer", _always(split_alb), names_hosts=True),
            Format("elb", "AWS Classic Load Balancer", _always(split_elb), names_hosts=True),
            Format("s3", "Amazon S3 server access", _always(split_s3), names_hosts=True),
            Format("traefik", "Traefik's common log format", _always(split_traefik), has_agents=True),
            Format("vhost", "common or combined behind HOST:PORT", _always(split_vhost), names_hosts=True),
            Format("common", "Apache, nginx: common", _always(split_common)),
            Format("combined", "Apache, nginx: combined", _always(split_combined), has_agents=True),
        )
    }
)


def json_format(names: Names) -> Format:
    """Return the format of JSON lines whose fields are named so."""
    return Format("json", "JSON lines by --fields", _always(split_json(names)), names_hosts="host" in names)


def guessed_format(sample: Sequence[bytes], *, now_ms: int) -> Guess:
    """Return the format that understands most of the lines, or raise UnknownFormat."""
    lines = [line for line in sample if line.strip()][:SAMPLE_LINES_MAX]
    guesses = [Guess(one, _understood(one, lines, now_ms=now_ms), len(lines)) for one in FORMATS.values()]
    best = max(guesses, key=lambda guess: guess.understood)
    if best.understood == 0:
        raise UnknownFormat(
            f"none of its first {len(lines)} lines reads like {', '.join(FORMATS)}; "
            "name the format with --format, or a JSON log's fields with --fields"
        )
    return best


def understood_data(one: Format, sample: Sequence[bytes], *, now_ms: int) -> int:
    """Return how many lines of the sample a format reads as requests, whatever it reads as headers."""
    split, moments = one.splitter(), Moments(now_ms=now_ms)
    # The splitter must see header lines too, for some of them teach it the columns.
    return sum(_is_understood(split, moments, line, counts_headers=False) for line in sample if line.strip())


def _understood(one: Format, lines: Sequence[bytes], *, now_ms: int) -> int:
    split, moments = one.splitter(), Moments(now_ms=now_ms)
    return sum(_is_understood(split, moments, line) for line in lines)


def _is_understood(split: Split, moments: Moments, line: bytes, *, counts_headers: bool = True) -> bool:
    try:
        _, status, time, *_ = split(line)
        return moments[time] > 0 and status.isdigit()
    except HeaderLine:
        return counts_headers
    except (NotUnderstood, ValueError):
        return False
