"""The template that comes with footfall: its text, its parameters, and what of a stack holds data."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from footfall.values.errors import FootfallError

TEMPLATE = Path(__file__).with_name("aws_template.yaml")
# What cannot be made again from anything else.
HOLDS_DATA = ("AWS::DynamoDB::Table", "AWS::Kinesis::Stream", "AWS::S3::Bucket")
OURS = frozenset({"CodeBucket", "CodeKey", "Architecture", "Runtime"})  # They follow from the archive.
PROXY_PROOF = "ProxySecret"  # Made up once for each stack, unless somebody gives another.
FIXED = ("CountingShards",)  # Hits name it, so it stays as it was when the first came.
_SECTION = re.compile(r"^Parameters:\n(.*?)^\w", re.DOTALL | re.MULTILINE)
_PARAMETER = re.compile(r"^  (\w+):$", re.MULTILINE)
_DEFAULT = re.compile(r"^    Default: \"?(\d+)\"?$", re.MULTILINE)
_RESOURCE = re.compile(r"^    Type: AWS::", re.MULTILINE)


class NoSuchParameter(FootfallError):
    """A value was given for a parameter that the template does not have."""


class IdleShards(FootfallError):
    """Kinesis was to get shards that no hit would ever go to."""


class FixedParameter(FootfallError):
    """A parameter was to be changed that stays as it was at first."""


def template_bytes() -> bytes:
    """Return the template."""
    return TEMPLATE.read_bytes()


def template_name() -> str:
    """Return the name under which the template is kept: another content is another name."""
    return f"template-{hashlib.sha256(template_bytes()).hexdigest()[:16]}.yaml"


def parameters() -> tuple[str, ...]:
    """Return the names of the template's parameters."""
    section = _SECTION.search(TEMPLATE.read_text(encoding="utf-8"))
    assert section is not None, "the template is ours and has parameters"
    return tuple(_PARAMETER.findall(section[1]))


def parts() -> int:
    """Return how many resources the template has at most."""
    return len(_RESOURCE.findall(TEMPLATE.read_text(encoding="utf-8")))


def require_parameters(given: Mapping[str, str]) -> None:
    """Raise unless the template has every parameter that is given a value."""
    known = parameters()
    for name in given:
        if name in OURS:
            raise NoSuchParameter(
                f"{name} follows from the archive: choose it with --architecture, --runtime, --bucket"
            )
        if name not in known:
            free = ", ".join(one for one in known if one not in OURS)
            raise NoSuchParameter(f"{name} is no parameter of the template; there are {free}")


def require_kept(given: Mapping[str, str], before: Mapping[str, str]) -> None:
    """Raise when a parameter is given another value that may never get one."""
    for name in FIXED:
        if name in given and name in before and given[name] != before[name]:
            raise FixedParameter(
                f"{name} is {before[name]} and stays so, because every hit in the stream names it: deploy another "
                "stack for another number"
            )


def require_used_shards(given: Mapping[str, str], before: Mapping[str, str]) -> None:
    """Raise when Kinesis would get more shards than counting is divided into: the others would be paid for and idle."""
    named = {name: given.get(name) or before.get(name) or _default(name) for name in ("ShardCount", "CountingShards")}
    if not all(value.isascii() and value.isdigit() for value in named.values()):
        return  # CloudFormation says what is wrong with it.
    if int(named["ShardCount"]) > int(named["CountingShards"]):
        raise IdleShards(
            f"{named['ShardCount']} shards of Kinesis are more than the {named['CountingShards']} parts that counting "
            "is divided into, and the others would be idle: give at most as many, or make another stack with more "
            "CountingShards"
        )


def _default(name: str) -> str:
    after = TEMPLATE.read_text(encoding="utf-8").partition(f"\n  {name}:\n")[2]
    found = _DEFAULT.search(after)
    assert found is not None, "the template is ours and has defaults"
    return found[1]
