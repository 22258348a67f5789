"""The ways in: command line and HTTP."""
