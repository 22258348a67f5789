"""Apache DataSketches as tests call it: it has no types, so it is anything here, and only here."""

from typing import Any

import datasketches as untyped

datasketches: Any = untyped
