"""A template of CloudFormation as tests read it: its short forms as long ones, and what it refers to."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import yaml

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
TEMPLATE = DEPLOY / "aws" / "template.yaml"


class Loader(yaml.SafeLoader):
    """Reads CloudFormation's short forms as its long ones."""


def _long_form(loader: Any, suffix: str, node: Any) -> dict[str, Any]:
    read = {yaml.ScalarNode: loader.construct_scalar, yaml.SequenceNode: loader.construct_sequence}
    value = read.get(type(node), loader.construct_mapping)(
        node, **({} if isinstance(node, yaml.ScalarNode) else {"deep": True})
    )
    if suffix == "GetAtt":
        value = str(value).split(".")
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


Loader.add_multi_constructor("!", _long_form)


def read(path: Path) -> dict[str, Any]:
    """Return a template."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader)


def of_type(resources: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {name: one["Properties"] for name, one in resources.items() if one["Type"] == f"AWS::{kind}"}


def named_in(value: Any) -> set[str]:
    """Return the resources and parameters that a value refers to."""
    if isinstance(value, dict):
        found: set[str] = set()
        for key, inner in cast("dict[str, Any]", value).items():
            if key == "Ref":
                found.add(inner)
            elif key == "Fn::GetAtt":
                found.add(inner[0])
            elif key == "Fn::Sub":
                found |= {name.split(".")[0] for name in re.findall(r"\$\{([^}]+)\}", str(inner))}
            else:
                found |= named_in(inner)
        return {name for name in found if not name.startswith("AWS::")}
    if isinstance(value, list):
        return set[str]().union(*(named_in(one) for one in cast("list[Any]", value)))
    return set()


def statements(role: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what a role allows, with what depends on a condition."""
    for policy in role["Policies"]:
        for one in policy["PolicyDocument"]["Statement"]:
            yield one["Fn::If"][1] if "Fn::If" in one else one


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def mappings_of(resources: dict[str, Any], function: str) -> dict[str, Any]:
    mappings = of_type(resources, "Lambda::EventSourceMapping")
    return {name: one for name, one in mappings.items() if one["FunctionName"] == {"Ref": function}}
