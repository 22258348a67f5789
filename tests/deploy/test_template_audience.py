"""Every setting of the audience can be chosen for a stack, within the same bounds, and reaches what reads it."""

from typing import Any

import pytest

from footfall.app.deploying_template import parameters
from footfall.app.setting_values import Setting
from footfall.app.settings import NAMES
from footfall.shells.cli.deploy_report import CHOSEN
from footfall.shells.lambdas.counters import READING_S_MAX
from tests.deploy.template_reading import TEMPLATE, of_type, read

SETTINGS = [setting for name, setting in NAMES.items() if name.startswith("audience_")]
READERS = ("CollectFunction", "ServeFunction")  # of the audience's table by what the settings say; the API asks them
VARIABLES_BYTES_MAX = 4_096  # AWS Lambda quotas, "Environment variables": 4 KB, in aggregate
NAME_BYTES = 80  # A table's name has the stack's, the part's and thirteen more; addresses and the like are shorter.


@pytest.fixture(scope="module")
def template() -> dict[str, Any]:
    return read(TEMPLATE)


@pytest.mark.parametrize("setting", SETTINGS, ids=[one.name for one in SETTINGS])
def test_a_setting_is_a_parameter_with_the_same_default_and_the_same_bounds(
    template: dict[str, Any], setting: Setting
) -> None:
    one = template["Parameters"][CHOSEN[setting.variable]]
    assert CHOSEN[setting.variable] in parameters()  # So `--set` takes it.
    assert one["Default"] == setting.default
    if setting.kind == "whole":
        assert (one["MinValue"], one["MaxValue"]) == (setting.lowest, setting.highest)
    else:
        assert tuple(one.get("AllowedValues", ())) == tuple(setting.choices)


@pytest.mark.parametrize("function", READERS)
def test_the_functions_that_keep_and_tell_of_members_are_told_all_of_them(
    template: dict[str, Any], function: str
) -> None:
    variables = template["Resources"][function]["Properties"]["Environment"]["Variables"]
    assert {name: {"Ref": chosen} for name, chosen in CHOSEN.items()}.items() <= variables.items()


def test_the_longest_lists_leave_room_for_the_other_variables(template: dict[str, Any]) -> None:
    longest = {name: longest_of(one) for name, one in template["Parameters"].items()}
    for function, properties in of_type(template["Resources"], "Lambda::Function").items():
        variables = properties["Environment"]["Variables"]
        of = {
            name: longest.get(value["Ref"], NAME_BYTES) if "Ref" in value else len(str(value))
            for name, value in variables.items()
        }
        assert sum(len(name) + size for name, size in of.items()) <= VARIABLES_BYTES_MAX, function


@pytest.mark.parametrize("function", READERS)
def test_a_function_that_reads_a_long_log_gives_up_while_it_can_still_answer(
    template: dict[str, Any], function: str
) -> None:
    assert template["Resources"][function]["Properties"]["Timeout"] >= 1.5 * READING_S_MAX


def longest_of(parameter: dict[str, Any]) -> int:
    """Return how many bytes a parameter's value has at most, of what has no end as many as a name."""
    if "MaxValue" in parameter or "AllowedValues" in parameter:
        return max(len(str(one)) for one in (parameter.get("MaxValue", ""), *parameter.get("AllowedValues", ())))
    return parameter.get("MaxLength", NAME_BYTES)
