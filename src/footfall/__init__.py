"""footfall: what an audience reads and watches, as it happens."""

__version__ = "0.1.0"
