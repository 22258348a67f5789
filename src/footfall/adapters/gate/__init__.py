"""The one gate to the web: names are resolved once, looked at, and connected to as they were looked at."""
