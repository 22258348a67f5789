"""`footfall serve`: the server, with the settings that flags, environment and file make together."""

import argparse
import gc
from pathlib import Path

from footfall.app.settings import Given
from footfall.app.settings_reading import read_settings
from footfall.shells.cli.asking import require_directory
from footfall.shells.cli.command import CONFIG, DATA, Argument, Command, Surroundings, above_zero

DEMO_BRAND = "demo"
DEMO_RATE = 10.0  # Enough that the list moves while one watches, and a day of it is sent within a minute or so.


def serve(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Run the server until it is told to stop."""
    config = Path(arguments.config) if arguments.config else None
    settings = read_settings(given_by_flags(arguments), config=config, variables=around.variables)
    require_directory(settings, "serve")
    gc.disable()  # What is read now stays, and looking through it again and again would be a tenth of the start.
    # The server's own modules take a moment to load, which the other commands should not wait for.
    from footfall.shells.http import front

    gc.freeze()  # Nor later: it would be a pause of 20 ms.
    gc.enable()
    rate = (arguments.demo_rate or DEMO_RATE) if _wants_demo(arguments) else None
    return front.run(settings, demo_rate=rate)


def given_by_flags(arguments: argparse.Namespace) -> list[Given]:
    """Return what the flags say about settings, each with the flag's name."""
    given = [_given_by_set(text) for text in arguments.set]
    plain = (("data", "data_dir"), ("host", "http_host"), ("port", "http_port"), ("log_level", "log_level"))
    for flag, name in plain:
        value = getattr(arguments, flag)
        if value is not None:
            given.append(Given(name, value, "the flag --" + flag.replace("_", "-")))
    if arguments.dev:
        given.append(Given("dev", True, "the flag --dev"))  # noqa: FBT003
    if _wants_demo(arguments):
        given.append(Given("brands", DEMO_BRAND, "the flag --demo"))
    given.extend(Given("brands", text, "the flag --brand") for text in arguments.brand)
    return given


def _wants_demo(arguments: argparse.Namespace) -> bool:
    return arguments.demo or arguments.demo_rate is not None


def _given_by_set(text: str) -> Given:
    name, _, value = text.partition("=")
    return Given(name.strip(), value.strip(), f"the flag --set {text}")


COMMAND = Command(
    name="serve",
    says="Start the server on a directory: it takes hits, counts them and answers for them.",
    example="footfall serve --data /var/lib/footfall --port 8080 --brand abc:Europe/Helsinki",
    run=serve,
    tells="It runs until it gets SIGTERM or SIGINT, then finishes what it has in hand. The directory is made if it is\n"
    "not there, and holds everything; one server at a time runs on it.",
    more_examples=(
        "footfall serve --dev --demo",
        "footfall serve --config /etc/footfall.toml --log-level warning --set log_format=json",
    ),
    arguments=(
        DATA,
        Argument("--host", "The address to listen on.", shows="HOST"),
        Argument("--port", "The port to listen on; 0 takes any free one.", shows="PORT"),
        Argument("--dev", "Accept any brand without adding it; on a loopback address only.", is_switch=True),
        CONFIG,
        Argument(
            "--brand",
            "A brand to accept; may be repeated. ZONE is where its days begin, hold sets unlabelled hits aside, MODE "
            "says how it is screened.",
            shows="NAME[:ZONE[:hold[:MODE]]]",
            repeated=True,
        ),
        Argument(
            "--demo",
            "Send invented traffic to the brand demo, with metrics of it and a key in demo.key.",
            is_switch=True,
        ),
        Argument("--demo-rate", "Hits a second of invented traffic, on average.", shows="RATE", reads=above_zero),
        Argument("--log-level", "The least grave message that is logged.", shows="LEVEL"),
        Argument("--set", "Any other setting; may be repeated.", shows="NAME=VALUE", repeated=True),
    ),
)
