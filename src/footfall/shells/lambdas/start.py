"""What every function does at its first event: take its settings from the environment, and log as JSON lines."""

import logging
from dataclasses import replace

from footfall.app.logs import begin_logging
from footfall.app.settings import ImpossibleSetting, Settings, environment, read_settings
from footfall.shells.lambdas import gauges
from footfall.values.clock import Clock, SystemClock


def begin(process: str = "function") -> tuple[Settings, Clock]:
    """Return the settings and the clock of a function, whose log begins here."""
    settings = replace(read_settings(variables=environment()), log_format="json")
    if settings.ground != "aws":
        raise ImpossibleSetting("ground is 'embedded' and functions run on AWS: set FOOTFALL_GROUND to aws.")
    # Lambda's runtime has a handler of its own there, which would say everything a second time.
    logging.getLogger().handlers.clear()
    begin_logging(settings, process=process)
    gauges.name_stack(settings.aws_stack)
    return settings, SystemClock()
