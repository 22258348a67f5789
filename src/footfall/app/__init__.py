"""Settings, and how the parts are put together."""
