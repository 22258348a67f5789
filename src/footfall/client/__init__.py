"""The client: send hits from a Python program and ask for lists. It needs nothing but the standard library."""
