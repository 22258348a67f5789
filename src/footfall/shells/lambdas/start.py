"""What every function does at its first event: take its settings from the environment, and log as JSON lines."""

import logging
from dataclasses import replace

from footfall.app.logs import begin_logging
from footfall.app.settings import ImpossibleSetting, Settings
from footfall.app.settings_reading import environment, read_settings
from footfall.shells.lambdas import gauges
from footfall.values.clock import Clock, SystemClock

# They tell of each start where they found credentials, and in detail what they were asked.
VENDORS = ("boto3", "botocore", "s3transfer", "urllib3")


def begin(process: str = "function") -> tuple[Settings, Clock]:
    """Return the settings and the clock of a function, whose log begins here."""
    settings = replace(read_settings(variables=environment()), log_format="json")
    if settings.ground != "aws":
        raise ImpossibleSetting("ground is 'embedded' and functions run on AWS: set FOOTFALL_GROUND to aws.")
    # Lambda's runtime has a handler of its own there, which would say everything a second time.
    logging.getLogger().handlers.clear()
    begin_logging(settings, process=process)
    for vendor in VENDORS:
        logging.getLogger(vendor).setLevel(max(logging.WARNING, logging.getLogger().level))
    gauges.name_stack(settings.aws_stack)
    return settings, SystemClock()


def memory_mb() -> int | None:
    """Return how much memory the function has, as Lambda's runtime says; None where nobody says it."""
    said = environment().get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "")
    return int(said) if said.isdecimal() else None
