"""The ports on SQLite and files, for one machine."""
